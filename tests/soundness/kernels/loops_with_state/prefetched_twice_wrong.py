# expect: 1 FAILED dma_copy.count
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""Two tiles ahead, and the second is of another width."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x[:, 0 : 0 + 64])
    b = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(b, 0.0)
    for i in range(N // 64 - 2):
        c = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=c, src=x[:, (i + 2) * 64 : (i + 2) * 64 + 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=a)
        a, b = b, c
    return out
