"""What is known of the numbers in a storage or register at one moment: intervals, as far as they decide where an
indirect access goes.

Tensors have no values here, with one exception: an index read at run time has to stay inside the tensor it indexes. So
the numbers in each storage of integers, and in each register, are followed in program order: what overwrites a storage
as a whole replaces what was known, what overwrites a part of it joins. They are part of the state of the model
(`nkiverify.model.state`), which loops compare and paths restore. Errs to too many numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.symbolic import Extent, constant_value, equal, known
from nkiverify.symbolic.execution import unsupported

#: Intervals that a value is kept as: more become one, or unknown.
_MOST_INTERVALS = 16

#: What identifies an allocation in all iterations of the loops around it.
AllocationKey = object


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Integers from `low` to `high`, both included; none where `low` is greater.

    `undeclared` names the argument whose range nobody declared, so that it is the whole dtype.
    """

    low: Extent
    high: Extent
    undeclared: str = ""

    def same_as(self, other: object) -> bool:
        """Whether both are the same interval whatever the shapes are, as far as canonical forms show."""
        if not isinstance(other, Interval):
            return False
        return equal(self.low, other.low) is True and equal(self.high, other.high) is True

    def __str__(self) -> str:
        why = f" (the whole dtype: declare a range for {self.undeclared})" if self.undeclared else ""
        return f"{self.low}..{self.high}{why}"


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


class Assumption:
    """That nothing but what has been seen writes to a storage: another iteration of a device loop, or another program
    of the launch, might. Both flags only ever go up, whichever path raises them: what relies on a broken assumption is
    unknown, and one that is broken after an access relied on it ends the run as unsupported.
    """

    __slots__ = ("broken", "used")

    def __init__(self) -> None:
        self.used = False
        self.broken = False

    def break_it(self, what: str) -> None:
        """Something else does write to the storage."""
        self.broken = True
        if self.used:
            raise unsupported(
                f"an index or register that {what}",
                "set it anew in each iteration or program, before it is used",
            )


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The numbers that a storage or register may hold: each lies in one of `intervals`; anything where that is None.

    `exact`: nothing is lost, so that for some input both ends of every interval are there; else it is known only that
    there are no others. `uniform`: any part of the storage holds what all of it does.
    """

    intervals: tuple[Interval, ...] | None
    exact: bool = True
    uniform: bool = True
    assumptions: frozenset[Assumption] = frozenset()

    @staticmethod
    def between(low: Extent, high: Extent) -> Value:
        """Any integer from `low` to `high`."""
        return Value((Interval(low, high),))

    @property
    def known(self) -> tuple[Interval, ...] | None:
        """The intervals; None where the numbers are not known."""
        if any(assumption.broken for assumption in self.assumptions):
            return None
        return self.intervals

    def assuming(self, assumption: Assumption) -> Value:
        """The same value, as far as an assumption holds."""
        return self if self.intervals is None else replace(self, assumptions=self.assumptions | {assumption})

    def without(self, assumptions: frozenset[Assumption]) -> Value:
        """The same value, with assumptions that have turned out to hold left out."""
        if self.assumptions.isdisjoint(assumptions):
            return self
        return replace(self, assumptions=self.assumptions - assumptions)

    def joined(self, other: Value) -> Value:
        """The numbers of both."""
        if self is other:
            return self
        mine, others = self.known, other.known
        if mine is None or others is None:
            return UNKNOWN
        added = tuple(each for each in others if not any(each.same_as(one) for one in mine))
        missed = any(not any(each.same_as(one) for one in others) for each in mine)
        intervals = _fewer((*mine, *added))
        if intervals is None:
            return UNKNOWN
        same = not added and not missed
        return Value(
            intervals,
            self.exact and other.exact and same,
            self.uniform and other.uniform,
            self.assumptions | other.assumptions,
        )

    def covers(self, other: Value) -> bool:
        """Whether every number of `other` is surely one of these, and what is promised of these holds of it."""
        if self is other:
            return True
        mine, others = self.known, other.known
        if mine is None:
            return True
        if others is None or not other.assumptions <= self.assumptions:
            return False
        if (self.exact and not other.exact) or (self.uniform and not other.uniform):
            return False
        if self.exact and len(mine) != len(others):
            return False
        if self.exact:
            return all(any(each.same_as(one) for one in mine) for each in others)
        return all(any(_within(each, one) for one in mine) for each in others)


#: Anything.
UNKNOWN = Value(None, exact=False)


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
    return (Interval(min(low for low in lows if low is not None), max(high for high in highs if high is not None)),)


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
        """What may be there where either of the two is."""
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
