"""One target being verified: its executions, which of them is asked first, and what one says of a phase."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from nkiverify.engines.embedded import EmbeddedEngine
from nkiverify.engines.table import second_alone
from nkiverify.foundation.budget import RunningBudget, TargetBudget
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct
from nkiverify.foundation.records import Basis, Kind, Run, Verdict
from nkiverify.frontend.explorer import TOO_DEEP
from nkiverify.frontend.target import Target
from nkiverify.phases import DATAFLOW, NUMERICS, PHASES
from nkiverify.verify.evidence import Evidence, Told, recorded
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.explorations import Explorations, ExploredTarget, TargetTime
from nkiverify.verify.options import Options
from nkiverify.verify.plugged import product_of
from nkiverify.verify.verdicts import ADVICE_UNSUPPORTED, PhaseVerdict


def run_of(target: Target, phase: int, basis: Basis, reason: str, started: float) -> Run:
    """The run of a phase that was decided by nothing that was executed, `started` at this time of `perf_counter`."""
    qualifier = reason if basis.verdict is Verdict.UNKNOWN else "" if basis is Basis.FAULT else basis.value
    found = Evidence(basis, qualifier, reason)
    run = recorded(target, phase, EmbeddedEngine.name, found)
    return replace(run, milliseconds=(time.perf_counter() - started) * 1000)


def limited(target: Target, phase: int, limit: UnsupportedConstruct, started: float) -> Run:
    """UNKNOWN for what is not understood outside a run of the kernel."""
    run = run_of(target, phase, Basis.UNSUPPORTED, limit.construct, started)
    return replace(run, place=limit.site, advice=limit.advice or ADVICE_UNSUPPORTED)


class Case:
    """A target, with what is known of it so far: executions, and a run for each phase that has been decided."""

    def __init__(self, target: Target, options: Options, phases: tuple[int, ...], reported: Told) -> None:
        self.target = target
        self.options = options
        self.phases = phases
        self.reported = reported
        #: When it began, by `perf_counter`.
        self.clock = time.perf_counter()
        self.time = TargetTime(options.timeout, len(phases))
        self.explorations = Explorations(target, options, phases, self.time)
        self.runs: dict[int, Run] = {}
        #: Those of the second engine, and what it compares its answers with.
        self.others: dict[int, Run] = {}
        self.verdicts: dict[int, PhaseVerdict] = {}
        #: The execution that is asked first.
        self.first = _first(self)

    @property
    def begins_concretely(self) -> bool:
        """True if the execution that is asked first is the concrete one."""
        return self.first is self.explorations.concrete

    def seconds_of(self, phase: int) -> float:
        """The seconds that a phase may take."""
        return self.time.share(self.phases.index(phase))

    def searched(self, *, bounded: bool) -> frozenset[int]:
        """The phases for which shapes are run: there are dimensions, and no verdict but up to a bound (`bounded`), or
        none."""
        if not self.first.exploration.run.program.dimensions:
            return frozenset()
        found = {phase: run for phase, run in self.runs.items() if PHASES[phase].for_engines}
        return frozenset(
            phase
            for phase, run in found.items()
            if (run.is_bounded if bounded else run.verdict is Verdict.UNKNOWN and not run.is_bounded)
        )

    def tell(self, latest: Run) -> None:
        """Report the runs that there are, once the `latest` is one of them, but for those that shapes which are still
        to be tried may contradict: those up to a bound. To what is UNKNOWN they can only add, which is reported as long
        as phases are missing: who has heard of all of them takes that for the answer."""
        withheld = self.searched(bounded=True)
        waits = bool(withheld or self.searched(bounded=False)) and len(self.runs) == len(self.phases)
        if latest.phase not in withheld and not waits:
            self.reported([run for phase, run in self.runs.items() if phase not in withheld])


def _first(case: Case) -> ExploredTarget:
    """The execution that decides first: the concrete one where the second engine is not asked and all sizes are
    numbers, or where the symbolic one came to no end. Where loops go round often, the one that sees all iterations at
    once, if it decides all phases."""
    made = case.explorations
    if case.target.kind is Kind.CONCRETE and case.options.engine == "embedded":
        with suppress(InternalError):  # said if nothing else decides
            plain: ExploredTarget | None = None
            for after, claims in _pauses(case.phases):
                if plain is not None and after is not None and claims is None and plain.has_few_claims:
                    continue  # it would stop where it has stopped
                plain = made.concretely(TargetBudget.SHARE_OF_NUMBERS * case.time.left, after, claims)
                if plain is None or not plain.paused:
                    break
                summarised = _summarised(case, plain, after)
                if summarised is not None:
                    return summarised
            made.concrete = plain
    if made.concrete is not None:
        return made.concrete
    symbolic = made.symbolically()
    stopped = symbolic.exploration.run.unsupported_construct is not None
    return (made.other(symbolic) if stopped else None) or symbolic


def _pauses(phases: tuple[int, ...]) -> tuple[tuple[int | None, int | None], ...]:
    """The numbers of operations, and of contracts for each claim, after which a concrete execution is stopped if it
    repeats itself, one after the other; the last one is not stopped. One that phase 4 looks for dead stores in is
    stopped early, where one check of all iterations shows that there are none."""
    if NUMERICS.number in phases:
        # The verdict about numbers is that of the run that decides first: whatever the launch's length.
        return ((None, None),)
    each, looks = RunningBudget.CONTRACTS_OF_A_CLAIM, RunningBudget.OPERATIONS_RECORDED
    if DATAFLOW.number not in phases:
        return ((0, each), (0, None), (None, None))
    return ((RunningBudget.OPERATIONS_BEFORE_SUMMARISING, each), (looks, each), (looks, None), (None, None))


def _summarised(case: Case, plain: ExploredTarget, looks: int | None) -> ExploredTarget | None:
    """The target, each loop's body run once for all its iterations, and all phases decided; None, and no phase is,
    where that leaves anything open. The concrete execution was to have this many `looks`."""
    from nkiverify.verify.summarised import as_in_plain_python, settled

    found, runs = case.explorations.summarised(plain), {}
    if found is None:
        return None
    used = looks == RunningBudget.OPERATIONS_BEFORE_SUMMARISING
    for phase in case.phases:
        seconds = case.seconds_of(phase)
        run = settled(found.exploration, found.engine, phase, seconds, used) and decided(case, found, phase, seconds)
        if not run or not as_in_plain_python(run):
            return None
        runs[phase] = run
    case.explorations.symbolic, case.runs = found, runs
    return found


def decided(case: Case, explored: ExploredTarget, phase: int, seconds: float, compared: bool = False) -> Run | None:
    """The verdict of a phase by what was explored; None where the second engine alone is asked. `compared`: the second
    engine, where it is asked, decides the claims of this exploration."""
    clock = time.perf_counter()
    exploration, engine, options = explored.exploration, explored.engine, case.options
    alone = second_alone(options.engine)
    try:
        if not PHASES[phase].for_engines:
            if alone:
                return None
            if PHASES[phase].decided_by:
                return product_of(PHASES[phase]).verdict_of(exploration, engine, seconds, options.largest_range)
            return _dataflow(exploration, engine, phase, seconds, options.effort)
        hardware, every = case.explorations.hardware, options.every_violation
        ours = PhaseVerdict(case.target, exploration, engine, hardware, phase, seconds, every)
        if compared:
            case.verdicts[phase] = ours
        return None if alone else ours.run()
    except (UnsupportedConstruct, RecursionError) as error:
        # What one phase does not understand takes nothing from the others, and leaves nothing to compare.
        limit = error if isinstance(error, UnsupportedConstruct) else UnsupportedConstruct(*TOO_DEEP)
        if compared:
            case.verdicts.pop(phase, None)
        return limited(case.target, phase, limit, clock)


def _dataflow(exploration: Exploration, engine: EmbeddedEngine, phase: int, seconds: float, effort: float) -> Run:
    """The verdict of the phase whose claims are about sets of elements."""
    from nkiverify.verify.dataflow_question import question
    from nkiverify.verify.dataflow_verdict import verdict_of  # as late as this: islpy is slow to load

    return verdict_of(question(exploration, engine, PHASES[phase], seconds, effort))
