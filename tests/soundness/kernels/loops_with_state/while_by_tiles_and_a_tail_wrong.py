# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,N:1..1000000]'
# shapes: N=1..200:33
"""The tail is taken to begin a tile before the end of the loop."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = 0
    while off + 64 <= N:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        off += 64
    if off < N:
        t = nl.ndarray((P, (N - off + 1)), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + (N - off + 1)])
        nisa.dma_copy(dst=out[:, off : off + (N - off + 1)], src=t)
    return out
