# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=f32[N,D]' --where 'N % 128 == 0'
"""The first five of the tiles are loaded, and the others after them."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, D), dtype=x.dtype, buffer=nl.sbuf) for _ in range(N // 128)]
    for i, t in enumerate(tiles[:5]):
        nisa.dma_copy(dst=t, src=x[i * 128 : (i + 1) * 128, :])
    for i, t in enumerate(tiles[5:]):
        nisa.dma_copy(dst=t, src=x[(i + 5) * 128 : (i + 6) * 128, :])
    for i, t in enumerate(tiles):
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=t)
    return out
