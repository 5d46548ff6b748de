from typing import Sequence
import numpy as np
import nki.isa as nisa
import nki.language as nl

PMAX = nl.tile_size.pmax
PSUM_FMAX = nl.tile_size.psum_fmax


def div_ceil(n, d):
    return (n + d - 1) // d


class TiledRange:
    def __init__(self, size, tile):
        self.size, self.tile = size, tile

    def __len__(self):
        return div_ceil(self.size, self.tile)

    def __iter__(self):
        for i in range(div_ceil(self.size, self.tile)):
            yield Tile(i, i * self.tile, min(self.tile, self.size - i * self.tile))


class Tile:
    __slots__ = ("index", "start", "size")

    def __init__(self, index, start, size):
        self.index, self.start, self.size = index, start, size

    @property
    def end(self):
        return self.start + self.size


def load(src):
    t = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=src)
    return t
