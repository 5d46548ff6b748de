# expect: 4 FAILED df.read_unwritten:25
# args: ::kernel --arg 'x=f32[B:1..8,128,N:1..512]' --arg 'counts=i32[B,1] in 0..9'
"""The tile that is doubled is never loaded."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, counts):
    batches, rows, columns = x.shape
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    times = nisa.register_alloc()
    for batch in range(batches):
        tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=number, src=counts[batch : batch + 1, 0:1])
        nisa.register_load(times, number)

        def double(i):
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)

        nl.fori_loop(0, times, double)
        nisa.dma_copy(dst=result[batch], src=tile)
    return result
