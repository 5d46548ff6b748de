# expect: 1 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=bf16[128,64*n]' --where 'n <= 1000'
# shapes: n=1..6
"""Both."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    n = N // 64
    off = k = 0
    while off != N and k < n - 1:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        off += 64
        k += 1
    return out
