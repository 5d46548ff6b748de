# expect: 1 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f16[S:2..5000,64]'
"""A block has all rows but the last one: the second block is taken for as large."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    block = rows - 1
    for b in range(-(-rows // block)):
        for row in range(block):
            tile = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[block * b + row : block * b + row + 1, :])
            nisa.dma_copy(dst=out[block * b + row : block * b + row + 1, :], src=tile)
    return out
