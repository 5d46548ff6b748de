# expect: 4 FAILED df.programs
# args: ::kernel --grid 2 --arg 'x=f32[256*n,F:1..4096]'
"""The other core stores there again before it is known that this one has read it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core, (rows, columns) = nl.program_id(0), x.shape
    shared = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(rows // 256):
        nisa.dma_copy(dst=tile, src=x[nl.ds(core * (rows // 2) + i * 128, 128)])
        nisa.dma_copy(dst=shared[nl.ds(core * (rows // 2) + i * 128, 128)], src=tile)
    nisa.core_barrier(shared, (0, 1))
    for i in range(rows // 256):
        nisa.dma_copy(dst=tile, src=shared[nl.ds((1 - core) * (rows // 2) + i * 128, 128)])
        nisa.dma_copy(dst=out[nl.ds((1 - core) * (rows // 2) + i * 128, 128)], src=tile)
    for i in range(rows // 256):
        nisa.dma_copy(dst=tile, src=x[nl.ds(core * (rows // 2) + i * 128, 128)])
        nisa.dma_copy(dst=shared[nl.ds(core * (rows // 2) + i * 128, 128)], src=tile)
    nisa.core_barrier(shared, (0, 1))
    for i in range(rows // 256):
        nisa.dma_copy(dst=tile, src=shared[nl.ds(core * (rows // 2) + i * 128, 128)])
        nisa.dma_copy(dst=out[nl.ds(core * (rows // 2) + i * 128, 128)], src=tile)
    return out
