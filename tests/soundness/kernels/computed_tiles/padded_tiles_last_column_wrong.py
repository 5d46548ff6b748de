# expect: 4 FAILED|UNKNOWN
# args: ::kernel --grid 1 --arg 'x=f16[R,N]'
"""The last column of a last tile of an odd width is not written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, count = x.shape[0], x.shape[1]
    out = nl.ndarray((128, count, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range((rows + 127) // 128):
        size = min(128, rows - t * 128)
        width = (size + 1) // 2 * 2
        most = 256 // width
        for p in range((count + most - 1) // most):
            here = min(most, count - p * most)
            tile = nl.ndarray((128, here * width), dtype=x.dtype, buffer=nl.sbuf)
            for k in range(here):
                nisa.memset(tile[:, k * width : k * width + size - size % 2], value=0.0)
            nisa.dma_copy(
                dst=out[:, p * most : p * most + here, t * 128 : t * 128 + size],
                src=tile.reshape((128, here, width))[:, :, 0:size],
            )
    return out
