# expect: 4 SUCCESSFUL|UNKNOWN|BOUNDED
# args: ::kernel --arg 'x=f32[128*a,512*b]'
"""What the first tile of a row loads, the others of the row use."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    across = columns // 512
    strip = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for t in range((rows // 128) * across):
        m, n = divmod(t, across)
        if n == 0:
            nisa.dma_copy(dst=strip, src=x[m * 128 : (m + 1) * 128, 0:512])
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=strip)
    return out
