# expect: 2 FAILED host.int32:21
# args: ::kernel --grid 2 --arg 'x=f32[R,C]' --where 'R % 2 == 0' --where 'C <= 1610612736'
# shapes: none
"""Offsets of core 1 alone leave 32 bits for two rows, and core 0 has its whole share to do before."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    share = rows // 2
    begin = nl.program_id(0) * share
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in range(share):
        for column in range(columns):
            tile = nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.sbuf)
            place = [[columns, 1], [1, 1]]
            offset = (begin + row) * columns + column
            nisa.dma_copy(dst=tile, src=x.ap(pattern=place, offset=offset))
            nisa.dma_copy(dst=out[begin + row : begin + row + 1, column : column + 1], src=tile)
    return out
