# expect: 1 FAILED
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..64,columns:1..512]'
"""The index doubles in each round."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import add_row, number


@nki.jit
def kernel(x):
    pages, columns = x.shape
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    index = number(1)

    def body(i):
        add_row(total, x, index)
        nisa.tensor_scalar(dst=index, data=index, op0=nl.multiply, operand0=2)

    nl.fori_loop(0, pages - 1, body)
    nisa.dma_copy(dst=out, src=total)
    return out
