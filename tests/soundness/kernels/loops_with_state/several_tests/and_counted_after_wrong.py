# expect: 1 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=bf16[128,64*n]' --where 'n <= 1000'
# shapes: n=1..6
"""How many tiles there were is known behind the loop, and one more is left out."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = k = 0
    while off < N and k < 3:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.dma_copy(dst=out[:, off : off + 64], src=t)
        off += 64
        k += 1
    for i in range(k + 1, N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 64 : i * 64 + 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=t)
    return out
