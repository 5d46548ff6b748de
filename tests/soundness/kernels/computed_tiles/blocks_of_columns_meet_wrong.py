# expect: 4 FAILED|UNKNOWN
# args: ::kernel --grid 2 --arg 'x=f16[R,C]' --arg 'y=f16[N,D]' --where 'C % 2 == 0'
"""The last of more than three blocks of the first program is one column too wide, which is the other one's."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y):
    rows, columns = x.shape
    share = columns // 2
    block = 4 * (64 // (y.shape[0] * y.shape[1]) // 4)
    if block == 0:
        block = share
    core = nl.program_id(0)
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range((share + block - 1) // block):
        width = min(block, share - b * block) + (b > 2) * (1 - core)
        start = core * share + b * block
        for r in range((rows + 511) // 512):
            left = min(512, rows - 512 * r)
            for s in range(4):
                size = min(128, left - 128 * s)
                if size <= 0:
                    break
                tile = nl.ndarray((size, width), dtype=x.dtype, buffer=nl.sbuf)
                nisa.memset(tile, value=0.0)
                first = 512 * r + 128 * s
                nisa.dma_copy(dst=out[first : first + size, start : start + width], src=tile)
    return out
