# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[4,128,64*n]' --grid 2
"""Both cores execute the same lines, each on tiles of its own."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    for i in range(2):
        tile = nl.ndarray(x.shape[1:], dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[core * 2 + i])
        nisa.dma_copy(dst=out[core * 2 + i], src=tile)
    return out
