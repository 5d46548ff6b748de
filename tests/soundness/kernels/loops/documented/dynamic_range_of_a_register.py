# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C:1..512]' --arg 'times=i32[1,1] in 0..1000'
"""nl.dynamic_range: the bound is a register that is loaded from a tile."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, times):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    total = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.memset(dst=total, value=0)
    nisa.dma_copy(dst=count, src=times)
    register = nisa.register_alloc(count)
    for _ in nl.dynamic_range(register):
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out
