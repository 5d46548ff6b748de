"""Why a verdict is what it is: the shape program of a target, with what decided each of its claims, and the time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from nkiverify.engines.embedded import Decision, EmbeddedEngine
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import MemoryPeak
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import PHASES
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options, unwind_of


@dataclass(frozen=True, slots=True)
class Timed:
    """A decision with what it took, in milliseconds."""

    decision: Decision
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The program, every claim of one phase with its decision, and what ended the exploration early, if anything.

    In phase 3, `memory` is what is told of each memory.
    """

    program: Program
    decided: tuple[Timed, ...]
    limit: str
    memory: tuple[MemoryPeak, ...] = ()


def explain(target: Target, options: Options, phase: int) -> Explanation:
    """Explore `target` and decide its claims of `phase`, and those about unwinding.

    Raises what exploring raises: `UnsupportedConstruct`, `TargetRaised`, `UsageError`.
    """
    bound = options.unwind if options.unwind is not None else unwind_of(target.flags)
    limits = Limits(seconds=options.timeout) if bound is None else Limits(unwind=bound, seconds=options.timeout)
    hardware = hardware_named(options.hardware or target.hardware)
    exploration = explore(target, hardware, limits, frozenset({phase}))
    claimed = exploration.claimed(PHASES[phase], options.timeout)
    run = exploration.run
    limit = run.unsupported_construct
    text = claimed.gap if limit is None else f"{limit.construct} at {limit.site}; {limit.advice}".rstrip("; ")
    told = PHASES[phase].peaks(claimed, run.program) if limit is None else ()
    return Explanation(run.program, tuple(_timed(run.program, options.timeout, phase)), text, told)


def _timed(program: Program, seconds: float, phase: int) -> Iterator[Timed]:
    engine = EmbeddedEngine(program)
    engine.limit(seconds)
    clock = time.perf_counter()
    for decision in engine.one_by_one(phase):
        now = time.perf_counter()
        yield Timed(decision, (now - clock) * 1000)
        clock = now
