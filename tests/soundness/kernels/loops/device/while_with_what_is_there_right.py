# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]' --arg 'start=i32[1,1] in 0..9'
"""What a while_loop reads has been written before it, or in the round."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, start):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=number, src=start)
    first = nisa.register_alloc()
    nisa.register_load(first, number)

    def body(more):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
        nisa.tensor_scalar(dst=number, data=number, op0=nl.subtract, operand0=1)
        nisa.register_load(more, number)
        return more

    nl.while_loop(first, body)
    nisa.dma_copy(dst=result, src=tile)
    return result
