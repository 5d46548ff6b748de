# expect: 1 UNKNOWN|FAILED
# expect: 4 UNKNOWN|FAILED
# args: ::kernel --grid 2 --arg 'x=f32[N:2..,128,128]'
"""What the first program has loaded, the second one takes for loaded."""

import nki
import nki.isa as nisa
import nki.language as nl

LOADED = {}


@nki.jit
def kernel(x):
    core = nl.program_id(0)
    out = nl.ndarray((2, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    if "tile" not in LOADED:
        nisa.dma_copy(dst=tile, src=x[0])
        LOADED["tile"] = True
    nisa.dma_copy(dst=out[core], src=tile)
    return out
