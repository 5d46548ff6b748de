# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R:8..128,C:1..512]'
"""nisa.register_alloc, register_move, register_store, register_load: a number goes through SBUF and back."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    columns = x.shape[1]
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    first = nisa.register_alloc()
    nisa.register_move(first, 7)
    nisa.register_store(place, first)
    second = nisa.register_alloc()
    nisa.register_load(second, place)
    nisa.dma_copy(dst=row, src=x.ap(pattern=[[columns, 1], [1, columns]], scalar_offset=second, indirect_dim=0))
    nisa.dma_copy(dst=out, src=row)
    return out
