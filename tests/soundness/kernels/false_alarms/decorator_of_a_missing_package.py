# expect: 1 UNKNOWN
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A decorator that is not there may do anything with a kernel."""

import nki
import nki.isa as nisa
import nki.language as nl
import tuned_kernels


@tuned_kernels.cached
def width(n):
    return min(n, 512)


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((x.shape[0], width(x.shape[1])), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0 : width(x.shape[1])])
    nisa.dma_copy(dst=out[:, 0 : width(x.shape[1])], src=tile)
    return out
