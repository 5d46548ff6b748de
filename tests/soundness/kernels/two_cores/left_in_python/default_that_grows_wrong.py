# expect: 1 UNKNOWN|FAILED
# expect: 4 UNKNOWN|FAILED
# args: ::kernel --grid 2 --arg 'x=f32[N:2..,128,128]'
"""Each program appends to a default argument."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, seen=[]):
    core = nl.program_id(0)
    out = nl.ndarray((2, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[len(seen)])
    seen.extend([0, 0])
    nisa.dma_copy(dst=out[core], src=tile)
    return out
