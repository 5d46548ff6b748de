"""The elements of a storage that a view shows in a concrete run: a window on arrays with an entry for each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.analysis.effects import Does, Effect
from nkiverify.analysis.element_marks import Marks, distinct
from nkiverify.analysis.marks.storage_cells import Geometry, Layouts, Places, StorageCells
from nkiverify.analysis.masks import EVERYTHING, Touched, touched
from nkiverify.foundation.late import numpy as np
from nkiverify.model.tensor import Storage, Tensor

if TYPE_CHECKING:
    import numpy.typing as npt


class Window:
    """The elements of a storage that a view shows, those that `inside` says if not all; `part` says what is sure.

    Arrays have an entry for each of the `cells` of the storage; what `read` gives has one for each of the window's.
    `shape` has an axis more than the view: the units that an element consists of.
    """

    __slots__ = ("_cells", "_geometry", "_there", "in_range", "inside", "part", "shape", "view_shape")

    def __init__(
        self,
        cells: StorageCells,
        geometry: Geometry,
        inside: npt.NDArray[np.bool_] | None = None,
        part: Touched = EVERYTHING,
    ) -> None:
        self.part = part
        self._cells = cells
        self._geometry = geometry
        self.shape = geometry.shape
        self.view_shape = geometry.shape[:-1]
        self.inside = inside
        first, last = geometry.reach
        if inside is not None and not (first >= 0 and last < cells.size):
            places = self._places_inside()
            first, last = int(places.min(initial=0)), int(places.max(initial=0))
        self.in_range = not geometry.count or (first >= 0 and last < cells.size)
        self._there: slice | Places | None = None

    @property
    def exact(self) -> bool:
        """True if it is known which elements a mask leaves."""
        return self.part.exact

    @property
    def touched(self) -> bool:
        """True if there is an element at all."""
        return bool(self._geometry.count) if self.inside is None else bool(self.inside.any())

    def meets_itself(self) -> bool:
        """True if an element of the storage is there several times, as in a view with a stride of 0."""
        return self._geometry.meets_itself()

    @property
    def there(self) -> slice | Places:
        """The cells of the window, ascending."""
        if self._there is None:
            if self.inside is None:
                self._there = self._cells.of(self._geometry)
            elif self.part.rows is not None:
                self._there = self._cells.kept((self._geometry.key, self.part.rows), self._cells_inside)
            else:
                self._there = self._cells_inside()
        return self._there

    def _cells_inside(self) -> Places:
        return distinct(self._cells.at(self._places_inside()))

    @property
    def count(self) -> int:
        """How many cells there are."""
        there = self.there
        return there.stop - there.start if isinstance(there, slice) else len(there)

    @property
    def covers(self) -> bool:
        """True if every element of the storage is there."""
        return self.count == self._cells.count

    def read(self, array: Marks) -> Marks:
        """The values of `array` in the cells of the window."""
        return array[self.there]

    def write(self, array: Marks, values: Marks | int) -> None:
        """Set the values of `array` there: one for all cells, or one for each."""
        array[self.there] = values

    # --- element by element -------------------------------------------------------------------------------------------

    def spread(self, values: Marks, outside: int) -> Marks:
        """The numbers that `read` gave as an array of `shape`; `outside` where the mask does not hold."""
        places = self._geometry.places()
        there = self.there
        at = self._cells.at(places)
        if self.inside is None:
            found = at - there.start if isinstance(there, slice) else np.searchsorted(there, at)
            return np.asarray(values[found])
        every = np.full(self._cells.count, outside, values.dtype)
        every[there] = values
        return np.where(self.inside[..., None], every[np.clip(at, 0, self._cells.count - 1)], outside)

    def gathered(self, values: Marks) -> Marks | None:
        """Values of the elements, an array of the shape of the view, as one for each cell of the window; None where
        those of a cell differ."""
        at, given = self._each(values)
        every = np.zeros(self._cells.count, np.int32)
        every[at] = given
        return every[self.there] if (every[at] == given).all() else None

    def edges(self, values: Marks) -> Places:
        """Where cells have to end for `values`, an array of the shape of the view, to be the same all over each."""
        places = self._geometry.places()
        spread = np.broadcast_to(values[..., None], self.shape)
        if self.inside is not None:
            places, spread = places[self.inside], spread[self.inside]
        flat, given = places.ravel(), spread.ravel()
        order = np.argsort(flat, kind="stable")
        flat, given = flat[order], given[order]
        changes = np.flatnonzero((np.diff(flat) > 1) | (np.diff(given) != 0))
        return np.concatenate((flat[:1], flat[changes] + 1, flat[changes + 1], flat[-1:] + 1))

    def _each(self, values: Marks) -> tuple[Places, Marks]:
        """The cell of each unit, and its value."""
        at = self._cells.at(self._geometry.places())
        spread = np.broadcast_to(values[..., None], self.shape)
        if self.inside is not None:
            return at[self.inside].ravel(), spread[self.inside].ravel()
        return at.ravel(), spread.ravel()

    def _places_inside(self) -> Places:
        assert self.inside is not None
        return self._geometry.places()[np.broadcast_to(self.inside, self.view_shape)]


def window(effect: Effect, layouts: Layouts, storage: Storage, cells: StorageCells) -> Window:
    """The elements that an effect touches: all that it may read, or what it writes for sure."""
    part = touched(effect.operation, effect.argument, writes=effect.does not in (Does.READ, Does.WAIT))
    inside = part.must if effect.writes else part.may
    return Window(cells, layouts.geometry(effect.view, storage), inside, part)


def shown(view: Tensor, layouts: Layouts, storage: Storage, cells: StorageCells) -> Window:
    """The elements that a view shows."""
    return Window(cells, layouts.geometry(view, storage))


def anywhere(view: Tensor, layouts: Layouts, storage: Storage, cells: StorageCells) -> Window | None:
    """All that a view may show which an index moves; None where that may be anything."""
    geometry = layouts.anywhere(view, storage)
    return None if geometry is None else Window(cells, geometry)
