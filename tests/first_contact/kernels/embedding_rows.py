"""Rows of a table by indices, ragged."""

# legal: ids1 == 1

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def embedding(ids, table):
    """ids: int32 [T, 1], table: [V, D]"""
    T, _ = ids.shape
    V, D = table.shape
    out = nl.ndarray((T, D), dtype=table.dtype, buffer=nl.shared_hbm)
    for t in range(0, T, 128):
        n = min(128, T - t)
        idx = nl.ndarray((n, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=idx, src=ids[t : t + n, :])
        rows = nl.ndarray((n, D), dtype=table.dtype, buffer=nl.sbuf)
        # bug: nisa.dma_copy(dst=rows, src=table.ap(pattern=[[D, 128], [1, D]], offset=0, vector_offset=idx, indirect_dim=0))
        nisa.dma_copy(dst=rows, src=table.ap(pattern=[[D, n], [1, D]], offset=0, vector_offset=idx, indirect_dim=0))
        nisa.dma_copy(dst=out[t : t + n, :], src=rows)
    return out
