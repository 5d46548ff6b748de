# expect: 1 FAILED
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..64,columns:1..512]' --arg 'links=i32[pages,1] in 1..pages'
"""The numbers of the next rows begin at one."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import add_row, number


@nki.jit
def kernel(x, links):
    pages, columns = x.shape
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    index = number(0)

    def body(i):
        add_row(total, x, index)
        place = [[1, 1], [1, 1]]
        nisa.dma_copy(dst=index, src=links.ap(pattern=place, offset=0, scalar_offset=index, indirect_dim=0))

    nl.fori_loop(0, 8, body)
    nisa.dma_copy(dst=out, src=total)
    return out
