# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[N,64]' --arg m=m:1..99

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, m):
    N, D = x.shape
    out = nl.ndarray((N, m, D), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    e = zip(range(m), range(m))
    for i in range(N):
        for j, _ in e:
            nisa.dma_copy(dst=out[i, j:j + 1, :], src=t)
    return out
