# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128*m,512*n]'
"""itertools.product over symbolic ranges."""
import itertools

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray((r, c), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(r // 128), range(c // 512)):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512], src=t)
    return out
