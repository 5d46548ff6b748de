# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg x='f32[N,64]'

import nki
import nki.isa as nisa
import nki.language as nl

def checked(i, n):
    assert i != n
    return i
def safe(i, n):
    try:
        return checked(i, n)
    except AssertionError:
        return i + 0
@nki.jit
def kernel(x):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N):
        k = safe(i, 6)
        t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[k:k + 1, :])
        nisa.dma_copy(dst=out[k:k + 1, :], src=t)
    return out
