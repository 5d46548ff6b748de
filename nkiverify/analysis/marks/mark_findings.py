"""The findings of a concrete run, of what is documented as undefined: faults, doubts, and marks that lead back to
reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import field, replace
from math import prod
from typing import TYPE_CHECKING

from nkiverify.analysis.effects import Effect
from nkiverify.analysis.element_marks import Marks
from nkiverify.analysis.marks.storage_cells import Places
from nkiverify.analysis.reduction_registers import reading_rule
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import Site
from nkiverify.model.tensor import Storage, Tensor

if TYPE_CHECKING:
    import numpy.typing as npt

#: Marks of elements. Greater ones number the reads of `Findings.origins`, downwards: of two, the earlier one wins. The
#: ones beyond `SURELY` are what an element was computed from for sure.
UNWRITTEN, MAYBE, DEFINED = -1, -2, 0
SURELY = 1 << 29
_FIRST_ORIGIN = SURELY + (1 << 29) - 1
#: From here on marks are results of operations that are said to be dead stores, by position; they win over others.
DEAD_STORE = 1 << 30


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken contract: at the recorded item number `position`, about `element` of the tensor called `tensor`.

    Of an output, `site` is the last store to it; `made` is where the tensor is allocated, in `storage`. The element is
    one of `view`.
    """

    contract: str
    position: int
    tensor: str
    element: tuple[int, ...]
    quantities: tuple[tuple[str, object], ...] = ()
    site: Site | None = None
    made: Site | None = None
    storage: Storage | None = field(default=None, compare=False, repr=False)
    view: Tensor | None = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> tuple[int, ...] | None:
        """The element, by its coordinates in the whole tensor; None where these are not known."""
        view = self.view
        if view is None or view.indirect_by or view.dtype.itemsize != view.storage.dtype.itemsize:
            return None
        flat = view.offset + sum(at * stride for at, stride in zip(self.element, view.strides, strict=False))
        shape = tuple(view.storage.shape)
        if len(self.element) != view.ndim or not all(isinstance(one, int) for one in (flat, *shape)):
            return None
        return tuple(map(int, np.unravel_index(flat, shape))) if 0 <= flat < prod(shape) else None


@dataclass(slots=True)
class Findings:
    """The findings of a run. `doubts` say what cannot be followed: without faults, they leave the verdict open.

    With faults they do so as well where they are `voided`: where a doubt is about more than the elements that an index,
    or data, may choose, or than what programs did before they exchanged tiles, or copied onto itself. The first count
    for written where a fault is that nothing is; whether the others are faults takes nothing from another one.
    """

    faults: list[Fault] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    voided: bool = False
    #: Reads of unwritten elements; those that reach an output are faults as well.
    origins: list[Fault] = field(default_factory=list)
    #: How many outputs, reads and writes were examined.
    looked_at: int = 0
    #: Of the operations said to be dead stores, those whose results reach something that counts.
    used: set[int] = field(default_factory=set)
    #: Stores of values that another program has stored to the same elements.
    uniform: list[Fault] = field(default_factory=list)

    @property
    def shows_fault(self) -> bool:
        """True if there is a fault, whatever the doubts are about."""
        return bool(self.faults) and not self.voided


class Notes:
    """Writes down what is found at the item number `position`.

    `followed` are the reads whose unwritten elements are distinguished; those of other reads are then taken for
    defined. So are those of the reads that are `accepted`."""

    def __init__(
        self, followed: Collection[int] | None = None, accepted: Callable[[Fault], bool] = lambda fault: False
    ) -> None:
        self.findings = Findings()
        self.position = 0
        #: Whether something that may be undefined, but need not be, has come to an output.
        self.perhaps = False
        #: Whether an index that nothing has written has been used, which may be out of bounds.
        self.unwritten_index = False
        self._followed = followed
        self._accepted = accepted
        #: For each of the origins, the number of its first element, and the elements, counted through a shape.
        self._numbers: list[int] = []
        self._elements: list[tuple[Places, tuple[int, ...]]] = []
        self._next = 0
        self._greatest = DEFINED
        self._seen: set[tuple[str, int]] = set()

    def doubt(self, text: str, *, leaves_faults: bool = False) -> None:
        """Something that cannot be followed; `leaves_faults`: whatever it is, faults that are found are faults."""
        self.findings.voided |= not leaves_faults
        if text not in self.findings.doubts:
            self.findings.doubts.append(text)

    def fault(self, fault: Fault) -> None:
        """A broken contract; one of each at one item."""
        key = (fault.contract, fault.position)
        if key not in self._seen:
            self._seen.add(key)
            self.findings.faults.append(fault)

    def claim(self, contract: str, view: Tensor, broken: npt.NDArray[np.bool_], **quantities: object) -> None:
        """A contract about every element of `view`, and where it is `broken`."""
        if broken.any():
            name = view.storage.name or "dst"
            shown = _shown(view, broken, quantities)
            self.fault(Fault(contract, self.position, name, *shown, storage=view.storage, view=view))

    def unwritten(self, effect: Effect, values: Marks) -> Marks:
        """`values` that are read, with a new mark for those that are unwritten."""
        unwritten = values == UNWRITTEN
        if not unwritten.any():
            # From here on they are taken for unwritten.
            self.doubt("a read of elements that an indirect or skipped write may have left out")
            unwritten = values == MAYBE
        argument, view = effect.argument, effect.view
        first = tuple(int(at) for at in np.unravel_index(int(unwritten.argmax()), unwritten.shape)[:-1])
        shown = (("operand", argument), ("element", first), ("of", tuple(view.shape)), ("buffer", str(view.buffer)))
        name = view.storage.name or argument
        found = Fault(reading_rule(view.storage), self.position, name, first, shown, storage=view.storage, view=view)
        if (self._followed is not None and self.position not in self._followed) or self._accepted(found):
            return np.where(values < DEFINED, DEFINED, values).astype(np.int32)
        self.findings.origins.append(found)
        self._numbers.append(self._next)
        mark: Marks | int = _FIRST_ORIGIN - self._next
        self._next += 1
        if self._followed is not None:
            there = unwritten.any(axis=-1)
            self._elements.append((np.flatnonzero(there), there.shape))
            count = len(self._elements[-1][0])
            mark = np.zeros(there.shape, np.int32)
            mark[there] = _FIRST_ORIGIN - self._numbers[-1] - np.arange(count)
            mark = mark[..., None]
            self._next += count - 1
        return np.where(values < DEFINED, mark, values).astype(np.int32)

    def reaches(self, mark: int, *, decides: bool = True) -> None:
        """Note that the element of `mark` has come to an output, or to an operation that uses it at once."""
        if mark >= DEAD_STORE:
            self.findings.used.add(mark - DEAD_STORE)
        elif mark > SURELY and decides:
            self._greatest = max(self._greatest, mark)
            self.fault(self.findings.origins[bisect_right(self._numbers, _FIRST_ORIGIN - mark) - 1])
        elif mark > DEFINED and decides:
            self.perhaps = True

    def first_reached(self) -> Fault | None:
        """The first of the elements distinguished that has reached an output."""
        if self._greatest == DEFINED:
            return None
        number = _FIRST_ORIGIN - self._greatest
        at = bisect_right(self._numbers, number) - 1
        fault = self.findings.origins[at]
        places, shape = self._elements[at]
        element = tuple(int(part) for part in np.unravel_index(places[number - self._numbers[at]], shape))
        shown = tuple((name, element if name == "element" else value) for name, value in fault.quantities)
        return replace(fault, element=element, quantities=shown)


def _shown(
    view: Tensor, broken: npt.NDArray[np.bool_], quantities: dict[str, object]
) -> tuple[tuple[int, ...], tuple[tuple[str, object], ...]]:
    first = tuple(int(at) for at in np.argwhere(broken)[0])
    return first, (("element", first), ("of", tuple(view.shape)), *quantities.items())
