# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:128..,C:1..512]' --where 'R % 128 == 0'
"""nl.dynamic_range: bounds and step are numbers, the register says which rows are copied."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in nl.dynamic_range(0, rows, 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x.ap(pattern=[[columns, 128], [1, columns]], scalar_offset=row, indirect_dim=0))
        nisa.dma_copy(dst=out.ap(pattern=[[columns, 128], [1, columns]], scalar_offset=row, indirect_dim=0), src=tile)
    return out
