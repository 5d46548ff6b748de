# expect: 4 FAILED df.read_unwritten
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A tile that nothing writes is read."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=out, src=tile)
    return out
