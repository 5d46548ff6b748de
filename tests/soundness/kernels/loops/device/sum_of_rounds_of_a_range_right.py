# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]' --arg 'count=i32[1,1] in 0..64'
"""The same in a dynamic_range."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, count):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(total, 0.0)
    for i in nl.dynamic_range(loaded(count)):
        nisa.dma_copy(dst=tile, src=x)
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=result, src=total)
    return result
