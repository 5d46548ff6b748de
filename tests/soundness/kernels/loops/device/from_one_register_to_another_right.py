# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:2..128,N:1..1024]' --arg 'first=i32[1,1] in 0..R-1' --arg 'last=i32[1,1] in 0..R'
"""Both ends of the loop are loaded."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded, rows_at


@nki.jit
def kernel(x, first, last):
    result = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(row, 0.0)

    def body(i):
        nisa.dma_copy(dst=row, src=rows_at(x, i, 1))

    nl.fori_loop(loaded(first), loaded(last), body)
    nisa.dma_copy(dst=result, src=row)
    return result
