# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f16[R,N]'
"""Tiles of an even width lie next to each other; what pads them is not read."""

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
        tile = nl.ndarray((128, count * width), dtype=x.dtype, buffer=nl.sbuf)
        for k in range(count):
            nisa.memset(tile[:, k * width : k * width + size], value=0.0)
        nisa.dma_copy(dst=out[:, :, t * 128 : t * 128 + size], src=tile.reshape((128, count, width))[:, :, 0:size])
    return out
