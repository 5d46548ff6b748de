"""The elements of a storage that a view shows in a concrete run, as a window on an array with an entry for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from nkiverify.analysis.dependence import Marks
from nkiverify.analysis.effects import Does, Effect
from nkiverify.analysis.masks import EVERYTHING, Touched, touched
from nkiverify.model.recorded import Executed
from nkiverify.model.tensor import Tensor

Places = npt.NDArray[np.int64]


class Window:
    """The elements of a storage that a view shows, those that `inside` says if not all; `part` says what is sure.

    Arrays have an entry for each `unit` bytes of the storage, `size` in all. `shape` has an axis more than the view:
    the units that an element consists of.
    """

    def __init__(
        self,
        unit: int,
        size: int,
        view: Tensor,
        inside: npt.NDArray[np.bool_] | None = None,
        part: Touched = EVERYTHING,
    ) -> None:
        self.part = part
        ratio = view.dtype.itemsize // unit
        self._size = size
        self.view_shape = tuple(int(extent) for extent in view.shape)
        self.shape = (*self.view_shape, ratio)
        self._strides = (*(int(stride) * ratio for stride in view.strides), 1)
        self._start = int(view.offset) * ratio
        self.inside = inside
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
    def exact(self) -> bool:
        """Whether it is known which elements a mask leaves."""
        return self.part.exact

    @property
    def touched(self) -> bool:
        """Whether there is an element at all."""
        return bool(self.count) if self.inside is None else bool(self.inside.any())

    def meets_itself(self) -> bool:
        """Whether an element of the storage is there several times, as in a view with a stride of 0."""
        extended = [(abs(step), size) for step, size in zip(self._strides, self.shape, strict=True) if size > 1]
        reach = 1
        for step, size in sorted(extended):
            if step < reach:
                return len(np.unique(self.places())) < self.count if step else True
            reach = step * (size - 1) + reach
        return False

    def places(self) -> Places:
        """Where in the storage the elements are that a view without `inside` shows."""
        found = np.asarray(self._start, np.int64)
        for step, size in zip(self._strides, self.shape, strict=True):
            found = found[..., None] + np.arange(size, dtype=np.int64) * step
        return found

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


def window(effect: Effect, unit: int, size: int) -> Window:
    """The elements that an effect touches: all that it may read, or what it writes for sure."""
    part = touched(effect.operation, effect.argument, writes=effect.does not in (Does.READ, Does.WAIT))
    return Window(unit, size, effect.view, part.must if effect.writes else part.may, part)


def units_of(items: Sequence[object]) -> dict[int, int]:
    """Bytes of the smallest element that any view shows of each storage."""
    units: dict[int, int] = {}
    for item in items:
        if isinstance(item, Executed):
            for view in (*item.operation.reads.values(), *item.operation.writes.values()):
                known = units.get(id(view.storage), view.storage.dtype.itemsize)
                units[id(view.storage)] = min(known, view.dtype.itemsize)
    return units
