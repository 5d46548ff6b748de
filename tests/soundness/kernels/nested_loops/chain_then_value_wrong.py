# expect: 1 FAILED
# args: ::kernel --arg 'x=f32[128,512*n]'
"""What the last round has left is one tile beyond."""
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
    for j in chain(range(1), range(1, n)):
        copy(out[:, j * 512 : (j + 1) * 512], x[:, j * 512 : (j + 1) * 512])
    copy(out[:, (j + 1) * 512 : (j + 2) * 512], x[:, j * 512 : (j + 1) * 512])
    return out
