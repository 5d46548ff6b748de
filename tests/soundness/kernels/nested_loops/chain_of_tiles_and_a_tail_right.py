# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::kernel --arg 'x=f32[128,C]' --where 'C >= 512'
"""Whole tiles, then the tail as a list of one."""
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
    c = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in chain(range(0, c - 511, 512), [c - 512]):
        copy(out[:, j : j + 512], x[:, j : j + 512])
    return out
