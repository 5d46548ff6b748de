# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[128*m,512*n]'
"""The tiles of the diagonal are passed over."""
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
    r, c = x.shape
    for i, j in product(range(r // 128), range(c // 512)):
        if i == j:
            continue
        copy(out[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512], x[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512])
    return out
