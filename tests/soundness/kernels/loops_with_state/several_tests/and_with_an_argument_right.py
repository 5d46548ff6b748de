# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,64*n]' --arg 'y=bf16[128,M:1..1000]' --where 'n <= 1000'
# shapes: n=1..4 M=1..5
"""The other limit is an argument."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    M = y.shape[1]
    off = k = 0
    while off < N and k < M:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        off += 64
        k += 1
    if off < N:
        c = N - off
        t = nl.ndarray((P, c), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + c])
        nisa.dma_copy(dst=out[:, off : off + c], src=t)
    return out
