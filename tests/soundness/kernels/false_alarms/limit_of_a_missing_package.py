# expect: 1 UNKNOWN
# expect: 4 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A limit comes from a package that is not there: whether the assert rejects is unknown."""

import nki
import nki.isa as nisa
import nki.language as nl
from kernel_limits import WIDEST


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[1] <= WIDEST
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
