# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[128*m,512*n]'
"""A counter that goes up twice in the last round."""
import itertools
from itertools import chain, product

import nki
import nki.isa as nisa
import nki.language as nl


def copy(dst, src):
    t = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    nisa.dma_copy(dst=dst, src=t)


@nki.jit
def kernel(x):
    r, c = x.shape
    out = nl.ndarray(((r // 128) * (c // 512), 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    at = 0
    for i, j in itertools.product(range(r // 128), range(c // 512)):
        copy(out[at], x[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512])
        at += 2
    return out
