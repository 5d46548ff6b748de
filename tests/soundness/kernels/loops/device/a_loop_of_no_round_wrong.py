# expect: 4 FAILED df.read_unwritten:19
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]'
"""A loop that goes round no time writes nothing."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)

    def body(i):
        nisa.dma_copy(dst=tile, src=x)

    nl.fori_loop(4, 4, body)
    nisa.dma_copy(dst=result, src=tile)
    return result
