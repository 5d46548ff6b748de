# expect: 1 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A name that the module gives itself after the star import is its own, but what else that changed is unknown."""

import nki
import nki.isa as nisa
import nki.language as nl
from kernel_scales import *

SCALE = 0.5


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALE)
    nisa.dma_copy(dst=out, src=tile)
    return out
