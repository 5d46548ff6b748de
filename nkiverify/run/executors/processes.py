"""Verifying in worker processes, so that a target that hangs, dies or takes all memory costs only its own verdict.

Workers live as long as the session and take one target after another. The parent waits for answers, deaths, deadlines
and limits of memory in one loop, without threads, so that it can fork a replacement at any moment. Deadlines are those
of the monotonic clock: setting the time of the machine moves none.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import multiprocessing.resource_tracker as resource_tracker
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.process import is_for_kernels
from nkiverify.foundation.records import Basis, Run
from nkiverify.run.executors.jobs import Job, Loader, Verify, WorkerStopped, faulted, verify_guarded
from nkiverify.run.executors.messages import JobAnswer, JobProgress, JobQuestion, as_told, runs_in
from nkiverify.run.relay import Relay, give_up_descriptors, give_up_output, give_up_streams, open_descriptors
from nkiverify.run.resident_memory import MEBIBYTE, processor_seconds, resident_bytes
from nkiverify.run.supervisor import GRACE_SECONDS
from nkiverify.run.unpickled import Inbox
from nkiverify.verify.evidence import replacement
from nkiverify.verify.options import phases_to_run

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target
    from nkiverify.run.confinement import Confinement
    from nkiverify.verify.options import Options

#: Seconds a worker may take to start and load the manifest.
STARTUP_SECONDS = 60.0
#: Seconds a worker has to end when it is asked to, with processes that it has started, and where it can start none.
FAREWELL_SECONDS = 1.0
_ALONE_SECONDS = 0.2
#: Seconds between two looks at the memory and the processor time of workers.
LOOK_SECONDS = 0.1
#: Seconds after which `wait` returns without anything having ended, so that somebody can say so.
END_SECONDS = 5.0
#: Seconds between two looks of a worker at whether its parent still lives.
_ORPHAN_CHECK_SECONDS = 1.0
#: Seconds between two looks at whether processes have ended.
_MOMENT_SECONDS = 0.002


@dataclass(slots=True)
class _Task:
    """A job with its future. `death` says how the worker died that had it before, where one did; `so_far` says which
    phases have their verdicts; None before it is begun."""

    job: Job
    future: Future[list[Run]]
    death: str = ""
    nonce: bytes = b""
    so_far: JobProgress | None = None

    @property
    def options(self) -> Options:
        return self.job.options

    def ends(self, runs: list[Run]) -> Future[list[Run]]:
        self.future.set_result(runs)
        return self.future

    def ended(self, basis: Basis, reason: str, qualifier: str = "", seconds: float = 0.0) -> list[Run]:
        """The runs where it has ended by force: those that there are, and this verdict of the other phases."""
        so_far = runs_in(self.so_far.runs) if self.so_far is not None else ()
        return replacement(self.job.target, self.options, basis, reason, qualifier, seconds, so_far)


@dataclass(slots=True)
class _Worker:
    """A worker process, our end of its pipe and of that of its kernels' output, the folder of its temporary files, and
    the task it is busy with until `deadline`, or until it has used processor time up to `processor_end`."""

    process: BaseProcess
    connection: Connection
    output: Connection
    relay: Relay
    inbox: Inbox
    temporary: Path | None
    task: _Task | None = None
    #: The task that it answered last.
    answered: _Task | None = None
    deadline: float = 0.0
    processor_end: float = float("inf")

    def handles(self) -> list[Connection | int]:
        """Whatever something may happen at."""
        return [self.connection, self.process.sentinel, *([self.output] if self.relay.is_open else [])]

    def close(self) -> None:
        """Close our ends of the pipes of a process that has ended, and remove its temporary files."""
        from nkiverify.run.confinement import remove

        remove(self.temporary)
        self.relay.finish()
        self.output.close()
        self.connection.close()


class WorkerProcesses:
    """Verifies in up to `processes` workers at the same time.

    A target that has not answered `grace` seconds past its time-out is stopped by force, and UNKNOWN in the phases that
    had no verdict; so is one whose worker holds more than `memory` bytes (None: no limit; where the system does not say
    what a process holds, there is none). A target whose worker dies runs again, alone, after all others; if that one
    dies as well, it is an ERROR. Each of them gets a new worker for the rest. `confinement` is what the system takes
    from workers. `targets` are those of all jobs, `load` finds them by name where memory is not shared.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        verify: Verify,
        load: Loader,
        processes: int,
        *,
        memory: int | None = None,
        grace: float = GRACE_SECONDS,
        confinement: Confinement | None = None,
    ) -> None:
        self.on_start: Callable[[str], None] = lambda name: None
        self._targets = targets
        self._verify = verify
        self._load = load
        self._processes = processes
        self._memory = memory
        self._grace = grace
        self._confinement = confinement
        # Workers have what they all import, concrete runs and NumPy, from this process.
        importlib.import_module("nkiverify.verify.dataflow_search")
        importlib.import_module("nkiverify.phases.dataflow.warned")
        self._context = start_method()
        self._workers: list[_Worker] = []
        self._waiting: deque[_Task] = deque()
        #: Tasks whose worker died: each runs alone, as another may have taken what it needed.
        self._again: deque[_Task] = deque()
        self._withdrawn: dict[str, list[Run]] = {}

    def submit(self, job: Job) -> Future[list[Run]]:
        """Take a job; `wait` hands it to a worker."""
        task = _Task(job, Future())
        self._waiting.append(task)
        return task.future

    def wait(self) -> list[Future[list[Run]]]:
        """Hand out jobs and collect answers, until one has ended or a while has passed."""
        end = time.monotonic() + END_SECONDS
        ended: list[Future[list[Run]]] = []
        while not ended and time.monotonic() < end:
            self._hand_out()
            ended = self._collect(end)
        return ended

    def withdrawn(self) -> Mapping[str, list[Run]]:
        """The runs that count in place of an answer, by the name of its job: more than one came for it."""
        idle = [worker for worker in self._workers if worker.task is None]
        for worker in idle:
            with contextlib.suppress(OSError):
                worker.connection.send(None)
        deadline = time.monotonic() + FAREWELL_SECONDS
        for worker in idle:
            # Until its end of the pipe is closed, something may still come.
            while worker in self._workers and worker.connection.poll(max(0.0, deadline - time.monotonic())):
                if not self._look_for_second_answer(worker):
                    break
        return self._withdrawn

    def shutdown(self) -> None:
        """End all workers, whatever they are doing."""
        self._waiting.clear()
        self._again.clear()
        self._end(self._workers)
        self._workers.clear()

    def _hand_out(self) -> None:
        for idle in [worker for worker in self._workers if worker.task is None]:
            if not self._look_for_second_answer(idle) and not idle.process.is_alive():
                self._dismiss(idle)
        while self._waiting:
            worker = self._idle()
            if worker is None:
                return
            self._give(worker, self._waiting.popleft())
        if self._again and not any(worker.task for worker in self._workers):
            worker = self._idle()
            assert worker is not None
            self._give(worker, self._again.popleft())

    def _idle(self) -> _Worker | None:
        """A worker without a task, hired if there may be another one."""
        found = next((worker for worker in self._workers if worker.task is None), None)
        return found or (self._hire() if len(self._workers) < self._processes else None)

    def _give(self, worker: _Worker, task: _Task) -> None:
        worker.task = task
        task.nonce = os.urandom(16)
        task.so_far = None
        worker.deadline, worker.processor_end = time.monotonic() + STARTUP_SECONDS, float("inf")
        if not task.death:
            self.on_start(task.job.name)
        # A worker that has died meanwhile is found by its sentinel.
        with contextlib.suppress(OSError):
            options = task.options
            seconds = options.hard_deadline + options.cross_check_seconds + self._grace
            worker.connection.send(JobQuestion(task.nonce, task.job.target.name, options, seconds))

    def _hire(self) -> _Worker:
        ours, theirs = multiprocessing.Pipe()
        load = self._load
        if isinstance(self._context, ForkContext):  # the child has our targets already
            by_name = {target.name: target for target in self._targets}
            load = lambda: by_name  # noqa: E731
        output, shown = multiprocessing.Pipe(duplex=False)
        forks = isinstance(self._context, ForkContext)
        inherited = open_descriptors() - {theirs.fileno(), shown.fileno()} if forks else set[int]()
        from nkiverify.run.confinement import temporary_folder

        temporary = temporary_folder() if self._confinement is not None else None
        words = (theirs, shown, load, self._verify, os.getpid(), self._confinement, temporary, inherited)
        process = self._context.Process(target=_work, args=words, daemon=True)
        process.start()
        theirs.close()
        shown.close()
        worker = _Worker(process, ours, output, Relay(output.fileno()), Inbox(ours), temporary)
        self._workers.append(worker)
        return worker

    def _collect(self, end: float) -> list[Future[list[Run]]]:
        """Wait for something to happen, until `end` at most; the tasks that ended by it."""
        busy = [worker for worker in self._workers if worker.task is not None]
        handles = [handle for worker in busy for handle in worker.handles()]
        longest = min(end, *(worker.deadline for worker in busy)) - time.monotonic() if busy else 0.0
        happened = set(wait(handles, max(0.0, min(longest, LOOK_SECONDS))))
        ended = []
        for worker in busy:
            task = worker.task
            assert task is not None
            runs: list[Run] | None = None
            worker.relay.pass_on()
            if worker.connection in happened or worker.process.sentinel in happened:
                runs = self._answer(worker, task)
            if runs is None and worker in self._workers:
                # Whatever it says: what it has to say in time it has said.
                runs = self._beyond_limits(worker, task)
            if runs is not None:
                ended.append(task.ends(runs))
        return ended

    def _beyond_limits(self, worker: _Worker, task: _Task) -> list[Run] | None:
        """The runs of the target whose worker has gone beyond its limits, and is stopped."""
        pid, limit = worker.process.pid, self._memory
        if time.monotonic() >= worker.deadline:
            runs = self._timed_out(task, f"{task.options.timeout:g} s")
        elif worker.processor_end < float("inf") and processor_seconds(pid) > worker.processor_end:
            runs = self._timed_out(task, f"{task.options.timeout:g} s of processor time")
        elif limit is not None and (resident_bytes(pid) or 0) > limit:
            runs = self._too_large(task, limit)
        else:
            return None
        self._dismiss(worker)
        return runs

    def _answer(self, worker: _Worker, task: _Task) -> list[Run] | None:
        """The runs of the target, if its worker has said all of them, or has died before it could."""
        strange = ""
        try:
            worker.inbox.receive()
            for message in worker.inbox.messages():
                answer = as_told(message)
                if answer.nonce != task.nonce:
                    # The worker can no longer be believed; the task it was given meanwhile is nobody's fault.
                    self._withdraw(worker)
                    self._waiting.append(task)
                    return None
                if isinstance(answer, JobAnswer):
                    return self._whole(worker, task, answer.runs)
                self._has_come_to(worker, task, answer)
        except Exception:  # bytes that a kernel wrote unpickle to anything
            strange = "the worker process sent what is no answer"
        else:
            if worker.inbox.is_open and (worker.process.is_alive() or worker.connection.poll()):
                return None
        self._dismiss(worker)
        death = strange or _cause_of_death(worker.process.exitcode)
        if not task.death:
            task.death = death
            self._again.append(task)
            return None
        return task.ended(Basis.FAULT, f"{task.death}; retried alone, {death}")

    def _has_come_to(self, worker: _Worker, task: _Task, progress: JobProgress) -> None:
        """The task has come so far: at first no phase has its verdict, when its time begins; at last all have, which
        the second engine may be asked about from then on. Neither happens twice, whatever a kernel sends."""
        options, before = task.options, task.so_far
        if before is None:
            worker.deadline = time.monotonic() + options.hard_deadline + self._grace
            used = processor_seconds(worker.process.pid)
            worker.processor_end = used + options.processor_deadline + self._grace
        elif _has_every_phase(before, task.job):
            return
        elif _has_every_phase(progress, task.job):
            worker.deadline += options.cross_check_seconds
            worker.processor_end += options.cross_check_seconds
        task.so_far = progress

    def _whole(self, worker: _Worker, task: _Task, runs: list[Run]) -> list[Run]:
        """The runs of a target, whose worker can have another one."""
        worker.task, worker.answered = None, task
        if self._memory is not None and (resident_bytes(worker.process.pid) or 0) > self._memory // 2:
            # What one target leaves behind is not held against the next.
            self._dismiss(worker)
        return runs

    def _look_for_second_answer(self, worker: _Worker) -> bool:
        """True if a worker without a task has something to say: that nobody asked for."""
        worker.inbox.receive()
        if not worker.inbox.has_more:
            return False
        self._withdraw(worker)
        return True

    def _withdraw(self, worker: _Worker) -> None:
        """Take back the last answer of a worker that has sent another one."""
        self._dismiss(worker)
        if worker.answered is not None:
            task = worker.answered
            reason = "its worker process answered more than once: none of the answers counts"
            self._withdrawn[task.job.name] = replacement(task.job.target, task.options, Basis.FAULT, reason)

    def _timed_out(self, task: _Task, limit: str) -> list[Run]:
        reason = f"no verdict within {limit}, nor {self._grace:g} s later; its process was stopped"
        qualifier = f"time-out {task.options.timeout:g} s"
        return task.ended(Basis.TIME_OUT, reason, qualifier, task.options.timeout)

    def _too_large(self, task: _Task, limit: int) -> list[Run]:
        qualifier = f"memory limit {limit // MEBIBYTE} MiB"
        reason = f"its process held more than {limit // MEBIBYTE} MiB and was stopped"
        return task.ended(Basis.MEMORY_LIMIT, reason, qualifier)

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        self._end([worker])

    def _end(self, workers: Sequence[_Worker]) -> None:
        """Ask the workers to end, so that they end processes of their own and remove temporary files, then make them.
        Python's `join` waits for a pipe that kernels can write to, and then for ever."""
        for worker in workers:
            worker.process.terminate()
        starts_programs = self._confinement is None or self._confinement.programs
        deadline = time.monotonic() + (FAREWELL_SECONDS if starts_programs else _ALONE_SECONDS)
        while time.monotonic() < deadline and any(worker.process.is_alive() for worker in workers):
            time.sleep(_MOMENT_SECONDS)
        for worker in workers:
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.close()


def _has_every_phase(progress: JobProgress, job: Job) -> bool:
    return set(progress.phases) >= set(phases_to_run(job.target, job.options))


def start_method() -> ForkContext | SpawnContext:
    """`fork` where it is safe: on Linux, from a process without other threads, whose locks a child would inherit.

    Threads of libraries count, which Python does not know of: a solver that has run keeps some.
    """
    if sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")


def _cause_of_death(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        return f"the worker process was killed by {name}"
    return f"the worker process ended with exit status {exit_code} before it answered"


def _stop(signal_number: int, _frame: FrameType | None) -> None:
    raise WorkerStopped(128 + signal_number)


def _work(
    connection: Connection,
    output: Connection,
    load: Loader,
    verify: Verify,
    parent: int,
    confinement: Confinement | None,
    temporary: Path | None,
    inherited: Set[int],
) -> None:
    """The work of a worker process: verify the targets whose names arrive, until the parent stops it. What it has
    `inherited` are file descriptors of the parent, those of other workers among them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    is_for_kernels()
    from nkiverify.run.confinement import processor_time

    worker = os.getpid()
    targets: Mapping[str, Target] = load()
    give_up_output(output.fileno())
    give_up_streams()
    output.close()
    # The process that Python has for shared memory, which we have none of, would print what it cannot read.
    tracker: int | None = vars(vars(resource_tracker)["_resource_tracker"])["_fd"]
    give_up_descriptors(inherited | ({tracker} if tracker is not None else set()))
    if confinement is not None:
        confinement.begin(temporary)
    while True:
        try:
            question: JobQuestion | None = connection.recv()
        except (EOFError, ConnectionError):
            return
        if question is None:
            return

        def tell(runs: list[Run], *, whole: bool = False, nonce: bytes = question.nonce) -> None:
            if os.getpid() != worker:  # a kernel has forked: its copy of us has nothing to say
                os._exit(0)
            phases = tuple([run.phase for run in runs])
            connection.send(JobAnswer(nonce, runs) if whole else JobProgress(nonce, phases, pickle.dumps(runs)))

        target = targets[question.target]
        try:
            tell([])
            with processor_time(question.seconds):
                runs = verify_guarded(target, question.options, verify, tell)
            tell(runs, whole=True)
        except BrokenPipeError:
            return
        except Exception as fault:  # something in the runs cannot be pickled
            tell(faulted(target, question.options, fault), whole=True)


def _end_with(parent: int) -> None:
    """End this process when `parent` has ended without stopping it."""
    while os.getppid() == parent:
        time.sleep(_ORPHAN_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(FAREWELL_SECONDS)
    os._exit(1)
