# expect: 4 FAILED df.programs
# args: ::kernel --grid 2 --arg 'x=f32[N:1..,128,256]'
"""Of the barriers of a round, where there are many parts, the first is missing."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core, n = nl.program_id(0), x.shape[0]
    out = nl.ndarray((n, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    shared = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if n > 4:
        for i in range(n):
            nisa.dma_copy(dst=tile, src=x[i, :, nl.ds(core * 128, 128)])
            nisa.dma_copy(dst=shared[:, nl.ds(core * 128, 128)], src=tile)
            nisa.dma_copy(dst=tile, src=shared[:, nl.ds((1 - core) * 128, 128)])
            nisa.dma_copy(dst=out[i, :, nl.ds((1 - core) * 128, 128)], src=tile)
            nisa.core_barrier(shared, (0, 1))
    else:
        for i in range(n):
            nisa.dma_copy(dst=tile, src=x[i, :, nl.ds(core * 128, 128)])
            nisa.dma_copy(dst=out[i, :, nl.ds(core * 128, 128)], src=tile)
    return out
