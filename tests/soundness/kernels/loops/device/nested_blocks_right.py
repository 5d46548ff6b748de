# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128*m,512*n]' --where 'n <= 100'
"""Blocks of rows, and of columns in each: both loops are on the device."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import rows_at


@nki.jit
def kernel(x):
    rows, columns = x.shape
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    whole = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)

    def by_rows(i):
        nisa.dma_copy(dst=whole, src=rows_at(x, i, 128))

        def by_columns(j):
            part = whole.ap(pattern=[[columns, 128], [1, 512]], scalar_offset=j, indirect_dim=1)
            nisa.tensor_scalar(dst=part, data=part, op0=nl.multiply, operand0=2.0)

        nl.fori_loop(0, columns, by_columns, 512)
        nisa.dma_copy(dst=rows_at(result, i, 128), src=whole)

    nl.fori_loop(0, rows, by_rows, 128)
    return result
