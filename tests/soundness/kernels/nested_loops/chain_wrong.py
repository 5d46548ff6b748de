# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[128,512*n]'
"""itertools.chain of even and odd tiles."""
from itertools import chain

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    n = c // 512
    for j in chain(range(0, n, 2), range(3, n, 2)):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, j * 512 : (j + 1) * 512])
        nisa.dma_copy(dst=out[:, j * 512 : (j + 1) * 512], src=t)
    return out
