# expect: 4 FAILED df.read_unwritten:20
# args: ::kernel --arg 'x=f32[128*m,N:1..1024]'
"""Few columns are never loaded."""

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
        nisa.dma_copy(dst=rows_at(result, i, 128), src=tile)

    nl.fori_loop(0, rows, body, 128)
    return result
