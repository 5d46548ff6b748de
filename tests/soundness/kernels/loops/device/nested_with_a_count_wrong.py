# expect: 4 FAILED df.read_unwritten:25
# args: ::kernel --arg 'x=f32[128*m,N:1..1024]' --arg 'count=i32[1,1] in 0..64'
"""What is added to has no beginning: where the inner loop goes round no time it is stored as it is."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import loaded, rows_at


@nki.jit
def kernel(x, count):
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    total = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    times = loaded(count)

    def block(i):
        nisa.dma_copy(dst=tile, src=rows_at(x, i, 128))

        def add(j):
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)

        nl.fori_loop(0, times, add)
        nisa.dma_copy(dst=rows_at(result, i, 128), src=total)

    nl.fori_loop(0, x.shape[0], block, 128)
    return result
