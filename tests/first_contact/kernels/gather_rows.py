"""Rows of a table, 128 at a time, by indices: an embedding lookup."""

# legal: T % 128 == 0, one == 1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def gather_rows(table, ids):
    V, D = table.shape
    T, one = ids.shape
    assert one == 1
    assert T % 128 == 0
    out = nl.ndarray((T, D), dtype=table.dtype, buffer=nl.shared_hbm)
    for t in range(T // 128):
        index = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.dma_copy(dst=index, src=ids[t * 128 : (t + 1) * 128, :])
        rows = nl.ndarray((128, D), dtype=table.dtype, buffer=nl.sbuf)
        source = table.ap(pattern=[[D, 128], [1, D]], offset=0, vector_offset=index, indirect_dim=0)
        nisa.dma_copy(dst=rows, src=source)
        # bug: nisa.dma_copy(dst=out[t * 64 : t * 64 + 128, :], src=rows)
        nisa.dma_copy(dst=out[t * 128 : (t + 1) * 128, :], src=rows)
    return out
