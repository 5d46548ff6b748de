# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]' --arg 'start=i32[1,1] in 0..9'
"""A while statement over a register."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, start):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    other = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(tile, 0.0)
    nisa.dma_copy(dst=number, src=start)
    more = nisa.register_alloc()
    nisa.register_load(more, number)
    while more:
        nisa.dma_copy(dst=other, src=x)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.tensor_scalar(dst=number, data=number, op0=nl.subtract, operand0=1)
        nisa.register_load(more, number)
    nisa.dma_copy(dst=result, src=tile)
    return result
