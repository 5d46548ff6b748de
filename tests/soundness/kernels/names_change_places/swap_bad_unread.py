# expect: 1 SUCCESSFUL
# expect: 4 FAILED df.read_unwritten
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""The second of two tiles that change places is never loaded."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    cur = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nxt = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=cur, src=x[:, 0:64])
    tiles = N // 64
    for i in range(tiles):
        nisa.dma_copy(dst=out[:, i * 64 : (i + 1) * 64], src=cur)
        cur, nxt = nxt, cur
    return out
