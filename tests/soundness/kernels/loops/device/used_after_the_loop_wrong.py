# expect: 1 FAILED loop.escape:25
# args: ::kernel --arg 'x=f32[P:1..128,N:1..1024]' --arg 'count=i32[1,1] in 0..64'
"""A tensor of the body is used in the body alone."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded


@nki.jit
def kernel(x, count):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    total = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(total, 0.0)

    def body(i):
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        tiles.append(tile)

    nl.fori_loop(0, loaded(count), body)
    nisa.dma_copy(dst=result, src=tiles[0])
    return result
