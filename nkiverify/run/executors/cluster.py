"""Verifying on a Dask cluster. Its workers need the wheel and Dask, nothing else: sources travel as data.

Each Dask worker keeps a worker process of ours for each of its threads, which enforces the limits of time and memory as
on this machine. A job whose Dask worker is lost is given to another by the scheduler.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing.process
import os
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
from distributed import Client, LocalCluster, get_worker

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.records import Basis, Run
from nkiverify.run.confinement import Confinement
from nkiverify.run.executors.jobs import ExecutorLost, Job, targets_by_name, verify_target
from nkiverify.run.executors.parcels import Parcel, relocated
from nkiverify.run.executors.processes import END_SECONDS, WorkerProcesses
from nkiverify.run.resident_memory import MEBIBYTE, default_limit
from nkiverify.verify.evidence import replacement
from nkiverify.verify.options import Options

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target

#: Seconds to wait for the scheduler, at the start and where the connection is broken.
SCHEDULER_SECONDS = 20.0
#: Dask workers that may be lost under one job before it is the job that is to blame.
LOST_WORKERS = 2


class DaskCluster:
    """The cluster whose scheduler is at `address`, or one of `processes` workers on this machine where that is None.

    Raises `UsageError` where there is no such scheduler.
    """

    def __init__(self, address: str | None, options: Options, processes: int) -> None:
        self.on_start: Callable[[str], None] = lambda name: None
        self._where = address or "the local Dask cluster"
        parcel = Parcel.of(options.root)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        dask.config.set({"distributed.scheduler.allowed-failures": LOST_WORKERS})
        self._cluster: Any = None
        try:
            if address is None:
                self._cluster = LocalCluster(
                    n_workers=processes, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
                )
            self._client: Any = Client(self._cluster or address, timeout=SCHEDULER_SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise UsageError(f"there is no Dask scheduler at {address}: {error}") from None
        # A result rather than scattered data: the scheduler can make it again when the worker that has it is lost.
        self._parcel = self._client.submit(_received, parcel, key=f"nkiverify-parcel-{parcel.digest}")
        self._futures: dict[str, tuple[Job, Future[list[Run]], Any]] = {}
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._broken_since: float | None = None
        #: Jobs begin in the order in which they were handed over.
        self._numbers = count()

    def submit(self, job: Job) -> Future[list[Run]]:
        """Hand a job to the scheduler."""
        future: Future[list[Run]] = Future()
        number = next(self._numbers)
        key = f"nkiverify-{os.getpid()}-{id(self):x}-{number}-{job.name}"
        options = replace(job.options, json=None, keep_lowered=None, disagreements=None)
        remote = self._client.submit(
            _verified, self._parcel, job.target.name, options, key=key, pure=False, priority=-number
        )
        self._futures[key] = (job, future, remote)
        remote.add_done_callback(lambda done: self._ended.put(done.key))
        return future

    def wait(self) -> list[Future[list[Run]]]:
        """Collect what has ended."""
        try:
            key = self._ended.get(timeout=END_SECONDS / 5)
        except queue.Empty:
            self._check_scheduler()
            return []
        job, future, remote = self._futures.pop(key)
        if remote.status in ("lost", "cancelled"):
            raise ExecutorLost(f"the Dask scheduler of {self._where} does not know its jobs any more")
        self.on_start(job.name)
        error = remote.exception()
        if error is None:
            future.set_result(remote.result())
        else:
            reason = f"on the Dask cluster: {described(error)}"
            future.set_result(replacement(job.target, job.options, Basis.FAULT, reason))
        return [future]

    def withdrawn(self) -> Mapping[str, list[Run]]:
        """None: what a worker process on another machine says twice is reported there, with its next job."""
        return {}

    def shutdown(self) -> None:
        """Cancel what has not ended, and leave the cluster; end one that was started for this."""
        with contextlib.suppress(Exception):  # a cluster that is gone has nothing to cancel
            if self._client.status == "running":
                self._client.cancel([remote for _, _, remote in self._futures.values()], force=True)
        for end in filter(None, (self._client, self._cluster)):
            with contextlib.suppress(Exception):
                end.close(timeout=5)

    def _check_scheduler(self) -> None:
        if self._client.status == "running":
            self._broken_since = None
            return
        now = time.monotonic()
        if self._broken_since is None:
            self._broken_since = now
        if self._client.status == "closed" or now - self._broken_since > SCHEDULER_SECONDS:
            raise ExecutorLost(f"the Dask scheduler of {self._where} is gone")


# --- on a Dask worker -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """The worker process of a thread, confined, for the targets of the repository at `root`."""

    root: Path
    confinement: Confinement
    targets: Mapping[str, Target]
    executor: WorkerProcesses


_of_thread = threading.local()
#: A manifest is loaded by one thread at a time.
_loading = threading.Lock()


def _received(parcel: Parcel) -> Parcel:
    """The parcel, sent once for all jobs and passed on from worker to worker."""
    return parcel


def _verified(parcel: Parcel, name: str, options: Options) -> list[Run]:
    """The runs of the target `name` of the repository in `parcel`, with the paths that its sender knows."""
    root = parcel.unpacked(Path(tempfile.gettempdir()))
    targets, executor = _kept(root, options)
    future = executor.submit(Job(name, targets[name], replace(options, root=root)))
    while not future.done():
        executor.wait()
    return [relocated(run, root, parcel.root) for run in future.result()]


def _kept(root: Path, options: Options) -> tuple[Mapping[str, Target], WorkerProcesses]:
    """The targets of a repository and the worker process of this thread, kept from job to job."""
    threads = get_worker().state.nthreads
    memory = options.memory * MEBIBYTE if options.memory is not None else default_limit(threads)
    confinement = Confinement((), options.allowed.network, options.engine != "embedded", memory)
    kept: _Kept | None = getattr(_of_thread, "kept", None)
    if kept is None or (kept.root, kept.confinement) != (root, confinement):
        if kept is not None:
            kept.executor.shutdown()
        # A Dask nanny starts its worker as a daemon, which may have no children; ours end when their parent does.
        multiprocessing.process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
        with _loading:
            targets = targets_by_name(root)
        load = partial(targets_by_name, root)
        made = WorkerProcesses(list(targets.values()), verify_target, load, 1, memory=memory, confinement=confinement)
        kept = _of_thread.kept = _Kept(root, confinement, targets, made)
    return kept.targets, kept.executor
