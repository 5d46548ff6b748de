# expect: 1 SUCCESSFUL|BOUNDED
# expect: 3 FAILED mem.placed_overlap
# args: ::kernel --arg 'x=f32[P:1..128,N:1..4096]'
"""Tiles of a table, of which the last one, where it is not full, lies in the place of the first one."""

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
            width, place = 256, i * 1024
        else:
            width, place = columns - i * 256, 0
        tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf, address=(0, place))
        nisa.dma_copy(dst=tile[0:rows, 0:width], src=x[:, i * 256 : i * 256 + width])
        tiles.append(tile)
    for i in range((columns + 255) // 256):
        width = min(256, columns - i * 256)
        nisa.dma_copy(dst=out[:, i * 256 : i * 256 + width], src=tiles[i][0:rows, 0:width])
    return out
