# expect: 1 FAILED dma_copy.oob
# shapes: none
# args: ::kernel --arg 'x=f32[pages:1..4096,columns:1..512]'
"""128 indices, each further by 129 in each round."""

import nki
import nki.isa as nisa
import nki.language as nl
from _tiles import advance


@nki.jit
def kernel(x):
    pages, columns = x.shape
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    index = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=index, pattern=[[0, 1]], offset=0, channel_multiplier=1)
    sums = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=sums, value=0.0)

    def body(i):
        rows = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        place = [[columns, 128], [1, columns]]
        nisa.dma_copy(dst=rows, src=x.ap(pattern=place, offset=0, vector_offset=index, indirect_dim=0))
        nisa.tensor_tensor(dst=sums, data1=sums, data2=rows, op=nl.add)
        advance(index, 129)

    nl.fori_loop(0, pages // 128, body)
    nisa.dma_copy(dst=out, src=sums)
    return out
