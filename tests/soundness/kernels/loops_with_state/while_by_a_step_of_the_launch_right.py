# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL|BOUNDED
# args: ::kernel --arg 'x=bf16[128,8*T]' --where 'T <= 1000000'
# shapes: T=1..9
"""The step of the counter is a dimension."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    step = N // 8
    off = 0
    while off < N:
        t = nl.ndarray((P, step), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, off : off + step])
        nisa.dma_copy(dst=out[:, off : off + step], src=t)
        off += step
    return out
