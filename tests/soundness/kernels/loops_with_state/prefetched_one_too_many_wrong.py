# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""The last round loads a tile beyond the end."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    cur = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=cur, src=x[:, 0 : 0 + 64])
    for i in range(N // 64):
        nxt = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=nxt, src=x[:, (i + 1) * 64 : (i + 1) * 64 + 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=cur)
        cur = nxt
    return out
