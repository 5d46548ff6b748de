"""Concrete executions: a target, or a call of a kernel, on ordinary integers.

`start` lets an execution run to whatever ends it, `execute` says how it ended. What is seen and stopped at in an
execution is the matter of its observers (`nkiverify.frontend.concrete.Observer`); that kernel code is loaded, made
active, and interrupted in time, of this module.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

from nkiverify.foundation.budget import RunningBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.source import is_kernel_frame
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import TOO_LONG, AllBroken, ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.paths import SIGNAL_OF_OURS, FloatsMatter, PathEnded
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.symbolic.execution import running

T = TypeVar("T")
RunT = TypeVar("RunT", bound=ConcreteExecution)
VerificationT = TypeVar("VerificationT", bound=Verification)


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel's function, `path/to/file.py::function` in the folder `root`, and how it is rewritten."""

    reference: str
    root: Path
    rewriting: Rewriting = Rewriting.NONE


@dataclass(frozen=True, slots=True)
class RunEnding(Generic[RunT]):
    """The end of the execution of a target on values of its dimensions.

    `outside` says why the values are not in its domain, if they are not. It has come to its end unless it met a
    `limit`, `raised`, or `stopped` because it had seen what it was for.
    """

    run: RunT
    outside: str = ""
    limit: UnsupportedConstruct | None = None
    raised: Exception | SystemExit | None = None
    stopped: bool = False
    #: Whether `raised` is an assert of the kernel that may be part of the domain.
    rejected: bool = False
    #: Whether the target has called its kernel.
    called: bool = False
    #: The dimensions that it asked for and that were given no value.
    unknown: frozenset[str] = frozenset()
    #: The arguments whose integers have a declared range, with its ends.
    ranged: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def start(
    source: Source,
    values: Mapping[str, int],
    run: ConcreteExecution,
    call: Callable[[VerificationT], T],
    made: Callable[[ConcreteBinding, Callable[..., object]], VerificationT],
) -> T:
    """Let `call` do with a kernel what a target does, with these values of dimensions; raises what ends it."""
    kernel, space = load_kernel(source.reference, source.root, source.rewriting)
    with space.active(), running(run), _interrupted_in_time(run):
        return call(made(ConcreteBinding(values), kernel))


def execute(
    target: Target, values: Mapping[str, int], make: Callable[[], RunT], rewriting: Rewriting
) -> RunEnding[RunT]:
    """Execute `target` on values of its dimensions: with numbers of floats only where something asks for them. Inside
    `remembering`, an execution that has come to its end is that of every other one which it tells enough."""
    key = (target.kernel, target.root, target.function, tuple(sorted(values.items())), rewriting)
    for known in _remembered[-1].get(key, ()) if _remembered else ():
        run = make()
        if run.takes_over(known.run):
            return replace(known, run=run)
    ending = execute_once(target, values, make(), rewriting, follows_floats=False)
    if ending.run.lacks_floats:
        ending = execute_once(target, values, make(), rewriting)
    if _remembered and not (ending.outside or ending.stopped or ending.limit is not None):
        _remember(_remembered[-1], key, ending)
    return ending


#: Those of a kernel and a shape that have come to their end, in the order in which they did.
_Endings = dict[tuple[object, ...], list[RunEnding[Any]]]
#: The executions that are remembered, of each block in progress.
_remembered: list[_Endings] = []


@contextmanager
def remembering() -> Iterator[None]:
    """Remember executions inside, of kernels whose sources stay as they are; within another block, with its own."""
    _remembered.append(_remembered[-1] if _remembered else {})
    try:
        yield
    finally:
        _remembered.pop()


def _remember(endings: _Endings, key: tuple[object, ...], ending: RunEnding[Any]) -> None:
    endings.setdefault(key, []).append(ending)
    while sum(len(one.run.recorded) + 1 for known in endings.values() for one in known) > RunningBudget.RECORDS_KEPT:
        del endings[next(iter(endings))]


def execute_once(
    target: Target, values: Mapping[str, int], run: RunT, rewriting: Rewriting, *, follows_floats: bool = True
) -> RunEnding[RunT]:
    """Let `run` execute `target` on values of its dimensions."""
    run.model.follows_floats = follows_floats
    binding = ConcreteBinding(values)
    made: Verification | None = None

    def verification(_: ConcreteBinding, kernel: Callable[..., object]) -> Verification:
        nonlocal made
        made = Verification(binding, kernel)
        return made

    def ended(
        limit: UnsupportedConstruct | None = None,
        raised: Exception | SystemExit | None = None,
        *,
        stopped: bool = False,
    ) -> RunEnding[RunT]:
        return RunEnding(
            run,
            limit=limit,
            raised=raised,
            stopped=stopped,
            rejected=raised is not None and binding.excludes(raised),
            called=made is not None and made.called,
            unknown=frozenset(binding.used.keys() - values.keys()),
            ranged=binding.ranged,
        )

    try:
        start(Source(target.kernel, target.root, rewriting), values, run, target.function, verification)
    except OutsideDomain as outside:
        return RunEnding(run, outside=str(outside))
    except (AllBroken, FloatsMatter):
        return ended(stopped=True)
    except UnsupportedConstruct as limit:
        return ended(limit)
    except PathEnded:
        return ended(UnsupportedConstruct(SIGNAL_OF_OURS))
    except (Exception, SystemExit) as error:
        return ended(raised=error)
    return ended()


@contextmanager
def _interrupted_in_time(run: ConcreteExecution) -> Iterator[None]:
    """End the run when its time is over also in a loop of the kernel that calls nothing of ours.

    Only the main thread of a process can be interrupted, and only kernel code is, which has nothing to clean up.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def look(number: int, frame: FrameType | None) -> None:
        if frame is not None and is_kernel_frame(frame) and run.overdue:
            raise run.unsupported(TOO_LONG)

    before = signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, RunningBudget.SECONDS_BETWEEN_CLOCKS, RunningBudget.SECONDS_BETWEEN_CLOCKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
