"""Measuring what the verification of a target costs, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from nkiverify.config import Options
    from nkiverify.manifest import Target

_Result = TypeVar("_Result")

#: How often a target is verified again after the first time.
WARM_ROUNDS = 3
#: How many time-outs of the target one measurement may take: the first verification, the others, and the exploration.
_PATIENCE = WARM_ROUNDS + 3


@dataclass(frozen=True, slots=True)
class Measurement:
    """What verifying one target took, in all its phases together.

    `cold_milliseconds` is the first verification in a process that has imported nkiverify and no kernel;
    `warm_milliseconds` the median of those after it. `peak_kibibytes` is the largest resident size of the process.
    """

    target: str
    claims: int
    closed_by: dict[str, int]
    paths: int
    cold_milliseconds: float
    warm_milliseconds: float
    peak_kibibytes: int


def measure(targets: Sequence[Target], options: Options) -> Iterator[Measurement | None]:
    """Measure the targets one at a time, so that they do not slow each other down; None for one that gave no answer."""
    context = multiprocessing.get_context("forkserver")
    # Its processes begin with these imported: their time and memory are the same for every target.
    context.set_forkserver_preload(["nkiverify.verifier"])
    for target in targets:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_measure, args=(theirs, target.name, options), daemon=True)
        process.start()
        theirs.close()
        try:
            yield ours.recv() if ours.poll(_PATIENCE * options.timeout) else None
        except EOFError:
            yield None
        finally:
            process.kill()
            process.join()
            ours.close()


def _measure(connection: Connection, name: str, options: Options) -> None:
    from nkiverify.flags import unwind_of
    from nkiverify.frontend.explorer import Limits
    from nkiverify.manifest import load_targets
    from nkiverify.model.hardware import hardware_named
    from nkiverify.verifier import explore, verify

    target = next(target for target in load_targets(options.root) if target.name == name)
    cold, runs = _timed(lambda: verify(target, options))
    warm = statistics.median(_timed(lambda: verify(target, options))[0] for _ in range(WARM_ROUNDS))
    limits = Limits(unwind=options.unwind or unwind_of(target.flags) or Limits().unwind, seconds=options.timeout)
    exploration = explore(target, hardware_named(options.hardware or target.hardware), limits)
    closed: Counter[str] = Counter()
    for run in runs:
        closed.update(run.closed_by)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    connection.send(
        Measurement(
            target=name,
            claims=sum(run.claims for run in runs),
            closed_by=dict(closed),
            paths=exploration.run.program.paths,
            cold_milliseconds=cold,
            warm_milliseconds=warm,
            peak_kibibytes=peak // 1024 if sys.platform == "darwin" else peak,
        )
    )


def _timed(work: Callable[[], _Result]) -> tuple[float, _Result]:
    begin = time.perf_counter()
    result = work()
    return (time.perf_counter() - begin) * 1000, result
