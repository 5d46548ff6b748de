# expect: 4 FAILED df.output_written
# args: ::kernel --arg x='f32[N,64]'

import nki
import nki.isa as nisa
import nki.language as nl

from itertools import chain
@nki.jit
def kernel(x):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    at = 0
    e = reversed(range(N))
    for i in chain(e, e):
        if at >= N:
            nisa.dma_copy(dst=out[i:i + 1, :], src=t)
        at += 1
    return out
