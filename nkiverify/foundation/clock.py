"""The clock that time-outs of a verdict go by: the wall's, or the processor time of this process.

Where nobody has named a time-out, what other processes do to the machine is to change no verdict.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

_by_processor = False


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
