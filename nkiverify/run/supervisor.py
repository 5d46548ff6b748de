"""A command in a process of its own, so that the kernels it runs cannot end it in silence, or keep it for ever.

The command works in a child; this process, which runs nothing of anybody's, waits for it. The child says when it is
done, and with which status: one that ends without a word was ended by a kernel. While it is busy with something that
has a time limit it says so, and is stopped by force a moment after.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

#: Seconds past its time limit after which what has not ended by itself is stopped.
GRACE_SECONDS = 1.0
#: Seconds that something with a time limit has to end after Ctrl-C.
FAREWELL_SECONDS = 0.4
#: Seconds between two looks at the deadline, which an interrupt may have moved.
_LOOK_SECONDS = 0.1
#: Seconds within which a second Ctrl-C is the first one: a terminal sends it to the child, and so do we.
_SAME_INTERRUPT_SECONDS = 1.0

_UNKNOWN, _INTERNAL_ERROR, _INTERRUPTED = 3, 4, 130

#: Where this process, a child, reports to; None in one that is not supervised.
_reports: int | None = None


@contextmanager
def limited(subject: str, seconds: float) -> Iterator[None]:
    """The block is about `subject` and ends within `seconds`; a supervisor stops this process where it does not."""
    _tell("busy", f"{seconds:g}", " ".join(subject.split()))
    try:
        yield
    finally:
        _tell("free")


def supervised(command: Callable[[], int]) -> int:
    """Run `command` in a child process, or in this one where the system is not Linux; the exit status."""
    if sys.platform != "linux":
        return command()
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    life, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.close(ours)
        _work(command, writing, life)
    os.close(writing)
    os.close(life)
    return _Supervisor(child, reading).wait()


# --- in the child -----------------------------------------------------------------------------------------------------


def _work(command: Callable[[], int], writing: int, life: int) -> None:
    """What the child does; it never returns."""
    global _reports
    _reports = writing
    os.register_at_fork(after_in_child=_forget)
    _end_with_parent(life)
    signal.signal(signal.SIGINT, _Interrupts())
    status = _INTERNAL_ERROR
    try:
        status = command()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:  # before the command could handle it
        status = _complain("interrupted", _INTERRUPTED)
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        _tell("done", str(int(status)))
        os._exit(status)


def _forget() -> None:
    """A process that the child forks is none of ours: it has nothing to report."""
    global _reports
    if _reports is not None:
        os.close(_reports)
    _reports = None


class _Interrupts:
    """Raises `KeyboardInterrupt` for SIGINT, once where it comes twice in a moment."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        last, self._last = self._last, time.monotonic()
        if self._last - last > _SAME_INTERRUPT_SECONDS:
            raise KeyboardInterrupt


def _end_with_parent(life: int) -> None:
    """Have the kernel end this process when the other end of `life` is closed: its parent was killed."""
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)


def _tell(*words: str) -> None:
    if _reports is not None:
        with contextlib.suppress(OSError):
            os.write(_reports, "\t".join(words).encode("utf-8", "backslashreplace") + b"\n")


# --- in the parent ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Supervisor:
    """Waits for `child`, which reports at `reading`."""

    child: int
    reading: int
    status: int | None = None
    subject: str = ""
    seconds: float = 0.0
    deadline: float = float("inf")
    interrupted: bool = False

    def wait(self) -> int:
        """The exit status that the child asks for, or that of its not being able to ask for one."""
        handlers = {number: signal.signal(number, self._forward) for number in (signal.SIGTERM, signal.SIGHUP)}
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, self._interrupt)
        try:
            return self._wait()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            os.close(self.reading)

    def _wait(self) -> int:
        rest = b""
        while self.status is None:
            ready, _, _ = select.select([self.reading], [], [], _LOOK_SECONDS)
            if not ready and time.monotonic() < self.deadline:
                continue
            if not ready:
                self._signal(signal.SIGKILL)
                self._ended()
                return self._stopped()
            chunk = os.read(self.reading, 1 << 16)
            if not chunk:
                return self._died(self._ended())
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._hear(line.decode("utf-8", "replace").split("\t"))
        self._ended()
        return self.status

    def _hear(self, words: list[str]) -> None:
        match words:
            case ["done", status]:
                self.status = int(status)
            case ["busy", seconds, subject]:
                self.subject, self.seconds = subject, float(seconds)
                left = FAREWELL_SECONDS if self.interrupted else self.seconds + GRACE_SECONDS
                self.deadline = min(self.deadline, time.monotonic() + left)
            case ["free"] if not self.interrupted:
                self.subject, self.deadline = "", float("inf")

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Ctrl-C: the child reports what has finished, or is stopped where there is nothing to wait for."""
        if self.interrupted or self.subject:
            self.deadline = time.monotonic() + FAREWELL_SECONDS
        self.interrupted = True
        self._signal(signal.SIGINT)

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self._signal(number)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child, number)

    def _ended(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])

    def _stopped(self) -> int:
        if self.interrupted:
            return _complain("interrupted", _INTERRUPTED)
        limit = f"{self.seconds:g} s, nor {GRACE_SECONDS:g} s later"
        return _complain(f"UNKNOWN: {self.subject}: no verdict within {limit}; its process was stopped", _UNKNOWN)

    def _died(self, code: int) -> int:
        if self.interrupted:
            return _complain("interrupted", _INTERRUPTED)
        if code in (-signal.SIGTERM, -signal.SIGHUP):
            return 128 - code
        how = f"ended with exit status {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"
        what = f"{self.subject}: " if self.subject else ""
        return _complain(f"error: {what}the process that runs kernels {how} before it was done", _INTERNAL_ERROR)


def _complain(message: str, status: int) -> int:
    with contextlib.suppress(OSError):
        print(f"nkiverify: {message}", file=sys.stderr, flush=True)
    return status
