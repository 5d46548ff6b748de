# expect: 4 FAILED|UNKNOWN
# args: ::kernel --grid 1 --arg 'x=f16[R:1..128,C]'
"""Columns are written where they are more than rows, or as many; that they differ does not say which are more."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(tile, value=0.0)
    if columns - rows != 0:
        for r in range(min(1, max(0, columns - rows))):
            nisa.dma_copy(dst=out, src=tile)
    else:
        nisa.dma_copy(dst=out, src=tile)
    return out
