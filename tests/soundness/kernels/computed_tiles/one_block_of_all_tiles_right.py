# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f16[S:1..5000,64]'
"""A block has all tiles, so that there is one block: its number is rounded up, by a float or by negative numbers."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    again = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    block = 128 * math.ceil(rows / 128)
    for b in range(math.ceil(rows / block)):
        for t in range((min(block, rows - block * b) + 127) // 128):
            first = block * b + 128 * t
            size = min(128, rows - first)
            tile = nl.ndarray((size, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[first : first + size, :])
            nisa.dma_copy(dst=out[first : first + size, :], src=tile)
            if b < -(-rows // block):
                nisa.dma_copy(dst=again[first : first + size, :], src=tile)
    return out, again
