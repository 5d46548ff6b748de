# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,N:1..4096]'
"""A helper keeps the most that was used at a time, by comparing: no branch, and the loop around is summarised."""

import nki
import nki.isa as nisa
import nki.language as nl


class Usage:
    def __init__(self):
        self.used = 0
        self.most = 0

    def take(self, size):
        self.used = self.used + size
        if self.used > self.most:
            self.most = self.used

    def give(self, size):
        self.used = self.used - size


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    usage, least = Usage(), columns
    usage.take(4 * columns)
    for at in range((rows + 127) // 128):
        size = min(128, rows - at * 128)
        usage.take(128 * 4)
        usage.take(columns)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size], src=x[at * 128 : at * 128 + size])
        nisa.dma_copy(dst=out[at * 128 : at * 128 + size], src=tile[0:size])
        usage.give(128 * 4)
        usage.give(columns)
    if least > rows:
        least = rows
    assert usage.most <= 5 * columns + 512
    assert least <= columns and least <= rows
    return out
