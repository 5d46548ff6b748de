"""The lines that stored each element of the tensors that a concrete run returned. It is told for readers, and decides
nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from nkiverify.analysis.dependence import Marks
from nkiverify.analysis.effects import Does, Effect, Effects
from nkiverify.analysis.marks.order import Recorded
from nkiverify.analysis.marks.storages import Shadow, Shadows
from nkiverify.foundation.assigned import assigned_name
from nkiverify.foundation.records import Coverage, Line, Part
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor

#: Rows and columns that are told apart, and parts of which a map consists.
_ROWS, _COLUMNS, _PARTS = 64, 96, 400
#: Elements of one tensor that are looked at.
_MOST = 4_000_000

#: What an entry says that is no store: the same as in `Part`.
_NOBODY, _PERHAPS = -1, -2


def coverage(items: Sequence[Recorded], values: Mapping[str, int]) -> tuple[Coverage, ...]:
    """The stores to each element of the tensors returned by a run on `values`; of one that is too large nothing is
    said."""
    returned = list(_returned(items))
    followed = _Writers(items, [one.storage for one in returned])
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


class _Writers:
    """The last store to each cell of some storages, those of a launch in the order in which they were recorded."""

    def __init__(self, items: Sequence[Recorded], storages: Sequence[Storage]) -> None:
        self._shadows = Shadows(items)
        self._lines: list[Line] = []
        self._stores: dict[int, Marks] = {}
        for item in items:
            if isinstance(item, Allocation):
                self._shadows.allocate(item)
        for storage in storages:
            shadow = self._shadows.of(storage)
            if shadow.storage.size <= _MOST:
                self._stores[id(shadow)] = np.full(shadow.cells.count, _NOBODY, np.int32)
        effects = Effects()
        for item in items:
            if isinstance(item, Executed):
                for effect in effects.of(item.operation):
                    if effect.does is Does.WRITE:
                        self._stored(effect, item)

    def _stored(self, effect: Effect, item: Executed) -> None:
        shadow = self._shadows.of(effect.view.storage)
        stores = self._stores.get(id(shadow))
        if stores is None or item.site is None:
            return
        line = Line(item.site.file, item.site.line)
        if line not in self._lines:
            self._lines.append(line)
        region = shadow.touched(effect)
        if effect.certain and region.exact and region.in_range:
            region.write(stores, self._lines.index(line))
        else:
            stores[stores == _NOBODY] = _PERHAPS

    def of(self, tensor: Tensor, values: Mapping[str, int]) -> Coverage | None:
        """The stores to the elements that a view shows."""
        shadow = self._shadows.of(tensor.storage)
        stores, region = self._stores.get(id(shadow)), shadow.shown(tensor)
        if stores is None or not region.in_range:
            return None
        shape = tuple(map(int, tensor.shape))
        every = region.spread(region.read(stores), _NOBODY).min(axis=-1)
        table = every.reshape(-1, shape[-1] if shape else 1)
        shown, each = _shrunk(table)
        parts = tuple(_parts(shown))
        if len(parts) > _PARTS:
            return None
        used = sorted({one.store for one in parts if one.store >= 0})
        number = {store: position for position, store in enumerate(used)}
        return Coverage(
            tensor=_name(shadow, tensor),
            shape=shape,
            at=dict(values),
            stores=tuple(self._lines[store] for store in used),
            rows=shown.shape[0],
            columns=shown.shape[1],
            each=each,
            parts=tuple(
                Part(one.row, one.rows, one.column, one.columns, number.get(one.store, one.store)) for one in parts
            ),
        )


def _name(shadow: Shadow, tensor: Tensor) -> str:
    return tensor.storage.name or assigned_name(shadow.made) or "result"


def _shrunk(table: Marks) -> tuple[Marks, tuple[int, int]]:
    """At most so many rows and columns, and how many elements each of them stands for: of those the least, so that
    what nothing stores is seen."""
    rows, columns = (max(1, -(-count // most)) for count, most in zip(table.shape, (_ROWS, _COLUMNS), strict=True))
    if table.size:
        table = np.minimum.reduceat(table, np.arange(0, table.shape[0], rows), axis=0)
        table = np.minimum.reduceat(table, np.arange(0, table.shape[1], columns), axis=1)
    return table, (rows, columns)


def _parts(table: Marks) -> Iterator[Part]:
    """Rectangles of one store: alike rows together, and in them columns of one store."""
    first = 0
    for row in range(1, len(table) + 1):
        if row < len(table) and (table[row] == table[first]).all():
            continue
        ends = np.flatnonzero(np.diff(table[first])) + 1
        starts = [0, *map(int, ends)]
        for start, end in zip(starts, [*starts[1:], table.shape[1]], strict=True):
            yield Part(first, row - first, start, end - start, int(table[first, start]))
        first = row
