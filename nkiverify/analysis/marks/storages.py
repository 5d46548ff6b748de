"""The storages of a concrete run: a mark for each element, and what is said of sums of products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from nkiverify.analysis.dependence import Marks
from nkiverify.analysis.effects import Effect
from nkiverify.analysis.marks.findings import DEFINED, UNWRITTEN
from nkiverify.analysis.marks.order import Recorded, SharedTensors
from nkiverify.analysis.marks.windows import Window, units_of, window
from nkiverify.analysis.reduction_registers import is_register_file
from nkiverify.model.memory import PSUM
from nkiverify.model.recorded import Allocation
from nkiverify.model.tensor import Storage, Tensor


@dataclass(slots=True)
class Shadow:
    """The marks of one storage, one for each `unit` bytes, and for PSUM what the Tensor Engine did there."""

    storage: Storage
    unit: int
    marks: Marks
    #: 1: written by matmuls alone, 2: and read by something else since.
    products: Marks | None
    #: By loop without an order: the iteration that did each `How` to an element, a row each.
    users: dict[object, Marks] = field(default_factory=dict)
    #: Loops without an order that were running when it was allocated: what it holds is private to their iterations.
    inside: frozenset[object] = frozenset()

    def touched(self, effect: Effect) -> Window:
        """The elements that an effect touches: all that it may read, or what it writes for sure."""
        return window(effect, self.unit, self.marks.size)

    def shown(self, view: Tensor) -> Window:
        """The elements that a view shows."""
        return Window(self.unit, self.marks.size, view)


class Shadows:
    """The shadows of all storages of a run; those of what programs share are one."""

    def __init__(self, items: Sequence[Recorded]) -> None:
        self._units = units_of(items)
        self._shared = SharedTensors()
        self._shadows: dict[int, Shadow] = {}

    def __iter__(self) -> Iterator[Shadow]:
        return iter(self._shadows.values())

    def allocate(self, item: Allocation) -> Shadow | None:
        """A storage of unwritten elements; None where another program has made it."""
        return self._make(item.storage, UNWRITTEN) if self._shared.allocate(item) else None

    def of(self, storage: Storage) -> Shadow:
        """The shadow of a storage."""
        storage = self.first(storage)
        found = self._shadows.get(id(storage))
        if found is not None:
            return found
        # What was not allocated in the run is an argument, which holds well-defined numbers.
        return self._make(storage, UNWRITTEN if is_register_file(storage) else DEFINED)

    def first(self, storage: Storage) -> Storage:
        """The storage that stands for `storage` in all programs."""
        return self._shared.first(storage)

    def _make(self, storage: Storage, mark: int) -> Shadow:
        unit = self._units.get(id(storage), storage.dtype.itemsize)
        size = int(storage.size) * (storage.dtype.itemsize // unit)
        products = np.zeros(size, np.int8).astype(np.int32) if storage.buffer is PSUM else None
        shadow = Shadow(storage, unit, np.full(size, mark, np.int32), products)
        self._shadows[id(storage)] = shadow
        return shadow
