"""Rows with columns of zeros on both sides."""

# legal: P <= 128

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def pad_rows(x, left=3, right=5):
    P, F = x.shape
    assert P <= 128
    W = left + F + right
    out = nl.ndarray((P, W), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, W), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=t[:, 0:left], value=0.0)
    # bug: nisa.memset(dst=t[:, left + F : W - 1], value=0.0)
    nisa.memset(dst=t[:, left + F : W], value=0.0)
    nisa.dma_copy(dst=t[:, left : left + F], src=x)
    nisa.dma_copy(dst=out, src=t)  # here
    return out
