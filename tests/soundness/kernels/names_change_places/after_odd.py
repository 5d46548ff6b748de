# expect: 1 FAILED dma_copy.count
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""After an odd number of iterations the narrow one of two tiles is left."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    cur = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nxt = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(cur, 0.0)
    nisa.memset(nxt, 0.0)
    for i in range(N // 64):
        nisa.memset(cur, 1.0)
        cur, nxt = nxt, cur
    nisa.dma_copy(dst=out, src=cur)
    return out
