# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL|FAILED
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[R,N]'
"""A loop is proved for all numbers of its iterations where a branch in its body has a loop."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for at in range((rows + 127) // 128):
        size = min(128, rows - at * 128)
        place = slice(at * 128, at * 128 + size)
        if size == 128:
            for column in range((columns + 511) // 512):
                width = min(512, columns - column * 512)
                tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile[:, 0:width], src=x[place, column * 512 : column * 512 + width])
                nisa.dma_copy(dst=out[place, column * 512 : column * 512 + width], src=tile[:, 0:width])
        else:
            for column in range(columns):
                tile = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile[0:size], src=x[place, column : column + 1])
                nisa.dma_copy(dst=out[place, column : column + 1], src=tile[0:size])
    return out
