# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,F:1..512]'
"""Tiles of which the last one may be short."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(0, x.shape[0], 128):
        rows = min(128, x.shape[0] - r)
        tile = nl.ndarray((rows, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r : r + rows, :])
        nisa.dma_copy(dst=out[r : r + rows, :], src=tile)
    return out
