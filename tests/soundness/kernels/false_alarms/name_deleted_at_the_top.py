# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A name that the module deletes is undefined."""

import nki
import nki.isa as nisa
import nki.language as nl

SCALE = 0.5
del SCALE


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALE)
    nisa.dma_copy(dst=out, src=tile)
    return out
