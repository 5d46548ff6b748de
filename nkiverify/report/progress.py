"""The display of a run in progress: one line on a terminal, rewritten in place; elsewhere a line now and then."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TextIO

from nkiverify.foundation.records import Run

_ERASE_LINE = "\r\x1b[K"

#: Seconds between two lines where there is no terminal: a run that takes less says nothing there.
HEARTBEAT_SECONDS = 60.0
#: How many of the last jobs the rate is taken from.
_RATE_OVER = 200


class Progress:
    """Shows how many targets are done and how long the rest will take: on `stream`, if that is a terminal that can
    rewrite a line, with what is running; on any other as a line every minute. `clock` counts seconds and never jumps.
    """

    def __init__(self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._stream = stream
        self._clock = clock
        self._running: list[str] = []
        self._done = 0
        self._terminal = stream.isatty()
        self._visible = self._terminal and os.environ.get("TERM") != "dumb"
        self._last_line = clock()
        #: When the last jobs ended; the first entry is when the run began, or a job that many before.
        self._ends = deque([self._last_line], maxlen=_RATE_OVER)

    def started(self, target: str) -> None:
        """`target` is running from now on."""
        self._running.append(target)
        self._show()

    def finished(self, target: str, runs: Sequence[Run]) -> None:
        """`target` is done."""
        if target in self._running:
            self._running.remove(target)
        self._done += 1
        self._ends.append(self._clock())
        self._show()

    def waiting(self) -> None:
        """Time has passed, and nothing else has happened."""
        self._show()

    def close(self) -> None:
        """Leave an empty line for what is printed next."""
        if self._visible:
            self._write(_ERASE_LINE)

    def _show(self) -> None:
        head = f"[{self._done}/{self._total}]{self._forecast()}"
        if self._visible:
            columns = shutil.get_terminal_size().columns
            self._write(_ERASE_LINE + f"{head} {', '.join(self._running)}"[: columns - 1])
        elif not self._terminal and self._clock() - self._last_line >= HEARTBEAT_SECONDS:
            self._last_line = self._clock()
            self._write(f"nkiverify: {head} {len(self._running)} running\n")

    def _forecast(self) -> str:
        """The rate and the time left; nothing before anything can be known."""
        seconds = self._clock() - self._ends[0]
        counted = len(self._ends) - 1
        if counted < 2 or seconds < 1.0:
            return ""
        rate = counted / seconds
        return f" {rate:.2g}/s, {duration((self._total - self._done) / rate)} left"

    def _write(self, text: str) -> None:
        # A terminal that went away costs the display, not the verdicts.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `5 h 10 min`, `3 d 4 h`."""
    whole = round(seconds)
    for large, small, unit, part in ((86_400, 3600, "d", "h"), (3600, 60, "h", "min"), (60, 1, "min", "s")):
        if whole >= large:
            return f"{whole // large} {unit} {whole % large // small} {part}"
    return f"{whole} s"
