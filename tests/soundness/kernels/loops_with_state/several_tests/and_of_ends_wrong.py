# expect: 1 FAILED
# args: ::kernel --arg 'x=bf16[128,64*n]' --where 'n <= 1000'
# shapes: n=1..6
"""From both ends, and beyond the one."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    low = 0
    high = N
    while low < N + 64 and high > 0:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, low + 64 : low + 128])
        nisa.dma_copy(dst=out[:, high - 64 : high], src=t)
        low += 64
        high -= 64
    return out
