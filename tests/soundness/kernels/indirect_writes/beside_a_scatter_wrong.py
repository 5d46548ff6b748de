# expect: 1 SUCCESSFUL
# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[64*m,64]' --arg 'table=i32[64*m,1] in 0..64*m-1' --where 'm <= 2'
"""Where rows are scattered to is not known, but that half of the other output is never written is."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, table):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    other = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    index = nl.ndarray((rows, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=index, src=table)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out.ap(pattern=[[columns, rows], [1, columns]], vector_offset=index, indirect_dim=0), src=tile)
    nisa.dma_copy(dst=other[0 : rows // 2], src=tile[0 : rows // 2])
    return out, other
