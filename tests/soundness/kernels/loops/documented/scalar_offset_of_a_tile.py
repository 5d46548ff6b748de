# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:1..,C:1..512]' --arg 'row=i32[1,1] in 0..R-1'
""".ap(scalar_offset=…) of a tile of SBUF: the row of HBM that its number says."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, row):
    columns = x.shape[1]
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    found = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=row)
    nisa.dma_copy(dst=found, src=x.ap(pattern=[[columns, 1], [1, columns]], scalar_offset=place, indirect_dim=0))
    nisa.dma_copy(dst=out, src=found)
    return out
