# expect: 4 FAILED|UNKNOWN
# args: ::kernel --grid 2 --arg 'x=f16[R,C]' --arg 'y=f16[N,D]' --where 'C % 2 == 0'
"""Blocks after the third leave the last of four tiles of rows out: which rows are written depends on the block."""

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
        width = min(block, share - b * block)
        start = core * share + b * block
        for r in range((rows + 511) // 512):
            left = min(512, rows - 512 * r)
            for s in range(4 - (b > 2)):
                size = min(128, left - 128 * s)
                if size <= 0:
                    break
                tile = nl.ndarray((size, width), dtype=x.dtype, buffer=nl.sbuf)
                nisa.memset(tile, value=0.0)
                first = 512 * r + 128 * s
                nisa.dma_copy(dst=out[first : first + size, start : start + width], src=tile)
    return out
