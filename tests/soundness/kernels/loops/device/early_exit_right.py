# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[1,N:1..1024]' --arg 'start=i32[1,1] in 0..1'
"""A loop that goes on until the data say that it is enough."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, start):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    left = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    flag = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x)

    def halve(more):
        nisa.tensor_scalar(dst=row, data=row, op0=nl.multiply, operand0=0.5)
        nisa.tensor_reduce(dst=left, op=nl.maximum, data=row, axis=1)
        nisa.tensor_scalar(dst=flag, data=left, op0=nl.greater, operand0=1.0)
        nisa.register_load(more, flag)
        return more

    nl.while_loop(loaded(start), halve)
    nisa.dma_copy(dst=result, src=row)
    return result
