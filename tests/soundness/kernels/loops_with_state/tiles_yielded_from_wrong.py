# expect: 4 FAILED df.output_written
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
"""The second generator begins a tile too late."""
import nki
import nki.isa as nisa
import nki.language as nl


def inner(first, last):
    off = first
    while off < last:
        yield off
        off += 64


def outer(n):
    yield from inner(0, 64)
    yield from inner(128, n)


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for off in outer(N):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
    return out
