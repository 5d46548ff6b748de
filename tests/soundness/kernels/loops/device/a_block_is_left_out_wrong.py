# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=f32[128*m,N:1..1024]'
"""The loop begins at the second block: the first is never written."""

import nki
import nki.isa as nisa
import nki.language as nl
from _registers import rows_at


@nki.jit
def kernel(x):
    rows = x.shape[0]
    result = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)

    def body(i):
        nisa.dma_copy(dst=tile, src=rows_at(x, i, 128))
        nisa.dma_copy(dst=rows_at(result, i, 128), src=tile)

    nl.fori_loop(128, rows, body, 128)
    return result
