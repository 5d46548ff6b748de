# expect: 2 FAILED host.int32
# args: ::kernel --arg 'x=f32[B,S,H]' --where 'H % 128 == 0'
# shapes: none
"""The same of loops over a generator, one within the other."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Tile:
    start: int
    size: int


def tiles(total, size):
    for number in range((total + size - 1) // size):
        yield Tile(number * size, min(size, total - number * size))


@nki.jit
def kernel(x):
    batches, length, columns = x.shape
    each = columns // 128
    out = nl.ndarray((128, batches * length, each), dtype=x.dtype, buffer=nl.shared_hbm)
    for rows in tiles(batches * length, 64):
        for part in tiles(each, 128):
            tile = nl.ndarray((128, 64, 128), dtype=x.dtype, buffer=nl.sbuf)
            here = x.ap(
                pattern=[[each, 128], [columns, rows.size], [1, part.size]], offset=rows.start * columns + part.start
            )
            nisa.dma_copy(dst=tile[:, : rows.size, : part.size], src=here)
            there = out[:, rows.start : rows.start + rows.size, part.start : part.start + part.size]
            nisa.dma_copy(dst=there, src=tile[:, : rows.size, : part.size])
    return out
