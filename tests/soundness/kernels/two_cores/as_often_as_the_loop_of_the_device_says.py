# expect: 4 FAILED|UNKNOWN
# shapes: none
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]'
"""Core 1 goes round a device loop with a barrier twice, core 0 once."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    core = nl.program_id(0)
    out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x)
    for _ in nl.dynamic_range(core + 1):
        nisa.core_barrier(out, (0, 1))
    nisa.dma_copy(dst=out[core], src=mine)
    return out
