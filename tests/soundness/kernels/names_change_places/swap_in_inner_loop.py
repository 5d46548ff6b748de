# expect: 1 FAILED|UNKNOWN dma_copy.count
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""Two tiles change places in an inner loop, and are as they are left there in the next outer iteration."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    cur = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nxt = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(N // 64):
        for _ in range(i):
            cur, nxt = nxt, cur
        nisa.dma_copy(dst=cur, src=x[:, i * 64 : (i + 1) * 64])
        nisa.dma_copy(dst=out[:, i * 64 : (i + 1) * 64], src=cur)
    return out
