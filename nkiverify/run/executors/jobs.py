"""The common ground of executors: jobs, an interface in the shape of `concurrent.futures`, what stands in for runs.

An executor takes jobs (`submit` gives a future of the runs of one), makes progress and says what has ended (`wait`),
and ends (`shutdown`). Verdicts do not depend on which executor it is.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO, cast

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import described
from nkiverify.foundation.kernel_text import HarmlessStream
from nkiverify.foundation.records import Basis, Run
from nkiverify.verify.evidence import Told, replacement
from nkiverify.verify.options import phases_to_run

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.verify.options import Options

#: Verifies a target, and tells of phases that have their verdicts before all have.
Verify = Callable[["Target", "Options", Told], "list[Run]"]
#: Gives the targets by name to a worker that does not share our memory; picklable.
Loader = Callable[[], "Mapping[str, Target]"]


@dataclass(frozen=True, slots=True)
class Job:
    """One target to verify with these options. No other job of the same session has this `name`."""

    name: str
    target: Target
    options: Options


class Listener(Protocol):
    """Hears how the session goes, from the process that began it, in the order things happen."""

    def started(self, job: str) -> None:
        """Somebody has begun with the job."""

    def finished(self, job: str, runs: Sequence[Run]) -> None:
        """The job has its verdicts."""

    def waiting(self) -> None:
        """Time has passed, and nothing else has happened."""


class Executor(Protocol):
    """Verifies jobs somewhere."""

    #: Is called with the name of a job when it is begun.
    on_start: Callable[[str], None]

    def submit(self, job: Job) -> Future[list[Run]]:
        """Take a job; the runs it will have."""

    def wait(self) -> list[Future[list[Run]]]:
        """Make progress; the futures that have ended by it, none where a moment has passed without one.

        Raises `ExecutorLost` where what is left will never end.
        """

    def withdrawn(self) -> Mapping[str, list[Run]]:
        """The runs that count in place of those given before, by the name of their job."""

    def shutdown(self) -> None:
        """End everything that runs, whatever it is doing, and begin nothing more."""


class ExecutorLost(Exception):
    """The machines that were to verify cannot be reached any more."""


@dataclass(frozen=True, slots=True)
class JobRuns:
    """The runs by job, of the jobs that finished; whether Ctrl-C ended it; what else did, if something did."""

    by_job: Mapping[str, Sequence[Run]]
    interrupted: bool = False
    problem: str = ""


def perform(
    jobs: Sequence[Job], executor: Executor, listener: Listener, fails: Callable[[Run], bool] | None = None
) -> JobRuns:
    """Have every job run, or every job until one fails where `fails` is given. What has finished is always kept.

    A job whose runs are not those that were asked for is an ERROR.
    """
    finished: dict[str, Sequence[Run]] = {}
    executor.on_start = listener.started
    try:
        pending = {executor.submit(job): job for job in jobs}
        while pending:
            ended = executor.wait()
            if not ended:
                listener.waiting()
            for future in ended:
                job = pending.pop(future)
                runs = finished[job.name] = whole(job, future.result())
                listener.finished(job.name, runs)
                if fails is not None and any(map(fails, runs)):
                    return JobRuns(finished)
        for name, runs in executor.withdrawn().items():
            finished[name] = runs
            listener.finished(name, runs)
    except KeyboardInterrupt:
        return JobRuns(finished, interrupted=True)
    except ExecutorLost as lost:
        return JobRuns(finished, problem=str(lost))
    finally:
        executor.shutdown()
    return JobRuns(finished)


def whole(job: Job, runs: list[Run]) -> list[Run]:
    """`runs`, if each phase that was asked for has one, and all are of the target of the job; else an ERROR each."""
    phases = phases_to_run(job.target, job.options)
    if {run.phase for run in runs} == set(phases) and all(run.target == job.target.name for run in runs):
        return runs
    return replacement(job.target, job.options, Basis.FAULT, "its answer does not have the phases asked for")


class InProcess:
    """Verifies in this process, which a debugger needs, one job after the other.

    Nothing can stop one by force, and a kernel that ends its process ends everything: only for who asks for it by name.
    """

    def __init__(self, verify: Verify) -> None:
        self.on_start: Callable[[str], None] = lambda name: None
        self._verify = verify
        self._waiting: list[tuple[Job, Future[list[Run]]]] = []

    def submit(self, job: Job) -> Future[list[Run]]:
        """Take a job; `wait` runs it."""
        future: Future[list[Run]] = Future()
        self._waiting.append((job, future))
        return future

    def wait(self) -> list[Future[list[Run]]]:
        """Run the next job."""
        job, future = self._waiting.pop(0)
        self.on_start(job.name)
        future.set_result(verify_guarded(job.target, job.options, self._verify))
        return [future]

    def withdrawn(self) -> Mapping[str, list[Run]]:
        """None: this process answers itself."""
        return {}

    def shutdown(self) -> None:
        """Begin nothing more."""
        self._waiting.clear()


class WorkerStopped(SystemExit):
    """The parent has asked this worker to end."""


def verify_guarded(target: Target, options: Options, verify: Verify, reported: Told = lambda runs: None) -> list[Run]:
    """The target's runs; an ERROR where `verify` itself fails. What a kernel prints goes to stderr. `reported` hears
    the runs that there are before."""
    try:
        said = cast(TextIO, HarmlessStream(sys.stderr))
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return verify(target, options, reported)
    except (KeyboardInterrupt, WorkerStopped):
        raise
    except BaseException as fault:  # SystemExit as well: no kernel may end the run of the others
        return faulted(target, options, fault)


def faulted(target: Target, options: Options, fault: BaseException) -> list[Run]:
    """The runs of a target whose verification raised `fault`, which is being handled."""
    reason = described(fault)
    runs = replacement(target, options, Basis.FAULT, reason)
    return [replace(run, traceback=traceback.format_exc()) for run in runs]


def verify_target(target: Target, options: Options, reported: Told = lambda runs: None) -> list[Run]:
    """The task that executors are given. The verifier is imported by the worker: its libraries start threads, and then
    a process cannot fork."""
    from nkiverify.symbolic.terms import fresh
    from nkiverify.verify.verifier import verify

    with fresh():
        return verify(target, options, reported)


def targets_by_name(root: Path) -> Mapping[str, Target]:
    """The manifest, for a worker that does not share our memory."""
    from nkiverify.project.manifest_targets import load_targets

    return {target.name: target for target in load_targets(root)}
