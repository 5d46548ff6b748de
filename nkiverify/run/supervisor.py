"""A command in a process of its own, so that the kernels it runs cannot end it in silence, or keep it for ever.

The command works in a child; this process, which runs nothing of anybody's, waits for it. The child says when it is
done, and with which status: one that ends without a word was ended by a kernel. Where it has limits it says when it has
begun, and is stopped by force a moment after its time; so it is where it holds more memory than it may. Nothing that it
says moves a limit. What kernels write to file descriptors themselves comes to this process, which shows it with
commands escaped.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from types import FrameType
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, described
from nkiverify.foundation.kernel_text import harmless, printable, tell_ignored_exceptions, with_texts
from nkiverify.foundation.process import is_for_kernels
from nkiverify.run.relay import Relay, give_up_descriptors, give_up_output, give_up_streams, open_descriptors
from nkiverify.run.resident_memory import MEBIBYTE, default_limit, processor_seconds, resident_bytes
from nkiverify.run.unpickled import LARGEST, unpickled

if TYPE_CHECKING:
    from pathlib import Path

    from nkiverify.run.confinement import Confinement

ResultT = TypeVar("ResultT")

#: Seconds past its time limit after which what has not ended by itself is stopped.
GRACE_SECONDS = 1.0
#: Seconds that something with a time limit has to end after Ctrl-C.
FAREWELL_SECONDS = 0.3
#: Seconds between two looks at the deadline, which an interrupt may have moved, and at the memory that is held.
_LOOK_SECONDS = 0.1
#: Seconds that a child may take to end once it has said that it is done, or can say nothing more.
_EXIT_SECONDS = 3.0
#: Seconds between two looks at whether it has.
_MOMENT_SECONDS = 0.002
#: Seconds within which a second Ctrl-C is the first one: a terminal sends it to the child, and so do we.
_SAME_INTERRUPT_SECONDS = 1.0
#: The same for us, whom the terminal and our own supervisor tell.
_ECHO_SECONDS = 0.2

_UNKNOWN, _INTERNAL_ERROR, _INTERRUPTED = 3, 4, 130

#: Bytes that a report of the child has at most.
_LONGEST_REPORT = 1 << 10

#: The modules of exceptions that are sent as they are.
_OURS = ("builtins", "nkiverify.foundation.errors", "nkiverify.frontend.domain.syntax")


@dataclass(frozen=True, slots=True)
class _Parent:
    """The supervisor, as its child knows it: where to report, with the word that shows that it is the child who does;
    where what kernels write goes; and the file for the answer, if it waits for one."""

    reports: int
    password: bytes
    output: int
    #: Closed when the supervisor ends.
    life: int
    answer: BinaryIO | None = None


#: The supervisor of this process, a child; None in one that has none.
_parent: _Parent | None = None


def is_supervised() -> bool:
    """True in a process that has a supervisor: a command as it is typed."""
    return _parent is not None


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """The limits of a child that is about `subject`: `seconds` of the wall's clock and `processor` seconds of processor
    time from when it has begun, and MiB of memory, by default nine tenths of the machine's."""

    subject: str
    seconds: float
    processor: float = float("inf")
    mebibytes: int | None = None


_UNLIMITED = ChildLimits("", float("inf"))


def supervised(command: Callable[[], int], limits: ChildLimits = _UNLIMITED) -> int:
    """Run `command` in a child process, or in this one where the system is not Linux; the exit status. From when on
    `limits` count, it says by `has_begun`."""
    if sys.platform != "linux":
        return command()
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    shown, output = os.pipe()
    life, ours = os.pipe()
    password = os.urandom(16).hex().encode()
    # Ctrl-C waits until there is somebody who takes it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    child = os.fork()
    if child == 0:
        for theirs in (reading, shown, ours):
            os.close(theirs)
        _work(command, _Parent(writing, password, output, life))
    for theirs in (writing, output, life):
        os.close(theirs)
    try:
        return _Supervisor(child, reading, password, Relay(shown), limits).wait()
    finally:
        os.close(ours)


@dataclass(frozen=True, slots=True)
class Stopped:
    """A call that has no result, as its process has ended; why has been said. `status` is what that asks for, and
    `so_far` what the process had left by `keep`, or what a kernel wrote in its place."""

    status: int
    so_far: object = None

    def __str__(self) -> str:
        return "its process ended before it was done"


def in_child(
    subject: str,
    work: Callable[[], ResultT],
    seconds: float,
    confinement: Confinement,
    mebibytes: int | None = None,
    processor: float = float("inf"),
    *,
    debugger: bool = False,
) -> ResultT | Stopped:
    """The result of `work`, which runs kernels, or what it raises, from a child process that is confined, supervised as
    a command is, and limited as `subject`; from this process where the system is not Linux. Both are records, and their
    texts harmless: whatever a kernel sends in place of them, nothing of it is executed here. An exception of another's
    class comes as a `RuntimeError` that describes it. The child has no file descriptor by which it could write to the
    user; but with a `debugger` it has the terminal, and as long as the user takes."""
    if sys.platform != "linux":
        return with_texts(work(), harmless)
    subject = " ".join(subject.split())
    limits = _UNLIMITED if debugger else ChildLimits(subject, seconds, processor, mebibytes)
    from nkiverify.run.confinement import remove, temporary_folder  # which whoever has a confinement has

    temporary = temporary_folder()
    # A file in memory: disks may be full.
    with os.fdopen(os.memfd_create("answer"), "w+b") as file, contextlib.ExitStack() as left:
        left.callback(remove, temporary)

        def command() -> int:
            child = os.getpid()
            try:
                _confine(confinement, temporary, file, terminal=debugger)
                with contextlib.nullcontext() if debugger else has_begun(limits):
                    answer: object = (work(),)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if "--debug" in sys.argv:
                    traceback.print_exc()
                answer = _raised(error)
            if os.getpid() != child:  # a copy of it that a kernel made by forking has nothing to say
                os._exit(0)
            try:
                content = pickle.dumps(answer)
                unpickled(content)
            except (Exception, UnsupportedConstruct) as error:
                content = pickle.dumps(_described(error))
            try:
                _write(file, content)
            except OSError as full:  # a limit of files' sizes is one of this file as well
                return _complain(f"error: {subject}: its answer cannot be written: {full.strerror}", _INTERNAL_ERROR)
            return 0

        status = supervised(command, limits)
        file.seek(0)
        content = file.read(LARGEST + 1)
    if status != 0:
        return Stopped(status, _left(content))
    try:
        match _answered(content):
            case (result,):
                return cast("ResultT", result)
            case [type() as kind, tuple() as arguments, dict() as attributes] if issubclass(kind, BaseException):
                error: BaseException = kind.__new__(kind, *arguments)
                vars(error).update(attributes)
            case _:
                raise pickle.UnpicklingError("it is none")
    except Exception as unread:  # what a kernel has written in its place
        return Stopped(_complain(f"error: {subject}: its answer cannot be read: {described(unread)}", _INTERNAL_ERROR))
    raise error


def _answered(content: bytes) -> object:
    if len(content) > LARGEST:
        raise pickle.UnpicklingError(f"it has more than {LARGEST >> 20} MiB")
    return unpickled(content)


def _left(content: bytes) -> object:
    """The answer that a process has kept which was stopped; None where there is none, or half of one."""
    try:
        found = _answered(content)
    except Exception:  # whatever a kernel has written
        return None
    return found[0] if isinstance(found, tuple) and len(found) == 1 else None


def _confine(confinement: Confinement, temporary: Path | None, answer: BinaryIO, *, terminal: bool) -> None:
    """Take it from this process, a child that runs kernels from here on, with its ways to write to others: what is left
    to it is the file of its `answer`, and the user's `terminal`."""
    global _parent
    assert _parent is not None
    if not terminal:
        give_up_output(_parent.output)
        give_up_streams()
        give_up_descriptors(open_descriptors() - {_parent.reports, _parent.life, answer.fileno()})
    else:
        os.close(_parent.output)
    _parent = replace(_parent, answer=answer)
    confinement.begin(temporary)


def _raised(error: BaseException) -> list[object]:
    """An exception as it is sent: without its `__init__`, which may take other arguments."""
    ours = isinstance(error, Exception | UnsupportedConstruct) and type(error).__module__ in _OURS
    return [type(error), error.args, vars(error)] if ours else _described(error)


def _described(error: BaseException) -> list[object]:
    return [RuntimeError, (described(error),), {}]


# --- in the child -----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def has_begun(limits: ChildLimits) -> Iterator[None]:
    """Have the supervisor count these limits from here on, and the system that of processor time to the end of the
    block."""
    from nkiverify.run.confinement import processor_time

    with processor_time(limits.seconds + GRACE_SECONDS):
        _tell("begun")
        yield


def keep(answer: object) -> None:
    """Leave the answer to whoever started this process, in case that it is stopped before it has a better one."""
    if _parent is not None and _parent.answer is not None:
        _write(_parent.answer, pickle.dumps((answer,)))


def _write(file: BinaryIO, content: bytes) -> None:
    """Write it instead of what is there, of a kernel's making or not."""
    file.seek(0)
    file.truncate()
    file.write(content)
    file.flush()


def _work(command: Callable[[], int], parent: _Parent) -> None:
    """The work of the child; it never returns."""
    global _parent
    _parent = parent
    os.register_at_fork(after_in_child=_forget)
    _end_with_parent(parent.life)
    signal.signal(signal.SIGINT, _Interrupts())
    tell_ignored_exceptions()
    is_for_kernels()
    status = _INTERNAL_ERROR
    try:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            status = command()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except KeyboardInterrupt:  # before the command could handle it
            status = _complain("interrupted", _INTERRUPTED)
        status = _shown(int(status))
        _tell("done", str(status & 0xFF))
    finally:
        # Without what is left to be done at exit: it may be a kernel that left it. And without a word where even a
        # message cannot be made any more: the supervisor has one.
        os._exit(status)


def _shown(status: int) -> int:
    """`status`, or that of output which cannot be written; a reader that has gone has what it wanted."""
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BrokenPipeError:
        return status
    except (OSError, ValueError, AttributeError) as error:
        return _complain(f"error: the output could not be written: {error}", _INTERNAL_ERROR)
    return status


def _forget() -> None:
    """A process that the child forks is none of ours: it has nothing to report."""
    global _parent
    if _parent is not None:
        os.close(_parent.reports)
    _parent = None


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
    if _parent is not None:
        with contextlib.suppress(OSError):
            said = "\t".join(words).encode("utf-8", "backslashreplace")
            os.write(_parent.reports, _parent.password + b"\t" + said + b"\n")


# --- in the parent ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Supervisor:
    """Waits for `child`, which reports at `reading` with the `password` and has `limits`; what its kernels write is the
    `output`."""

    child: int
    reading: int
    password: bytes
    output: Relay
    limits: ChildLimits
    status: int | None = None
    has_begun: bool = False
    #: Bytes that it may hold; None: any number.
    memory: int | None = None
    deadline: float = float("inf")
    #: Processor time that it may have used in all.
    processor_end: float = float("inf")
    interrupted: bool = False
    #: When Ctrl-C came last, by the monotonic clock.
    last_interrupt: float = float("-inf")
    #: The signals that we were sent, and sent on.
    forwarded: set[int] = field(default_factory=set)

    def wait(self) -> int:
        """The exit status that the child asks for, or that of its not being able to ask for one."""
        handlers = {number: signal.signal(number, self._forward) for number in (signal.SIGTERM, signal.SIGHUP)}
        handlers[signal.SIGINT] = signal.signal(signal.SIGINT, self._interrupt)
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            return self._wait()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            os.close(self.reading)
            os.close(self.output.reading)

    def _wait(self) -> int:
        rest, mebibytes = b"", self.limits.mebibytes
        self.memory = mebibytes * MEBIBYTE if mebibytes is not None else default_limit(1)
        while self.status is None:
            watched = [self.reading, *([self.output.reading] if self.output.is_open else [])]
            happened, _, _ = select.select(watched, [], [], _LOOK_SECONDS)
            self.output.pass_on()
            if self.reading in happened:
                chunk = os.read(self.reading, 1 << 16)
                if not chunk:
                    return self._died(self._ended())
                *lines, rest = (rest + chunk).split(b"\n")
                if len(rest) > _LONGEST_REPORT or not all(map(self._hears, lines)):
                    self._ended(0.0)
                    return self._forged()
            # Whatever it says: what it has to say in time it has said.
            beyond = self._beyond_limits() if self.status is None else None
            if beyond is not None:
                return beyond
        self._ended()
        return self.status

    def _hears(self, line: bytes) -> bool:
        """True if the line is one of ours, and says what has not been said."""
        match line.split(b"\t"):
            case [self.password, b"done", status] if status.isdigit():
                self.status = int(status)
            case [self.password, b"begun"] if not self.has_begun:
                self.has_begun = True
                left = FAREWELL_SECONDS if self.interrupted else self.limits.seconds + GRACE_SECONDS
                self.deadline = min(self.deadline, time.monotonic() + left)
                self.processor_end = processor_seconds(self.child) + self.limits.processor + GRACE_SECONDS
            case _:
                return False
        return True

    def _beyond_limits(self) -> int | None:
        """The exit status of a child that has gone beyond its limits, and is stopped; None where it has not."""
        if time.monotonic() >= self.deadline:
            limit = f"{self.limits.seconds:g} s"
        elif self.processor_end < float("inf") and processor_seconds(self.child) > self.processor_end:
            limit = f"{self.limits.processor:g} s of processor time"
        elif self.memory is not None and (resident_bytes(self.child) or 0) > self.memory:
            self._ended(0.0)
            return self._too_large(self.memory)
        else:
            return None
        self._ended(0.0)
        return self._stopped(limit)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Ctrl-C: the child reports what has finished, or is stopped where there is nothing to wait for, as it is by a
        second one."""
        last, self.last_interrupt = self.last_interrupt, time.monotonic()
        second = self.interrupted and self.last_interrupt - last > _ECHO_SECONDS
        if second or self.has_begun:
            self.deadline = time.monotonic() + FAREWELL_SECONDS
        self.interrupted = True
        self._signal(signal.SIGINT)

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self.forwarded.add(number)
        self._signal(number)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child, number)

    def _ended(self, hard_deadline: float = _EXIT_SECONDS) -> int:
        """The exit status of the child, which has this many seconds left to end by itself."""
        end = time.monotonic() + hard_deadline
        while True:
            self.output.pass_on()
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                self.output.finish()
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= end:
                self._signal(signal.SIGKILL)
            time.sleep(_MOMENT_SECONDS)

    def _stopped(self, limit: str) -> int:
        if self.interrupted:
            return _complain("interrupted", _INTERRUPTED)
        late = f"no verdict within {limit}, nor {GRACE_SECONDS:g} s later; its process was stopped"
        return self._told("UNKNOWN: ", late, _UNKNOWN)

    def _too_large(self, limit: int) -> int:
        held = f"the process that runs kernels held more than {limit // MEBIBYTE} MiB and was stopped"
        return self._told("UNKNOWN: ", held, _UNKNOWN)

    def _forged(self) -> int:
        return self._told("error: ", "a kernel reported in place of the process that runs it", _INTERNAL_ERROR)

    def _died(self, code: int) -> int:
        if self.interrupted:
            return _complain("interrupted", _INTERRUPTED)
        if -code in self.forwarded:
            return 128 - code
        how = f"ended with exit status {code}" if code >= 0 else f"was ended by {signal.Signals(-code).name}"
        return self._told("error: ", f"the process that runs kernels {how} before it was done", _INTERNAL_ERROR)

    def _told(self, word: str, what: str, status: int) -> int:
        subject = f"{self.limits.subject}: " if self.limits.subject else ""
        return _complain(f"{word}{subject}{what}", status)


def _complain(message: str, status: int) -> int:
    try:
        print(f"nkiverify: {printable(message)}", file=sys.stderr, flush=True)
    except OSError:
        # Python would try again when it ends, and make the exit status its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return status
