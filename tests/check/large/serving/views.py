"""Helper classes for walking over matrices tile by tile."""

from __future__ import annotations

import nki.isa as nisa
import nki.language as nl


class Span:
    """A part of an axis: `size` elements from `start`."""

    def __init__(self, start, size):
        self.start, self.size = start, size

    @property
    def stop(self):
        return self.start + self.size

    @property
    def slice(self):
        return slice(self.start, self.stop)

    def __repr__(self):
        return f"[{self.start}:{self.stop}]"


class Axis:
    """An axis in tiles of a size, the last one being short."""

    def __init__(self, extent, tile):
        self.extent, self.tile = extent, tile

    def __len__(self):
        return -(-self.extent // self.tile)

    @property
    def count(self):
        return -(-self.extent // self.tile)

    def span(self, index):
        start = index * self.tile
        return Span(start, min(self.tile, self.extent - start))

    @property
    def is_even(self):
        return self.extent % self.tile == 0


class TiledMatrix:
    """A matrix in HBM that is loaded and stored by tiles."""

    def __init__(self, tensor, rows, columns):
        self.tensor = tensor
        self.rows = Axis(tensor.shape[0], rows)
        self.columns = Axis(tensor.shape[1], columns)

    @property
    def dtype(self):
        return self.tensor.dtype

    def part(self, row, column):
        return self.tensor[self.rows.span(row).slice, self.columns.span(column).slice]

    def load(self, row, column, allocator, name=""):
        source = self.part(row, column)
        tile = allocator.tile(tuple(source.shape), self.dtype, name=name)
        nisa.dma_copy(dst=tile, src=source)
        return tile

    def store(self, row, column, tile):
        nisa.dma_copy(dst=self.part(row, column), src=tile)

    def __iter__(self):
        for row in range(self.rows.count):
            for column in range(self.columns.count):
                yield row, column


def transposed(tile, allocator, psum):
    """A tile of at most (128, 128) with its axes exchanged."""
    rows, columns = tile.shape
    assert rows <= 128 and columns <= 128, f"({rows}, {columns}) is more than one transpose"
    scratch = nl.ndarray((columns, rows), dtype=tile.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=scratch, data=tile)
    result = allocator.tile((columns, rows), tile.dtype)
    nisa.tensor_copy(dst=result, src=scratch)
    return result
