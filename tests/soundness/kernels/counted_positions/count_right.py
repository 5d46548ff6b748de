# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,32]' --arg 'table=f32[33,8]' --target trn2
"""The count is at most the number of elements, and no padding."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, table):
    found = nl.ndarray((128, 33), dtype=nl.int32, buffer=nl.sbuf)
    src = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=src, src=x)
    nisa.memset(dst=found, value=0)
    nisa.nonzero_with_count(dst=found, src=src)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=at, src=found[0:1, 32:33])
    out = nl.ndarray((1, 8), dtype=table.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((1, 8), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=table.ap(pattern=[[8, 1], [1, 8]], scalar_offset=at, indirect_dim=0))
    nisa.dma_copy(dst=out, src=row)
    return out
