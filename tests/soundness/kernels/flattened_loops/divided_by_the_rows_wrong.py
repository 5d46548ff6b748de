# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg 'x=f32[128*a,512*b]'
"""Divided by the number of rows: right for as many rows as columns only."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    across = columns // 512
    for t in range((rows // 128) * across):
        m, n = t // across % (rows // 128), t % (rows // 128) % across
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512])
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=tile)
    return out
