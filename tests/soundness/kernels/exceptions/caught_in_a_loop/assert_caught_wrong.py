# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[N,64]'

import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N):
        try:
            assert i < 5
        except AssertionError:
            continue
        t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i:i + 1, :])
        nisa.dma_copy(dst=out[i:i + 1, :], src=t)
    return out
