"""The clock that time-outs of a verdict go by: the wall's, or the processor time of this process; and steps.

Where nobody has named a time-out, what other processes do to the machine is to change no verdict. A search that is
bounded by the steps that provers make comes equally far on every machine.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

#: Steps of Z3 ("rlimit") that an idle core of 2026 makes in a millisecond, give or take a half; those of the other
#: rungs are counted as so many of them as take that long.
STEPS_PER_MS = 6000

_by_processor = False
_made = 0


def now() -> float:
    """Seconds since a moment that is the same within one block of `counting`."""
    return time.process_time() if _by_processor else time.monotonic()


@contextlib.contextmanager
def counting(processor: bool) -> Iterator[None]:
    """Let `now` count processor time, if asked, while the block runs."""
    global _by_processor
    before, _by_processor = _by_processor, processor
    try:
        yield
    finally:
        _by_processor = before


def count_steps(steps: int) -> None:
    """A prover of this process has made so many steps."""
    global _made
    _made += steps


class Allowance:
    """The steps that a search may still make, given in milliseconds of an idle core."""

    __slots__ = ("_end",)

    def __init__(self, milliseconds: float) -> None:
        self._end = _made + round(milliseconds * STEPS_PER_MS)

    @property
    def used_up(self) -> bool:
        """True if no step is left."""
        return _made >= self._end

    def share(self, milliseconds: float) -> Allowance:
        """So much of it, or what is left where that is less."""
        part = Allowance(milliseconds)
        part._end = min(part._end, self._end)
        return part
