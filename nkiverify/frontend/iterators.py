"""Iterators of kernels whose place is plain data, so that paths and loops can see it and put it back: what `iter`,
`enumerate`, `zip`, `map` and `filter` give."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nkiverify.foundation.source import kernel_site
from nkiverify.frontend.ranges import SymbolicSequence, symbolic_sequence
from nkiverify.model.current_execution import current_execution
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.values import as_term, tell

_MISSING: Any = object()


class Iterating(Iterator[Any]):
    """An iterator over a sequence whose position is plain data."""

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


def _length(source: Sequence[Any] | SymList) -> int:
    return len(source.parts) if isinstance(source, SymList) else len(source)


class Reversed(Iterating):
    """`reversed` of a list: changes of the list are seen, as in Python."""

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


class OverSequence(Iterator[Any]):
    """An iterator over a sequence of symbolic length: one `for` loop may run over it from its beginning, or it is
    advanced element by element, up to the unwinding bound."""

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


class Enumerate(Iterator[Any]):
    """`enumerate`: pairs of a count and what another iterator gives."""

    def __init__(self, source: Iterator[Any], count: Any) -> None:
        self.source = source
        self.count = count

    def __next__(self) -> Any:
        value = next(self.source)
        pair = (tell(self.count), value)
        self.count = self.count + 1
        return pair

    def __nki_state__(self) -> dict[str, Any]:
        return {"count": self.count, "source": self.source}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.count = state["count"]


class Zip(Iterator[Any]):
    """`zip`: tuples of what several iterators give."""

    def __init__(self, sources: tuple[Iterator[Any], ...], strict: bool) -> None:
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


class Map(Iterator[Any]):
    """`map`: what a function gives for what iterators give."""

    def __init__(self, function: Callable[..., Any], source: Zip) -> None:
        self.function = function
        self.source = source

    def __next__(self) -> Any:
        return tell(self.function(*next(self.source)))

    def __nki_state__(self) -> dict[str, Any]:
        return {"source": self.source, "function": self.function}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        """The source is put back by itself."""


class Filter(Iterator[Any]):
    """`filter`: what another iterator gives and a function takes."""

    def __init__(self, function: Callable[..., Any] | None, source: Iterator[Any]) -> None:
        self.function = function
        self.source = source

    def __next__(self) -> Any:
        while True:
            value = next(self.source)
            if self.function(value) if self.function is not None else value:
                return value

    def __nki_state__(self) -> dict[str, Any]:
        return {"source": self.source, "function": self.function}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        """The source is put back by itself."""
