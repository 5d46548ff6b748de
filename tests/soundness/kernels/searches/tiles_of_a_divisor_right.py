# expect: 4 SUCCESSFUL|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=bf16[128,C]'
"""Tiles are as wide as the greatest divisor that fits; each is written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    columns = x.shape[1]
    width = columns
    while columns % width or width > 512:
        width -= 1
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(columns // width):
        tile = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i * width : (i + 1) * width])
        nisa.dma_copy(dst=out[:, i * width : (i + 1) * width], src=tile)
    return out
