# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:8..128,N:1..512]' --arg 'keys=f32[1,K:8..512]' --arg 'count=i32[1,1] in 0..8' --where 'K <= R'
"""The row of the greatest number, found in each round."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, keys, count):
    result = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    numbers = nl.ndarray(keys.shape, dtype=keys.dtype, buffer=nl.sbuf)
    best = nl.ndarray((1, 8), dtype=keys.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=numbers, src=keys)
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x[0:1])

    def body(i):
        nisa.max8(dst=best, src=numbers)
        nisa.tensor_scalar(dst=numbers, data=numbers, op0=nl.multiply, operand0=0.5)
        nisa.tensor_scalar(dst=row, data=row, op0=nl.multiply, operand0=2.0)

    nl.fori_loop(0, loaded(count), body)
    nisa.dma_copy(dst=result, src=row)
    return result
