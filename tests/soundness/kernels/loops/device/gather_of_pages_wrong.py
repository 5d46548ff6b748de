# expect: 1 FAILED dma_copy.oob:25
# args: ::kernel --arg 'cache=f32[blocks:1..512,N:1..1024]' --arg 'table=i32[pages:1..64,1] in 0..blocks' --arg 'count=i32[1,1] in 0..pages'
"""The table may have the number of pages, which is no page."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded, rows_at


@nki.jit
def kernel(cache, table, count):
    columns, pages = cache.shape[1], table.shape[0]
    result = nl.ndarray((pages, columns), dtype=cache.dtype, buffer=nl.shared_hbm)
    zeros = nl.ndarray((pages, columns), dtype=cache.dtype, buffer=nl.sbuf)
    nisa.memset(zeros, 0.0)
    nisa.dma_copy(dst=result, src=zeros)
    number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    page = nisa.register_alloc()
    row = nl.ndarray((1, columns), dtype=cache.dtype, buffer=nl.sbuf)

    def gather(i):
        nisa.dma_copy(dst=number, src=rows_at(table, i, 1))
        nisa.register_load(page, number)
        nisa.dma_copy(dst=row, src=rows_at(cache, page, 1))
        nisa.dma_copy(dst=rows_at(result, i, 1), src=row)

    nl.fori_loop(0, loaded(count), gather)
    return result
