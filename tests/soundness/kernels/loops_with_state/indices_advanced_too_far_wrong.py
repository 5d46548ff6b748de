# expect: 1 FAILED dma_copy.oob:17
# args: ::kernel --arg 'table=f32[128*n,D]' --arg 'ids=i32[128,1] in 0..127' --where 'D <= 1024 and n <= 1000'
"""One row more than a block in each round: beyond the table in the last one."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(table, ids):
    rows, d = table.shape
    out = nl.ndarray((rows, d), dtype=table.dtype, buffer=nl.shared_hbm)
    idx = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=idx, src=ids)
    for i in range(rows // 128):
        tile = nl.ndarray((128, d), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=table.ap([[d, 128], [1, d]], vector_offset=idx, indirect_dim=0))
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
        nisa.tensor_scalar(dst=idx, data=idx, op0=nl.add, operand0=129)
    return out
