"""The strategy: an ordered table of rules for each phase, and one for the target when all phases have been asked about.

Prove, search, replay, generalise. A rule is applied where it applies, in the order of its table, to what those before
it have left; what it costs, and which part of the target's time it may take, stands with it. The figures are those of
an idle core: a claim is decided in some 600 µs, a contract is looked at in some 15 µs of a concrete execution, an
operation is executed symbolically in some 0.3 ms. A cheap rule that decides most targets comes before a dear one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.engines.table import SECOND, asks_second, second_alone
from nkiverify.foundation.budget import SearchingBudget, SecondEngineBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.phases import ARITHMETIC, MEMORY, NUMERICS, PHASES, SHAPES
from nkiverify.verify.case import Case, decided, run_of
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.plugged import second_engine
from nkiverify.verify.verdicts import ADVICE_ERROR

if TYPE_CHECKING:
    from nkiverify.verify.trials import Trials

#: Verdicts that another execution may know better.
_OPEN = (Verdict.UNKNOWN, Verdict.VACUOUS)
#: The phases of which shapes are run next to a proof; how much of the time taken so far that may take, and the seconds
#: it may take in any case: what bounds it are contracts, the clock only ends loops that look at none.
_LEAST_SHAPES = frozenset({SHAPES.number, ARITHMETIC.number, MEMORY.number})
_BESIDE, _LEAST_BESIDE = 0.1, 2.0


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
    return decided(case, case.first, phase, case.seconds_of(phase), compared=True)


def _by_the_other(case: Case, phase: int) -> Run | None:
    """The verdict by the other kind of execution, where that leaves nothing open."""
    other = case.explorations.other(case.first)
    seconds = max(case.seconds_of(phase), case.time.left / 2)
    found = None if other is None else decided(case, other, phase, seconds)
    return None if found is None or found.verdict in _OPEN else found


def _with_the_time_of_the_phase(case: Case, phase: int) -> Run | None:
    """The verdict by a concrete execution that may take what is left; that which came first had a share."""
    again = case.explorations.concretely(case.seconds_of(phase)) or case.first
    case.explorations.concrete = again
    return decided(case, again, phase, case.seconds_of(phase))


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
        found = decided(case, case.first, phase, seconds, compared=True)
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
