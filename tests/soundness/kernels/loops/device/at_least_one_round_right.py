# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]' --arg 'count=i32[1,1] in 1..64'
"""A count of at least one writes what is read afterwards."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, count):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)

    def body(i):
        nisa.dma_copy(dst=tile, src=x)

    nl.fori_loop(0, loaded(count), body)
    nisa.dma_copy(dst=result, src=tile)
    return result
