"""The elements of a storage that a view shows in a concrete run, as a window on an array with an entry for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from nkiverify.dataflow.dependence import Marks
from nkiverify.model.indices import Mask, Relation
from nkiverify.model.tensor import Tensor
from nkiverify.program import Operation as Executed

Places = npt.NDArray[np.int64]


class Window:
    """The elements of a storage that a view shows, those under a mask if there is one.

    Arrays have an entry for each `unit` bytes of the storage, `size` in all. Of every `rows[0]` rows of the view only
    the first `rows[1]` count. `shape` has an axis more than the view: the units that an element consists of.
    """

    def __init__(
        self, unit: int, size: int, view: Tensor, mask: Mask | None, rows: tuple[int, int] | None = None
    ) -> None:
        ratio = view.dtype.itemsize // unit
        self._size = size
        self.view_shape = tuple(int(extent) for extent in view.shape)
        self.shape = (*self.view_shape, ratio)
        self._strides = (*(int(stride) * ratio for stride in view.strides), 1)
        self._start = int(view.offset) * ratio
        self.inside = under(mask, self.view_shape, rows)
        self._places: Places | None = None
        if self.inside is None:
            reach = [stride * (extent - 1) for stride, extent in zip(self._strides, self.shape, strict=True)]
            first = self._start + sum(min(0, part) for part in reach)
            last = self._start + sum(max(0, part) for part in reach)
        else:
            coordinates = np.nonzero(self.inside)
            places = np.full(coordinates[0].shape, self._start, np.int64)
            for axis, stride in zip(coordinates, self._strides, strict=False):
                places += axis * stride
            self._places = places[:, None] + np.arange(ratio, dtype=np.int64)
            first = int(self._places.min(initial=0))
            last = int(self._places.max(initial=0))
        self.in_range = first >= 0 and last < size

    @property
    def touched(self) -> bool:
        """Whether there is an element at all."""
        return bool(self.count) if self.inside is None else bool(self.inside.any())

    @property
    def count(self) -> int:
        """Units that `shape` has, under the mask or not."""
        return prod(self.shape)

    @property
    def covers(self) -> bool:
        """Whether every element of the storage is there, and once: no mask, and strides that lie side by side."""
        if self._places is not None or self._start != 0 or self._size != self.count:
            return False
        reach = 1
        for stride, extent in sorted(zip(self._strides, self.shape, strict=True)):
            if extent > 1 and stride != reach:
                return False
            reach *= extent
        return True

    def window(self, array: Marks) -> Marks:
        """The elements as an array that writes through, where there is no mask."""
        step = array.itemsize
        return np.lib.stride_tricks.as_strided(
            array[self._start :], self.shape, [step * part for part in self._strides]
        )

    def read(self, array: Marks, outside: int) -> Marks:
        """The values of `array` there, of `shape`; `outside` where the mask does not hold."""
        if self._places is None:
            return self.window(array)
        assert self.inside is not None
        values = np.full(self.shape, outside, np.int32)
        values[self.inside] = array[self._places]
        return values

    def write(self, array: Marks, values: Marks | int) -> None:
        """Set the values of `array` there; `values` have the shape of the view."""
        if self._places is None:
            self.window(array)[...] = values if isinstance(values, int) else values[..., None]
        elif isinstance(values, int):
            array[self._places] = values
        else:
            array[self._places] = values[self.inside][:, None]


def units_of(items: Sequence[object]) -> dict[int, int]:
    """Bytes of the smallest element that any view shows of each storage."""
    units: dict[int, int] = {}
    for item in items:
        if isinstance(item, Executed):
            for view in (*item.operation.reads.values(), *item.operation.writes.values()):
                known = units.get(id(view.storage), view.storage.dtype.itemsize)
                units[id(view.storage)] = min(known, view.dtype.itemsize)
    return units


def under(
    mask: Mask | None, shape: tuple[int, ...], rows: tuple[int, int] | None = None
) -> npt.NDArray[np.bool_] | None:
    """Where the mask holds over a grid of `shape`, in the rows that count; None for everywhere."""
    if mask is None and rows is None:
        return None
    result = np.full(shape, mask is None or bool(mask.host))
    if rows is not None:
        result[np.arange(shape[0]) % rows[0] >= rows[1]] = False
    if mask is None:
        return result
    for term in mask.terms:
        difference = term.difference
        values = np.asarray(int(difference.base), np.int64)
        for coefficient, extent in zip(difference.coefficients, difference.shape, strict=True):
            values = values[..., None] + int(coefficient) * np.arange(int(extent))
        holds = {
            Relation.AT_MOST: values <= 0,
            Relation.EQUAL: values == 0,
            Relation.UNEQUAL: values != 0,
        }[term.relation]
        if holds.ndim <= len(shape) and _fits(holds.shape, shape):
            result = result & holds
            continue
        # The grid is that of the operands; a result of fewer axes keeps the partitions that anything is left of.
        lanes = holds.reshape(holds.shape[0], -1).any(axis=1)
        if lanes.shape[0] != shape[0]:
            return np.zeros(shape, bool)
        result = result & lanes.reshape((shape[0],) + (1,) * (len(shape) - 1))
    return result


def _fits(part: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether an array of shape `part` can be repeated to `shape`."""
    return all(one in (1, extent) for one, extent in zip(part[::-1], shape[::-1], strict=False))
