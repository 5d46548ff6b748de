# expect: 2 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[B,S:1..2048,H:1..2097152]'
# shapes: none
"""Offsets leave 32 bits: for the smallest shapes in one of the last of many iterations."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    batches, length, columns = x.shape
    out = nl.ndarray((batches, length), dtype=x.dtype, buffer=nl.shared_hbm)
    for batch in range(batches):
        for row in range(length):
            tile = nl.ndarray((1, 1), dtype=x.dtype, buffer=nl.sbuf)
            offset = (batch * length + row) * columns
            nisa.dma_copy(dst=tile, src=x.ap(pattern=[[columns, 1], [1, 1]], offset=offset))
            nisa.dma_copy(dst=out[batch : batch + 1, row : row + 1], src=tile)
    return out
