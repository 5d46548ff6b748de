# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,F:1..2048]'
"""A package that is optional, and is not used by the kernel."""

import nki
import nki.isa as nisa
import nki.language as nl

try:
    import kernel_profiler
except ImportError:
    kernel_profiler = None


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
