# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,1024*n]'
"""Ranges of even and odd tiles from a list."""
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
    n = x.shape[1] // 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    parts = [range(0, n, 2), range(1, n, 2)]
    for j in chain.from_iterable(parts):
        copy(out[:, j * 512 : (j + 1) * 512], x[:, j * 512 : (j + 1) * 512])
    return out
