# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C:1..512]' --arg 'more=i32[1,1]'
"""`while register:` the body loads the condition of the next round into the register."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, more):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    condition = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    register = nisa.register_alloc(1)
    while register:
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5)
        nisa.dma_copy(dst=condition, src=more)
        nisa.register_load(register, condition)
    nisa.dma_copy(dst=out, src=tile)
    return out
