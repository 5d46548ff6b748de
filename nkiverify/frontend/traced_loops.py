"""Loops of the legacy API in a concrete run: their bodies are traced once.

So a tensor that a later iteration places is where the first one has put it ("leg.range_body_once"), whatever host
variables hold by then, such as a cursor that every iteration moves on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from nkiverify.foundation.source import Site

_Number = TypeVar("_Number")


class _Loop:
    """The placements of the first iteration, in order; `at` is how many of them a later one has come to."""

    __slots__ = ("at", "first")

    def __init__(self) -> None:
        self.first: list[tuple[Site | None, object]] = []
        self.at: int | None = None


class TracedLoops:
    """The loops that are being executed, outermost first."""

    __slots__ = ("_loops",)

    def __init__(self) -> None:
        self._loops: list[_Loop] = []

    def iterations(self, numbers: Iterable[_Number]) -> Iterator[_Number]:
        """The numbers of a loop, which lasts until they end or nobody asks for more."""
        loop = _Loop()
        self._loops.append(loop)
        try:
            for number, value in enumerate(numbers):
                self._end(loop, inner=True)
                loop.at = 0 if number else None
                yield value
        finally:
            self._end(loop)

    def _end(self, loop: _Loop, *, inner: bool = False) -> None:
        """Forget a loop, or only those `inner` to it, which were left without an end."""
        if loop in self._loops:
            del self._loops[self._loops.index(loop) + inner :]

    def placement(self, given: object, site: Site | None) -> object:
        """The placement that counts for what is allocated at `site` now, where `given` is the one of this iteration."""
        for loop in self._loops:
            if loop.at is not None:
                known = loop.first[loop.at] if loop.at < len(loop.first) else (None, given)
                loop.at += 1
                if known[0] == site:
                    given = known[1]
        for loop in self._loops:
            if loop.at is None:
                loop.first.append((site, given))
        return given


class TracedRange(Sequence[int]):
    """A range that a loop of the legacy API runs over."""

    __slots__ = ("_loops", "_plain")

    def __init__(self, plain: range, loops: TracedLoops) -> None:
        self._plain = plain
        self._loops = loops

    def __iter__(self) -> Iterator[int]:
        return self._loops.iterations(self._plain)

    def __len__(self) -> int:
        return len(self._plain)

    def __contains__(self, value: object) -> bool:
        return value in self._plain

    def __getitem__(self, key: Any) -> Any:
        return self._plain[key]
