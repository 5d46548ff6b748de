# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[R,C:4..512]'
# shapes: R=1..25:8 C=4..512:127
"""The number of rows of a tile is computed from the number of columns."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    most = min(8, 4096 // columns)
    for first in range(0, rows, most):
        count = min(most, rows - first)
        tile = nl.ndarray((count, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first : first + count, :])
        nisa.dma_copy(dst=out[first : first + count, :], src=tile)
    return out
