# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg x='f32[8,64]' --arg n=n:3..999

import nki
import nki.isa as nisa
import nki.language as nl

def vals(state):
    for _ in range(3):
        yield state[0]
@nki.jit
def kernel(x, n):
    out = nl.ndarray((3, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    state = [0]
    for i, k in zip(range(n), vals(state)):
        t = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[k:k + 1, :])
        nisa.dma_copy(dst=out[i:i + 1, :], src=t)
        state[0] += 1
    return out
