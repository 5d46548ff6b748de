# expect: 1 SUCCESSFUL
# expect: 4 FAILED df.output_written
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..64,columns:1..512]'
"""The first row is left out."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import advance, number, row_at


@nki.jit
def kernel(x):
    pages, columns = x.shape
    out = nl.ndarray((pages, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    index = number(1)

    def body(i):
        nisa.dma_copy(dst=row_at(out, index), src=total)
        advance(index, 1)

    nl.fori_loop(0, pages - 1, body)
    return out
