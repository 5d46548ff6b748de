# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[N,64]' --arg y='f32[N,64]'

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, y):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    e = zip(range(N), range(N))
    for i, j in e:
        nisa.dma_copy(dst=t, src=x[i:i + 1, :])
    for i, j in e:
        nisa.dma_copy(dst=out[i:i + 1, :], src=t)
    return out
