# expect: 1 FAILED
# args: ::paged --arg 'pool=bf16[N,W]' --arg 'table=i32[M:1..128,1] in 0..N' --where 'W <= 16000'
"""A page beyond the pool, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


@nki.jit
def paged(pool, table):
    n, w = pool.shape
    m = table.shape[0]
    out = nl.ndarray((m, w), dtype=pool.dtype, buffer=nl.shared_hbm)
    idx = load(table)
    rows = nl.ndarray((m, w), dtype=pool.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=pool.ap(pattern=[[w, m], [1, w]], offset=0, vector_offset=idx, indirect_dim=0))
    nisa.dma_copy(dst=out, src=rows)
    return out
