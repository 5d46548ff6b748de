# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg x='f32[N,64]'

import nki
import nki.isa as nisa
import nki.language as nl

class Calm:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, where):
        return kind is AssertionError
@nki.jit
def kernel(x):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N):
        with Calm():
            assert i < N
            t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[i:i + 1, :])
            nisa.dma_copy(dst=out[i:i + 1, :], src=t)
    return out
