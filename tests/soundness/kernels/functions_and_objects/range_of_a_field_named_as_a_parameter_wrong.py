# expect: 1 FAILED
# args: ::kernel --arg "pair=Pair(table=i32[P:1..128,1] in 0..100)" --arg "table=i32[50,1] in 0..4"
# shapes: none
"""A field has the name of a parameter, and another range."""

from dataclasses import dataclass
from typing import Any

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Pair:
    table: Any


def _tile(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def kernel(table, pair):
    V, D = table.shape
    P, _ = pair.table.shape
    out = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.shared_hbm)
    i = _tile(pair.table)
    t = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=table.vector_select(0, i))
    nisa.dma_copy(dst=out, src=t)
    return out
