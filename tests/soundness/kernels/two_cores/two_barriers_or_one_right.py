# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# shapes: none
# args: ::kernel --arg 'x=bf16[256,columns:1..2000]' --grid 2
"""Two barriers in one arm, one in the other."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows == 256 and columns <= 2000 and nl.num_programs(0) == 2
    core = nl.program_id(0)
    out = nl.ndarray((256, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    shared = nl.ndarray((2, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * 128 : core * 128 + 128])
    nisa.dma_copy(dst=shared[core], src=tile)
    if columns > 128:
        nisa.core_barrier(shared, (0, 1))
        nisa.core_barrier(shared, (0, 1))
    else:
        nisa.core_barrier(shared, (0, 1))
    nisa.dma_copy(dst=tile, src=shared[1 - core])
    nisa.dma_copy(dst=out[core * 128 : core * 128 + 128], src=tile)
    return out
