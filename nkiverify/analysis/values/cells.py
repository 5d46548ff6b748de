"""The contents of an allocation: its numbers, and for every element whether it is defined.

A mark is 0 for a defined element, `UNWRITTEN` for one that nothing has written, and otherwise says which read of an
undefined element its value came from (`nkiverify.analysis.values.value_run` keeps the list).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np

from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType
from nkiverify.model.indices import IndexTensor, Mask, MaskRelation
from nkiverify.model.meaning import Numbers

_numbers = count()

#: The mark of an element that nothing has written.
UNWRITTEN = 1


class Cells:
    """The elements of one storage, in row-major order.

    `marks` is None where all of them are defined, else an array with one mark per `unit` bytes; `written` is False as
    long as nothing was written, and `marks` then says nothing. `grown` says where products have been accumulated
    (PSUM): everywhere, nowhere, or by element. `changed` is set by every store.
    """

    __slots__ = ("buffer", "changed", "dtype", "fresh", "grown", "left", "marks", "number", "size", "unit", "written")

    def __init__(self, numbers: Numbers, size: int, dtype: DType, *, written: bool = False) -> None:
        self.size = size
        self.dtype = dtype
        self.buffer = numbers.buffer(size, dtype)
        self.written = written
        self.marks: Array | None = None
        self.unit = dtype.itemsize
        #: How many marks are set, where there are marks.
        self.left = 0
        self.grown: Array | bool = False
        #: Where what is joined now begins a reduction over a loop: reported by the pass over marks to that over
        #: numbers.
        self.fresh: Array | None = None
        self.changed = False
        #: Tells it from all others of this process.
        self.number = next(_numbers)

    def has_grown(self, where: Region) -> Array | bool:
        """Where in a region products have been accumulated: everywhere, nowhere, or by element."""
        if isinstance(self.grown, bool):
            return self.grown
        found = self.grown[positions_of(where.shape, where.strides, where.offset)]
        return True if found.all() else found if found.any() else False

    def grow(self, where: Region) -> None:
        """A product was accumulated in a region."""
        if self.grown is True:
            return
        if where.covers(self.size, self.dtype):
            self.grown = True
            return
        grown = np.zeros(self.size, dtype=bool) if isinstance(self.grown, bool) else self.grown
        grown[positions_of(where.shape, where.strides, where.offset)] = True
        self.grown = True if grown.all() else grown

    def marks_for(self, dtype: DType) -> tuple[Array, int]:
        """The marks, in granules no greater than elements of `dtype`, and how many of them make one element."""
        if self.marks is None:
            self.unit = min(self.dtype.itemsize, dtype.itemsize)
            granules = self.size * self.dtype.itemsize // self.unit
            self.marks = np.full(granules, 0 if self.written else UNWRITTEN, dtype=np.uint32)
            self.left = 0 if self.written else granules
            self.written = True
        elif self.unit > dtype.itemsize:
            self.marks = np.repeat(self.marks, self.unit // dtype.itemsize)
            self.left *= self.unit // dtype.itemsize
            self.unit = dtype.itemsize
        return self.marks, dtype.itemsize // self.unit

    @property
    def complete(self) -> bool:
        """True if every element is defined."""
        return self.written and self.marks is None

    def settle(self, left: int | None = None) -> None:
        """Drop the marks where none is set: reading is faster without them. `left` are set, if that is known."""
        if self.marks is not None:
            self.left = int(np.count_nonzero(self.marks)) if left is None else left
            if not self.left:
                self.marks = None


@dataclass(frozen=True, slots=True)
class Region:
    """The elements of a storage that a view shows, in elements of the view's dtype.

    `positions` and `valid` are None where the view is a plain window, in bounds everywhere. Elements that are not valid
    are neither read nor written.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: DType
    positions: Array | None = None
    valid: Array | None = None

    @property
    def size(self) -> int:
        """Elements in all."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    def covers(self, size: int, owner: DType) -> bool:
        """True if these are all elements of a storage, each once, in order."""
        if self.positions is not None or self.offset or self.dtype.itemsize != owner.itemsize or self.size != size:
            return False
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected:
                return False
            expected *= extent
        return True


def region(
    shape: Sequence[Any],
    strides: Sequence[Any],
    offset: Any,
    dtype: DType,
    size: int,
    valid: Array | None = None,
) -> Region:
    """The region of a view of a storage of `size` elements of `dtype`, those elements of it that are `valid` alone;
    shapes, strides and offset are ordinary ints."""
    extents, steps, start = tuple(map(int, shape)), tuple(map(int, strides)), int(offset)
    low = high = start
    for extent, step in zip(extents, steps, strict=True):
        reach = (extent - 1) * step
        if reach < 0:
            low += reach
        else:
            high += reach
    if valid is None and low >= 0 and high < size:
        return Region(extents, steps, start, dtype)
    positions = positions_of(extents, steps, start)
    inside = (positions >= 0) & (positions < size)
    if not (inside if valid is None else inside | ~valid).all():
        raise UnsupportedConstruct("an access beyond the end of its tensor")
    if valid is not None and valid.all():
        return Region(extents, steps, start, dtype)
    return Region(extents, steps, start, dtype, np.where(inside, positions, 0), valid)


def positions_of(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
    """The position of every element of a view in its storage."""
    total = np.full((1,) * len(shape), offset, dtype=np.int64)
    for axis, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
        line = np.arange(extent, dtype=np.int64) * stride
        total = total + line.reshape(tuple(extent if other == axis else 1 for other in range(len(shape))))
    return np.broadcast_to(total, shape)


def mask_values(mask: Mask, shape: tuple[int, ...]) -> Array:
    """Where a mask holds, for each element of a tile of `shape`; its axes align with the last ones of the tile."""
    if mask.host is not True:
        if mask.host is not False:
            raise UnsupportedConstruct("a mask with a condition that is not decided")
        return np.zeros(shape, dtype=bool)
    holds = np.ones((1,) * len(shape), dtype=bool)
    for term in mask.terms:
        values = index_values(term.difference)
        met = {
            MaskRelation.AT_MOST: values <= 0,
            MaskRelation.EQUAL: values == 0,
            MaskRelation.UNEQUAL: values != 0,
        }[term.relation]
        if met.ndim > len(shape):
            raise UnsupportedConstruct(f"a mask of {met.ndim} axes on a tile of {len(shape)}")
        holds = holds & met
    for axis, extent in enumerate(shape):
        if holds.shape[axis] != 1 and extent == 1:
            # A column next to tiles: it takes part where any element of its row does.
            holds = np.asarray(holds.any(axis=axis, keepdims=True))
        elif holds.shape[axis] not in (1, extent):
            raise UnsupportedConstruct(f"a mask of {holds.shape[axis]} coordinates along an axis of {extent}")
    return np.broadcast_to(holds, shape)


def index_values(index: IndexTensor) -> Array:
    """The numbers of an index tensor."""
    return positions_of(
        tuple(int(extent) for extent in index.shape),
        tuple(int(part) for part in index.coefficients),
        int(index.base),
    )


@lru_cache(maxsize=64)
def _zeros(shape: tuple[int, ...]) -> Array:
    zeros = np.zeros((1, *shape), dtype=np.uint32)
    zeros.flags.writeable = False
    return zeros


def read(numbers: Numbers, cells: Cells, where: Region) -> Array:
    """The stored elements of a region, (lanes, *shape); a window, where it can be one."""
    if where.positions is None:
        return numbers.window(cells.buffer, cells.dtype, where.dtype, where.shape, where.strides, where.offset)
    return numbers.flat(cells.buffer, cells.dtype, where.dtype)[:, where.positions]


def write(numbers: Numbers, cells: Cells, where: Region, elements: Array) -> None:
    """Store elements (lanes, *shape) in a region, where it is valid."""
    cells.changed = True
    if where.positions is None:
        target = numbers.window(cells.buffer, cells.dtype, where.dtype, where.shape, where.strides, where.offset)
        target[...] = elements
        return
    flat = numbers.flat(cells.buffer, cells.dtype, where.dtype)
    if where.valid is None:
        flat[:, where.positions] = elements
    else:
        values = np.broadcast_to(elements, (elements.shape[0], *where.shape))
        flat[:, where.positions[where.valid]] = values[:, where.valid]


def read_marks(cells: Cells, where: Region) -> Array | None:
    """The marks of a region, (1, *shape); None where all of it is defined. What is not valid counts as defined."""
    if cells.complete:
        return None
    marks, granules = cells.marks_for(where.dtype)
    per_element = marks.reshape(-1, granules).max(axis=1) if granules > 1 else marks
    if where.positions is None:
        found = np.ndarray(
            where.shape,
            np.uint32,
            np.ascontiguousarray(per_element),
            where.offset * 4,
            tuple(stride * 4 for stride in where.strides),
        )
    else:
        found = per_element[where.positions]
        if where.valid is not None:
            found = np.where(where.valid, found, 0)
    return found[None] if found.any() else None


def write_marks(cells: Cells, where: Region, values: Array | None) -> None:
    """Set the marks of a region that is written, to `values` (1, *shape) or, for None, to defined."""
    if values is None:
        if cells.complete:
            return
        if where.covers(cells.size, cells.dtype):
            cells.marks, cells.written = None, True
            return
    marks, granules = cells.marks_for(where.dtype)
    filled = _zeros(where.shape) if values is None else np.broadcast_to(values, (1, *where.shape))
    positions = where.positions
    if positions is None and granules == 1:
        target = np.ndarray(
            where.shape, np.uint32, marks, where.offset * 4, tuple(stride * 4 for stride in where.strides)
        )
        if all(stride != 0 for stride in where.strides):
            before = int(np.count_nonzero(target))
            target[...] = filled[0]
            after = 0 if values is None else int(np.count_nonzero(filled))
            cells.settle(cells.left - before + after)
            return
        target[...] = filled[0]
    else:
        positions = positions_of(where.shape, where.strides, where.offset) if positions is None else positions
        chosen, kept = positions, filled[0]
        if where.valid is not None:
            chosen, kept = positions[where.valid], filled[0][where.valid]
        for granule in range(granules):
            marks[chosen * granules + granule] = kept
    cells.settle()


#: Partitions of the accumulators of an engine.
_LANES = 128


class Accumulators:
    """The reduction registers of one engine, one for each partition ("acc.scalar_regs", "acc.vector_regs")."""

    __slots__ = ("marks", "values")

    def __init__(self, numbers: Numbers) -> None:
        #: What they hold (lanes, 128, 1), and the marks of that (1, 128, 1).
        self.values = np.broadcast_to(numbers.constant(0.0, 3), (numbers.lanes, _LANES, 1)).copy()
        self.marks = np.full((1, _LANES, 1), UNWRITTEN, dtype=np.uint32)

    def set(self, values: Array) -> None:
        """Hold (lanes, P, 1) in the first P of them."""
        partitions = values.shape[1]
        kept = self.values.astype(np.result_type(self.values, values), copy=False)
        self.values = np.concatenate((np.broadcast_to(values, (kept.shape[0], partitions, 1)), kept[:, partitions:]), 1)
