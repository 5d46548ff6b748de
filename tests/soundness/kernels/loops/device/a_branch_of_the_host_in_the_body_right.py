# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128*m,N:1..1024]'
"""The body differs by a number of the host, which no round changes."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import rows_at


@nki.jit
def kernel(x):
    rows, columns = x.shape
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)

    def body(i):
        if columns > 512:
            nisa.dma_copy(dst=tile, src=rows_at(x, i, 128))
        else:
            nisa.dma_copy(dst=tile, src=rows_at(x, i, 128))
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=rows_at(result, i, 128), src=tile)

    nl.fori_loop(0, rows, body, 128)
    return result
