# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[R:1..128,N:1..1024]' --arg 'count=i32[1,1] in 0..R' --arg 'other=i32[1,1] in 0..R'
"""The second loop goes round as often as another argument says, perhaps more often."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded, rows_at


@nki.jit
def kernel(x, count, other):
    result = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.hbm)
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    total = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(total, 0.0)
    written = loaded(count)
    used = loaded(other)

    def keep(i):
        nisa.dma_copy(dst=row, src=rows_at(x, i, 1))
        nisa.dma_copy(dst=rows_at(kept, i, 1), src=row)

    def add(i):
        nisa.dma_copy(dst=row, src=rows_at(kept, i, 1))
        nisa.tensor_tensor(dst=total, data1=total, data2=row, op=nl.add)

    nl.fori_loop(0, written, keep)
    nl.fori_loop(0, used, add)
    nisa.dma_copy(dst=result, src=total)
    return result
