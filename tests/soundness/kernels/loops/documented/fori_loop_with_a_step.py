# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:128..,C:1..512]' --where 'R % 128 == 0'
"""nl.fori_loop: in steps of 128 rows, which the body reads and writes by its register."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    pattern = [[columns, 128], [1, columns]]

    def copy(row):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x.ap(pattern=pattern, scalar_offset=row, indirect_dim=0))
        nisa.dma_copy(dst=out.ap(pattern=pattern, scalar_offset=row, indirect_dim=0), src=tile)

    nl.fori_loop(0, rows, copy, step=128)
    return out
