# expect: 4 SUCCESSFUL|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=f32[128*a,512*b]'
"""Tiles of a flattened loop, which another loop uses."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    across = columns // 512
    tiles = []
    for t in range((rows // 128) * across):
        m, n = divmod(t, across)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512])
        tiles.append(tile)
    for t in range((rows // 128) * across):
        m, n = divmod(t, across)
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=tiles[t])
    return out
