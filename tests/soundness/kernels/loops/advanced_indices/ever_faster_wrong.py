# expect: 1 FAILED
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..64,columns:1..512]'
"""Each step is one more than the last."""

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
    index, step = number(0), number(1)

    def body(i):
        add_row(total, x, index)
        nisa.tensor_tensor(dst=index, data1=index, data2=step, op=nl.add)
        advance(step, 1)

    nl.fori_loop(0, pages, body)
    nisa.dma_copy(dst=out, src=total)
    return out
