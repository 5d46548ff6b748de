# expect: 1 FAILED
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""A counter downwards by too much."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    k = N
    for i in range(N // 16):
        k -= 17
        t = nl.ndarray((P, 16), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, k : k + 16])
        nisa.dma_copy(dst=out[:, k : k + 16], src=t)
    return out
