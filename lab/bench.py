"""Measuring what the verification of targets costs, each in a process of its own, and all of them together.

Beside targets of the manifest, two families of kernels are measured that show how the cost grows: one matmul at two
widths, which must cost the same, and straight-line kernels, whose cost must be linear in their length.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lab import bench_kernels
from nkiverify.foundation import stages
from nkiverify.foundation.stages import Stage
from nkiverify.results.session import Session, Versions

if TYPE_CHECKING:
    from nkiverify.foundation.records import Run
    from nkiverify.frontend.target import Target
    from nkiverify.verify.options import Options

_Result = TypeVar("_Result")

#: How often a target is verified again after the first time, where nothing else is asked for.
WARM_ROUNDS = 5
#: Seconds after which a target is not verified once more: what takes so long varies little.
WARM_SECONDS = 1.0
#: Columns of the two matmuls whose cost must be the same.
WIDTHS = (512, 65_536)
#: Operations of the straight-line kernels.
LENGTHS = (10, 30, 100, 300, 1000)
#: Worker processes for the manifest as a whole.
MANIFEST_JOBS = 2
#: How often the manifest as a whole is verified, of which the best counts.
MANIFEST_ROUNDS = 3
#: By which the speed of a machine is told.
_ADDITIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Measurement:
    """The cost of verifying one target, in all its phases together.

    `cold_milliseconds` is the first verification in a process that has imported nkiverify and no kernel;
    `warm_milliseconds` the shortest of those after it. `peak_kibibytes` is the largest resident size of the process.
    """

    target: str
    claims: int
    closed_by: dict[str, int]
    paths: int
    cold_milliseconds: float
    warm_milliseconds: float
    peak_kibibytes: int
    as_expected: bool = True
    #: Milliseconds of the first verification, and of reporting it, by stage.
    stages: Mapping[Stage, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth of the cost: the whole manifest in seconds, the matmuls by width, straight lines by operations."""

    manifest_seconds: float
    by_width: Mapping[int, Measurement]
    by_length: Mapping[int, Measurement]


def measure(targets: Sequence[Target], options: Options, rounds: int = WARM_ROUNDS) -> Iterator[Measurement | None]:
    """Measure the targets one at a time, so that they do not slow each other down; None for one that gave no answer."""
    return _measured([partial(_named, target.name) for target in targets], options, rounds)


def measure_growth(targets: Sequence[Target], options: Options, rounds: int = WARM_ROUNDS) -> Growth:
    """Measure `targets` as a whole, and the kernels whose cost shows how it grows."""
    with tempfile.TemporaryDirectory() as folder:
        widths = [partial(bench_kernels.matmul, width) for width in WIDTHS]
        lines = [partial(bench_kernels.straight_line, length, Path(folder)) for length in LENGTHS]
        answers = list(_measured([*widths, *lines], options, rounds))
    found = [measurement for measurement in answers if measurement is not None]
    if len(found) < len(answers) or not all(measurement.as_expected for measurement in found):
        raise TimeoutError("a kernel of the benchmark itself was not verified")
    return Growth(
        manifest_seconds=min(_manifest_seconds(targets, options) for _ in range(MANIFEST_ROUNDS)),
        by_width=dict(zip(WIDTHS, found, strict=False)),
        by_length=dict(zip(LENGTHS, found[len(WIDTHS) :], strict=True)),
    )


# --- one target, in a process of its own ------------------------------------------------------------------------------

#: Makes the target to measure, in the process that measures it: target functions cannot be sent there.
_Subject = Callable[["Options"], "Target"]


def _measured(subjects: Iterable[_Subject], options: Options, rounds: int) -> Iterator[Measurement | None]:
    context = multiprocessing.get_context("forkserver")
    # Its processes begin with these imported: their time and memory are the same for every target.
    context.set_forkserver_preload(["nkiverify.verify.verifier"])
    # The first verification, those after it, and the exploration may each take as long as a target may.
    deadline = (rounds + 3) * options.timeout
    for subject in subjects:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_measure, args=(theirs, subject, options, rounds), daemon=True)
        process.start()
        theirs.close()
        try:
            yield ours.recv() if ours.poll(deadline) else None
        except EOFError:
            yield None
        finally:
            process.kill()
            process.join()
            ours.close()


def _measure(connection: Connection, subject: _Subject, options: Options, rounds: int) -> None:
    from nkiverify.frontend.paths import Limits
    from nkiverify.model.hardware import hardware_named
    from nkiverify.verify.exploration import explore
    from nkiverify.verify.options import unwind_of
    from nkiverify.verify.verifier import verify

    target = subject(options)
    stages.reset()
    cold, runs = _timed(lambda: verify(target, options))
    _reported(runs, options)
    spent = {stage: seconds * 1000 for stage, seconds in stages.seconds_by_stage().items()}
    warm = _best(lambda: verify(target, options), rounds)
    # Before the exploration below, which is no part of what verifying takes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    limits = Limits(unwind=options.unwind or unwind_of(target.flags) or Limits().unwind, seconds=options.timeout)
    exploration = explore(target, hardware_named(options.hardware or target.hardware), limits)
    closed: Counter[str] = Counter()
    for run in runs:
        closed.update(run.closed_by)
    connection.send(
        Measurement(
            target=target.name,
            claims=sum(run.claims for run in runs),
            closed_by=dict(closed),
            paths=exploration.run.program.paths,
            cold_milliseconds=cold,
            warm_milliseconds=warm,
            peak_kibibytes=peak // 1024 if sys.platform == "darwin" else peak,
            as_expected=all(run.as_expected for run in runs),
            stages=spent,
        )
    )


@stages.of_stage(Stage.REPORTING)
def _reported(runs: Sequence[Run], options: Options) -> None:
    """Write the runs as a run of the program does, to nowhere."""
    from nkiverify.report import terminal
    from nkiverify.results import codec as json_results

    session = Session(tuple(runs), options.root, datetime.now(timezone.utc), 0.0, 1, Versions("", "", "", ""))
    json_results.text(session)
    terminal.report(session, detail_expected=False)


def _best(work: Callable[[], object], rounds: int) -> float:
    """The milliseconds of the fastest of so many rounds; none is begun once they have taken `WARM_SECONDS`."""
    taken = [_timed(work)[0]]
    while len(taken) < rounds and sum(taken) < WARM_SECONDS * 1000:
        taken.append(_timed(work)[0])
    return min(taken)


def _timed(work: Callable[[], _Result]) -> tuple[float, _Result]:
    begin = time.perf_counter()
    result = work()
    return (time.perf_counter() - begin) * 1000, result


def _named(name: str, options: Options) -> Target:
    from nkiverify.project.manifest_targets import load_targets

    return next(target for target in load_targets(options.root) if target.name == name)


# --- the whole manifest -----------------------------------------------------------------------------------------------


def _manifest_seconds(targets: Sequence[Target], options: Options) -> float:
    """Seconds that the targets take in `MANIFEST_JOBS` workers, which are started for it."""
    from nkiverify.run.executors.choice import made
    from nkiverify.run.executors.jobs import Job, perform

    jobs = [Job(target.name, target, options) for target in targets]
    begin = time.perf_counter()
    executor = made(replace(options, jobs=MANIFEST_JOBS), targets, starts_programs=options.engine != "embedded")
    outcome = perform(jobs, executor, Silence())
    seconds = time.perf_counter() - begin
    if outcome.interrupted:
        raise KeyboardInterrupt
    return seconds


class Silence:
    """Is told how a run goes, and shows nothing."""

    def started(self, job: str) -> None:
        """A worker has begun with `job`."""

    def finished(self, job: str, runs: Sequence[Run]) -> None:
        """`job` has its verdicts."""

    def waiting(self) -> None:
        """Time has passed."""


def load_average() -> float | None:
    """How many processes wanted a core in the last minute, where the system says it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def seconds_of_additions() -> float:
    """Seconds that additions in plain Python take: how fast the machine is now."""
    taken, _ = _timed(lambda: sum(number for number in range(_ADDITIONS)))
    return taken / 1000


def machine(load_before: float | None) -> str:
    """The machine that the figures were measured on, in one line, with how busy it was before (measuring itself adds to
    it), and how fast it is now."""
    speed = f"{_ADDITIONS / 1e6:g} million additions in plain Python in {seconds_of_additions():.2f} s"
    load = f", load average {load_before:.1f} before and {load_average():.1f} after" if load_before is not None else ""
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores{load}, {speed}"
