# expect: 4 FAILED
# args: ::kernel --arg 'x=f32[128,512*n]'
"""A function of that name that is not that of itertools: it gives pairs of the same."""
import itertools
from itertools import chain, product

import nki
import nki.isa as nisa
import nki.language as nl


def copy(dst, src):
    t = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    nisa.dma_copy(dst=dst, src=t)


class pairs:
    @staticmethod
    def product(one, two):
        return [(i, i) for i in one]


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n = x.shape[1] // 512
    for i, j in pairs.product(range(1), range(n)):
        copy(out[:, i * 512 : (i + 1) * 512], x[:, j * 512 : (j + 1) * 512])
    return out
