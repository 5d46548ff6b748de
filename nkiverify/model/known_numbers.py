"""Knowledge of the numbers in a storage or register at one moment: intervals, as far as they decide where an
indirect access goes.

Tensors have no values here, with one exception: an index read at run time has to stay inside the tensor it indexes. So
the numbers in each storage, and in each register, are followed in program order: what overwrites a storage as a whole
replaces what was known, what overwrites a part of it joins. They are part of the state of the model
(`nkiverify.model.state`), which loops compare and paths restore. Errs to too many numbers.

What has not been written counts for nothing here: that it is not read is a claim of phase 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.symbolic import Extent, constant_value, equal, known, maximum
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.execution import execution_in_progress, unsupported

#: Intervals that a value is kept as: more become one, or unknown.
_MOST_INTERVALS = 16

#: Writes to parts of a storage that are distinguished.
_MOST_PARTS = 64

#: What can be done where an index is carried from one iteration, or program, to another.
SET_ANEW = "set the index or register anew in each iteration or program, before it is used"

#: What identifies an allocation in all iterations of the loops around it.
AllocationKey = object


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Numbers from `low` to `high`, two integers, both included; none where `low` is greater."""

    low: Extent
    high: Extent

    @property
    def ends(self) -> tuple[Extent, Extent]:
        """The least and the greatest of them."""
        return self.low, self.high

    def same_as(self, other: object) -> bool:
        """True if both are the same interval whatever the shapes are, as far as canonical forms show."""
        if not isinstance(other, Interval):
            return False
        return equal(self.low, other.low) is True and equal(self.high, other.high) is True

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


def whole_range(dtype: DType) -> Interval | None:
    """Every value of an integer dtype; None for other dtypes."""
    bits = 8 * dtype.itemsize
    if dtype.kind is DTypeKind.BOOL:
        return Interval(0, 1)
    if dtype.kind is DTypeKind.UNSIGNED:
        return Interval(0, 2**bits - 1)
    if dtype.kind is DTypeKind.SIGNED:
        return Interval(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return None


class NumberOrigin(Enum):
    """How numbers come from those of arguments."""

    COPIED = 1
    #: They are counted by a loop that ends before a number of an argument.
    COUNTED = 2
    COMPUTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Undeclared:
    """An argument of integers whose range nobody declared, so that they are any of its dtype."""

    name: str
    shape: tuple[Extent, ...]
    dtype: DType

    def declared(self, low: object, high: object) -> str:
        """The `--arg` that declares a range of its numbers."""
        return f"--arg {self.name}='{self.dtype}[{', '.join(map(str, self.shape))}] in {low}..{high}'"


class Assumption:
    """That nothing but what has been seen writes to a storage: another iteration of a device loop, or another program
    of the launch, might. `wrong` is what turned out to, and stays so, whichever path found it: what relies on it is
    unknown, and claims that have relied on it say nothing. A run that states no claims ends as unsupported.
    """

    __slots__ = ("used", "wrong")

    def __init__(self) -> None:
        self.used = False
        self.wrong = ""

    def break_it(self, what: str) -> None:
        """Something else does write to the storage."""
        self.wrong = f"{what} the index"
        run = execution_in_progress()
        if self.used and run is not None and not run.states_claims:
            raise unsupported(f"an index or register that {what}", SET_ANEW)


@dataclass(frozen=True, slots=True)
class Box:
    """Elements of a storage: those from `first` to `last` of each partition from `low` to `high`, ends included.

    `dense` where all of them are meant; else it is some of them.
    """

    low: int
    high: int
    first: int
    last: int
    dense: bool = True

    def covers(self, other: Box) -> bool:
        """True if all elements of the other are among these."""
        inside = self.low <= other.low and other.high <= self.high
        return self.dense and inside and self.first <= other.first and other.last <= self.last

    def meets(self, other: Box) -> bool:
        """True unless the two have surely no element in common."""
        apart = self.high < other.low or other.high < self.low
        return not (apart or self.last < other.first or other.last < self.first)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenNumbers:
    """The numbers that a write left in some elements of a storage; in all of it where `box` is None."""

    box: Box | None
    value: Value

    def covers(self, box: Box) -> bool:
        """True if it was written to all elements of a box."""
        return self.box is None or self.box.covers(box)

    def meets(self, box: Box) -> bool:
        """True if it may have been written to elements of a box."""
        return self.box is None or self.box.meets(box)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The numbers that a storage or register may hold: each lies in one of `intervals`; anything where that is None.

    `exact`: nothing is lost, so that for some input both ends of every interval are there; else it is known only that
    there are no others. `uniform`: any part of the storage holds what all of it does. `integral`: all are integers.
    `undeclared` are the arguments of integers, without a declared range, that they come from, as `origin` says.
    `parts`, of a storage in a concrete run: what the writes to it have left, in order, as far as that says more.
    `term`, of a register or a tile of one element in a symbolic run: its one number as a term, where analyses have one.
    """

    intervals: tuple[Interval, ...] | None
    exact: bool = True
    uniform: bool = True
    assumptions: frozenset[Assumption] = frozenset()
    integral: bool = True
    undeclared: frozenset[Undeclared] = frozenset()
    origin: NumberOrigin = NumberOrigin.COPIED
    parts: tuple[WrittenNumbers, ...] = ()
    term: Term | None = None

    @staticmethod
    def between(low: Extent, high: Extent) -> Value:
        """Any integer from `low` to `high`."""
        return Value((Interval(low, high),))

    @property
    def known(self) -> tuple[Interval, ...] | None:
        """The intervals; None where the numbers are not known."""
        if any(assumption.wrong for assumption in self.assumptions):
            return None
        return self.intervals

    @property
    def number(self) -> Term | None:
        """The one number of a register as a term; None where it has none."""
        if self.term is None or any(assumption.wrong for assumption in self.assumptions):
            return None
        return self.term

    def whole(self) -> Value:
        """The numbers of a storage, wherever in it."""
        return replace(self, parts=()) if self.parts else self

    def within(self, box: Box | None) -> Value:
        """The numbers of a storage that may be in a part of it."""
        found: Value | None = None
        for part in reversed(self.parts) if box is not None else ():
            assert box is not None
            if not part.meets(box):
                continue
            some = part.value if part.value.uniform or part.box == box else replace(part.value, exact=False)
            found = some if found is None else found.joined(some)
            if part.covers(box):
                break
        if found is None:
            return self.whole()
        return replace(found, assumptions=found.assumptions | self.assumptions, parts=())

    def overwritten(self, value: Value, box: Box | None) -> Value:
        """The numbers of a storage once some are written to a part of it, or to no one knows which."""
        both = self.joined(value)
        if box is None:
            return both.whole()
        kept = self.parts or (WrittenNumbers(None, self),)
        parts = (*(part for part in kept if part.box is None or not box.covers(part.box)), WrittenNumbers(box, value))
        return replace(both, parts=parts if len(parts) <= _MOST_PARTS else ())

    def assuming(self, assumption: Assumption) -> Value:
        """The same value, as far as an assumption holds."""
        if self.intervals is None and self.term is None:
            return self
        return replace(self, assumptions=self.assumptions | {assumption})

    def from_zero(self) -> Value:
        """The same numbers without those below 0."""
        if self.intervals is None:
            return self
        return replace(self, intervals=tuple(Interval(maximum(0, each.low), each.high) for each in self.intervals))

    def without(self, assumptions: frozenset[Assumption]) -> Value:
        """The same value, with assumptions that have turned out to hold left out."""
        if self.assumptions.isdisjoint(assumptions):
            return self
        return replace(self, assumptions=self.assumptions - assumptions)

    def joined(self, other: Value) -> Value:
        """The numbers of both."""
        if self is other:
            return self
        found = self._joined(other)
        same = self.number is not None and self.number is other.number
        return replace(found, term=self.number, assumptions=self.assumptions | other.assumptions) if same else found

    def _joined(self, other: Value) -> Value:
        mine, others = self.known, other.known
        if mine is None or others is None:
            return unknown(self, other)
        added = tuple(each for each in others if not any(each.same_as(one) for one in mine))
        missed = any(not any(each.same_as(one) for one in others) for each in mine)
        intervals = _fewer((*mine, *added))
        if intervals is None:
            return unknown(self, other)
        same = not added and not missed
        return Value(
            intervals,
            self.exact and other.exact and same,
            self.uniform and other.uniform,
            self.assumptions | other.assumptions,
            self.integral and other.integral,
            self.undeclared | other.undeclared,
            self.origin if self.origin is other.origin else NumberOrigin.COMPUTED,
        )

    def covers(self, other: Value) -> bool:
        """True if every number of `other` is surely one of these, and what is promised of these holds of it."""
        if self is other:
            return True
        mine, others = self.known, other.known
        if self.number is not None and (self.number is not other.number or not other.assumptions <= self.assumptions):
            return False
        if mine is None:
            return True
        if others is None or not other.assumptions <= self.assumptions:
            return False
        if any(promised and not kept for promised, kept in zip(self._promises, other._promises, strict=True)):
            return False
        if self.exact and len(mine) != len(others):
            return False
        if self.exact:
            return all(any(each.same_as(one) for one in mine) for each in others)
        return all(any(_within(each, one) for one in mine) for each in others)

    @property
    def _promises(self) -> tuple[bool, ...]:
        return self.exact, self.uniform, self.integral


def numbers_of(elements: Any) -> Value:
    """The integers in a NumPy array: each one where they are few, else all from the least to the greatest."""
    different = sorted({int(each) for each in elements.flat[: 64 * _MOST_INTERVALS]})
    if elements.size > 64 * _MOST_INTERVALS or len(different) > _MOST_INTERVALS:
        return Value((Interval(int(elements.min()), int(elements.max())),))
    return Value(tuple(Interval(each, each) for each in different))


#: Anything.
UNKNOWN = Value(None, exact=False, integral=False, origin=NumberOrigin.COMPUTED)


def unknown(*origins: Value) -> Value:
    """Anything that is computed from these."""
    undeclared = frozenset[Undeclared]().union(*(origin.undeclared for origin in origins))
    return replace(UNKNOWN, undeclared=undeclared) if undeclared else UNKNOWN


def _within(inner: Interval, outer: Interval) -> bool:
    if inner.same_as(outer):
        return True
    return known(outer.low <= inner.low) and known(inner.high <= outer.high)


def _fewer(intervals: tuple[Interval, ...]) -> tuple[Interval, ...] | None:
    """As many intervals as are kept; None where they are too many and not numbers."""
    if len(intervals) <= _MOST_INTERVALS:
        return intervals
    lows = [constant_value(each.low) for each in intervals]
    highs = [constant_value(each.high) for each in intervals]
    if None in lows or None in highs:
        return None
    return (hull_of([low for low in lows if low is not None], [high for high in highs if high is not None]),)


def hull_of(lows: Sequence[int], highs: Sequence[int]) -> Interval:
    """The smallest interval around several."""
    return Interval(min(lows), max(highs))


class Contents:
    """The values of all storages and registers at one moment. Not changed once made.

    What is not there has not been written since it was allocated.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[AllocationKey, Value] | None = None) -> None:
        self._values = dict(values or {})

    def get(self, place: AllocationKey) -> Value | None:
        """The value of one storage; None where it has not been written."""
        return self._values.get(place)

    def items(self) -> Iterator[tuple[AllocationKey, Value]]:
        """All storages with their values."""
        return iter(self._values.items())

    def copy(self) -> dict[AllocationKey, Value]:
        """The values, to go on from."""
        return dict(self._values)

    def mapped(self, change: Callable[[Value], Value]) -> Contents:
        """The contents with every value changed."""
        return Contents({place: change(value) for place, value in self._values.items()})

    def joined(self, other: Contents) -> Contents:
        """The numbers that may be there where either of the two is."""
        if self is other:
            return self
        values = dict(self._values)
        for place, value in other._values.items():
            mine = values.get(place)
            values[place] = value if mine is None else mine.joined(value)
        return Contents(values)

    def uncovered(self, other: Contents) -> list[AllocationKey]:
        """The storages in which `other` may have numbers that these have not."""
        found: list[AllocationKey] = []
        for place, value in other._values.items():
            mine = self._values.get(place)
            if mine is None or not mine.covers(value):
                found.append(place)
        return found

    def changed(self, other: Contents) -> list[AllocationKey]:
        """The storages whose value `other` has another one of."""
        return [place for place, value in other._values.items() if self._values.get(place) is not value]
