# expect: 1 SUCCESSFUL|BOUNDED|UNKNOWN
# args: ::kernel --arg 'x=f32[128*m,1024]'
"""The second factor is a generator, which the product runs through once and keeps."""
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
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    halves = (h * 512 for h in range(2))
    for i, h in itertools.product(range(r // 128), halves):
        copy(out[i * 128 : (i + 1) * 128, h : h + 512], x[i * 128 : (i + 1) * 128, h : h + 512])
    return out
