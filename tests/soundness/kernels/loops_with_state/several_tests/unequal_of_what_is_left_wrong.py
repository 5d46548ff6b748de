# expect: 1 FAILED
# args: ::kernel --arg 'x=bf16[128,64*n]' --where 'n <= 1000'
# shapes: n=1..6
"""What is left is counted."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    left = N + 64
    while left != 64:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, N - left : N - left + 64])
        nisa.dma_copy(dst=out[:, N - left : N - left + 64], src=t)
        left -= 64
    return out
