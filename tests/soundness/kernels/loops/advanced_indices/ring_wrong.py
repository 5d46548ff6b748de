# expect: 1 FAILED
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..64,columns:1..512]'
"""A ring of four rows, masked as if it had eight."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import advance, number, row_at


@nki.jit
def kernel(x):
    pages, columns = x.shape
    out = nl.ndarray((4, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    index = number(0)

    def body(i):
        nisa.dma_copy(dst=row_at(out, index), src=total)
        advance(index, 1)
        nisa.tensor_scalar(dst=index, data=index, op0=nl.bitwise_and, operand0=7)

    for row in range(4):
        nisa.dma_copy(dst=out[row : row + 1], src=total)
    nl.fori_loop(0, pages, body)
    return out
