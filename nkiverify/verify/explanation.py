"""Why a verdict is what it is: the shape program of a target, with what decided each of its claims, and the time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.foundation.budget import ReportingBudget
from nkiverify.foundation.clock import steps_made
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
    """A decision with what it took: milliseconds, and steps of the provers.

    `needed` is how many times the usual budget decides it, where it is undecided and that was asked for; None where
    `ReportingBudget.TIMES_THE_BUDGET` do not.
    """

    decision: Decision
    milliseconds: float
    steps: int = 0
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The program, every claim of one phase with its decision, and what ended the exploration early, if anything.

    In phase 3, `memory` is what is reported of each memory. Exploring took this many `steps` of the provers.
    """

    program: Program
    decided: tuple[Timed, ...]
    limit: str
    memory: tuple[MemoryPeak, ...] = ()
    steps: int = 0


def explain(target: Target, options: Options, phase: int, needed: bool = False) -> Explanation:
    """Explore `target` and decide its claims of `phase`, and those about unwinding; where asked for, find out what
    those that are undecided would have `needed`.

    Raises what exploring raises: `UnsupportedConstruct`, `TargetRaised`, `UsageError`.
    """
    bound = options.unwind if options.unwind is not None else unwind_of(target.flags)
    limits = Limits(seconds=options.timeout) if bound is None else Limits(unwind=bound, seconds=options.timeout)
    hardware = hardware_named(options.hardware or target.hardware)
    before = steps_made()
    exploration = explore(target, hardware, limits, frozenset({phase}))
    explored = steps_made() - before
    claimed = exploration.claimed(PHASES[phase], options.timeout)
    run = exploration.run
    limit = run.unsupported_construct
    text = claimed.gap if limit is None else f"{limit.construct} at {limit.site}; {limit.advice}".rstrip("; ")
    reported = PHASES[phase].peaks(claimed, run.program) if limit is None else ()
    decided = tuple(_timed(run.program, options.timeout, phase, needed))
    return Explanation(run.program, decided, text, reported, explored)


def _timed(program: Program, seconds: float, phase: int, needed: bool) -> Iterator[Timed]:
    engine = EmbeddedEngine(program)
    engine.limit(seconds)
    clock, made = time.perf_counter(), steps_made()
    for decision in engine.one_by_one(phase):
        taken, steps = time.perf_counter() - clock, steps_made() - made
        undecided = decision.outcome is Outcome.UNDECIDED and not decision.claim.void and decision.claim.by_sets is None
        times = engine.needed(decision, ReportingBudget.TIMES_THE_BUDGET) if needed and undecided else None
        yield Timed(decision, taken * 1000, steps, times)
        clock, made = time.perf_counter(), steps_made()
