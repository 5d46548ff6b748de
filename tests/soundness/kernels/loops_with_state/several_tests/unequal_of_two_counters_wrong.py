# expect: 1 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=bf16[128,64*n]' --where 'n <= 1000'
# shapes: n=1..6
"""Two counters meet."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    low = 64
    high = N
    while low != high:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, low : low + 64])
        nisa.dma_copy(dst=out[:, low : low + 64], src=t)
        low += 64
    return out
