"""Numbers of iterations without an order, in a concrete run: who keeps one may use it in another iteration.

They are ints that can be told from others: what kernel code computes from one is one as well. They go with the
variables of their iteration: one of an earlier iteration that is there when the loop is over has been kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

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
