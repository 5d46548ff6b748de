# expect: 4 FAILED core_barrier.both:18
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]'
"""Core 0 does all of the work and waits at a barrier, to which core 1 does not come: it does nothing."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    if nl.program_id(0) == 0:
        nisa.dma_copy(dst=tile, src=x)
        nisa.dma_copy(dst=out, src=tile)
        # Nobody else comes.
        nisa.core_barrier(out, (0, 1))
    return out
