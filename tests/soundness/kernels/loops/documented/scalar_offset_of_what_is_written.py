# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[1,C:1..512]' --arg 'cache=f32[R:1..128,C]' --arg 'row=i32[1,1] in 0..R-1'
""".ap(scalar_offset=…) of a register, in what a DMA writes: one row of a cache that is copied first."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, cache, row):
    rows, columns = cache.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    old = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    new = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=old, src=cache)
    nisa.dma_copy(dst=out, src=old)
    nisa.dma_copy(dst=new, src=x)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=row)
    register = nisa.register_alloc(place)
    nisa.dma_copy(dst=out.ap(pattern=[[columns, 1], [1, columns]], scalar_offset=register, indirect_dim=0), src=new)
    return out
