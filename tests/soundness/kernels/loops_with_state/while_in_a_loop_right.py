# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""The counter of the inner loop begins anew in each round of the outer one."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(2):
        pass
    off = 0
    while off < N:
        at = off
        while at < off + 64:
            t = nl.ndarray((P, 32), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[:, at : at + 32])
            nisa.dma_copy(dst=out[:, at : at + 32], src=t)
            at += 32
        off += 64
    return out
