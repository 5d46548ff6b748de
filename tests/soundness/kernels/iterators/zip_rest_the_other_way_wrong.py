# expect: 1 FAILED idx.oob
# args: ::kernel --arg x='f32[5,64]' --arg n=n:1..999

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    out = nl.ndarray((5, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((5, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    g = iter([0, 1, 2, 3, 4])
    for v, i in zip(g, range(n)):
        pass
    left = len(list(g))
    k = left + 2
    nisa.dma_copy(dst=out[k:k + 1, :], src=t[0:1, :])
    return out
