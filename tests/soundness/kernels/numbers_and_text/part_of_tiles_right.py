# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,512*n]'
"""Three fifths of the tiles, and the rest."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    tiles = x.shape[1] // 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    first = int(tiles * 0.6)
    for start, length in ((0, first), (first, tiles - first)):
        for t in range(start, start + length):
            tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[:, t * 512 : (t + 1) * 512])
            nisa.dma_copy(dst=out[:, t * 512 : (t + 1) * 512], src=tile)
    return out
