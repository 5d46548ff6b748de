# expect: 1 FAILED dma_copy.count
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""The last of three tiles that take turns is too wide, from the third iteration on."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    b = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    c = nl.ndarray((P, 65), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(N // 64):
        nisa.dma_copy(dst=a, src=x[:, i * 64 : (i + 1) * 64])
        nisa.dma_copy(dst=out[:, i * 64 : (i + 1) * 64], src=a)
        a, b, c = b, c, a
    return out
