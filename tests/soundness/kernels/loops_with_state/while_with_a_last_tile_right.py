# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,N:1..1000000]'
# shapes: N=1..200:33
"""The last tile is as wide as what is left."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = 0
    while off < N:
        w = min(64, N - off)
        t = nl.ndarray((P, w), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + w])
        nisa.dma_copy(dst=out[:, off : off + w], src=t)
        off += w
    return out
