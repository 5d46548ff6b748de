# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[c,128*a,512*b]'
"""Planes, rows and columns of tiles in one number."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    planes, rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    down, across = rows // 128, columns // 512
    for t in range(planes * down * across):
        plane, rest = divmod(t, down * across)
        m, n = divmod(rest, across)
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[plane, m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512])
        nisa.dma_copy(dst=out[plane, m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=tile)
    return out
