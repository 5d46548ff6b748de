# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:1..128,N:1..1024]' --arg 'count=i32[1,1] in 0..R'
"""Rows up to a count are copied, over zeros."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded, rows_at


@nki.jit
def kernel(x, count):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(zeros, 0.0)
    nisa.dma_copy(dst=result, src=zeros)
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)

    def copy(i):
        nisa.dma_copy(dst=row, src=rows_at(x, i, 1))
        nisa.dma_copy(dst=rows_at(result, i, 1), src=row)

    nl.fori_loop(0, loaded(count), copy)
    return result
