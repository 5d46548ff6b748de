# expect: 1 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A name that only a star import can have given is unknown, not undefined."""

import nki
import nki.isa as nisa
import nki.language as nl
from kernel_scales import *


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    scale = default_scale(x.shape[1])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=scale)
    nisa.dma_copy(dst=out, src=tile)
    return out
