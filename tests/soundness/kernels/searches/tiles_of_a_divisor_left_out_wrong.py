# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=bf16[128,C]'
"""The last tile is left out where there are more than seven."""

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
    for i in range(columns // width - columns // (width * 8) * width // width):
        tile = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i * width : (i + 1) * width])
        nisa.dma_copy(dst=out[:, i * width : (i + 1) * width], src=tile)
    return out
