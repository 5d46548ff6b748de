"""A transpose: tiles are turned on chip, and stored at the exchanged place."""

# legal: H % 128 == 0, W % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def transpose_dma(x):
    """[H, W] -> [W, H] in blocks."""
    H, W = x.shape
    P = nl.tile_size.pmax
    assert H % P == 0 and W % P == 0
    y = nl.ndarray((W, H), dtype=x.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(H // P):
        for w in nl.affine_range(W // P):
            block = nl.ndarray((P, P), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_transpose(dst=block, src=x[h * P : (h + 1) * P, w * P : (w + 1) * P])
            # bug: nisa.dma_copy(dst=y[h * P : (h + 1) * P, w * P : (w + 1) * P], src=block)
            nisa.dma_copy(dst=y[w * P : (w + 1) * P, h * P : (h + 1) * P], src=block)
    return y
