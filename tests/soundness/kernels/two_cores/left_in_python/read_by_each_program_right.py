# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --grid 2 --arg 'x=f32[N:2..,128,128]'
"""Names of the module that programs read."""

import nki
import nki.isa as nisa
import nki.language as nl

ROWS = [0, 1]


@nki.jit
def kernel(x):
    core = nl.program_id(0)
    out = nl.ndarray((2, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[ROWS[1]])
    nisa.dma_copy(dst=out[core], src=tile)
    return out
