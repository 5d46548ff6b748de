"""The clock that time-outs of a verdict go by: the wall's, or the processor time of this process; and steps.

Where nobody has named a time-out, what other processes do to the machine is to change no verdict. A search that is
bounded by the steps that provers make comes equally far on every machine.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterator

from nkiverify.foundation.budget import TargetBudget

#: Steps of Z3 ("rlimit") that an idle core of 2026 makes in a millisecond, give or take a half; those of the other
#: rungs are counted as this many of them as take that long.
STEPS_PER_MS = 6000

_by_processor = False
_made = 0

#: The part of the wall's time that counts where others are waited for.
_WAITING = 0.05

#: Processor time is asked for again after this many seconds of the wall: asking takes as long as deciding many a claim.
_GRAIN = 0.001
#: The processor time that was asked for last, and when, by the wall.
_processor = _asked_at = -math.inf
#: The wall's time, and the processor's, when it began to count.
_began = (0.0, 0.0)


def now() -> float:
    """Seconds since a moment that is the same within one block of `counting`, a millisecond old at most."""
    global _processor, _asked_at
    wall = time.monotonic()
    if not _by_processor:
        return wall
    if wall - _asked_at > _GRAIN:
        _processor, _asked_at = time.process_time(), wall
    return _processor


def by_the_wall(seconds: float) -> float:
    """The seconds of the wall in which this process comes to `seconds` of `now`, as the machine has let it so far."""
    if not _by_processor:
        return seconds
    wall, used = (after - before for after, before in zip((time.monotonic(), time.process_time()), _began, strict=True))
    return seconds * min(max(1.0, wall / max(used, _GRAIN)), TargetBudget.BUSY_FACTOR)


def spent() -> float:
    """The seconds of `now`, with the processor time of processes that this one has started and that have ended.

    So that waiting for what does nothing comes to an end, a little of the wall's time counts as well.
    """
    wall = time.monotonic()
    if not _by_processor:
        return wall
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system + wall * _WAITING


def counts_processor() -> bool:
    """True where `now` counts processor time."""
    return _by_processor


@contextlib.contextmanager
def counting(processor: bool) -> Iterator[None]:
    """Let `now` count processor time, if asked, while the block runs."""
    global _by_processor, _asked_at, _began
    before, _by_processor = _by_processor, processor
    _began = time.monotonic(), time.process_time()
    # A process that was forked has a processor time of its own.
    _asked_at = -math.inf
    try:
        yield
    finally:
        _by_processor = before


def count_steps(steps: int) -> None:
    """A prover of this process has made this many steps."""
    global _made
    _made += steps


def steps_made() -> int:
    """The steps that provers of this process have made."""
    return _made


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
