# expect: 4 FAILED
# args: ::reduce_all --arg 'x=f32[R,C]' --arg mode=1
"""The maximum of a part is added to nothing, current API."""

from enum import IntEnum
from typing import NamedTuple

import nki
import nki.isa as nisa
import nki.language as nl


P = 128


def load(src, dtype=None):
    t = nl.ndarray(src.shape, dtype=dtype or src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t


class Reduce(IntEnum):
    SUM = 0
    MAX = 1


class Tile(NamedTuple):
    start: int
    size: int


def tiles(n, t):
    return [Tile(s, min(t, n - s)) for s in range(0, n, t)]


@nki.jit
def reduce_all(x, mode=Reduce.SUM):
    mode = Reduce(mode)
    op = {Reduce.SUM: nl.add, Reduce.MAX: nl.maximum}[mode]
    init = 0.0 if mode is Reduce.SUM else -3.0e38
    R, C = x.shape
    out = nl.ndarray((R, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for rt in tiles(R, P):
        acc = nl.ndarray((rt.size, 1), dtype=nl.float32, buffer=nl.sbuf)
        pass
        for ct in tiles(C, 1024):
            t = load(x[rt.start : rt.start + rt.size, ct.start : ct.start + ct.size])
            part = nl.ndarray((rt.size, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=part, op=op, data=t, axis=1)
            nisa.tensor_tensor(dst=acc, data1=acc, data2=part, op=op)
        nisa.dma_copy(dst=out[rt.start : rt.start + rt.size, :], src=acc)
    return out
