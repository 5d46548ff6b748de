# expect: 1 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""What a class inherits from a package that is not there is unknown."""

import nki
import nki.isa as nisa
import nki.language as nl
from kernel_bases import Sizes


class Own(Sizes):
    rows = 128


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[0], Own().columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
