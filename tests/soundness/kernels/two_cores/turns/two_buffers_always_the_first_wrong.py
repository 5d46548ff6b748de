# expect: 4 FAILED
# args: ::kernel --grid 2 --arg 'x=f32[N:2..,128,256]'
"""The first of two buffers is used in each round."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core, n = nl.program_id(0), x.shape[0]
    out = nl.ndarray((n, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)

    def half(tensor, of):
        return tensor[:, nl.ds(of * 128, 128)]

    shared = nl.ndarray((2, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n):
        nisa.dma_copy(dst=tile, src=half(x[i], core))
        nisa.dma_copy(dst=half(shared[0], core), src=tile)
        nisa.core_barrier(shared, (0, 1))
        nisa.dma_copy(dst=tile, src=half(shared[0], 1 - core))
        nisa.dma_copy(dst=half(out[i], 1 - core), src=tile)
    return out
