"""Iterators of kernels whose place is plain data, so that paths and loops can see it and put it back: what `iter`,
`enumerate`, `zip`, `map` and `filter` give.

Kernels know them as Python's: `enumerate`, `zip`, `map` and `filter` in kernel code are the classes of this module, and
the others say which class of Python's they stand for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nkiverify.foundation.source import kernel_site
from nkiverify.frontend.ranges import (
    ListSequence,
    SymbolicSequence,
    SymEnumerate,
    SymRange,
    SymReversed,
    SymZip,
    as_sequence,
    symbolic_sequence,
)
from nkiverify.model.current_execution import current_execution
from nkiverify.symbolic import all_of, conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.stands_for import StandsFor
from nkiverify.symbolic.values import as_term, tell

_MISSING: Any = object()


class _Iterator:
    """An iterator. It is not derived from `Iterator`, whose class asks objects for their class in its own name."""

    def __iter__(self) -> Any:
        return self

    def __reduce__(self) -> Any:
        return object.__new__, (type(self),), self.__dict__


class Iterating(StandsFor, _Iterator):
    """An iterator over a sequence whose position is plain data."""

    @property
    def _stands_for(self) -> type:  # type: ignore[override]
        return _iterator_of(self.source)

    def __init__(self, source: Any) -> None:
        self.source = source
        self.position = 0

    def __next__(self) -> Any:
        if self.position >= _length(self.source):
            # What is appended to a list after its iterator has come to its end is not seen.
            self.position = sys.maxsize
            raise StopIteration
        value = self.source[self.position]
        self.position += 1
        return value

    def __nki_state__(self) -> dict[str, Any]:
        return {"position": self.position}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.position = state["position"]


def _iterator_of(source: object) -> type:
    """The class of what Python's `iter` gives of `source`."""
    kind = source._stands_for if isinstance(source, SymList) else type(source)
    return type(iter(next((one() for one in (list, tuple, str) if issubclass(kind, one)), range(0))))


def _length(source: Sequence[Any] | SymList) -> int:
    return len(source.parts) if isinstance(source, SymList) else len(source)


class Reversed(Iterating):
    """`reversed` of a list: changes of the list are seen, as in Python."""

    _stands_for: type = type(reversed([]))

    def __init__(self, source: list[Any] | SymList) -> None:
        super().__init__(source)
        self.position = _length(source) - 1

    def __next__(self) -> Any:
        if not 0 <= self.position < _length(self.source):
            self.position = -1
            raise StopIteration
        value = self.source[self.position]
        self.position -= 1
        return value


class OverSequence(StandsFor, _Iterator):
    """An iterator over a sequence of symbolic length: one `for` loop may run over it from its beginning, or it is
    advanced element by element, up to the unwinding bound."""

    @property
    def _stands_for(self) -> type:  # type: ignore[override]
        match self.sequence:
            case SymEnumerate():
                return Enumerate
            case SymZip():
                return Zip
            case SymReversed(source=ListSequence()):
                return Reversed._stands_for
            case ListSequence(source=source):
                return _iterator_of(source)
        return type(iter(range(0)))

    def __init__(self, sequence: SymbolicSequence) -> None:
        self.sequence = sequence
        self.taken = False
        self.position: Any = 0

    @property
    def advanced(self) -> bool:
        """True if it is no longer at its beginning."""
        return not (type(self.position) is int and self.position == 0)

    def take(self) -> SymbolicSequence:
        """The sequence; a loop is about to run over it."""
        if self.taken or self.advanced:
            raise unsupported("an iterator over a symbolic sequence, run over twice", "write a `for` loop over it")
        self.taken = True
        return self.sequence

    def __next__(self) -> Any:
        index = as_term(self.position)
        if self.taken or index is None or not self._may_be_drawn(index):
            raise unsupported("an iterator over a symbolic sequence, advanced by hand", "write a `for` loop")
        if not bool(conditions.conjunction(self.sequence.bounds(index))):
            raise StopIteration
        self._claim_end(index.constant)
        value = self.sequence.element(index)
        self.position = terms.add(index, terms.constant(1)) if index.constant is None else index.constant + 1
        return value

    def _may_be_drawn(self, index: Term) -> bool:
        """True unless it is over a loop without an order, or traced once, of unknown length; that such elements are
        taken outside of a loop is recorded."""
        if not (self.sequence.parallel or self.sequence.traced):
            return True
        run = current_execution()
        length = run.forced_value(self.sequence.trip_count())
        if length is not None and index.constant == 0 and (self.sequence.parallel or length > 1):
            run.drawn(ordered=not self.sequence.parallel)
        return length is not None

    def _claim_end(self, position: int | None) -> None:
        """End the run over it where it has as many elements as loops are unrolled for."""
        run: Any = current_execution()
        bound = run.limits.unwind
        if position is None or position < bound or run.forced_value(self.sequence.trip_count()) is not None:
            return
        site = kernel_site(2)
        if site is None:
            raise unsupported("an iterator over a symbolic sequence, advanced by a library", "write a `for` loop")
        over = conditions.conjunction(self.sequence.bounds(terms.constant(position)))
        run.claim_unwinding(conditions.negate(over), site, bound)
        raise StopIteration

    def __nki_state__(self) -> dict[str, Any]:
        return {"taken": self.taken, "position": self.position}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.taken, self.position = state["taken"], state["position"]


def whole_sequence(iterable: Any) -> SymbolicSequence | None:
    """The symbolic sequence that running over all of `iterable` runs over, if it is one: of an iterator that nobody has
    asked for an element, which has none left then."""
    if isinstance(iterable, OverSequence):
        return None if iterable.advanced else iterable.take()
    return symbolic_sequence(iterable)


def over(values: Any) -> Any:
    """`iter` of one argument; of lists and ranges an iterator whose position can be seen and put back."""
    if isinstance(values, Iterating | OverSequence | Enumerate | Zip | Map | Filter):
        return values
    if isinstance(values, SymRange) and current_execution().forced_value(values.trip_count()) is not None:
        return Iterating(list(values))
    sequence = symbolic_sequence(values)
    if sequence is not None:
        return OverSequence(sequence)
    if isinstance(values, list | tuple | range | str | SymList):
        return Iterating(values)
    return iter(values)


class Enumerate(_Iterator):
    """`enumerate`: pairs of a count and what another iterator gives."""

    def __new__(cls, iterable: Any, start: Any = 0) -> Any:
        source = over(iterable)
        sequence = whole_sequence(source)
        if sequence is None:
            made = super().__new__(cls)
            made.source = source
            return made
        first = as_term(start)
        if first is None:
            raise TypeError(f"'{type(start).__name__}' object cannot be interpreted as an integer")
        return _unless_derived(cls, Enumerate, OverSequence(SymEnumerate(sequence, first)))

    def __init__(self, iterable: Any, start: Any = 0) -> None:
        self.source: Iterator[Any]
        self.count = start

    def __next__(self) -> Any:
        value = next(self.source)
        pair = (tell(self.count), value)
        self.count = self.count + 1
        return pair

    def __nki_state__(self) -> dict[str, Any]:
        return {"count": self.count, "source": self.source}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.count = state["count"]


class _Together(_Iterator):
    """Tuples of what several iterators give."""

    def __init__(self, sources: tuple[Iterator[Any], ...], strict: bool = False) -> None:
        self.sources = sources
        self.strict = strict

    def __next__(self) -> Any:
        if not self.sources:
            raise StopIteration
        values = []
        for position, source in enumerate(self.sources):
            try:
                values.append(next(source))
            except StopIteration:
                if self.strict and position:
                    raise ValueError("zip() arguments have different lengths") from None
                if self.strict:
                    for other in self.sources[1:]:
                        if next(other, _MISSING) is not _MISSING:
                            raise ValueError("zip() arguments have different lengths") from None
                raise
        return tuple(values)

    def __nki_state__(self) -> dict[str, Any]:
        return dict(enumerate(self.sources))  # type: ignore[arg-type]

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        """The sources are put back by themselves."""


class Zip(_Together):
    """`zip`."""

    def __new__(cls, *iterables: Any, strict: bool = False) -> Any:
        symbolic = any(symbolic_sequence(one) is not None or isinstance(one, OverSequence) for one in iterables)
        iterators = [id(one) for one in iterables if isinstance(one, OverSequence)]
        if not (symbolic and all(map(_at_rest, iterables)) and len(set(iterators)) == len(iterators)):
            return super().__new__(cls)
        sequences = tuple(map(_sequence_at_rest, iterables))
        first, *others = [sequence.trip_count() for sequence in sequences]
        if strict and not all_of(*(conditions.equals_zero(terms.add(first, each, -1)) for each in others)):
            # Python says so after the last common elements; a run that comes to it has failed either way.
            raise ValueError("zip() arguments have different lengths")
        return _unless_derived(cls, Zip, OverSequence(SymZip(sequences)))

    def __init__(self, *iterables: Any, strict: bool = False) -> None:
        super().__init__(tuple(map(over, iterables)), strict)


def _unless_derived(made: type, own: type, found: OverSequence) -> OverSequence:
    """`found`, made by a call of the class `own`, which has none of the methods of a class derived from it."""
    if made is not own:
        raise unsupported(f"a class derived from {own.__name__}, over a symbolic sequence", "write a generator")
    return found


def _at_rest(source: Any) -> bool:
    """True if all of `source` may be read at any place, whatever a loop over it does; not of an iterator that others
    see as well, who find what a loop over it has left."""
    if isinstance(source, OverSequence):
        return not (source.taken or source.advanced)
    return type(source) in (list, tuple, str) or as_sequence(source) is not None


def _sequence_at_rest(source: Any) -> SymbolicSequence:
    if type(source) is list:
        return ListSequence(SymList(source), source)
    found = whole_sequence(source) or as_sequence(SymList(source) if type(source) in (tuple, str) else source)
    assert found is not None
    return found


class Map(_Iterator):
    """`map`: what a function gives for what iterators give."""

    def __init__(self, function: Callable[..., Any], *iterables: Any) -> None:
        if not iterables:
            raise TypeError("map() must have at least two arguments.")
        self.function = function
        self.source = _Together(tuple(map(over, iterables)))

    def __next__(self) -> Any:
        return tell(self.function(*next(self.source)))

    def __nki_state__(self) -> dict[str, Any]:
        return {"source": self.source, "function": self.function}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        """The source is put back by itself."""


class Filter(_Iterator):
    """`filter`: what another iterator gives and a function takes."""

    def __init__(self, function: Callable[..., Any] | None, iterable: Any) -> None:
        self.function = function
        self.source = over(iterable)

    def __next__(self) -> Any:
        while True:
            value = next(self.source)
            if self.function(value) if self.function is not None else value:
                return value

    def __nki_state__(self) -> dict[str, Any]:
        return {"source": self.source, "function": self.function}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        """The source is put back by itself."""
