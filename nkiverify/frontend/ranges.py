"""Sequences a loop can run over whose length may be symbolic: `range`, and what wraps one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Protocol, runtime_checkable

from nkiverify.model.current_execution import current_execution
from nkiverify.model.extents import IndexRange
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.stands_for import missing_attribute
from nkiverify.symbolic.texts import guarded
from nkiverify.symbolic.values import as_term, observe


@runtime_checkable
class SymbolicSequence(Protocol):
    """Something a loop can run over by an index: `element(i)` for every `i` that satisfies `bounds(i)`."""

    @property
    def parallel(self) -> bool:
        """True if the iterations of a loop over it have no order."""

    @property
    def traced(self) -> bool:
        """True if the body of a loop over it is traced once, as those of the legacy API are."""

    def trip_count(self) -> Term:
        """How many elements there are; never negative."""

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        """The conditions on an index of an element."""

    def element(self, index: Term) -> Any:
        """The element at `index`."""


class _NoNativeIteration:
    """C code that runs over the object cannot be followed."""

    def __iter__(self) -> Iterator[Any]:
        run = current_execution()
        count: Term = self.trip_count()  # type: ignore[attr-defined]
        length = run.forced_value(count)
        if length is None:
            raise unsupported(f"running over {count} elements outside a loop statement", "write a `for` loop")
        if self.parallel or (self.traced and length > 1):  # type: ignore[attr-defined]
            run.drawn(ordered=not self.parallel)  # type: ignore[attr-defined]
        return iter([self.element(terms.constant(position)) for position in range(length)])  # type: ignore[attr-defined]


class SymRange(_NoNativeIteration, IndexRange):
    """`range` with symbolic bounds. The sign of the step is known: where it is symbolic, it is positive."""

    __slots__ = ("parallel", "start", "step", "stop", "traced")

    def __init__(self, start: Term, stop: Term, step: Term, parallel: bool = False, traced: bool = False) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        #: Whether its iterations have no order.
        self.parallel = parallel
        self.traced = traced

    @staticmethod
    def parallel_of(start: object, stop: object, step: object) -> range | SymRange:
        """As `of`, for a loop whose iterations have no order; symbolic even if the numbers are plain ints."""
        found = SymRange.of(start, stop, step)
        if isinstance(found, SymRange):
            return SymRange(found.start, found.stop, found.step, parallel=True)
        first, last = terms.constant(found.start), terms.constant(found.stop)
        return SymRange(first, last, terms.constant(found.step), parallel=True)

    @staticmethod
    def of(start: object, stop: object, step: object = 1) -> range | SymRange:
        """`range(start, stop, step)`: Python's where the numbers are plain ints, symbolic otherwise."""
        if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
            return range(start, stop, step)
        first, last, increment = as_term(start), as_term(stop), as_term(step)
        if first is None or last is None or increment is None:
            odd = next(value for value in (start, stop, step) if as_term(value) is None)
            raise TypeError(f"'{type(odd).__name__}' object cannot be interpreted as an integer")
        by = increment.constant
        if by is None:
            by = current_execution().forced_value(increment)
        if by == 0:
            raise ValueError("range() arg 3 must not be zero")
        if by is None and not bool(conditions.at_most_zero(terms.add(terms.constant(1), increment, -1))):
            if bool(conditions.equals_zero(increment)):
                raise ValueError("range() arg 3 must not be zero")
            raise unsupported(f"a range with the step {increment}, which may be negative", "bound it below by 1")
        return SymRange(first, last, increment if by is None else terms.constant(by))

    @property
    def _rises(self) -> bool:
        by = self.step.constant
        return by is None or by > 0

    def trip_count(self) -> Term:
        distance = terms.add(self.stop, self.start, -1)
        # ceil(distance / step), for both signs of the step, and never negative.
        count = terms.scale(terms.divide(terms.scale(distance, -1), self.step), -1)
        least = conditions.at_most_zero(terms.scale(count, -1))
        if least is True or (isinstance(least, Condition) and current_execution().holds(least)):
            return count
        return terms.maximum((count, terms.constant(0)))

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        value = self.element(index)
        last = terms.add(value, self.stop, -1) if self._rises else terms.add(self.stop, value, -1)
        return (
            conditions.at_most_zero(terms.scale(index, -1)),
            conditions.at_most_zero(terms.add(last, terms.constant(1))),
        )

    def element(self, index: Term) -> Term:
        return terms.add(self.start, terms.multiply(self.step, index))

    def __contains__(self, value: object) -> bool:
        term = as_term(value)
        if term is None:
            return False
        offset = terms.add(term, self.start, -1)
        index = terms.divide(offset, self.step)
        on_grid = conditions.equals_zero(terms.add(offset, terms.multiply(self.step, index), -1))
        return bool(conditions.conjunction((on_grid, *self.bounds(index))))

    def __getitem__(self, key: Any) -> Any:
        if self.parallel:
            current_execution().drawn()
        position = as_term(key)
        if position is None:
            raise unsupported("slicing a symbolic range")
        count = self.trip_count()
        if position < 0:  # type: ignore[operator]
            position = terms.add(position, count)
        if (position >= 0) and (position < count):  # type: ignore[operator]
            return self.element(position)
        raise IndexError("range object index out of range")

    def __bool__(self) -> bool:
        return bool(conditions.negate(conditions.equals_zero(self.trip_count())))

    def __reversed__(self) -> Any:
        return SymReversed(self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise unsupported("comparing symbolic ranges")

    def __hash__(self) -> int:
        raise unsupported("a symbolic range as a dictionary key or set element")

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(range, name)

    def __repr__(self) -> str:
        return guarded(f"range({self.start}, {self.stop}, {self.step})", range, sys._getframe(1))


class _OneForOne(_NoNativeIteration):
    """A sequence with an element for each of another one's."""

    __slots__ = ("source",)

    def __init__(self, source: SymbolicSequence) -> None:
        self.source = source

    @property
    def parallel(self) -> bool:
        return self.source.parallel

    @property
    def traced(self) -> bool:
        return self.source.traced

    def trip_count(self) -> Term:
        return self.source.trip_count()


class SymReversed(_OneForOne):
    """`reversed` over a symbolic sequence."""

    __slots__ = ()

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        return _plain_bounds(index, self.trip_count())

    def element(self, index: Term) -> Any:
        last = terms.add(self.trip_count(), terms.constant(-1))
        return self.source.element(terms.add(last, index, -1))


class SymEnumerate(_OneForOne):
    """`enumerate` over a symbolic sequence."""

    __slots__ = ("start",)

    def __init__(self, source: SymbolicSequence, start: Term) -> None:
        super().__init__(source)
        self.start = start

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        return self.source.bounds(index)

    def element(self, index: Term) -> Any:
        count = terms.add(self.start, index)
        if self.start.constant != 0:
            observe(count, sys._getframe(1))
        return count, self.source.element(index)


class SymJoined(_OneForOne):
    """Tuples of `parts`, which are the same in all, and an element of a sequence."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...], source: SymbolicSequence) -> None:
        super().__init__(source)
        self.parts = parts

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        return self.source.bounds(index)

    def element(self, index: Term) -> Any:
        return (*self.parts, self.source.element(index))


def joined_to(parts: tuple[Any, ...], source: Any) -> Any:
    """Tuples of `parts` and each element of `source`, something to run over."""
    sequence = as_sequence(source)
    return [(*parts, one) for one in source] if sequence is None else SymJoined(parts, sequence)


class SymZip(_NoNativeIteration):
    """`zip` of sequences, at least one of them symbolic."""

    __slots__ = ("sources",)

    def __init__(self, sources: tuple[SymbolicSequence, ...]) -> None:
        self.sources = sources

    @property
    def parallel(self) -> bool:
        return any(source.parallel for source in self.sources)

    @property
    def traced(self) -> bool:
        return any(source.traced for source in self.sources)

    def trip_count(self) -> Term:
        return terms.minimum([source.trip_count() for source in self.sources])

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        return tuple(bound for source in self.sources for bound in source.bounds(index))

    def element(self, index: Term) -> Any:
        return tuple(source.element(index) for source in self.sources)


class ListSequence:
    """A list of the kernel as a sequence to run over; `plain` is the list that it was made of, which may change."""

    __slots__ = ("_elements", "_parts", "_plain", "source")
    parallel = traced = False

    def __init__(self, source: SymList, plain: Sequence[Any] = ()) -> None:
        self.source = source
        self._parts = list(source.parts)
        self._plain, self._elements = plain, list(plain)

    def trip_count(self) -> Term:
        length = as_term(self.source.length())
        assert length is not None
        return length

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        return _plain_bounds(index, self.trip_count())

    def element(self, index: Term) -> Any:
        if not (_same(self._parts, self.source.parts) and _same(self._elements, self._plain)):
            raise unsupported("a list that changes while a loop runs over it")
        return self.source[index]


def _same(before: Sequence[Any], now: Sequence[Any]) -> bool:
    return len(before) == len(now) and all(one is two for one, two in zip(before, now, strict=True))


def _plain_bounds(index: Term, count: Term) -> tuple[Condition | bool, ...]:
    return (
        conditions.at_most_zero(terms.scale(index, -1)),
        conditions.at_most_zero(terms.add(terms.add(index, terms.constant(1)), count, -1)),
    )


def symbolic_sequence(value: object) -> SymbolicSequence | None:
    """`value` as a sequence with a symbolic index, if it is one of ours."""
    if isinstance(value, SymRange | SymReversed | SymEnumerate | SymZip | SymJoined):
        return value
    if isinstance(value, SymList) and value.symbolic:
        return ListSequence(value)
    return None


def as_sequence(value: object) -> SymbolicSequence | None:
    """As `symbolic_sequence`, and lists and plain ranges as well."""
    if isinstance(value, range):
        return SymRange(terms.constant(value.start), terms.constant(value.stop), terms.constant(value.step))
    if isinstance(value, SymList):
        return ListSequence(value)
    return symbolic_sequence(value)
