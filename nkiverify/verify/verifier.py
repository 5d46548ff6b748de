"""Verifying one target: explore it once, then decide each phase, then ask the second engine."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.engines.table import SECOND, asks_second, second_alone
from nkiverify.execute.runner import remembering
from nkiverify.foundation.budget import ExploringBudget, RunningBudget, SecondEngineBudget, TargetBudget
from nkiverify.foundation.clock import counting, now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct, UsageError, described
from nkiverify.foundation.kernel_text import harmless, with_texts
from nkiverify.foundation.records import Basis, Kind, Run, Verdict
from nkiverify.foundation.source import identity
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.concrete import TOO_LONG, ConcreteExecution
from nkiverify.frontend.explorer import TOO_DEEP, TargetRaised
from nkiverify.frontend.guard import allow, refused_in
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.seen import imported_from, read_by
from nkiverify.frontend.target import Target
from nkiverify.ir.program import CARRIED
from nkiverify.ir.walk import claims
from nkiverify.model.hardware import hardware_named
from nkiverify.model.policy import applied
from nkiverify.phases import ARITHMETIC, DATAFLOW, MEMORY, NUMERICS, PHASES, SHAPES
from nkiverify.verify.evidence import Evidence, Told, recorded
from nkiverify.verify.exploration import Exploration, explore, played
from nkiverify.verify.options import Options, phases_to_run, unwind_of
from nkiverify.verify.plugged import product_of, second_engine
from nkiverify.verify.rule_ids import check_comments
from nkiverify.verify.tolerated import accepted_warnings, qualified
from nkiverify.verify.unfaithful import unfaithful
from nkiverify.verify.verdicts import (
    ADVICE_CARRIED,
    ADVICE_ERROR,
    ADVICE_UNSUPPORTED,
    PhaseVerdict,
)

#: Verdicts that a concrete run of a concrete launch may know better.
_OPEN = (Verdict.UNKNOWN, Verdict.VACUOUS)


@of_stage(Stage.DECIDING)
def verify(target: Target, options: Options, reported: Told = lambda runs: None) -> list[Run]:
    """The verdict of `target` in each phase that `options` asks for. Raises nothing but
    KeyboardInterrupt and SystemExit.

    `reported` hears, each time that the embedded engine has a verdict about one more phase, those that there are. Texts
    of the kernel's in them are harmless wherever they are shown.
    """
    allow(options.allowed)
    assumed = options.allowed.assumed()
    files = [str((target.root / target.kernel.partition("::")[0]).resolve()), target.file]

    #: The runs with their texts made harmless, by those that they were made of: each is reported several times.
    shown: dict[int, tuple[Run, Run]] = {}

    def complete(runs: list[Run]) -> list[Run]:
        about = assumed, read_by(files), refused_in(imported_from(files))
        others, reads, refused = with_texts(about, harmless)
        shown.update((identity(run), (run, with_texts(run, harmless))) for run in runs if identity(run) not in shown)
        found = (shown[identity(run)][1] for run in runs)
        return [replace(run, assumptions=(*run.assumptions, *others), reads=reads, refused=refused) for run in found]

    return complete(_guarded(target, options, lambda runs: reported(complete(runs))))


def _guarded(target: Target, options: Options, reported: Told) -> list[Run]:
    phases = phases_to_run(target, options)
    started = time.perf_counter()
    try:
        accept = tuple(dict.fromkeys((*target.accept, *options.policy.verdicts)))
        with applied(options.policy) as policy, counting(options.unhurried), remembering():

            def accepted(runs: list[Run]) -> list[Run]:
                reported = [replace(run, accept=accept) if run.is_bounded else run for run in runs]
                return qualified([accepted_warnings(run, policy) for run in reported])

            return accepted(_Verifying(target, options, phases, lambda runs: reported(accepted(runs))).run())
    except (UsageError, TargetRaised) as error:
        # The target is at fault, not the kernel and not we.
        return [_plain(target, phase, Basis.USAGE, str(error), started) for phase in phases]
    except UnsupportedConstruct as limit:
        return [_limited(target, phase, limit, started) for phase in phases]
    except RecursionError:
        return [_limited(target, phase, UnsupportedConstruct(*TOO_DEEP), started) for phase in phases]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # signals of ours as well, which a kernel can raise
        message = described(error)
        runs = [_plain(target, phase, Basis.FAULT, message, started) for phase in phases]
        return [replace(run, traceback=traceback.format_exc()) for run in runs]


def _plain(target: Target, phase: int, basis: Basis, reason: str, started: float) -> Run:
    qualifier = reason if basis.verdict is Verdict.UNKNOWN else "" if basis is Basis.FAULT else basis.value
    found = Evidence(basis, qualifier, reason)
    run = recorded(target, phase, EmbeddedEngine.name, found)
    return replace(run, milliseconds=(time.perf_counter() - started) * 1000)


def _limited(target: Target, phase: int, limit: UnsupportedConstruct, started: float) -> Run:
    """UNKNOWN for what is not understood outside a run of the kernel."""
    run = _plain(target, phase, Basis.UNSUPPORTED, limit.construct, started)
    return replace(run, place=limit.site, advice=limit.advice or ADVICE_UNSUPPORTED)


#: The phases of which shapes are run next to a proof; how much of the time taken so far that may take, and the seconds
#: it may take in any case: what bounds it are contracts, the clock only ends loops that look at none.
_LEAST_SHAPES = frozenset({SHAPES.number, ARITHMETIC.number, MEMORY.number})
_BESIDE, _LEAST_BESIDE = 0.1, 2.0


@dataclass(frozen=True, slots=True)
class _Explored:
    """A run of the target, and the engine that decides its claims."""

    exploration: Exploration
    engine: EmbeddedEngine


class _Verifying:
    """Explores a target, and decides it phase by phase. `reported` hears the runs that there are, each time that there
    is one more."""

    def __init__(self, target: Target, options: Options, phases: tuple[int, ...], reported: Told) -> None:
        self._target = target
        self._options = options
        self._phases = phases
        self._told = reported
        self._hardware = hardware_named(options.hardware or target.hardware)
        self._start = now()
        #: The target, run symbolically, and concrete run where its sizes are all numbers; each once it is made.
        self._symbolic: _Explored | None = None
        self._plain: _Explored | None = None
        #: That concretely, the variables of Python put back before each iteration of a legacy loop.
        self._put_back: Exploration | None = None
        self._runs: dict[int, Run] = {}
        self._verdicts: dict[int, PhaseVerdict] = {}

    def run(self) -> list[Run]:
        # An exploration serves all phases; its time is counted in the phase that asks for it.
        clock = time.perf_counter()
        first = self._first()
        self._check_comments(first.exploration)
        for number, phase in enumerate(self._phases):
            run = self._runs.get(phase) or self._decided(first, phase, self._share(number), compared=True)
            if run is not None and run.verdict in _OPEN and PHASES[phase] is not NUMERICS:
                plain_first = first is self._plain
                run = self._decided_otherwise(run, first, number)
                if plain_first or run.verdict not in _OPEN:
                    # What the symbolic run went wrong at has left it without what comes after.
                    first = self._plain or first
            if run is not None:
                self._runs[phase] = replace(run, milliseconds=(time.perf_counter() - clock) * 1000)
                self._tell(first.exploration, self._runs[phase])
            clock = time.perf_counter()
        self._try_shapes(first.exploration)
        self._run_beside(first.exploration)
        return self._with_second_engine()

    def _first(self) -> _Explored:
        """The run that decides first: that concretely where the second engine is not asked and all sizes are
        numbers, or where the symbolic one came to no end. Where loops go round often, the one that sees all iterations
        at once, if it decides all phases."""
        if self._target.kind is Kind.CONCRETE and self._options.engine == "embedded":
            with suppress(InternalError):  # said if nothing else decides
                plain: _Explored | None = None
                for after, claims in self._pauses():
                    if plain is not None and after is not None and claims is None and _has_few_claims(plain):
                        continue  # it would stop where it has stopped
                    plain = self._played(TargetBudget.SHARE_OF_NUMBERS * self._left(), None, after, claims)
                    if plain is None or not _paused(plain.exploration):
                        break
                    summarised = self._summarised(plain.exploration, after)
                    if summarised is not None:
                        return summarised
                self._plain = plain
        if self._plain is not None:
            return self._plain
        self._symbolic = self._explored()
        stopped = self._symbolic.exploration.run.unsupported_construct is not None
        return (self._other(self._symbolic) if stopped else None) or self._symbolic

    def _pauses(self) -> tuple[tuple[int | None, int | None], ...]:
        """The numbers of operations, and of contracts for each claim, after which a concrete run is stopped if
        it repeats itself, one run after the other; the last one is not stopped. One that phase 4 looks for dead stores
        in is stopped early, where one check of all iterations shows that there are none."""
        if NUMERICS.number in self._phases:
            # The verdict about numbers is that of the run that decides first: whatever the launch's length.
            return ((None, None),)
        each, looks = RunningBudget.CONTRACTS_OF_A_CLAIM, RunningBudget.OPERATIONS_RECORDED
        if DATAFLOW.number not in self._phases:
            return ((0, each), (0, None), (None, None))
        return ((RunningBudget.OPERATIONS_BEFORE_SUMMARISING, each), (looks, each), (looks, None), (None, None))

    def _summarised(self, plain: Exploration, looks: int | None) -> _Explored | None:
        """The target, each loop's body run once for all its iterations, and all phases decided; None, and no phase is,
        where that leaves anything open. It may take a part of what the concrete run has taken, which was to have
        this many `looks`."""
        from nkiverify.verify.summarised import as_in_plain_python, settled, summarised

        assert isinstance(plain.run, ConcreteExecution)
        limits = replace(
            self._limits(TargetBudget.SHARE_OF_EXPLORING * self._left()),
            steps=plain.run.looked_at // ExploringBudget.CONTRACTS_OF_A_STEP,
        )
        exploration = summarised(self._target, self._hardware, limits, frozenset(self._phases))
        if exploration is None:
            return None
        found, runs = _Explored(exploration, EmbeddedEngine(exploration.run.program)), {}
        used = looks == RunningBudget.OPERATIONS_BEFORE_SUMMARISING
        for number, phase in enumerate(self._phases):
            seconds = self._share(number)
            run = settled(exploration, found.engine, phase, seconds, used) and self._decided(found, phase, seconds)
            if not run or not as_in_plain_python(run):
                return None
            runs[phase] = run
        self._symbolic, self._runs = found, runs
        return found

    def _other(self, first: _Explored) -> _Explored | None:
        """The run that is not the `first` one, made when it is first asked for; None where there is none: a target with
        dimensions has no concrete run."""
        if first is self._plain:
            self._symbolic = self._symbolic or self._explored()
            return self._symbolic
        if self._plain is None and not first.exploration.run.program.dimensions:
            self._plain = self._played(self._left(), first.exploration)
        return self._plain

    def _decided_otherwise(self, run: Run, first: _Explored, number: int) -> Run:
        """The verdict of the phase that comes as that number, which the `first` run has left open."""
        phase, other = self._phases[number], self._other(first)
        found = None if other is None else self._decided(other, phase, max(self._share(number), self._left() / 2))
        if found is not None and found.verdict not in _OPEN:
            return found
        if first is self._plain and _took_too_long(first.exploration):
            # That was a share of the time only.
            self._plain = self._played(self._share(number)) or first
            run = self._decided(self._plain, phase, self._share(number)) or run
        at_ends = run.verdict in _OPEN and phase == SHAPES.number and self._plain is not None
        return (self._at_ends(number) if at_ends else None) or run

    def _at_ends(self, number: int) -> Run | None:
        """The verdict of the phase that comes as that number, where arguments at the ends of their ranges refute what
        the concrete run leaves open."""
        from nkiverify.verify.ends import refuted_at_ends

        phase, seconds = self._phases[number], self._share(number) / 2
        assert self._plain is not None, "there is such a run"

        def play(values: Mapping[str, int], seconds: float) -> Exploration | None:
            return played(self._target, self._hardware, self._limits(seconds), frozenset({phase}), values)

        return refuted_at_ends(self._plain.exploration, play, phase, {}, seconds, self._options.every_violation)

    def _explored(self) -> _Explored:
        """The target, run symbolically."""
        limits = self._limits(TargetBudget.SHARE_OF_EXPLORING * self._left())
        explored = explore(self._target, self._hardware, limits, frozenset(self._phases), dict(self._options.fixed))
        if explored.run.unsupported_construct is None:
            engine = EmbeddedEngine(explored.run.program)
            explored.run.unsupported_construct = unfaithful(explored, engine, max(1.0, self._share(0)))
        return _Explored(explored, EmbeddedEngine(explored.run.program))

    def _played(
        self,
        seconds: float,
        symbolic: Exploration | None = None,
        repeats_after: int | None = None,
        repeats_claims: int | None = None,
    ) -> _Explored | None:
        """The target, concrete run, with what the `symbolic` run assumed; None where it is no legal launch."""
        limits = replace(self._limits(seconds), repeats_after=repeats_after, repeats_claims=repeats_claims)
        found = played(self._target, self._hardware, limits, frozenset(self._phases), {})
        if found is not None and symbolic is not None:
            found = replace(found, assumptions=symbolic.assumptions, assumed_at=symbolic.assumed_at)
        return None if found is None else _Explored(found, EmbeddedEngine(found.run.program))

    def _decided(self, explored: _Explored, phase: int, seconds: float, compared: bool = False) -> Run | None:
        """The verdict of a phase by what was explored; None where the second engine alone is asked. `compared`: the
        second engine, where it is asked, decides the claims of this exploration."""
        clock = time.perf_counter()
        exploration, engine = explored.exploration, explored.engine
        alone = second_alone(self._options.engine)
        try:
            if not PHASES[phase].for_engines:
                if alone:
                    return None
                if PHASES[phase].decided_by:
                    largest = self._options.largest_range
                    return product_of(PHASES[phase]).verdict_of(exploration, engine, seconds, largest)
                return _dataflow(exploration, engine, phase, seconds, self._options.effort)
            every = self._options.every_violation
            ours = PhaseVerdict(self._target, exploration, engine, self._hardware, phase, seconds, every)
            if compared:
                self._verdicts[phase] = ours
            return None if alone else self._traced_once(ours.run(), exploration, seconds)
        except (UnsupportedConstruct, RecursionError) as error:
            # What one phase does not understand takes nothing from the others, and leaves nothing to compare.
            limit = error if isinstance(error, UnsupportedConstruct) else UnsupportedConstruct(*TOO_DEEP)
            if compared:
                self._verdicts.pop(phase, None)
            return _limited(self._target, phase, limit, clock)

    def _traced_once(self, run: Run, exploration: Exploration, seconds: float) -> Run:
        """The verdict of a launch concretely, if it is that of a run in which each iteration of a legacy loop
        begins with the variables of the first as well: the bodies of such loops are traced once."""
        of_launch = exploration.run
        if not isinstance(of_launch, ConcreteExecution) or not of_launch.traced.several:
            return run
        if run.verdict is not Verdict.SUCCESSFUL:
            return run
        if self._put_back is None:
            phases = frozenset(self._phases)
            limits = self._limits(max(seconds, self._left() / 2))
            self._put_back = played(self._target, self._hardware, limits, phases, {}, puts_back=True)
        other = self._put_back
        assert other is not None, "a legal launch is one in either run"
        engine = EmbeddedEngine(other.run.program)
        found = PhaseVerdict(self._target, other, engine, self._hardware, run.phase, seconds, every=False).run()
        if found.verdict is Verdict.SUCCESSFUL:
            return run
        reason = f"{CARRIED}: {found.qualifier or found.reason or 'a contract is broken'}"
        if found.violations:
            reason = f"{CARRIED}: {found.violations[0].contract} at line {found.violations[0].line} is broken then"
        return replace(
            run, verdict=Verdict.UNKNOWN, basis=Basis.CARRIED, qualifier=CARRIED, reason=reason, advice=ADVICE_CARRIED
        )

    def _limits(self, seconds: float) -> Limits:
        """The limits of a run that may take this many seconds."""
        target, options = self._target, self._options
        bound = options.unwind if options.unwind is not None else unwind_of(target.flags)
        limits = Limits(seconds=seconds, asked=options.asked_timeout)
        return limits if bound is None else replace(limits, unwind=bound)

    @staticmethod
    def _check_comments(exploration: Exploration) -> None:
        check_comments({claim.site.file for claim, _ in claims(exploration.run.program) if claim.site is not None})

    # --- time ---------------------------------------------------------------------------------------------------------

    def _left(self) -> float:
        """Seconds that the target may still take."""
        return max(0.0, self._start + self._options.timeout - now())

    def _share(self, number: int) -> float:
        """The seconds of the phase that comes as that number: an equal part for each that is left."""
        left = max(0.0, self._left() - TargetBudget.SHARE_OF_TRYING * self._options.timeout)
        return left / (len(self._phases) - number)

    # --- phases -------------------------------------------------------------------------------------------------------

    def _tries(self, explored: Exploration, phase: int) -> bool:
        """True if shapes are tried for a phase: it has dimensions, and no verdict but up to a bound."""
        run = self._runs.get(phase)
        if run is None or not explored.run.program.dimensions or not PHASES[phase].for_engines:
            return False
        return run.verdict is Verdict.UNKNOWN or run.is_bounded

    def _tell(self, explored: Exploration, latest: Run) -> None:
        """Tell of the runs that there are, once the `latest` is one of them, but for those that shapes which are still
        to be tried may contradict: those up to a bound. To what is UNKNOWN they can only add, which is reported as long
        as phases are missing: who has heard of all of them takes that for the answer."""
        tried = [run for run in self._runs.values() if self._tries(explored, run.phase)]
        bounded = [run for run in tried if run.is_bounded]
        if latest not in bounded and not (tried and len(self._runs) == len(self._phases)):
            self._told([run for run in self._runs.values() if run not in bounded])

    def _try_shapes(self, explored: Exploration) -> None:
        """Look for a fault of the phases without a verdict among some shapes of the domain, and of those up to a bound
        beyond it."""
        tried = frozenset(phase for phase in self._runs if self._tries(explored, phase))
        bounded = frozenset(phase for phase in tried if self._runs[phase].is_bounded)
        if bounded:
            self._try_beyond(explored, bounded)
        if tried - bounded:
            self._try_some(explored, tried - bounded)
        if tried:
            self._told(list(self._runs.values()))

    def _try_beyond(self, explored: Exploration, phases: frozenset[int]) -> None:
        """Look for a fault of phases that hold up to a bound beyond it, and at the ends of the domain."""
        from nkiverify.verify.domain_parts import just_past, no_fault_up_to
        from nkiverify.verify.trials import beyond

        engine = EmbeddedEngine(explored.run.program)
        engine.limit(self._left() / 4)
        loops = [one for one in engine.decide_unwinding() if one.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        bases = just_past(loops, explored, self._left() / 4)
        tried = beyond(explored, phases, bases, self._left() / 2, self._options.every_violation)
        for phase in sorted(phases):
            run, found = self._runs[phase], tried.found.get(phase)
            if found is not None:
                self._runs[phase] = replace(found, milliseconds=run.milliseconds + found.milliseconds)
            elif tried.fault:
                self._runs[phase] = _faulty(run, tried.fault)
            elif phase in tried.whole:
                self._runs[phase] = replace(
                    run, basis=Basis.PROVED, qualifier="", reason="", place=None, advice="", suffices=()
                )
            elif tried.furthest:
                self._runs[phase] = replace(run, reason=f"{run.reason}; {no_fault_up_to(tried.furthest)}")

    def _try_some(self, explored: Exploration, open_phases: frozenset[int]) -> None:
        """Look for a fault of the phases without a verdict among some shapes of the domain."""
        from nkiverify.verify.domain_parts import proved_for, shapes_show_nothing
        from nkiverify.verify.trials import proved_within, trials

        tried = trials(explored, open_phases, self._left(), self._options.every_violation)
        for phase in sorted(open_phases):
            run = self._runs[phase]
            found = tried.found.get(phase)
            if found is not None:
                self._runs[phase] = replace(found, milliseconds=run.milliseconds + found.milliseconds)
            elif tried.fault:
                self._runs[phase] = _faulty(run, tried.fault)
            elif tried.tried:
                ours = self._verdicts.get(phase)
                still_open = None if ours is None else ours.left_open()
                part = tried.parts.get(phase)
                within = proved_within(explored, still_open, self._left()) if still_open else None
                reported = proved_for(part, within)
                self._runs[phase] = replace(run, reason=f"{run.reason}; {shapes_show_nothing(tried.tried)}{reported}")

    def _run_beside(self, explored: Exploration) -> None:
        """Run the least shape, and a larger one, next to what is proved; what they contradict is a fault of ours."""
        proved = {phase for phase, run in self._runs.items() if run.verdict is Verdict.SUCCESSFUL}
        proved &= _LEAST_SHAPES
        if not proved or isinstance(explored.run, ConcreteExecution):
            # A concrete launch that was concrete run is its own concrete run.
            return
        from nkiverify.verify.least_shapes import attached

        found = attached(explored, proved, max(_LEAST_BESIDE, _BESIDE * (now() - self._start)))
        for phase in proved:
            self._runs[phase] = replace(self._runs[phase], concrete=found.reported)
        for one in reversed(found.contradictions):
            run = self._runs[one.phase]
            self._runs[one.phase] = replace(
                run,
                verdict=Verdict.ERROR,
                basis=Basis.CONTRADICTED,
                qualifier=Basis.CONTRADICTED.value,
                reason=str(one),
                place=one.site,
                advice=ADVICE_ERROR,
            )
        if found.contradictions:
            self._told(list(self._runs.values()))

    def _with_second_engine(self) -> list[Run]:
        """The runs, each with that of the second engine next to it or in its place, where that is asked."""
        options, phases, runs = self._options, self._phases, self._runs
        if not asks_second(options.engine):
            return [runs[phase] for phase in phases]
        explored = self._symbolic or self._plain
        others = second_engine().entries(
            self._target,
            self._verdicts,
            explored.exploration if explored is not None else None,
            runs,
            options,
            max(SecondEngineBudget.LEAST_SECONDS, self._left()),
        )
        if second_alone(options.engine):
            for phase in phases:
                if not PHASES[phase].for_engines:
                    why = f"{SECOND.title} is not asked about {PHASES[phase].name}"
                    untold = _plain(self._target, phase, Basis.NOT_CLAIMED, why, time.perf_counter())
                    runs[phase] = replace(untold, engine=SECOND.name)
        return [run for phase in phases for found in (runs, others) for run in [found.get(phase)] if run is not None]


def _faulty(run: Run, fault: str) -> Run:
    """`run`, in error for a fault of this program that a concrete run has shown."""
    return replace(run, verdict=Verdict.ERROR, basis=Basis.FAULT, qualifier="", reason=fault, advice="")


def _took_too_long(exploration: Exploration) -> bool:
    limit = exploration.run.unsupported_construct
    return limit is not None and limit.construct == TOO_LONG


def _paused(exploration: Exploration) -> bool:
    """True if the concrete run has stopped since it looks at the same again and again."""
    run = exploration.run
    return isinstance(run, ConcreteExecution) and run.claims.paused and _took_too_long(exploration)


def _has_few_claims(plain: _Explored) -> bool:
    """True if as many contracts for each claim as there are claims are no more than a fixed number for each."""
    return len(plain.exploration.run.program.body.items) <= RunningBudget.CONTRACTS_OF_A_CLAIM


def _dataflow(exploration: Exploration, engine: EmbeddedEngine, phase: int, seconds: float, effort: float) -> Run:
    """The verdict of the phase whose claims are about sets of elements."""
    from nkiverify.verify.dataflow_question import question
    from nkiverify.verify.dataflow_verdict import verdict_of  # as late as this: islpy is slow to load

    return verdict_of(question(exploration, engine, PHASES[phase], seconds, effort))
