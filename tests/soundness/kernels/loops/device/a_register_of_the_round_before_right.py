# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:1..128,N:1..1024]' --arg 'count=i32[1,1] in 0..R'
"""A round uses what the round before it has set, which is the number of that round."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded, rows_at


@nki.jit
def kernel(x, count):
    result = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    place = nisa.register_alloc(0)
    nisa.memset(row, 0.0)

    def body(i):
        nisa.dma_copy(dst=row, src=rows_at(x, place, 1))
        nisa.register_move(place, i)

    nl.fori_loop(0, loaded(count), body)
    nisa.dma_copy(dst=result, src=row)
    return result
