# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C:1..512]' --arg 'start=i32[1,1] in 0..100'
"""nl.while_loop: the body gets the register, and returns the one of the next round."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, start):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=left, src=start)
    register = nisa.register_alloc()
    nisa.register_load(register, left)

    def body(condition):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=0.5)
        nisa.tensor_scalar(dst=left, data=left, op0=nl.subtract, operand0=1)
        nisa.register_load(condition, left)
        return condition

    nl.while_loop(register, body)
    nisa.dma_copy(dst=out, src=tile)
    return out
