# expect: 1 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f16[S:128..5000,64]'
"""A block has all whole tiles: where a row is left over there is a second block, which is taken for as large."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    block = 128 * (rows // 128)
    for b in range(math.ceil(rows / block)):
        for t in range(block // 128):
            first = block * b + 128 * t
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[first : first + 128, :])
            nisa.dma_copy(dst=out[first : first + 128, :], src=tile)
    return out
