# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[256,1024]'
"""Factors that are generators."""
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
    for i, h in itertools.product((r * 128 for r in range(2)), (h * 512 for h in range(2))):
        copy(out[i : i + 128, h : h + 512], x[i : i + 128, h : h + 512])
    return out
