# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[256,64]' --grid 2
"""A core may write back what it has read before the other one stored."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * 128 : core * 128 + 128, :])
    nisa.dma_copy(dst=out[core * 128 : core * 128 + 128, :], src=tile)
    nisa.dma_copy(dst=out, src=out)
    return out
