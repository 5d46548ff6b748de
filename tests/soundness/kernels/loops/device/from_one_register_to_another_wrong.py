# expect: 1 FAILED dma_copy.oob:18
# args: ::kernel --arg 'x=f32[R:2..128,N:1..1024]' --arg 'first=i32[1,1] in 0..R-1' --arg 'last=i32[1,1] in 0..R'
"""Each round reads the row behind its own: the last round has none."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, first, last):
    result = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(row, 0.0)

    def body(i):
        nisa.dma_copy(
            dst=row,
            src=x.ap(pattern=[[x.shape[1], 1], [1, x.shape[1]]], offset=x.shape[1], scalar_offset=i, indirect_dim=0),
        )

    nl.fori_loop(loaded(first), loaded(last), body)
    nisa.dma_copy(dst=result, src=row)
    return result
