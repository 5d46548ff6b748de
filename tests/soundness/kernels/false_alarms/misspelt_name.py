# expect: 1 FAILED kernel.exception:17
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""No star import is there that could have given the name: it is undefined."""

import nki
import nki.isa as nisa
import nki.language as nl

SCALE = 0.5


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALES)
    nisa.dma_copy(dst=out, src=tile)
    return out
