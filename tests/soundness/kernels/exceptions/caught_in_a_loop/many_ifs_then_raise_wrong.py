# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[N,64]' --arg n=n:1..60000 --where 'n <= 200'

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    for k in range(70):
        if n > k:
            nisa.memset(dst=t, value=1.0)
    for i in range(N):
        try:
            if i == 5:
                raise KeyError(i)
        except KeyError:
            continue
        nisa.dma_copy(dst=out[i:i + 1, :], src=t)
    return out
