# expect: 1 FAILED kernel.assert
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""The index of the last round is one less."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    before = -1
    for i in range(N // 64):
        t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, (before + 1) * 64 : (before + 1) * 64 + 64])
        nisa.dma_copy(dst=out[:, (before + 1) * 64 : (before + 1) * 64 + 64], src=t)
        before = i
    assert before == N // 64
    return out
