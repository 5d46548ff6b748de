"""Storages of a concrete run in cells: runs of neighbouring elements that every operation touches whole or not at all.

What a run does to a tensor of millions of elements it does to a few thousand runs of them. The cells of a storage end
where a view of the run, or what a mask leaves of one, begins or ends; so a mark for each cell says what one for each
element would, and costs what the views do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from nkiverify.analysis.element_marks import distinct
from nkiverify.analysis.marks.order import Recorded, SharedTensors
from nkiverify.analysis.masks import touched
from nkiverify.analysis.reduction_registers import is_register_file
from nkiverify.foundation.late import numpy as np
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import IndirectionKind, Storage, Tensor

if TYPE_CHECKING:
    import numpy.typing as npt

Places: TypeAlias = "npt.NDArray[np.int64]"

#: Units of a storage up to which the cell of each is listed, where many are asked for.
_LISTED = 1 << 19


class Geometry:
    """Where a view lies in its storage, counted in units: its first place, and a step and an extent for each axis."""

    __slots__ = ("_reach", "_runs", "key", "shape", "start", "steps")

    def __init__(self, start: int, steps: tuple[int, ...], shape: tuple[int, ...]) -> None:
        self.start = start
        self.steps = steps
        #: An axis more than the view has: the units that an element consists of.
        self.shape = shape
        self.key: object = (start, steps, shape)
        self._runs: tuple[Places, int] | None = None
        self._reach: tuple[int, int] | None = None

    @staticmethod
    def of(view: Tensor, unit: int) -> Geometry:
        """Where a view lies that no index moves, or whose elements an index chooses that is known."""
        ratio = view.dtype.itemsize // unit
        if view.indirect_by is not None and view.indirect_by.is_known:
            return Chosen(view, view.indirect_by.elements, ratio)
        steps = (*(int(stride) * ratio for stride in view.strides), 1)
        return Geometry(int(view.offset) * ratio, steps, (*(int(extent) for extent in view.shape), ratio))

    @property
    def reach(self) -> tuple[int, int]:
        """The first and the last place."""
        if self._reach is None:
            self._reach = self._found_reach()
        return self._reach

    def _found_reach(self) -> tuple[int, int]:
        spans = [step * (extent - 1) for step, extent in zip(self.steps, self.shape, strict=True)]
        return self.start + sum(min(0, span) for span in spans), self.start + sum(max(0, span) for span in spans)

    @property
    def count(self) -> int:
        """How many units there are, one that is there several times as often."""
        return prod(self.shape)

    def places(self) -> Places:
        """The place of each unit, an array of `shape`."""
        found = np.asarray(self.start, np.int64)
        for step, size in zip(self.steps, self.shape, strict=True):
            # A dimension of one element, as the last most often is, costs no copy.
            found = found[..., None] + np.arange(size, dtype=np.int64) * step if size != 1 else found[..., None]
        return found

    def runs(self) -> tuple[Places, int]:
        """Neighbouring places in runs of one length: where each begins, ascending, and the length."""
        if self._runs is None:
            self._runs = self._found_runs()
        return self._runs

    def _found_runs(self) -> tuple[Places, int]:
        if not self.count:
            return np.zeros(0, np.int64), 0
        axes = sorted((abs(s), n) for s, n in zip(self.steps, self.shape, strict=True) if n > 1 and s)
        length = 1
        while axes and axes[0][0] <= length:
            step, size = axes.pop(0)
            length += step * (size - 1)
        starts = np.asarray(self.reach[0], np.int64).reshape(1)
        for step, size in reversed(axes):
            starts = (starts[:, None] + np.arange(size, dtype=np.int64) * step).ravel()
        if any(outer[0] < inner[0] * inner[1] for inner, outer in pairwise(axes)):
            starts = distinct(starts)
        return starts, length

    def meets_itself(self) -> bool:
        """True if a unit is there several times, as in a view with a stride of 0."""
        extended = [(abs(step), size) for step, size in zip(self.steps, self.shape, strict=True) if size > 1]
        reach = 1
        for step, size in sorted(extended):
            if step < reach:
                return len(distinct(self.places())) < self.count if step else True
            reach = step * (size - 1) + reach
        return False


def anywhere(view: Tensor, unit: int) -> Geometry | None:
    """Where a view may lie that an index moves, as far as that is known; None where it may be anywhere."""
    moves = view.indirect_by
    assert moves is not None
    if moves.reach is None or moves.kind is IndirectionKind.ELEMENTS:
        return None
    reach = moves.reach
    if int(reach.unit) < 1:
        return None
    # What leaves the tensor breaks a contract, or is skipped.
    first, last = -(int(reach.first) // int(reach.unit)), (int(reach.size) - 1 - int(reach.last)) // int(reach.unit)
    known = moves.value.known if moves.value is not None else None
    if known:
        first = max(first, min(int(each.low) for each in known))
        last = min(last, max(int(each.high) for each in known))
    count = max(0, last - first + 1)
    steps, shape = (int(moves.stride), *map(int, view.strides)), (count, *map(int, view.shape))
    if moves.by_rows:
        # The rows of the view are those of the storage that the index names.
        steps, shape = (steps[0], *steps[2:]), (shape[0], *shape[2:])
    ratio = view.dtype.itemsize // unit
    start = int(view.offset) + first * int(moves.stride)
    return Geometry(start * ratio, (*(step * ratio for step in steps), 1), (*shape, ratio))


class Chosen(Geometry):
    """Where the elements lie that an index chooses, which are known: for the first axes of the view one by one, along
    the others as its strides say."""

    __slots__ = ("_inner", "_origins")

    def __init__(self, view: Tensor, origins: Places, ratio: int) -> None:
        steps, shape = tuple(map(int, view.strides))[origins.ndim :], tuple(map(int, view.shape))[origins.ndim :]
        self._inner = Geometry(0, (*(step * ratio for step in steps), 1), (*shape, ratio))
        self._origins = origins.astype(np.int64) * ratio
        self.shape = (*origins.shape, *self._inner.shape)
        self.steps = (0,) * len(self.shape)
        self.start = int(self._origins.min(initial=0))
        self.key = ("chosen", self._origins.tobytes(), self._inner.key)
        self._runs = self._reach = None

    def _found_reach(self) -> tuple[int, int]:
        first, last = self._inner.reach
        least = int(self._origins.min()) if self._origins.size else 0
        return least + first, int(self._origins.max(initial=least)) + last

    def places(self) -> Places:
        """The place of each unit, an array of `shape`."""
        inner = self._inner.places()
        return self._origins.reshape(*self._origins.shape, *(1,) * inner.ndim) + inner

    def _found_runs(self) -> tuple[Places, int]:
        if not self.count:
            return np.zeros(0, np.int64), 0
        starts, length = self._inner.runs()
        flat = distinct(self._origins)
        if len(starts) == 1 and len(flat) > 1 and (np.diff(flat) == length).all():
            return flat[:1] + starts, length * len(flat)
        return distinct(flat[:, None] + starts), length

    def meets_itself(self) -> bool:
        """True if a unit is there several times."""
        flat = distinct(self._origins)
        if len(flat) < self._origins.size or self._inner.meets_itself():
            return True
        first, last = self._inner.reach
        if len(flat) < 2 or int(np.diff(flat).min()) > last - first:
            return False
        return len(distinct(self.places())) < self.count


class StorageCells:
    """The cells of a storage of this many units: the ends of each, ascending from 0."""

    __slots__ = ("_by_place", "_found", "ends", "size")

    def __init__(self, ends: Places) -> None:
        self.ends = ends
        self.size = int(ends[-1])
        self._by_place: Places | None = None
        self._found: dict[object, slice | Places] = {}

    @staticmethod
    def each(size: int) -> StorageCells:
        """A cell for each unit."""
        return StorageCells(np.arange(size + 1, dtype=np.int64))

    @staticmethod
    def cut(size: int, cuts: Sequence[Places]) -> StorageCells:
        """Cells that end at `cuts`, where these are inside."""
        ends = distinct(np.concatenate([np.asarray([0, size], np.int64), *cuts]))
        return StorageCells(ends[(ends >= 0) & (ends <= size)])

    def finer(self, edges: Places) -> tuple[StorageCells, Places]:
        """Cells that end at `edges` as well, where these are inside, and which of the old ones each is a part of."""
        edges = distinct(edges[(edges > 0) & (edges < self.size)])
        at = np.searchsorted(self.ends, edges)
        new = self.ends[at] != edges
        pieces = 1 + np.bincount(at[new] - 1, minlength=self.count)
        return StorageCells(np.insert(self.ends, at[new], edges[new])), np.repeat(np.arange(self.count), pieces)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.ends) - 1

    def at(self, places: Places) -> Places:
        """The cell that each place is in."""
        listed = self.count <= places.size and self.size <= _LISTED
        if not listed or places.min() < 0 or places.max() >= self.size:
            # Under a mask, places may lie outside.
            return np.searchsorted(self.ends, places, side="right") - 1
        if self._by_place is None:
            self._by_place = np.repeat(np.arange(self.count, dtype=np.int64), np.diff(self.ends))
        return self._by_place[places]

    def of(self, geometry: Geometry) -> slice | Places:
        """The cells of a view that lies within the storage, each once, ascending."""
        found = self._found.get(geometry.key)
        if found is None:
            starts, length = geometry.runs()
            found = self._found[geometry.key] = self._of_runs(starts, length)
        return found

    def kept(self, key: object, find: Callable[[], Places]) -> slice | Places:
        """The cells that `find` finds, which are searched for once for each `key`."""
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = find()
        return found

    def _of_runs(self, starts: Places, length: int) -> slice | Places:
        if not length or not len(starts):
            return slice(0, 0)
        first = np.searchsorted(self.ends, starts)
        last = np.searchsorted(self.ends, starts + length)
        if (first[1:] == last[:-1]).all():
            return slice(int(first[0]), int(last[-1]))
        counts = last - first
        before = np.concatenate(([0], np.cumsum(counts)[:-1]))
        found = np.repeat(first - before, counts) + np.arange(int(counts.sum()), dtype=np.int64)
        # Runs that overlap have cells in common.
        return found if (found[1:] > found[:-1]).all() else distinct(found)


class Layouts:
    """The unit of each storage of a run (the bytes of the smallest element that any view shows of it), and its cells.
    Storages of the same size with the same views have the same cells. Several walks over a run can share them."""

    def __init__(self, items: Sequence[Recorded]) -> None:
        self._shared = SharedTensors()
        self._views: dict[Storage, list[tuple[Tensor, Executed | None, str, bool]]] = {}
        self._units: dict[Storage, int] = {}
        self._made: dict[object, StorageCells] = {}
        self._geometries: dict[object, Geometry] = {}
        self._of: dict[Storage, StorageCells] = {}
        for item in items:
            if isinstance(item, Allocation):
                self._shared.allocate(item)
            elif isinstance(item, Executed):
                for name, view in item.operation.reads.items():
                    self._note(view, item, name, False)
                for name, view in item.operation.writes.items():
                    self._note(view, item, name, True)
            elif isinstance(item, Returned):
                for view in item.tensors:
                    self._note(view, None, "", False)

    def _note(self, view: Tensor, item: Executed | None, name: str, writes: bool) -> None:
        key = self._shared.first(view.storage)
        self._views.setdefault(key, []).append((view, item, name, writes))
        known = self._units.get(key, view.storage.dtype.itemsize)
        self._units[key] = min(known, view.dtype.itemsize, view.storage.dtype.itemsize)

    def unit(self, storage: Storage) -> int:
        """Bytes that a unit of the storage has."""
        return self._units.get(storage, storage.dtype.itemsize)

    def geometry(self, view: Tensor, storage: Storage) -> Geometry:
        """Where a view lies; views that lie the same share what is known of it."""
        unit = self.unit(storage)
        moves = view.indirect_by
        chosen = moves.elements.tobytes() if moves is not None and moves.is_known else None
        key = (unit, view.dtype.itemsize, view.offset, view.shape, view.strides, chosen)
        found = self._geometries.get(key)
        if found is None:
            found = self._geometries[key] = Geometry.of(view, unit)
        return found

    def anywhere(self, view: Tensor, storage: Storage) -> Geometry | None:
        """Where a view may lie that an index moves; None where that may be anywhere."""
        return anywhere(view, self.unit(storage))

    def cells(self, storage: Storage) -> StorageCells:
        """The cells of a storage, which stands for itself in all programs."""
        found = self._of.get(storage)
        if found is None:
            found = self._of[storage] = self._cells(storage)
        return found

    def _cells(self, storage: Storage) -> StorageCells:
        unit = self.unit(storage)
        size = int(storage.size) * (storage.dtype.itemsize // unit)
        if is_register_file(storage):
            # No operation of the kernel names the registers of an engine.
            return StorageCells.each(size)
        geometries: dict[object, Geometry] = {}
        masked: list[Places] = []
        by_rows: set[object] = set()
        only_rows = True
        for view, item, name, writes in self._views.get(storage, ()):
            if view.indirect_by is not None and not view.indirect_by.is_known:
                place = self.anywhere(view, storage)
                if place is not None:
                    geometries[place.key] = place
                continue
            geometry = self.geometry(view, storage)
            geometries[geometry.key] = geometry
            if item is not None and (item.operation.mask is not None or item.operation.rows(name)):
                part = touched(item.operation, name, writes=writes)
                if part.rows is not None:
                    key = (geometry.key, part.rows)
                    if key in by_rows:
                        continue
                    by_rows.add(key)
                else:
                    only_rows = False
                ways = (part.may,) if part.exact else (part.may, part.must)
                masked += [_edges(geometry, inside) for inside in ways if inside is not None]
        uniform = (size, frozenset(geometries), frozenset(by_rows))
        found = self._made.get(uniform) if only_rows else None
        if found is None:
            cuts = [edge for one in geometries.values() for edge in _ends(one)]
            found = StorageCells.cut(size, [*cuts, *masked])
            if only_rows:
                self._made[uniform] = found
        return found


def _ends(geometry: Geometry) -> tuple[Places, Places]:
    starts, length = geometry.runs()
    return starts, starts + length


def _edges(geometry: Geometry, inside: npt.NDArray[np.bool_]) -> Places:
    """Where the places begin and end that a mask leaves of a view."""
    places = np.sort(geometry.places()[np.broadcast_to(inside[..., None], geometry.shape)])
    if not len(places):
        return places
    gaps = np.flatnonzero(np.diff(places) > 1)
    return np.concatenate((places[:1], places[gaps] + 1, places[gaps + 1], places[-1:] + 1))
