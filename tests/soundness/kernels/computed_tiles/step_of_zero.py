# expect: 1 FAILED kernel.exception:16
# args: ::kernel --arg 'x=bf16[R,C:4..4500]'
# shapes: R=1..2 C=4000..4200:97
"""The step of a range is 0 for wide rows."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    most = min(128, 4096 // columns)
    for first in range(0, rows, most):
        count = min(most, rows - first)
        tile = nl.ndarray((count, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first : first + count, :])
        nisa.dma_copy(dst=out[first : first + count, :], src=tile)
    return out
