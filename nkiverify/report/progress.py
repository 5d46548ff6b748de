"""The display of a run in progress: one line on a terminal, rewritten in place; nothing anywhere else."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from typing import TextIO

from nkiverify.results import Run

_ERASE_LINE = "\r\x1b[K"


class Progress:
    """Shows how many targets are done and which are running, if `stream` is a terminal that can rewrite a line."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._done = 0
        self._running: list[str] = []
        self._visible = stream.isatty() and os.environ.get("TERM") != "dumb"

    def started(self, target: str) -> None:
        """`target` is running from now on."""
        self._running.append(target)
        self._show()

    def finished(self, target: str, runs: Sequence[Run]) -> None:
        """`target` is done."""
        self._running.remove(target)
        self._done += 1
        self._show()

    def close(self) -> None:
        """Leave an empty line for what is printed next."""
        self._write(_ERASE_LINE)

    def _show(self) -> None:
        columns = shutil.get_terminal_size().columns
        line = f"[{self._done}/{self._total}] {', '.join(self._running)}"
        self._write(_ERASE_LINE + line[: columns - 1])

    def _write(self, text: str) -> None:
        if self._visible:
            # A terminal that went away costs the display, not the verdicts.
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
