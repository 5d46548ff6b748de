"""`--executor`: which executor verifies, made from what the user names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from nkiverify.foundation.errors import UsageError
from nkiverify.run.confinement import Confinement
from nkiverify.run.executors.jobs import Executor, InProcess, targets_by_name, verify_target
from nkiverify.run.executors.processes import WorkerProcesses
from nkiverify.run.resident_memory import MEBIBYTE, default_limit
from nkiverify.verify.options import Options, usable_cores

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target

#: What `--executor` may name, with what it means.
EXECUTORS: dict[str, str] = {
    "processes": "worker processes on this machine (default)",
    "in-process": "this process, one target after the other, without limits",
    "dask-local": "a Dask cluster started on this machine for the run",
    "dask://HOST:PORT": "the Dask cluster with this scheduler",
}

_DASK = "dask://"
#: What is said where kernels are run so.
IN_PROCESS = "with --executor in-process kernels run in the process that reports, which can change what it says"


def checked(name: str) -> str:
    """`name`, if it is that of an executor. Raises `UsageError`."""
    host, _, port = name.removeprefix(_DASK).rpartition(":")
    if name in EXECUTORS and "HOST" not in name:
        return name
    if name.startswith(_DASK) and host and port.isdecimal():
        return name
    raise UsageError(f"there is no executor {name!r}: {', '.join(EXECUTORS)}")


def made(options: Options, targets: Sequence[Target], starts_programs: bool) -> Executor:
    """The executor that `options` ask for, for jobs about `targets`, of which some start programs (the second engine)
    or none does. Raises `UsageError` where it cannot be had."""
    if options.executor == "in-process":
        return InProcess(verify_target)
    processes = processes_of(options, len(targets))
    if options.executor == "processes":
        memory = options.memory * MEBIBYTE if options.memory is not None else default_limit(processes)
        named = [path for path in (options.keep_lowered, options.disagreements) if path is not None]
        written = tuple(path if path.is_dir() else path.parent for path in named)
        return WorkerProcesses(
            targets,
            verify_target,
            partial(targets_by_name, options.root),
            processes,
            memory=memory,
            confinement=Confinement(written, options.allowed.network, starts_programs, memory),
        )
    try:
        from nkiverify.run.executors.cluster import DaskCluster
    except ModuleNotFoundError as error:
        raise UsageError(f"Dask is not installed ({error.name} is missing): pip install 'nkiverify[dask]'") from None
    address = None if options.executor == "dask-local" else "tcp://" + options.executor.removeprefix(_DASK)
    return DaskCluster(address, options, processes)


def processes_of(options: Options, jobs: int) -> int:
    """How many of this many jobs can run at the same time on this machine."""
    if options.executor == "in-process":
        return 1
    return min(options.jobs or usable_cores(), max(1, jobs))


class NamedSubject(Protocol):
    """A target, or an item of a sweep."""

    @property
    def name(self) -> str:
        """The name in the history."""


NamedT = TypeVar("NamedT", bound=NamedSubject)


def longest_first(work: Sequence[NamedT], milliseconds: Mapping[str, float]) -> list[NamedT]:
    """The order to begin in: what took longest before, so that nobody waits for it at the end; unknown ones first."""
    key: Callable[[NamedT], float] = lambda each: -milliseconds.get(each.name, float("inf"))  # noqa: E731
    return sorted(work, key=key)
