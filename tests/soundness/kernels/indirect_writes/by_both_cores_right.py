# expect: 1 FAILED
# expect: 4 SUCCESSFUL|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=f32[256,C]' --arg 'ids=i32[256,1] in 0..R-1' --arg 'rows=R:1..4096' --where 'C <= 2048' --grid 2
"""Each core scatters to rows of its own, of which there may be one."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, ids, rows):
    columns = x.shape[1]
    assert columns % 128 == 0
    core = nl.program_id(0)
    out = nl.ndarray((2 * rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=zeros, value=0)
    for row in range(core * rows, core * rows + rows):
        nisa.dma_copy(dst=out[row : row + 1], src=zeros)
    index = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=index, src=ids[nl.ds(core * 128, 128)])
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[nl.ds(core * 128, 128)])
    other = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    mine = out.ap(
        pattern=[[columns, 128], [1, columns]], vector_offset=index, offset=core * rows * columns, indirect_dim=0
    )
    nisa.dma_copy(dst=mine, src=tile)
    return out
