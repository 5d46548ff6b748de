# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""The generator loads the tiles that it yields."""
import nki
import nki.isa as nisa
import nki.language as nl


def tiles(x, P, N):
    for i in range(N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 64 : i * 64 + 64])
        yield i * 64, t


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for off, t in tiles(x, P, N):
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
    return out
