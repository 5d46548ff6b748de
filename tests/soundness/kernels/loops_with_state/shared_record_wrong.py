# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""Two names of one record of the round before: a change by one is seen by the other."""
import nki
import nki.isa as nisa
import nki.language as nl


class Box:
    def __init__(self, k):
        self.k = k


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    a = b = Box(0)
    for i in range(N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 64 + (64 if b.k > 1 else 0) : i * 64 + (64 if b.k > 1 else 0) + 64])
        nisa.dma_copy(dst=out[:, i * 64 + (64 if b.k > 1 else 0) : i * 64 + (64 if b.k > 1 else 0) + 64], src=t)
        a = b = Box(1)
        a.k += i
    return out
