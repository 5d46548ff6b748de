# expect: 4 FAILED|UNKNOWN
# shapes: none
# args: ::kernel --grid 2 --arg 'x=f32[P:2..128,N:1..1024]' --arg 'counts=i32[2,1] in 0..4'
"""Each core comes to the barrier as often as its own data say."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, counts):
    core = nl.program_id(0)
    out = nl.ndarray((2, *x.shape), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x)
    table = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=table, src=counts[core : core + 1])
    count = nisa.register_alloc()
    nisa.register_load(dst=count, src=table)
    for _ in nl.dynamic_range(count):
        nisa.core_barrier(out, (0, 1))
    nisa.dma_copy(dst=out[core], src=mine)
    return out
