"""Running targets in worker processes, so that one that hangs or dies costs only its own verdict.

Workers live as long as the run and take one target after another. The parent waits for answers, deaths and deadlines
in one loop, without threads, so that it can fork a replacement at any moment.
"""

from __future__ import annotations

import contextlib
import enum
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from nkiverify.results import Run, Verdict
from nkiverify.selection import phases_to_run

if TYPE_CHECKING:
    from nkiverify.config import Options
    from nkiverify.manifest import Target

#: Seconds past its time-out after which a target that has not answered is stopped by force.
GRACE_SECONDS = 5.0
#: Seconds a worker may take to start and load the manifest.
STARTUP_SECONDS = 60.0
#: Seconds a worker has to end its own child processes when it is told to stop.
FAREWELL_SECONDS = 1.0
#: Seconds between two looks of a worker at whether its parent still lives.
_ORPHAN_CHECK_SECONDS = 1.0

Verify = Callable[["Target", "Options"], "list[Run]"]
#: Gives the targets by name to a worker that does not share our memory; picklable.
Loader = Callable[[], "Mapping[str, Target]"]


class Listener(Protocol):
    """Is told how the run goes, from the parent process, in the order things happen."""

    def started(self, target: str) -> None:
        """A worker has begun with `target`."""

    def finished(self, target: str, runs: Sequence[Run]) -> None:
        """`target` has its verdicts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The runs that finished, in the order of the targets; the targets that have none; whether Ctrl-C ended it."""

    runs: tuple[Run, ...]
    not_run: tuple[str, ...]
    interrupted: bool


def run_in_process(
    targets: Sequence[Target], options: Options, verify: Verify, listener: Listener, fails: Callable[[Run], bool]
) -> Outcome:
    """Run the targets one after the other in this process, which a debugger needs. Nothing can stop one by force."""
    results: dict[str, list[Run]] = {}
    interrupted = False
    try:
        for target in targets:
            listener.started(target.name)
            results[target.name] = _verify_guarded(target, options, verify)
            listener.finished(target.name, results[target.name])
            if options.fail_fast and any(map(fails, results[target.name])):
                break
    except KeyboardInterrupt:
        interrupted = True
    return _outcome(targets, results, interrupted)


def run_in_workers(
    targets: Sequence[Target],
    options: Options,
    verify: Verify,
    load: Loader,
    listener: Listener,
    fails: Callable[[Run], bool],
    processes: int,
    grace: float = GRACE_SECONDS,
) -> Outcome:
    """Run the targets in up to `processes` worker processes.

    A target that has not answered `grace` seconds past its time-out is stopped by force and UNKNOWN; one whose worker
    dies is an ERROR; both get a new worker for the rest. With `fail_fast`, the first run that `fails` ends everything.
    """
    pool = _Pool(targets, options, verify, load, listener, grace)
    interrupted = False
    try:
        pool.work(processes, fails)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        pool.stop()
    return _outcome(targets, pool.results, interrupted)


def _start_method() -> ForkContext | SpawnContext:
    """`fork` where it is safe: on Linux, from a process without other threads, whose locks a child would inherit.

    Threads of libraries count, which Python does not know of: a solver that has run keeps some.
    """
    if sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")


class _Signal(enum.Enum):
    """What a worker says besides runs."""

    #: The time of the target that was sent last counts from now on.
    BEGUN = enum.auto()


@dataclass(slots=True)
class _Worker:
    """A worker process, our end of its pipe, and the target it is busy with until `deadline`."""

    process: BaseProcess
    connection: Connection
    target: Target | None = None
    deadline: float = 0.0


@dataclass(slots=True)
class _Pool:
    targets: Sequence[Target]
    options: Options
    verify: Verify
    load: Loader
    listener: Listener
    grace: float
    results: dict[str, list[Run]] = field(default_factory=dict)
    workers: list[_Worker] = field(default_factory=list)
    context: ForkContext | SpawnContext = field(default_factory=_start_method)

    def work(self, processes: int, fails: Callable[[Run], bool]) -> None:
        """Have every target run, or every target until one fails where the user wants to stop there."""
        waiting = deque(self.targets)
        while waiting or any(worker.target for worker in self.workers):
            self._hand_out(waiting, processes)
            for name, runs in self._collect():
                self.results[name] = runs
                self.listener.finished(name, runs)
                if self.options.fail_fast and any(map(fails, runs)):
                    return

    def stop(self) -> None:
        """End all workers, whatever they are doing."""
        _end([worker.process for worker in self.workers])
        for worker in self.workers:
            worker.connection.close()
        self.workers.clear()

    def _hand_out(self, waiting: deque[Target], processes: int) -> None:
        for dead in [worker for worker in self.workers if not worker.target and not worker.process.is_alive()]:
            self._dismiss(dead)
        while waiting:
            worker = next((worker for worker in self.workers if worker.target is None), None)
            if worker is None:
                if len(self.workers) >= processes:
                    return
                worker = self._hire()
            target = waiting.popleft()
            worker.target = target
            worker.deadline = time.monotonic() + STARTUP_SECONDS
            self.listener.started(target.name)
            # A worker that has died meanwhile is found by its sentinel.
            with contextlib.suppress(OSError):
                worker.connection.send(target.name)

    def _hire(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        load = self.load
        if isinstance(self.context, ForkContext):  # the child has our targets already
            by_name = {target.name: target for target in self.targets}
            load = lambda: by_name  # noqa: E731
        process = self.context.Process(
            target=_work, args=(theirs, load, self.options, self.verify, os.getpid()), daemon=True
        )
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self.workers.append(worker)
        return worker

    def _collect(self) -> list[tuple[str, list[Run]]]:
        """Wait for something to happen; the targets that ended by it."""
        busy = [worker for worker in self.workers if worker.target is not None]
        handles = [worker.connection for worker in busy] + [worker.process.sentinel for worker in busy]
        patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
        happened = set(wait(handles, patience))
        ended = []
        for worker in busy:
            assert worker.target is not None
            target = worker.target
            if worker.connection in happened or worker.process.sentinel in happened:
                runs = self._answer(worker, target)
                if runs is not None:
                    ended.append((target.name, runs))
            elif time.monotonic() >= worker.deadline:
                self._dismiss(worker)
                ended.append((target.name, self._timed_out(target)))
        return ended

    def _answer(self, worker: _Worker, target: Target) -> list[Run] | None:
        """What the worker says of its target, or that it died before it could; None if it has only begun."""
        try:
            answer = worker.connection.recv() if worker.connection.poll() else None
        except Exception:  # a death in the middle of an answer leaves bytes that unpickle to anything
            answer = None
        if answer is _Signal.BEGUN:
            worker.deadline = time.monotonic() + self.options.patience + self.grace
            return None
        if isinstance(answer, list):
            worker.target = None
            return answer
        self._dismiss(worker)
        return _replacement(target, self.options, Verdict.ERROR, _cause_of_death(worker.process.exitcode))

    def _timed_out(self, target: Target) -> list[Run]:
        seconds = f"{self.options.timeout:g} s"
        reason = f"no verdict within {seconds}, nor {self.grace:g} s later; its process was stopped"
        return _replacement(target, self.options, Verdict.UNKNOWN, reason, f"time-out {seconds}", self.options.timeout)

    def _dismiss(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        _end([worker.process])
        worker.connection.close()


def _outcome(targets: Sequence[Target], results: Mapping[str, list[Run]], interrupted: bool) -> Outcome:
    runs = tuple(run for target in targets for run in results.get(target.name, ()))
    not_run = tuple(target.name for target in targets if target.name not in results)
    return Outcome(runs, not_run, interrupted)


def _replacement(
    target: Target, options: Options, verdict: Verdict, reason: str, qualifier: str = "", seconds: float = 0.0
) -> list[Run]:
    """The runs of a target that could not report its own."""
    return [
        Run(
            target=target.name,
            kernel=target.kernel,
            family=target.family,
            kind=target.kind,
            phase=phase,
            engine="embedded",
            expected=target.expect.get(phase),
            verdict=verdict,
            qualifier=qualifier,
            milliseconds=seconds * 1000,
            reason=reason,
            flags=target.flags,
            tags=target.tags,
        )
        for phase in phases_to_run(target, options)
    ]


def _end(processes: Sequence[BaseProcess]) -> None:
    """Ask the processes to end, so that they end their own children, then make them."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + FAREWELL_SECONDS
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
    for process in processes:
        if process.is_alive():
            process.kill()
            process.join()


def _cause_of_death(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        return f"the worker process was killed by {name}"
    return f"the worker process ended with exit status {exit_code} before it answered"


def _verify_guarded(target: Target, options: Options, verify: Verify) -> list[Run]:
    """The target's runs; an ERROR where `verify` itself fails. What a kernel prints goes to stderr."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return verify(target, options)
    except (KeyboardInterrupt, _Stopped):
        raise
    except BaseException as fault:  # SystemExit as well: no kernel may end the run of the others
        return _fault(target, options, fault)


def _fault(target: Target, options: Options, fault: BaseException) -> list[Run]:
    reason = f"{type(fault).__name__}: {fault}"
    runs = _replacement(target, options, Verdict.ERROR, reason)
    return [replace(run, traceback=traceback.format_exc()) for run in runs]


class _Stopped(SystemExit):
    """The parent has told this worker to end."""


def _stop(signal_number: int, _frame: FrameType | None) -> None:
    raise _Stopped(128 + signal_number)


def _work(connection: Connection, load: Loader, options: Options, verify: Verify, parent: int) -> None:
    """What a worker process does: verify the targets whose names arrive, until the parent stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    targets = load()
    while True:
        try:
            name = connection.recv()
        except EOFError:
            return
        try:
            connection.send(_Signal.BEGUN)
            runs = _verify_guarded(targets[name], options, verify)
            connection.send(runs)
        except BrokenPipeError:
            return
        except Exception as fault:  # something in the runs cannot be pickled
            connection.send(_fault(targets[name], options, fault))


def _end_with(parent: int) -> None:
    """End this process when `parent` has ended without stopping it."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(FAREWELL_SECONDS)
    os._exit(1)
