"""Iterators of kernels whose place is plain data, so that paths and loops can see it and put it back: what `iter`,
`enumerate`, `zip`, `map` and `filter` give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from nkiverify.frontend.ranges import SymbolicSequence
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.values import tell

_MISSING: Any = object()


class Iterating(Iterator[Any]):
    """An iterator over a sequence whose position is plain data."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.position = 0

    def __next__(self) -> Any:
        length = len(self.source.parts) if isinstance(self.source, SymList) else len(self.source)
        if self.position >= length:
            raise StopIteration
        value = self.source[self.position]
        self.position += 1
        return value

    def __nki_state__(self) -> dict[str, Any]:
        return {"position": self.position}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.position = state["position"]


class OverSequence(Iterator[Any]):
    """An iterator over a sequence of symbolic length, which one `for` loop may run over from its beginning."""

    def __init__(self, sequence: SymbolicSequence) -> None:
        self.sequence = sequence
        self.taken = False

    def take(self) -> SymbolicSequence:
        """The sequence; a loop is about to run over it."""
        if self.taken:
            raise unsupported("an iterator over a symbolic sequence, run over twice", "write a `for` loop over it")
        self.taken = True
        return self.sequence

    def __next__(self) -> Any:
        raise unsupported("an iterator over a symbolic sequence, advanced by hand", "write a `for` loop")

    def __nki_state__(self) -> dict[str, Any]:
        return {"taken": self.taken}

    def __nki_restore__(self, state: dict[str, Any]) -> None:
        self.taken = state["taken"]


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
