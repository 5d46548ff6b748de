"""The executions of one target that its verdicts are made of, each made when it is first asked for: the symbolic one,
and the concrete one where all sizes are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.foundation.budget import ExploringBudget, RunningBudget, TargetBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.concrete import TOO_LONG, ConcreteExecution
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits, Unsupported
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.verify.exploration import Exploration, explore, played
from nkiverify.verify.options import Options, unwind_of
from nkiverify.verify.verdicts import ADVICE_UNFAITHFUL, RAISES_SYMBOLICALLY


class TargetTime:
    """The time of a target: a part is kept for the search of shapes, and what is left of the rest is divided equally
    among the phases that are left."""

    def __init__(self, seconds: float, phases: int) -> None:
        self._start, self._seconds, self._phases = now(), seconds, phases

    @property
    def taken(self) -> float:
        """The seconds that have been taken."""
        return now() - self._start

    @property
    def left(self) -> float:
        """The seconds that it may still take."""
        return max(0.0, self._start + self._seconds - now())

    def share(self, number: int) -> float:
        """The seconds of the phase that comes as that number."""
        left = max(0.0, self.left - TargetBudget.SHARE_OF_TRYING * self._seconds)
        return left / (self._phases - number)


@dataclass(frozen=True, slots=True)
class ExploredTarget:
    """An execution of the target, and the engine that decides its claims."""

    exploration: Exploration
    engine: EmbeddedEngine

    @property
    def ran_out(self) -> bool:
        """True if it has stopped for want of time."""
        limit = self.exploration.run.unsupported_construct
        return limit is not None and limit.construct == TOO_LONG

    @property
    def paused(self) -> bool:
        """True if the concrete execution has stopped since it looks at the same again and again."""
        run = self.exploration.run
        return isinstance(run, ConcreteExecution) and run.claims.paused and self.ran_out

    @property
    def has_few_claims(self) -> bool:
        """True if as many contracts for each claim as there are claims are no more than a fixed number for each."""
        return len(self.exploration.run.program.body.items) <= RunningBudget.CONTRACTS_OF_A_CLAIM


class Explorations:
    """The executions of a target for some phases."""

    def __init__(self, target: Target, options: Options, phases: tuple[int, ...], time: TargetTime) -> None:
        self._target = target
        self._options = options
        self._phases = frozenset(phases)
        self._time = time
        self.hardware = hardware_named(options.hardware or target.hardware)
        #: The symbolic one, and the concrete one of a launch, each once it is made.
        self.symbolic: ExploredTarget | None = None
        self.concrete: ExploredTarget | None = None

    def symbolically(self) -> ExploredTarget:
        """The symbolic execution."""
        if self.symbolic is None:
            limits = self._limits(TargetBudget.SHARE_OF_EXPLORING * self._time.left)
            found = explore(self._target, self.hardware, limits, self._phases, dict(self._options.fixed))
            self._give_time(found)
            if found.run.unsupported_construct is None:
                engine = EmbeddedEngine(found.run.program)
                found.run.unsupported_construct = _unfaithful(found, engine, max(1.0, self._time.share(0)))
            self.symbolic = ExploredTarget(found, EmbeddedEngine(found.run.program))
        return self.symbolic

    def concretely(
        self, seconds: float, repeats_after: int | None = None, repeats_claims: int | None = None
    ) -> ExploredTarget | None:
        """A concrete execution, stopped where it repeats itself that often; None where it is no legal launch."""
        limits = replace(self._limits(seconds), repeats_after=repeats_after, repeats_claims=repeats_claims)
        found = self.on(limits, {})
        return None if found is None else ExploredTarget(found, EmbeddedEngine(found.run.program))

    def other(self, first: ExploredTarget) -> ExploredTarget | None:
        """The execution that is not the `first` one; None where there is none: a target with dimensions has no concrete
        one. What the symbolic one has assumed holds for the concrete one too."""
        if first is self.concrete:
            return self.symbolically()
        if self.concrete is None and not first.exploration.run.program.dimensions:
            found = self.concretely(self._time.left)
            if found is not None:
                assumed = first.exploration
                known = replace(found.exploration, assumptions=assumed.assumptions, assumed_at=assumed.assumed_at)
                found = replace(found, exploration=known)
            self.concrete = found
        return self.concrete

    def summarised(self, plain: ExploredTarget) -> ExploredTarget | None:
        """The launch, each loop's body executed once for all its iterations; None where that leaves anything out. It
        may take a part of what the `plain` execution has taken."""
        from nkiverify.verify.summarised import summarised

        assert isinstance(plain.exploration.run, ConcreteExecution)
        limits = replace(
            self._limits(TargetBudget.SHARE_OF_EXPLORING * self._time.left),
            steps=plain.exploration.run.looked_at // ExploringBudget.CONTRACTS_OF_A_STEP,
        )
        found = summarised(self._target, self.hardware, limits, self._phases)
        return None if found is None else ExploredTarget(found, EmbeddedEngine(found.run.program))

    def on(self, limits: Limits, values: Mapping[str, int]) -> Exploration | None:
        """The concrete execution on `values`."""
        found = played(self._target, self.hardware, limits, self._phases, values)
        if found is not None:
            self._give_time(found)
        return found

    def _give_time(self, found: Exploration) -> None:
        """Let the execution with variables put back, which serves all phases, take half of the time that is left."""
        execute = found.execute_traced
        if execute is not None:
            found.execute_traced = lambda seconds: execute(max(seconds, self._time.left / 2))

    def of_phase(self, phase: int, values: Mapping[str, int], seconds: float) -> Exploration | None:
        """The same for one phase alone."""
        return played(self._target, self.hardware, self._limits(seconds), frozenset({phase}), values)

    def _limits(self, seconds: float) -> Limits:
        options = self._options
        bound = options.unwind if options.unwind is not None else unwind_of(self._target.flags)
        limits = Limits(seconds=seconds, asked=options.asked_timeout)
        return limits if bound is None else replace(limits, unwind=bound)


def _unfaithful(exploration: Exploration, engine: EmbeddedEngine, seconds: float) -> Unsupported | None:
    """The exception that ended a path of the symbolic run, where Python itself does not raise it: what lies behind it
    has not been seen, in any phase."""
    run = exploration.run
    if not isinstance(run, SymbolicExecution) or not run.raised_within or run.unsupported_construct is not None:
        return None
    engine.limit(seconds)
    raised = [one for one in engine.decide_one("kernel.exception") if one.outcome is not Outcome.UNREACHED]
    if not raised:
        return None
    from nkiverify.verify.witness.confirm import Confirmation, by_place  # as late as this: few kernels raise

    confirmation = Confirmation(exploration.target, run.program, engine, exploration.hardware, 1)
    for group in by_place(raised, every=False):
        if not any(violation.replayed for violation in confirmation.violations([group])):
            claim = group[0].claim
            reported = dict(claim.quantities).get("exception", "")
            return Unsupported(RAISES_SYMBOLICALLY, f"{reported} there; {ADVICE_UNFAITHFUL}", claim.site)
    return None
