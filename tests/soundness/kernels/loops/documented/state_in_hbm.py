# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C:1..512]' --arg 'times=i32[1,1] in 0..100'
"""nl.fori_loop: state is carried in HBM, which each round reads and writes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, times):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=first, src=x)
    nisa.dma_copy(dst=out, src=first)
    upper = nisa.register_alloc()
    nisa.register_load(upper, times)

    def double(i):
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=out)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=tile, op=nl.add)
        nisa.dma_copy(dst=out, src=tile)

    nl.fori_loop(0, upper, double)
    return out
