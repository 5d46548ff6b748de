# expect: 1 FAILED
# args: ::transpose --arg 'x=bf16[R,C]'
"""The tile is stored where it came from, current API."""

from typing import NamedTuple

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


class Tile(NamedTuple):
    start: int
    size: int


def tiles(n, t):
    return [Tile(s, min(t, n - s)) for s in range(0, n, t)]


@nki.jit
def transpose(x):
    R, C = x.shape
    out = nl.ndarray((C, R), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in tiles(R, P):
        for c in tiles(C, P):
            t = load(x[r.start : r.start + r.size, c.start : c.start + c.size])
            ps = nl.ndarray((c.size, r.size), dtype=x.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=ps, data=t)
            sb = nl.ndarray((c.size, r.size), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=sb, src=ps)
            nisa.dma_copy(dst=out[r.start : r.start + c.size, c.start : c.start + r.size], src=sb)
    return out
