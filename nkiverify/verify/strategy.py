"""The strategy: an ordered table of rules for each phase, and one for the target when all phases have been asked about.

Prove, search, replay, generalise. A rule is applied where it applies, in the order of its table, to what those before
it have left; what it costs, and which part of the target's time it may take, stands with it. The figures are those of
an idle core: a claim is decided in some 600 µs, a contract is looked at in some 15 µs of a concrete execution, an
operation is executed symbolically in some 0.3 ms. A cheap rule that decides most targets comes before a dear one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.engines.table import SECOND, asks_second, second_alone
from nkiverify.foundation.budget import RunningBudget, SearchingBudget, SecondEngineBudget, TargetBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct
from nkiverify.foundation.records import Basis, Kind, Run, Verdict
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.explorer import TOO_DEEP
from nkiverify.frontend.target import Target
from nkiverify.ir.program import CARRIED
from nkiverify.phases import ARITHMETIC, DATAFLOW, MEMORY, NUMERICS, PHASES, SHAPES
from nkiverify.verify.evidence import Evidence, Told, recorded
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.explorations import Explorations, ExploredTarget, TargetTime
from nkiverify.verify.options import Options
from nkiverify.verify.plugged import product_of, second_engine
from nkiverify.verify.verdicts import ADVICE_CARRIED, ADVICE_ERROR, ADVICE_UNSUPPORTED, PhaseVerdict

if TYPE_CHECKING:
    from nkiverify.verify.trials import Trials

#: Verdicts that another execution may know better.
_OPEN = (Verdict.UNKNOWN, Verdict.VACUOUS)
#: The phases of which shapes are run next to a proof; how much of the time taken so far that may take, and the seconds
#: it may take in any case: what bounds it are contracts, the clock only ends loops that look at none.
_LEAST_SHAPES = frozenset({SHAPES.number, ARITHMETIC.number, MEMORY.number})
_BESIDE, _LEAST_BESIDE = 0.1, 2.0


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


# --- which execution is asked first -----------------------------------------------------------------------------------


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
        run = settled(found.exploration, found.engine, phase, seconds, used) and _decided(case, found, phase, seconds)
        if not run or not as_in_plain_python(run):
            return None
        runs[phase] = run
    case.explorations.symbolic, case.runs = found, runs
    return found


# --- what an execution says of a phase --------------------------------------------------------------------------------


def _decided(case: Case, explored: ExploredTarget, phase: int, seconds: float, compared: bool = False) -> Run | None:
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
        return None if alone else _traced_once(case, ours.run(), exploration, seconds)
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


def _traced_once(case: Case, run: Run, exploration: Exploration, seconds: float) -> Run:
    """The verdict of a concrete launch, if it is that of a run in which each iteration of a legacy loop begins with the
    variables of the first as well: the bodies of such loops are traced once."""
    of_launch = exploration.run
    if not isinstance(of_launch, ConcreteExecution) or not of_launch.traced.several:
        return run
    if run.verdict is not Verdict.SUCCESSFUL:
        return run
    other, hardware = case.explorations.put_back(seconds), case.explorations.hardware
    engine = EmbeddedEngine(other.run.program)
    found = PhaseVerdict(case.target, other, engine, hardware, run.phase, seconds, every=False).run()
    if found.verdict is Verdict.SUCCESSFUL:
        return run
    reason = f"{CARRIED}: {found.qualifier or found.reason or 'a contract is broken'}"
    if found.violations:
        reason = f"{CARRIED}: {found.violations[0].contract} at line {found.violations[0].line} is broken then"
    return replace(
        run, verdict=Verdict.UNKNOWN, basis=Basis.CARRIED, qualifier=CARRIED, reason=reason, advice=ADVICE_CARRIED
    )


# --- rules for a phase ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PhaseRule:
    """A rule that gives the run of a phase, from that which the rules before it give: None before the first one, and
    where the second engine alone is asked."""

    name: str
    cost: str
    applies: Callable[[Case, int, Run | None], bool]
    gives: Callable[[Case, int], Run | None]


def _is_open(phase: int, run: Run | None) -> bool:
    return run is not None and run.verdict in _OPEN and PHASES[phase] is not NUMERICS


def _by_the_first(case: Case, phase: int) -> Run | None:
    return _decided(case, case.first, phase, case.seconds_of(phase), compared=True)


def _by_the_other(case: Case, phase: int) -> Run | None:
    """The verdict by the other kind of execution, where that leaves nothing open."""
    other = case.explorations.other(case.first)
    seconds = max(case.seconds_of(phase), case.time.left / 2)
    found = None if other is None else _decided(case, other, phase, seconds)
    return None if found is None or found.verdict in _OPEN else found


def _with_the_time_of_the_phase(case: Case, phase: int) -> Run | None:
    """The verdict by a concrete execution that may take what is left; that which came first had a share."""
    again = case.explorations.concretely(case.seconds_of(phase)) or case.first
    case.explorations.concrete = again
    return _decided(case, again, phase, case.seconds_of(phase))


def _at_ends(case: Case, phase: int) -> Run | None:
    """The verdict where arguments at the ends of their ranges refute what the concrete execution leaves open."""
    from nkiverify.verify.ends import refuted_at_ends

    plain, seconds = case.explorations.concrete, case.seconds_of(phase) / 2
    assert plain is not None, "there is such a run"

    def play(values: Mapping[str, int], seconds: float) -> Exploration | None:
        return case.explorations.of_phase(phase, values, seconds)

    return refuted_at_ends(plain.exploration, play, phase, {}, seconds, case.options.every_violation)


PHASE_RULES = (
    PhaseRule(
        "prove",
        "its claims, decided by the rungs of the engine; an equal part of the time for each phase that is left",
        lambda case, phase, run: run is None,
        _by_the_first,
    ),
    PhaseRule(
        "prove by the other execution",
        "that execution, once for all phases, and its claims; half of the time that is left at most",
        lambda case, phase, run: _is_open(phase, run),
        _by_the_other,
    ),
    PhaseRule(
        "run to the end",
        "all contracts of the launch; the time of the phase, where half of the target's was not enough",
        lambda case, phase, run: _is_open(phase, run) and case.begins_concretely and case.first.ran_out,
        _with_the_time_of_the_phase,
    ),
    PhaseRule(
        "search the ends of ranges",
        f"{SearchingBudget.RUNS_AT_ENDS} launches at most; half of the time of the phase",
        lambda case, phase, run: (
            _is_open(phase, run) and phase == SHAPES.number and case.explorations.concrete is not None
        ),
        _at_ends,
    ),
)


def decide(case: Case, phase: int) -> Run | None:
    """The run of a phase that its rules give; what the executions that they make show is asked first from then on."""
    run, left_open, began_concretely = case.runs.get(phase), False, case.begins_concretely
    for rule in PHASE_RULES:
        if rule.applies(case, phase, run):
            run = rule.gives(case, phase) or run
        left_open = left_open or _is_open(phase, run)
    if left_open and run is not None and (began_concretely or run.verdict not in _OPEN):
        # What the symbolic execution went wrong at has left it without what comes after.
        case.first = case.explorations.concrete or case.first
    return run


# --- rules for the target ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TargetRule:
    """A rule that changes, or adds to, the runs of a target of which all phases have been asked about."""

    name: str
    cost: str
    applies: Callable[[Case], bool]
    does: Callable[[Case], None]


def _out_of_time(case: Case) -> list[int]:
    """The phases without a verdict whose share of the time was up before the symbolic execution's claims were
    decided."""
    if case.first is not case.explorations.symbolic or case.time.share(len(case.phases) - 1) <= 0:
        return []
    unknown = (phase for phase, run in case.runs.items() if run.verdict is Verdict.UNKNOWN)
    return [phase for phase in unknown if phase in case.verdicts and case.verdicts[phase].ran_out]


def _with_the_time_that_is_left(case: Case) -> None:
    """Decide phases again whose share of the time was up, with what the others have left of theirs."""
    phases = _out_of_time(case)
    for at, phase in enumerate(phases):
        seconds, run = case.time.share(len(case.phases) - len(phases) + at), case.runs[phase]
        found = _decided(case, case.first, phase, seconds, compared=True)
        if found is not None:
            case.runs[phase] = replace(found, milliseconds=run.milliseconds + found.milliseconds)


def _search(case: Case) -> None:
    """Look for a fault of the phases without a verdict among some shapes of the domain, and of those up to a bound
    beyond it."""
    bounded, unknown = case.searched(bounded=True), case.searched(bounded=False)
    if bounded:
        _search_beyond(case, bounded)
    if unknown:
        _search_some(case, unknown)
    case.reported(list(case.runs.values()))


def _search_beyond(case: Case, phases: frozenset[int]) -> None:
    """Look for a fault of phases that hold up to a bound beyond it, and at the ends of the domain."""
    from nkiverify.verify.domain_parts import just_past, no_fault_up_to
    from nkiverify.verify.trials import beyond

    explored = case.first.exploration
    engine = EmbeddedEngine(explored.run.program)
    engine.limit(case.time.left / 4)
    loops = [one for one in engine.decide_unwinding() if one.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
    bases = just_past(loops, explored, case.time.left / 4)
    tried = beyond(explored, phases, bases, case.time.left / 2, case.options.every_violation)
    for phase in _without_fault(case, phases, tried):
        run = case.runs[phase]
        if phase in tried.whole:
            case.runs[phase] = _proved_in_full(run, tried)
        elif tried.furthest:
            case.runs[phase] = replace(run, reason=f"{run.reason}; {no_fault_up_to(tried.furthest)}")


def _search_some(case: Case, phases: frozenset[int]) -> None:
    """Look for a fault of the phases without a verdict among some shapes of the domain."""
    from nkiverify.verify.domain_parts import proved_for, shapes_show_nothing
    from nkiverify.verify.trials import proved_within, trials

    explored = case.first.exploration
    tried = trials(explored, phases, case.time.left, case.options.every_violation)
    without_fault = _without_fault(case, phases, tried)
    for phase in without_fault if tried.tried else ():
        run, ours = case.runs[phase], case.verdicts.get(phase)
        if phase in tried.whole and tried.claims[phase]:
            proved, looked = _proved_in_full(run, tried), {"shapes": tried.tried}
            case.runs[phase] = replace(proved, claims=tried.claims[phase], closed_by=looked)
            continue
        still_open = None if ours is None else ours.left_open()
        within = proved_within(explored, still_open, case.time.left) if still_open else None
        reported = proved_for(tried.parts.get(phase), within)
        case.runs[phase] = replace(run, reason=f"{run.reason}; {shapes_show_nothing(tried.tried)}{reported}")


def _proved_in_full(run: Run, tried: Trials) -> Run:
    """The verdict where every shape of the domain was run and keeps the phase, which `run` leaves open or bounded."""
    basis = Basis.PROVED
    proved = replace(
        run, verdict=basis.verdict, basis=basis, qualifier="", reason="", place=None, advice="", suffices=()
    )
    return tried.tolerated[run.phase].joined(run).attached(replace(proved, warnings=(), accepted=()))


def _without_fault(case: Case, phases: frozenset[int], tried: Trials) -> list[int]:
    """The phases of which the shapes that were tried show no fault; the others have it as their run."""
    left = []
    for phase in sorted(phases):
        run, found = case.runs[phase], tried.found.get(phase)
        if found is not None:
            case.runs[phase] = replace(found, milliseconds=run.milliseconds + found.milliseconds)
        elif tried.fault:
            # A fault of this program, which a concrete run has shown.
            case.runs[phase] = replace(
                run, verdict=Verdict.ERROR, basis=Basis.FAULT, qualifier="", reason=tried.fault, advice=""
            )
        else:
            left.append(phase)
    return left


def _proved(case: Case) -> frozenset[int]:
    """The proved phases next to which shapes are run. A concrete launch is its own concrete run, and where the symbolic
    run stopped, all shapes have been run."""
    run = case.first.exploration.run
    if isinstance(run, ConcreteExecution) or run.unsupported_construct is not None:
        return frozenset()
    return _LEAST_SHAPES & {phase for phase, run in case.runs.items() if run.verdict is Verdict.SUCCESSFUL}


def _replay(case: Case) -> None:
    """Run the least shape, and a larger one, next to what is proved; what they contradict is a fault of ours."""
    from nkiverify.verify.least_shapes import attached

    proved = _proved(case)
    found = attached(case.first.exploration, proved, max(_LEAST_BESIDE, _BESIDE * case.time.taken))
    for phase in proved:
        case.runs[phase] = replace(case.runs[phase], concrete=found.reported)
    for one in reversed(found.contradictions):
        case.runs[one.phase] = replace(
            case.runs[one.phase],
            verdict=Verdict.ERROR,
            basis=Basis.CONTRADICTED,
            qualifier=Basis.CONTRADICTED.value,
            reason=str(one),
            place=one.site,
            advice=ADVICE_ERROR,
        )
    if found.contradictions:
        case.reported(list(case.runs.values()))


def _ask_second_engine(case: Case) -> None:
    """Ask the second engine, whose runs come next to the others or in their place."""
    options, runs = case.options, case.runs
    explored = case.explorations.symbolic or case.explorations.concrete
    case.others = second_engine().entries(
        case.target,
        case.verdicts,
        explored.exploration if explored is not None else None,
        runs,
        options,
        max(SecondEngineBudget.LEAST_SECONDS, case.time.left),
    )
    if second_alone(options.engine):
        for phase in case.phases:
            if not PHASES[phase].for_engines:
                why = f"{SECOND.title} is not asked about {PHASES[phase].name}"
                unclaimed = run_of(case.target, phase, Basis.NOT_CLAIMED, why, time.perf_counter())
                runs[phase] = replace(unclaimed, engine=SECOND.name)


TARGET_RULES = (
    TargetRule(
        "prove with the time that is left",
        "the claims of phases whose share of the time was not enough; an equal part of what the others have left",
        lambda case: bool(_out_of_time(case)),
        _with_the_time_that_is_left,
    ),
    TargetRule(
        "search",
        f"{SearchingBudget.CONTRACTS} contracts, some two seconds, and twenty times as many for all shapes of a "
        "bounded domain that has few; all the time that is left",
        lambda case: bool(case.searched(bounded=True) or case.searched(bounded=False)),
        _search,
    ),
    TargetRule(
        "replay the least shapes",
        "four contracts for each claim and 1,000 at least: a tenth of a small check; a tenth of the time taken",
        lambda case: bool(_proved(case)),
        _replay,
    ),
    TargetRule(
        "ask the second engine",
        "a process for each phase, the same claims once more; all the time that is left, some seconds in any case",
        lambda case: asks_second(case.options.engine),
        _ask_second_engine,
    ),
)


def all_runs(case: Case) -> list[Run]:
    """The runs of a target, by the rules of the strategy."""
    # An execution serves all phases; its time is counted in the phase that asks for it.
    clock = case.clock
    for phase in case.phases:
        run = decide(case, phase)
        if run is not None:
            case.runs[phase] = replace(run, milliseconds=(time.perf_counter() - clock) * 1000)
            case.tell(case.runs[phase])
        clock = time.perf_counter()
    for rule in TARGET_RULES:
        if rule.applies(case):
            rule.does(case)
    runs = (found.get(phase) for phase in case.phases for found in (case.runs, case.others))
    return [run for run in runs if run is not None]
