# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg x='f32[5,64]' --arg n=n:1..999

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    out = nl.ndarray((5, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    g = (k for k in [0, 1, 2, 3, 4])
    for i, v in zip(range(n), g):
        t = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[v:v + 1, :])
        nisa.dma_copy(dst=out[v:v + 1, :], src=t)
    for v in g:
        v = v
        t = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[v:v + 1, :])
        nisa.dma_copy(dst=out[v:v + 1, :], src=t)
    return out
