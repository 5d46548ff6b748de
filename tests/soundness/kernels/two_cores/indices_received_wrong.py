# expect: 1 FAILED dma_copy.oob:19
# args: ::kernel --arg 'table=f32[N:99..100000,32]' --arg 'ids=i32[2,64,1] in 0..99' --grid 2
"""They reach one row beyond the smallest table."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(ids, table):
    N, D = table.shape
    out = nl.ndarray((2, 64, D), dtype=table.dtype, buffer=nl.shared_hbm)
    me = nl.program_id(0)
    mine = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    other = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=ids[me])
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)
    rows = nl.ndarray((64, D), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=table.ap([[D, 64], [1, D]], vector_offset=other, indirect_dim=0))
    nisa.dma_copy(dst=out[me], src=rows)
    return out
