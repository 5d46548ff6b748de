# expect: 1 FAILED dma_copy.oob
# shapes: none
# args: ::kernel --arg 'cache=bf16[blocks:1..512,d:1..2048]' --arg 'table=i32[pages:1..64,1] in 0..blocks-1' --arg 'count=i32[1,1] in 0..pages'
"""The table is read from its second number on."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(cache, table, count):
    blocks, d = cache.shape
    pages, one = table.shape
    assert one == 1 and d <= 2048 and count.shape[0] == 1 and count.shape[1] == 1
    out = nl.ndarray((1, d), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((1, d), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    n = nisa.register_alloc()
    nisa.register_load(n, count)
    page = nisa.register_alloc()

    def body(i):
        number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=number, src=table.ap(pattern=[[1, 1], [1, 1]], offset=1, scalar_offset=i, indirect_dim=0))
        nisa.register_load(page, number)
        row = nl.ndarray((1, d), dtype=cache.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=cache.ap(pattern=[[d, 1], [1, d]], offset=0, scalar_offset=page, indirect_dim=0))
        nisa.tensor_tensor(dst=total, data1=total, data2=row, op=nl.add)

    nl.fori_loop(0, n, body)
    nisa.dma_copy(dst=out, src=total)
    return out
