# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[128*a,512*b]'
"""The last tile is left out: no number of tiles that the divisor divides."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    across = columns // 512
    for t in range((rows // 128) * across - 1):
        m, n = divmod(t, across)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512])
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=tile)
    return out
