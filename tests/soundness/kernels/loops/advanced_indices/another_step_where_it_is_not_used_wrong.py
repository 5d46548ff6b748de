# expect: 1 FAILED|UNKNOWN
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..64,columns:1..512]'
"""One arm uses the index and advances it by one; the other advances it by two, and uses it after the loop."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import add_row, advance, number


@nki.jit
def kernel(x):
    pages, columns = x.shape
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    index = number(0)

    def body(i):
        if pages % 2 == 0:
            add_row(total, x, index)
            advance(index, 1)
        else:
            advance(index, 2)

    nl.fori_loop(0, pages - 1, body)
    add_row(total, x, index)
    nisa.dma_copy(dst=out, src=total)
    return out
