# expect: 1 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,C:1..4096]'
# shapes: R=1..300:99 C=1..8
"""Each iteration makes its own entries of a dictionary that has none of these names before the loop."""

import nki
import nki.isa as nisa
import nki.language as nl


class Pool:
    def __init__(self):
        self.tiles = {}

    def make(self, name, shape, dtype):
        self.tiles[name] = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
        return self.tiles[name]


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    pool = Pool()
    for part in range((rows + 127) // 128):
        count = min(128, rows - part * 128)
        first = pool.make("first", (128, columns), x.dtype)
        nisa.dma_copy(dst=first[:count], src=x[part * 128 : part * 128 + count, :])
        second = pool.make("second", (128, columns), x.dtype)
        nisa.tensor_copy(dst=second[:count], src=pool.tiles["first"][:count])
        nisa.dma_copy(dst=out[part * 128 : part * 128 + count, :], src=pool.tiles["second"][:count])
    assert list(pool.tiles) == ["first", "second"]
    return out
