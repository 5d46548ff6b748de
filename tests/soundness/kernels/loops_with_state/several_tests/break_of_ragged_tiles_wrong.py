# expect: 1 FAILED
# args: ::kernel --arg 'x=bf16[128,N:1..20000]'
# shapes: N=1..200:33
"""Tiles of which the last one may be short."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = 0
    while True:
        if off >= N:
            break
        c = min(64, N)
        t = nl.ndarray((P, c), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + c])
        nisa.dma_copy(dst=out[:, off : off + c], src=t)
        off += 64
    return out
