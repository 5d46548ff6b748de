# expect: 1 FAILED dma_copy.count
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""Tiles of the tenth round and later are too narrow."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(N // 64):
        t = nl.ndarray((P, (64 if i < 9 else 32)), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * 64 : i * 64 + (64 if i < 9 else 32)])
        if prev is not None:
            nisa.dma_copy(dst=out[:, (i - 1) * 64 : (i - 1) * 64 + 64], src=prev)
        prev = t
    return out
