"""Iterations of the legacy API in a concrete run: numbers of those without an order, and places in those traced once.

Who keeps a number of an iteration without an order may use it in another one. They are ints that can be told from
others: what kernel code computes from one is one as well. They go with the variables of their iteration: one of an
earlier iteration that is there when the loop is over has been kept.

The body of a loop is traced once ("leg.range_body_once"). So a tensor that a later iteration places is where the first
one has put it, whatever host variables hold by then, such as a cursor that every iteration moves on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from nkiverify.foundation.source import Site
from nkiverify.symbolic.values import KernelNumber, kernel_frame

_ARITHMETIC = ("add", "sub", "mul", "floordiv", "mod", "divmod", "pow", "lshift", "rshift", "and", "or", "xor")
_SIGNS = ("neg", "pos", "abs", "invert")


class IterationNumber(KernelNumber):
    """The number of an iteration, or one that kernel code has computed from it."""

    made: Numbers


class Numbers:
    """The numbers of the iterations of one execution of a loop."""

    def __init__(self) -> None:
        self._present: list[IterationNumber] = []
        self._earlier: list[IterationNumber] = []

    def next(self, value: int) -> IterationNumber:
        """The next iteration begins, with this number."""
        self._earlier += self._present
        self._present = []
        return self.note(value)

    def note(self, value: int) -> IterationNumber:
        """`value` as a number of the present iteration."""
        number = IterationNumber(value)
        number.made = self
        self._present.append(number)
        return number

    @property
    def kept(self) -> bool:
        """True if one of an iteration before the last is still there."""
        return _most_used(self._earlier) > _UNUSED


def _most_used(numbers: Iterable[object]) -> int:
    """The greatest number of references to one of these."""
    return max((sys.getrefcount(number) for number in numbers), default=0)


_UNUSED = _most_used([object()])


def _computed(plain: Callable[..., Any]) -> Callable[..., Any]:
    def compute(self: IterationNumber, *others: Any) -> Any:
        value = plain(self, *others)
        if value is NotImplemented or kernel_frame(sys._getframe(1)) is None:
            return value
        if type(value) is tuple:
            return tuple(self.made.note(part) for part in value)
        return self.made.note(value) if type(value) is int else value

    return compute


for _name in (*_SIGNS, *_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC)):
    setattr(IterationNumber, f"__{_name}__", _computed(getattr(int, f"__{_name}__")))


# --- loops whose body is traced once ----------------------------------------------------------------------------------


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

    def iterations(self, numbers: range) -> Iterator[int]:
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
