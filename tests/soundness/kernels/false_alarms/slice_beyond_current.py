# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A slice that ends one beyond."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 1 : x.shape[1] + 1])
    nisa.dma_copy(dst=out, src=tile)
    return out
