# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C:1..1024]'
"""nl.fori_loop: bounds are numbers, the body gets the register, state is carried in SBUF."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    total = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.memset(dst=total, value=0)

    def add(i):
        column = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=column, src=tile.ap(pattern=[[columns, rows], [1, 1]], scalar_offset=i, indirect_dim=1))
        nisa.tensor_tensor(dst=total, data1=total, data2=column, op=nl.add)

    nl.fori_loop(0, columns, add)
    nisa.dma_copy(dst=out, src=total)
    return out
