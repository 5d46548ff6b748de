# expect: 1 FAILED kernel.exception
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""What the loop binds has no value where it has no round."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, 0 : 0 + 64])
    nisa.dma_copy(dst=out[:, 0 : 0 + 64], src=t)
    off = 64
    while off < N:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        last = off
        off += 64
    assert last > 0
    return out
