# expect: 1 SUCCESSFUL
# expect: 3 SUCCESSFUL
# args: ::kernel --arg 'x=f32[P:1..128,N:1..4096]'
"""Tiles of a table, each in a place of its own, are made on two paths: in an iteration there is one of them."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for i in range((columns + 255) // 256):
        if (i + 1) * 256 <= columns:
            width = 256
        else:
            width = columns - i * 256
        tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf, address=(0, i * 1024))
        nisa.dma_copy(dst=tile[0:rows, 0:width], src=x[:, i * 256 : i * 256 + width])
        tiles.append(tile)
    for i in range((columns + 255) // 256):
        width = min(256, columns - i * 256)
        nisa.dma_copy(dst=out[:, i * 256 : i * 256 + width], src=tiles[i][0:rows, 0:width])
    return out
