# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[N,64]' --arg m=m:1..9999

import nki
import nki.isa as nisa
import nki.language as nl

def rows(m):
    for j in range(m):
        raise LookupError(j)
@nki.jit
def kernel(x, m):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N):
        t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i:i + 1, :])
        try:
            rows(m)
            nisa.dma_copy(dst=out[i:i + 1, :], src=t)
        except LookupError:
            pass
    return out
