# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]' --arg 'y=f32[P,F]'
"""An argument of the current API may be written, and returned."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=y, src=tile)
    return y
