# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]'
# shapes: T=1..4
"""Two offsets change places: the odd iterations read past the end."""
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    here, there = 0, 1
    for i in range(N // 64):
        nisa.dma_copy(dst=tile, src=x[:, i * 64 + here : (i + 1) * 64 + here])
        nisa.dma_copy(dst=out[:, i * 64 : (i + 1) * 64], src=tile)
        here, there = there, here
    return out
