# expect: 1 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=bf16[128,64*n]' --where 'n <= 1000'
# shapes: n=1..4
"""One counter reaches its end before the other one."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    off = k = 0
    while off < N and 4 * k < N:
        t = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 32])
        nisa.dma_copy(dst=out[:, off : off + 32], src=t)
        off += 32
        k += 16
    return out
