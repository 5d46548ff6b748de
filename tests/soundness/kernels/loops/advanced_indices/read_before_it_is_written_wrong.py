# expect: 4 FAILED df.read_unwritten
# shapes: none
# args: ::kernel --arg 'x=f32[rows:1..64,columns:1..512]'
"""Each round reads the row that it writes afterwards: the round before has written another one."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import advance, number, row_at


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    scratch = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.hbm)
    tile = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:1])
    nisa.dma_copy(dst=scratch[0:1], src=tile)
    index = number(0)

    def body(i):
        nisa.dma_copy(dst=tile, src=row_at(scratch, index))
        nisa.dma_copy(dst=row_at(scratch, index), src=tile)
        advance(index, 1)

    nl.fori_loop(0, rows, body)
    nisa.dma_copy(dst=out, src=tile)
    return out
