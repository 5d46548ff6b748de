"""The storages of a concrete run: a mark for each cell, and what is said of sums of products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from nkiverify.analysis.effects import Effect
from nkiverify.analysis.element_marks import Marks
from nkiverify.analysis.marks.mark_findings import DEFINED, UNWRITTEN
from nkiverify.analysis.marks.order import SharedTensors
from nkiverify.analysis.marks.storage_cells import Layouts, Places, StorageCells
from nkiverify.analysis.marks.windows import Window, anywhere, shown, window
from nkiverify.analysis.reduction_registers import is_register_file
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import Site
from nkiverify.model.memory import PSUM
from nkiverify.model.recorded import Allocation
from nkiverify.model.state import LoopBody
from nkiverify.model.tensor import Storage, Tensor


@dataclass(slots=True)
class Shadow:
    """The marks of one storage, one for each of its cells, and for PSUM what the Tensor Engine did there."""

    storage: Storage
    cells: StorageCells
    layouts: Layouts
    marks: Marks
    #: 1: written by matmuls alone, 2: and read by something else since.
    products: Marks | None
    #: 1 for cells that hold nothing but zeros for sure; None where there is no such cell.
    zeros: Marks | None = None
    #: By loop without an order: the iteration that did each `How` to an element, a row each.
    users: dict[object, Marks] = field(default_factory=dict)
    #: Loops without an order that were running when it was allocated, with their iteration: it is private to that one.
    inside: dict[object, int] = field(default_factory=dict)
    #: By body of a device loop that writes to it: its marks and products before.
    before: dict[LoopBody, tuple[Marks, Marks | None]] = field(default_factory=dict)
    #: Where it is allocated, and the last operation that wrote to it.
    made: Site | None = None
    stored: Site | None = None

    def touched(self, effect: Effect) -> Window:
        """The elements that an effect touches: all that it may read, or what it writes for sure."""
        return window(effect, self.layouts, self.storage, self.cells)

    def anywhere(self, view: Tensor) -> Window | None:
        """All that a view may show which an index moves; None where that may be anything."""
        found = anywhere(view, self.layouts, self.storage, self.cells)
        return found if found is not None and found.in_range else None

    def shown(self, view: Tensor) -> Window:
        """The elements that a view shows."""
        return shown(view, self.layouts, self.storage, self.cells)

    def filled(self, region: Window, *, zero: bool) -> None:
        """Something was written to `region`: zeros, or other numbers."""
        if self.zeros is None:
            if not zero:
                return
            self.zeros = np.zeros(self.cells.count, np.int32)
        region.write(self.zeros, int(zero))

    def cut(self, edges: Places) -> None:
        """Let cells end at `edges` as well."""
        self.cells, old = self.cells.finer(edges)
        self.marks = self.marks[old]
        self.products = None if self.products is None else self.products[old]
        self.zeros = None if self.zeros is None else self.zeros[old]
        self.users = {loop: users[:, old] for loop, users in self.users.items()}
        self.before = {
            body: (marks[old], None if products is None else products[old])
            for body, (marks, products) in self.before.items()
        }


class Shadows:
    """The shadows of all storages of a run; those of what programs share are one."""

    def __init__(self, layouts: Layouts) -> None:
        self._layouts = layouts
        self._shared = SharedTensors()
        self._shadows: dict[Storage, Shadow] = {}

    def __iter__(self) -> Iterator[Shadow]:
        return iter(self._shadows.values())

    def allocate(self, item: Allocation) -> Shadow | None:
        """A storage of unwritten elements; None where another program has made it."""
        if not self._shared.allocate(item):
            return None
        shadow = self._make(item.storage, UNWRITTEN)
        shadow.made = item.site
        return shadow

    def of(self, storage: Storage) -> Shadow:
        """The shadow of a storage."""
        storage = self.first(storage)
        found = self._shadows.get(storage)
        if found is not None:
            return found
        # What was not allocated in the run is an argument, which holds well-defined numbers.
        return self._make(storage, UNWRITTEN if is_register_file(storage) else DEFINED)

    def first(self, storage: Storage) -> Storage:
        """The storage that stands for `storage` in all programs."""
        return self._shared.first(storage)

    def _make(self, storage: Storage, mark: int) -> Shadow:
        cells = self._layouts.cells(storage)
        products = np.zeros(cells.count, np.int32) if storage.buffer is PSUM else None
        shadow = Shadow(storage, cells, self._layouts, np.full(cells.count, mark, np.int32), products)
        self._shadows[storage] = shadow
        return shadow
