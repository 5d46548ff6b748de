# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""Three tiles take turns."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    b = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    c = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(N // 64):
        nisa.dma_copy(dst=a, src=x[:, i * 64 : (i + 1) * 64])
        nisa.dma_copy(dst=out[:, i * 64 : i * 64 + 64], src=a)
        a, b, c = b, c, a
    return out
