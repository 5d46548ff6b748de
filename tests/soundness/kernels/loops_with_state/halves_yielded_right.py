# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""Two yields in each round."""
import nki
import nki.isa as nisa
import nki.language as nl


def halves(n):
    for i in range(n // 64):
        yield i * 64
        yield i * 64 + 32


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for off in halves(N):
        t = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 32])
        nisa.dma_copy(dst=out[:, off : off + 32], src=t)
    return out
