# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'table=f32[4096,64]' --arg 'ids=i32[128,1] in 0..3968' --arg n=8
"""Rows gathered by an index tile that is advanced in a loop, current API."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(table, ids, n):
    rows, d = table.shape
    out = nl.ndarray((n, 128, d), dtype=table.dtype, buffer=nl.shared_hbm)
    idx = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=idx, src=ids)
    for i in range(n):
        rowtile = nl.ndarray((128, d), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=rowtile, src=table.ap([[d, 128], [1, d]], vector_offset=idx, indirect_dim=0))
        nisa.dma_copy(dst=out[i], src=rowtile)
        nisa.tensor_scalar(dst=idx, data=idx, op0=nl.add, operand0=16)
    return out
