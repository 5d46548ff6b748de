"""The lines that stored each element of the tensors that a concrete run returned. It is reported for readers, and
decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from nkiverify.analysis.effects import Does, Effect, Effects
from nkiverify.analysis.element_marks import Marks, distinct
from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.storage_cells import Layouts
from nkiverify.analysis.marks.storages import Shadow, Shadows
from nkiverify.foundation.budget import MarksBudget
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.records import Coverage, Line, Part
from nkiverify.foundation.source import assigned_name
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor

#: Rows and columns that are distinguished, and parts of which a map consists.
_ROWS, _COLUMNS, _PARTS = 64, 96, 400

#: What an entry says that is no store: the same as in `Part`.
_NOBODY, _PERHAPS = -1, -2


def coverage(
    items: Sequence[Recorded], values: Mapping[str, int], iterations: Mapping[int, str] = MappingProxyType({})
) -> tuple[Coverage, ...]:
    """The stores to each element of the tensors returned by a run on `values`; of one that is too large nothing is
    said. `iterations` are those of the loops around an item, by its position."""
    returned = list(_returned(items))
    followed = _Writers(items, [one.storage for one in returned], iterations)
    found = (followed.of(tensor, values) for tensor in returned)
    return tuple(one for one in found if one is not None)


def _returned(items: Sequence[Recorded]) -> Iterator[Tensor]:
    """The tensors that are returned, those of one storage once."""
    seen: set[int] = set()
    for item in items:
        for tensor in item.tensors if isinstance(item, Returned) else ():
            if id(tensor.storage) not in seen:
                seen.add(id(tensor.storage))
                yield tensor


#: A store, after what was there: its line, and the iteration. None where it is not known what was there.
_Store = tuple[int | None, Line, str]


class _Writers:
    """The stores to each cell of some storages, those of a launch in the order in which they were recorded."""

    def __init__(self, items: Sequence[Recorded], storages: Sequence[Storage], iterations: Mapping[int, str]) -> None:
        self._shadows = Shadows(Layouts(items))
        self._iterations = iterations
        #: What has been stored to a cell: the number of its last store, which names the one before.
        self._numbers: dict[_Store, int] = {}
        self._known: list[_Store] = []
        self._stores: dict[int, Marks] = {}
        for item in items:
            if isinstance(item, Allocation):
                self._shadows.allocate(item)
        for storage in storages:
            shadow = self._shadows.of(storage)
            if shadow.storage.size <= MarksBudget.ELEMENTS_OF_A_TENSOR:
                self._stores[id(shadow)] = np.full(shadow.cells.count, _NOBODY, np.int32)
        effects = Effects()
        for position, item in enumerate(items):
            if isinstance(item, Executed):
                for effect in effects.of(item.operation):
                    if effect.does is Does.WRITE:
                        self._stored(effect, item, position)

    def _stored(self, effect: Effect, item: Executed, position: int) -> None:
        shadow = self._shadows.of(effect.view.storage)
        stores = self._stores.get(id(shadow))
        if stores is None or item.site is None:
            return
        line = Line(item.site.file, item.site.line)
        region = shadow.touched(effect)
        if effect.certain and region.exact and region.in_range:
            before = region.read(stores)
            after = np.empty_like(before)
            for number in map(int, distinct(before)):
                after[before == number] = self._number((number, line, self._iterations.get(position, "")))
            region.write(stores, after)
        else:
            stores[stores == _NOBODY] = _PERHAPS

    def _number(self, store: _Store) -> int:
        number = self._numbers.setdefault(store, len(self._known))
        if number == len(self._known):
            self._known.append(store)
        return number

    def of(self, tensor: Tensor, values: Mapping[str, int]) -> Coverage | None:
        """The stores to the elements that a view shows."""
        shadow = self._shadows.of(tensor.storage)
        stores, region = self._stores.get(id(shadow)), shadow.shown(tensor)
        if stores is None or not region.in_range:
            return None
        shape = tuple(map(int, tensor.shape))
        every = region.spread(region.read(stores), _NOBODY).min(axis=-1)
        least, greatest, each = _shrunk(every.reshape(-1, shape[-1] if shape else 1))
        table = least.copy()
        # Elements of one place of the map that differ have no order in common.
        for number in map(int, distinct(least[(least >= 0) & (least != greatest)])):
            table[(least == number) & (least != greatest)] = self._number((None, self._known[number][1], ""))
        parts = tuple(_parts(table))
        if len(parts) > _PARTS:
            lines = np.asarray([self._number((None, line, "")) for _, line, _ in self._known], np.int32)
            parts = tuple(_parts(np.where(table >= 0, lines[np.maximum(table, 0)], table)))
        if len(parts) > _PARTS:
            return None
        used = list(dict.fromkeys(self._known[one.store][1] for one in parts if one.store >= 0))
        used.sort(key=lambda line: (line.file, line.line))
        return Coverage(
            tensor=_name(shadow, tensor),
            shape=shape,
            at=dict(values),
            stores=tuple(used),
            rows=table.shape[0],
            columns=table.shape[1],
            each=each,
            parts=tuple(self._told(one, used) for one in parts),
        )

    def _told(self, part: Part, lines: Sequence[Line]) -> Part:
        """A part whose store is a number of ours, as one of these lines and with its order."""
        if part.store < 0:
            return part
        order: list[str] = []
        number: int | None = part.store
        while number is not None and number >= 0 and len(order) <= MarksBudget.STORES_LISTED:
            number, line, iteration = self._known[number]
            order.insert(0, f"line {line.line}{f' for {iteration}' if iteration else ''}")
        if len(order) > MarksBudget.STORES_LISTED:
            order[0] = "others"
        if number is None or order == [f"line {self._known[part.store][1].line}"]:
            order = []
        return replace(part, store=lines.index(self._known[part.store][1]), order=tuple(order))


def _name(shadow: Shadow, tensor: Tensor) -> str:
    return tensor.storage.name or assigned_name(shadow.made) or "result"


def _shrunk(table: Marks) -> tuple[Marks, Marks, tuple[int, int]]:
    """At most this many rows and columns, and how many elements each of them stands for: the least of those, so that
    what nothing stores is seen, and the greatest."""
    rows, columns = (max(1, -(-count // most)) for count, most in zip(table.shape, (_ROWS, _COLUMNS), strict=True))
    least = greatest = table
    if table.size:
        for axis, step in ((0, rows), (1, columns)):
            starts = np.arange(0, table.shape[axis], step)
            least = np.minimum.reduceat(least, starts, axis=axis)
            greatest = np.maximum.reduceat(greatest, starts, axis=axis)
    return least, greatest, (rows, columns)


def _parts(table: Marks) -> Iterator[Part]:
    """Rectangles of one store: the same rows together, and in them columns of one store."""
    first = 0
    for row in range(1, len(table) + 1):
        if row < len(table) and (table[row] == table[first]).all():
            continue
        ends = np.flatnonzero(np.diff(table[first])) + 1
        starts = [0, *map(int, ends)]
        for start, end in zip(starts, [*starts[1:], table.shape[1]], strict=True):
            yield Part(first, row - first, start, end - start, int(table[first, start]))
        first = row
