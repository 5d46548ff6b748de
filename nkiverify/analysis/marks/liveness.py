"""The dead stores of a concrete run: operations of which no element they wrote is used by what reaches an output.

For each element of a storage the run keeps the operation that wrote it last. An operation is used if it has a side
effect, if what it wrote is there at the end in an output, or if a used operation has read an element that it wrote.
What cannot be followed counts as used, so that what is left is dead for certain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from nkiverify.analysis.effects import Effect, Effects
from nkiverify.analysis.element_marks import Marks
from nkiverify.analysis.marks.order import Recorded, SharedTensors, one_by_one
from nkiverify.analysis.marks.storage_cells import Layouts, StorageCells
from nkiverify.analysis.marks.windows import Window, shown, window
from nkiverify.analysis.side_effects import has_effect
from nkiverify.analysis.uniform import stored_alike
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.tensor import Storage, Tensor

#: Cells that are distinguished in all storages together; what is in larger ones counts as used.
MAX_ELEMENTS = 1 << 24
#: Cells that reads look at one by one, in all; a read after that counts as one of all that was ever written there.
MAX_LOOKED_AT = 1 << 22
_NOBODY = -1


@dataclass(slots=True)
class DeadStore:
    """A dead store: the recorded item number `position`.

    `readers` are the operations, dead themselves, that read what it wrote. Without any it was `overwritten_by` that
    operation, all of it; None where some of it is still there at the end.
    """

    position: int
    readers: frozenset[int]
    overwritten_by: int | None


@dataclass(slots=True)
class Liveness:
    """The operations executed, by position, and those that are dead stores; operations that touched no element are left
    out."""

    executed: list[int] = field(default_factory=list)
    dead_stores: dict[int, DeadStore] = field(default_factory=dict)


def liveness(items: Sequence[Recorded], layouts: Layouts | None = None) -> Liveness:
    """The dead stores of a concrete run that recorded `items`, with these `layouts` where there are any. Arguments, and
    what is returned, are the outputs."""
    layouts = layouts or Layouts(items)
    # A program that stores what another has stored there before does not make the other's store a dead one.
    uniform = stored_alike(items)
    found = _follow(items, layouts, uniform, overwriting=False)
    # Who overwrites what takes as long again, and is asked of few runs.
    return _follow(items, layouts, uniform, overwriting=True) if found.dead_stores else found


def _follow(items: Sequence[Recorded], layouts: Layouts, uniform: Collection[int], *, overwriting: bool) -> Liveness:
    run = _Run(layouts, overwriting)
    run.used.update(uniform)
    for position in one_by_one(items):
        item = items[position]
        if isinstance(item, Executed):
            run.operation(position, item.operation)
        elif isinstance(item, Allocation):
            run.shared.allocate(item)
        elif isinstance(item, Returned):
            run.returned += item.tensors
    return run.result()


@dataclass(slots=True)
class _Held:
    """The operation that wrote each element of a storage: one for `all` of it, or for `each` cell."""

    storage: Storage
    cells: StorageCells
    all: int = _NOBODY
    each: Marks | None = None
    #: Every operation that ever wrote to it.
    ever: set[int] = field(default_factory=set)
    #: It is not known what is where: every operation that ever wrote to it is used.
    lost: bool = False

    def writers(self, window: Window | None) -> list[int]:
        """Who wrote what the window shows, or anything at all."""
        if self.each is None:
            return [self.all] if self.all != _NOBODY else []
        seen = self.each if window is None else window.read(self.each)
        least, most = int(seen.min(initial=np.iinfo(np.int32).max)), int(seen.max(initial=_NOBODY))
        if least >= most:
            return [most] if most != _NOBODY else []
        # Many elements and few numbers: quicker than sorting.
        there = np.zeros(most - least + 1, np.bool_)
        there[seen - least] = True
        return [least + number for number in np.flatnonzero(there).tolist() if least + number != _NOBODY]


class _Run:
    def __init__(self, layouts: Layouts, overwriting: bool) -> None:
        self._overwriting = overwriting
        self.shared = SharedTensors()
        self.returned: list[Tensor] = []
        self._layouts = layouts
        self._effects = Effects()
        self._held: dict[Storage, _Held] = {}
        self._left = MAX_ELEMENTS
        self._looks = MAX_LOOKED_AT
        #: By operation: those whose elements it read, those that wrote over all or some of its own.
        self._reads: dict[int, set[int]] = {}
        self._overwritten: dict[int, int] = {}
        self._wrote: set[int] = set()
        self.used: set[int] = set()

    def operation(self, position: int, operation: Operation) -> None:
        """Note who wrote what the operation reads, and that it wrote what it writes."""
        self._reads[position] = set()
        if has_effect(operation):
            self.used.add(position)
        for effect in self._effects.of(operation):
            held = self._of(effect.view.storage)
            if not effect.writes:
                # Also what is waited for, and what a sum may go on with: it counts as read.
                self._read(position, held, effect)
            elif held.lost or not effect.certain:
                # It may write anywhere, or nothing: what was there may still be.
                self.used.add(position)
            else:
                written = window(effect, self._layouts, held.storage, held.cells)
                self._write(position, held, written, whole=written.exact)

    def _read(self, position: int, held: _Held, effect: Effect) -> None:
        read = self._reads[position]
        if held.each is None or effect.view.indirect_by is not None:
            read.update(held.writers(None))
            return
        seen = window(effect, self._layouts, held.storage, held.cells)
        if not seen.in_range:
            self._lose(held)
            return
        self._looks -= seen.count
        read.update(held.writers(seen) if self._looks > 0 else held.ever)

    def _write(self, position: int, held: _Held, window: Window, *, whole: bool) -> None:
        if not whole or not window.in_range:
            self.used.add(position)
            self._lose(held)
            return
        if not window.touched:
            return
        self._wrote.add(position)
        held.ever.add(position)
        if held.each is None and not window.covers and not self._told_apart(held):
            self.used.add(position)
            return
        before = held.writers(window) if self._overwriting else ()
        if window.covers:
            held.all, held.each = position, None
        else:
            assert held.each is not None
            window.write(held.each, position)
        for writer in before:
            self._overwritten[writer] = position

    def _told_apart(self, held: _Held) -> bool:
        if held.cells.count > self._left:
            self._lose(held)
            return False
        self._left -= held.cells.count
        held.each = np.full(held.cells.count, held.all, np.int32)
        return True

    def _lose(self, held: _Held) -> None:
        self.used.update(held.writers(None))
        held.lost = True

    def _of(self, storage: Storage) -> _Held:
        storage = self.shared.first(storage)
        held = self._held.get(storage)
        if held is None:
            held = self._held[storage] = _Held(storage, self._layouts.cells(storage))
        return held

    # --- the end ------------------------------------------------------------------------------------------------------

    def result(self) -> Liveness:
        """The dead stores, now that the run is over."""
        there = {writer: held for held in self._held.values() for writer in held.writers(None)}
        for tensor in self.returned:
            held = self._of(tensor.storage)
            window = shown(tensor, self._layouts, held.storage, held.cells)
            self.used.update(held.writers(window if window.in_range else None))
        self.used.update(writer for writer, held in there.items() if isinstance(held.storage.identity, tuple))
        used = self._closure()
        found = Liveness(sorted(self._wrote | self.used))
        readers = self._readers(used)
        for position in sorted(self._wrote - used):
            by = None if position in there else self._overwritten.get(position)
            found.dead_stores[position] = DeadStore(position, frozenset(readers.get(position, ())), by)
        return found

    def _closure(self) -> set[int]:
        used, waiting = set(self.used), list(self.used)
        while waiting:
            for writer in self._reads[waiting.pop()]:
                if writer not in used:
                    used.add(writer)
                    waiting.append(writer)
        return used

    def _readers(self, used: set[int]) -> Mapping[int, set[int]]:
        found: dict[int, set[int]] = {}
        for reader, writers in self._reads.items():
            for writer in writers - used:
                found.setdefault(writer, set()).add(reader)
        return found
