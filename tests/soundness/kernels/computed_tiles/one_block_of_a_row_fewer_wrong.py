# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f16[S:1..5000,64]'
"""The blocks are counted for a row fewer: of a single row there is none."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    block = 128 * -(-rows // 128)
    for b in range(-(-(rows - 1) // block)):
        for t in range((rows - block * b + 127) // 128):
            first = block * b + 128 * t
            size = min(128, rows - first)
            tile = nl.ndarray((size, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[first : first + size, :])
            nisa.dma_copy(dst=out[first : first + size, :], src=tile)
    return out
