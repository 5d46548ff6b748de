# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,N:1..1000000]'
# shapes: N=1..200:33
"""The tail begins one column late."""
import nki
import nki.isa as nisa
import nki.language as nl


def tiles(n, t):
    off = 0
    while off + t <= n:
        yield off, t
        off += t
    if off < n:
        yield off + 1, n - off


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for off, w in tiles(N, 64):
        t = nl.ndarray((P, w), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + w])
        nisa.dma_copy(dst=out[:, off : off + w], src=t)
    return out
