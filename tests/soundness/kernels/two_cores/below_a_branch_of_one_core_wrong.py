# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[256,N]' --where 'N <= 4000' --grid 2
"""One core alone comes to the barrier where rows are long: it waits for ever."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core = nl.program_id(0)
    columns = x.shape[1]
    out = nl.ndarray((256, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    shared = nl.ndarray((2, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * 128 : core * 128 + 128])
    if columns > 128:
        nisa.dma_copy(dst=shared[core], src=tile)
        if core == 0:
            nisa.core_barrier(shared, (0, 1))
        nisa.dma_copy(dst=tile, src=shared[1 - core])
    nisa.dma_copy(dst=out[core * 128 : core * 128 + 128], src=tile)
    return out
