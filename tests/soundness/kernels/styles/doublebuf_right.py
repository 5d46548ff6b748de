# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::doublebuf --arg 'x=f32[128,1024*n]'
"""Doublebuf as independent authors write it, current API."""

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


@nki.jit
def doublebuf(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    bufs = [nl.ndarray((P, 1024), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
    n = x.shape[1] // 1024
    nisa.dma_copy(dst=bufs[0], src=x[:, 0:1024])
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=bufs[(i + 1) % 2], src=x[:, (i + 1) * 1024 : (i + 2) * 1024])
        nisa.activation(dst=bufs[i % 2], op=nl.gelu, data=bufs[i % 2])
        nisa.dma_copy(dst=out[:, i * 1024 : (i + 1) * 1024], src=bufs[i % 2])
    return out
