"""The output that kernels write to file descriptors themselves: the process that started them reads it, and shows it on
its stderr with control characters and commands of CI systems escaped."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO, cast

from nkiverify.foundation.kernel_text import HarmlessStream

#: Bytes that are read at a time.
_CHUNK = 1 << 16


class Relay:
    """Shows what arrives at the file descriptor `reading`, the end of a pipe; whoever made the pipe closes it."""

    def __init__(self, reading: int) -> None:
        os.set_blocking(reading, False)
        self.reading = reading
        #: False once nobody can write to the pipe any more.
        self.is_open = True
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        # Whatever stderr is at the time: pytest has another one for each test.
        self._shown = HarmlessStream(cast(TextIO, _Stderr()))

    def pass_on(self) -> bool:
        """Show the next part of what has arrived; False if nothing has."""
        try:
            chunk = os.read(self.reading, _CHUNK) if self.is_open else b""
        except BlockingIOError:
            return False
        self.is_open = bool(chunk)
        self._shown.write(self._text.decode(chunk, final=not chunk))
        return self.is_open

    def finish(self) -> None:
        """Show what is left, and wait for nothing more."""
        while self.pass_on():
            pass
        self._shown.flush()


class _Stderr:
    """The stderr of the moment. Where it takes nothing more, what kernels wrote is lost, and no verdict is."""

    def write(self, text: str) -> int:
        try:
            return sys.stderr.write(text)
        except (OSError, ValueError):
            return len(text)

    def flush(self) -> None:
        try:
            sys.stderr.flush()
        except (OSError, ValueError):
            return


def give_up_output(writing: int) -> None:
    """From here on, what is written to file descriptors 1 and 2 goes to `writing`, and standard input is empty."""
    for descriptor in (1, 2):
        os.dup2(writing, descriptor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if nothing:
        os.close(nothing)


def give_up_streams() -> None:
    """From here on `sys.stdout` and `sys.stderr` write there as well, and no file descriptor leads to the user."""
    for number, name in enumerate(("stdout", "stderr"), 1):
        stream = os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def open_descriptors() -> set[int]:
    """The file descriptors of this process, but for standard input and output; none where the system does not tell."""
    if sys.platform != "linux":
        return set()
    return {int(entry.name) for entry in Path("/proc/self/fd").iterdir()} - {0, 1, 2}


def give_up_descriptors(inherited: Iterable[int]) -> None:
    """From here on these descriptors, which this process has of its parent, lead nowhere: by them it could write what
    others read. Their numbers stay taken, as objects of ours will close them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in inherited:
        with contextlib.suppress(OSError):  # some are closed by now
            os.fstat(descriptor)
            os.dup2(nothing, descriptor)
    os.close(nothing)
