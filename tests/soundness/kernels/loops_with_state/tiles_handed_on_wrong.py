# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
"""The last one is not stored."""
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
    prev = None
    before = 0
    for off, w in tiles(N, 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        if prev is not None:
            nisa.dma_copy(dst=out[:, before : before + 64], src=prev)
        prev = t
        before = off
    return out
