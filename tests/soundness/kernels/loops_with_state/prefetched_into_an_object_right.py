# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""The tile ahead is an attribute."""
import nki
import nki.isa as nisa
import nki.language as nl


class Holder:
    pass


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    h = Holder()
    t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, 0 : 0 + 64])
    h.cur = t
    for i in range(N // 64 - 1):
        nxt = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=nxt, src=x[:, (i + 1) * 64 : (i + 1) * 64 + 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=h.cur)
        h.cur = nxt
    nisa.dma_copy(dst=out[:, N - 64 : N - 64 + 64], src=h.cur)
    return out
