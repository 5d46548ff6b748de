# expect: 1 FAILED dma_copy.count
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""The second of two tiles that change places is too narrow."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    cur = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nxt = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
    tiles = N // 64
    for i in range(tiles):
        nisa.dma_copy(dst=cur, src=x[:, i * 64 : (i + 1) * 64])
        nisa.dma_copy(dst=out[:, i * 64 : (i + 1) * 64], src=cur)
        cur, nxt = nxt, cur
    return out
