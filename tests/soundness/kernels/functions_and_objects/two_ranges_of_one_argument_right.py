# expect: 1 SUCCESSFUL
# args: ::kernel --arg 'table=f32[50,64]' --arg 'pair=Pair(i32[P:1..128,1] in 0..49, i32[P,1] in 0..100)'
# shapes: none
"""Two tensors of one argument have their own ranges: those of the second one go beyond the table."""

from dataclasses import dataclass
from typing import Any

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Pair:
    one: Any
    two: Any


def _tile(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def kernel(table, pair):
    V, D = table.shape
    P, _ = pair.one.shape
    out = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.shared_hbm)
    i, j = _tile(pair.one), _tile(pair.two)
    t = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=table.vector_select(0, i))
    nisa.dma_copy(dst=out, src=t)
    return out
