# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[B,128*m,512*n]'
"""A product of three."""
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
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    b, r, c = x.shape
    for k, i, j in product(range(b), range(r // 128), range(c // 512)):
        copy(out[k, i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512], x[k, i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512])
    return out
