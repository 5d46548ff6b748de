# expect: 1 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[128,64*n]' --where 'n <= 1000'
# shapes: n=1..5
"""Of sums over tiles, of which the one that is added to is not set."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    n = N // 64
    off = k = 0
    while off < N and k < n:
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        part = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + 64])
        nisa.tensor_reduce(part, nl.add, t, axis=1)
        nisa.tensor_tensor(total, total, part, nl.add)
        off += 64
        k += 1
    nisa.dma_copy(dst=out, src=total)
    return out
