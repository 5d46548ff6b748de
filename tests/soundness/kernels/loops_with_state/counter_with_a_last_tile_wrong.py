# expect: 1 FAILED kernel.assert
# args: ::kernel --arg 'x=bf16[128,N:1..1000000]'
# shapes: N=1..200:33
"""After the loop it is taken for a multiple of 64."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = 0
    for i in range(N // 64 + (N % 64 > 0)):
        w = min(64, N - off)
        t = nl.ndarray((P, w), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + w])
        nisa.dma_copy(dst=out[:, off : off + w], src=t)
        off += w
    assert off % 64 == 0
    return out
