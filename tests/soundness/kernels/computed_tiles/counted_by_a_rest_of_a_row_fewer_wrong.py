# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f16[S,C:1..512]'
"""The last tile is not counted where one row is left over."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = rows // 128 + ((rows - 1) % 128 != 0)
    for t in range(tiles):
        size = min(128, rows - 128 * t)
        if size > 0:
            tile = nl.ndarray((size, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[128 * t : 128 * t + size, :])
            nisa.dma_copy(dst=out[128 * t : 128 * t + size, :], src=tile)
    return out
