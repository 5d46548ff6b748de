# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,N:1..1000000]'
# shapes: N=1..200:33
"""As is the count of `enumerate`."""
import nki
import nki.isa as nisa
import nki.language as nl


def tiles(n, t):
    off = 0
    while off < n:
        yield off, min(t, n - off)
        off += t


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.ndarray((P, 17), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(acc, 0.0)
    for k, (off, w) in enumerate(tiles(N, 64)):
        t = nl.ndarray((P, w), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + w])
        nisa.dma_copy(dst=out[:, off : off + w], src=t)
        nisa.tensor_reduce(dst=acc[:, k : k + 1], op=nl.add, data=t, axis=1)
    return out
