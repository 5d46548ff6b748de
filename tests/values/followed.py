"""Runs on numbers that also follow what is known of numbers: each element that is written lies in its interval."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.model.contents import held, tracked
from nkiverify.model.known_numbers import UNKNOWN, Interval, Value
from nkiverify.model.memory import SHARED_HBM, MemoryRegion
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Tensor
from nkiverify.products.simulate import simulator

#: The run that this stands in for, and what it gives an argument its elements with.
_array_argument = simulator.array_argument


class OutsideItsInterval(AssertionError):
    """An element is not among the numbers that are known of it: what is known would prove what is not so."""


class FollowedElements(ComputedElements):
    """Computed elements of which every operation also says the bounds of what it writes."""

    followed = True

    #: Results of which something is known, in all runs.
    known = 0

    def executed(self, operation: Operation) -> None:
        """Compute an operation, and compare its results with what is known of them."""
        super().executed(operation)
        for name, view in operation.writes.items():
            self._compare(operation.name, name, view)

    def _compare(self, operation: str, name: str, view: Tensor) -> None:
        value = held(view) if tracked(view.storage) and view.indirect_by is None else None
        intervals = value.known if value is not None else None
        if intervals is None:
            return
        FollowedElements.known += 1
        where = self._plain(view)
        cells = self.cells(view)
        elements = np.array(storage.read(self.numbers, cells, where)[0])
        marks = storage.read_marks(cells, where)
        defined = elements if marks is None else elements[marks[0] == 0]
        numbers = defined.astype(np.float64)
        inside = np.zeros(numbers.shape, dtype=bool)
        for each in intervals:
            inside |= (numbers >= float(each.low)) & (numbers <= float(each.high))
        if not inside.all():
            text = ", ".join(map(str, intervals))
            raise OutsideItsInterval(f"{operation} writes {numbers[~inside][0]} to {name}, which is in {text}")


def followed_argument(elements: ComputedElements, name: str, array: Array, buffer: MemoryRegion = SHARED_HBM) -> Tensor:
    """A tensor argument, of which its least and its greatest integer are known."""
    tensor = _array_argument(elements, name, array, buffer)
    known = UNKNOWN
    if array.dtype.kind in "iub" and array.size:
        known = Value((Interval(int(array.min()), int(array.max())),))
    elements.run.model.given(tensor.storage.identity, known)
    return tensor
