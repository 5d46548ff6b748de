# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A loop on the device whose counter nothing writes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    def body(j):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)


    nl.fori_loop(0, 3, body)
    nisa.dma_copy(dst=out, src=tile)
    return out
