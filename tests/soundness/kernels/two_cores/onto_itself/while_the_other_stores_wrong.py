# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[256,64]' --grid 2
"""One core copies the output onto itself while the other one stores to it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * 128 : core * 128 + 128, :])
    if core == 0:
        nisa.dma_copy(dst=out[0:128, :], src=tile)
        nisa.dma_copy(dst=out[128:256, :], src=tile)
    nisa.core_barrier(out, (0, 1))
    if core == 1:
        nisa.dma_copy(dst=out, src=out)
    if core == 0:
        nisa.dma_copy(dst=out[0:128, :], src=tile)
    return out
