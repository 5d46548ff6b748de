# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:1..128,C:16..512]' --arg 'first=i32[1,1] in 0..C-16'
""".ap(scalar_offset=…) of an operand on chip: sixteen columns from one on that data say."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, first):
    rows, columns = x.shape
    out = nl.ndarray((rows, 16), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    part = nl.ndarray((rows, 16), dtype=x.dtype, buffer=nl.sbuf)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=place, src=first)
    register = nisa.register_alloc(place)
    nisa.tensor_copy(dst=part, src=tile.ap(pattern=[[columns, rows], [1, 16]], scalar_offset=register, indirect_dim=1))
    nisa.dma_copy(dst=out, src=part)
    return out
