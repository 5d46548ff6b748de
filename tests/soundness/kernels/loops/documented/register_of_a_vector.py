# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C:1..512]' --arg 'times=i32[1] in 0..8'
"""nisa.register_load: from a tensor of HBM with one element and one dimension."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, times):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    register = nisa.register_alloc()
    nisa.register_load(register, times)
    for _ in nl.dynamic_range(register):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
