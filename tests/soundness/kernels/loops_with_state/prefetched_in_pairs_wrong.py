# expect: 1 FAILED idx.oob
# args: ::kernel --arg 'x=bf16[128,64*T]' --where 'T <= 1000000'
# shapes: T=1..4
"""The offset is that of the next tile."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, 0 : 0 + 64])
    state = (0, t)
    for i in range(1, N // 64):
        nxt = nl.ndarray((P, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=nxt, src=x[:, i * 64 : i * 64 + 64])
        nisa.dma_copy(dst=out[:, state[0] : state[0] + 64], src=state[1])
        state = (i * 64 + 64, nxt)
    nisa.dma_copy(dst=out[:, state[0] : state[0] + 64], src=state[1])
    return out
