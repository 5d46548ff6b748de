"""The embedded engine: it walks the program and asks the prover about each claim.

Every claim is decided by the first rung of the prover that can, and the decision says which. A claim counts as reached
only if its hypotheses are satisfiable. The solver is asked a little about each claim first, and tries hard only where
that leaves one open: what is hard takes no time from what is not.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import islice

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis
from nkiverify.ir.program import Assume, Block, Branch, Claim, Loop, Program
from nkiverify.ir.walk import Visitor
from nkiverify.symbolic.atoms import Atom, Dimension
from nkiverify.symbolic.conditions import Condition, negate
from nkiverify.symbolic.prover import BUDGETS, Prover, Rung
from nkiverify.symbolic.smt import Answer


class Outcome(enum.Enum):
    """The engine's answer about a claim."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    UNREACHED = "unreached"
    #: No values break it; whether any come to it is not known.
    PROVED_IF_REACHED = "proved if reached"

    @property
    def said(self) -> str:
        """The word for it in results."""
        return Outcome.PROVED.value if self is Outcome.PROVED_IF_REACHED else self.value

    @property
    def holds(self) -> bool:
        """True if no values break the claim."""
        return self in (Outcome.PROVED, Outcome.UNREACHED, Outcome.PROVED_IF_REACHED)


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The outcome for one claim. `values` are those of a counterexample, for a refuted one."""

    claim: Claim
    outcome: Outcome
    rung: Rung
    hypotheses: tuple[Condition | bool, ...]
    values: dict[Atom, int] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A place of the program: what holds there, and what holds even if no division before it was by zero."""

    path: Prover
    before_divisions: Prover
    #: The places within it, by the conditions that lead there: each phase asks about the same ones.
    inner: dict[tuple[int, ...], _Place] = field(default_factory=dict)

    def path_for(self, claim: Claim) -> Prover:
        return self.before_divisions if claim.of_division else self.path

    def with_conditions(self, conditions: Sequence[Condition | bool], of_division: bool = False) -> _Place:
        # No condition has a negative number.
        key = (of_division, *(one.uid if isinstance(one, Condition) else -1 - one for one in conditions))
        found = self.inner.get(key)
        if found is None:
            found = self.inner[key] = self._with_conditions(conditions, of_division)
        return found

    def _with_conditions(self, conditions: Sequence[Condition | bool], of_division: bool) -> _Place:
        path = self.path.with_conditions(conditions)
        if of_division:
            return _Place(path, self.before_divisions)
        if self.path is self.before_divisions:
            return _Place(path, path)
        return _Place(path, self.before_divisions.with_conditions(conditions))


class _Places(Visitor[tuple[Claim, _Place]]):
    """The claims that are wanted, each with its place."""

    def __init__(self, beginning: _Place, wanted: Callable[[Claim], bool]) -> None:
        self._place = beginning
        self._wanted = wanted

    def claim(self, item: Claim) -> Iterable[tuple[Claim, _Place]]:
        return ((item, self._place),) if self._wanted(item) else ()

    def assume(self, item: Assume) -> Iterable[tuple[Claim, _Place]]:
        self._place = self._place.with_conditions([item.condition], item.of_division)
        return ()

    def loop(self, item: Loop) -> Iterable[tuple[Claim, _Place]]:
        return self._within(item.body, item.bounds)

    def arm(self, condition: Condition, block: Block, branch: Branch) -> Iterable[tuple[Claim, _Place]]:
        return self._within(block, [condition])

    def _within(self, block: Block, conditions: Sequence[Condition | bool]) -> Iterator[tuple[Claim, _Place]]:
        around = self._place
        self._place = around.with_conditions(conditions)
        yield from self.block(block)
        self._place = around


class EmbeddedEngine:
    """Decides the claims of one shape program."""

    name = "embedded"

    def __init__(self, program: Program) -> None:
        self._program = program
        self._deadline = float("inf")
        #: What has no hypotheses: those that are made from it share what satisfied theirs.
        self._root = Prover((), min(BUDGETS.first, BUDGETS.claim), self._seconds)
        self._beginning = _Place(self._root, self._root)
        #: What the solver has given up at the first time, with what holds there.
        self._given_up: list[tuple[Decision, Prover]] = []

    @property
    def time_is_up(self) -> bool:
        """True if the solver is not asked any more."""
        return self._seconds() <= 0

    def limit(self, seconds: float) -> None:
        """Stop asking the solver after this many seconds from now: what is not decided by then stays undecided."""
        if self.time_is_up:
            # What was not found for want of time is searched for again.
            self._beginning = _Place(self._root, self._root)
        self._deadline = now() + seconds

    def decide(self, phase: int, *, tolerated: bool = False, hard: bool = True) -> list[Decision]:
        """The decisions of the claims of `phase` that are not about unwinding, in program order.

        With `tolerated` only of those that the verdict does not depend on. Without `hard` more are undecided, sooner.
        """

        def wanted(claim: Claim) -> bool:
            return claim.phase == phase and not claim.unwinding and not (tolerated and claim.decides)

        return self._decided(wanted) if hard else list(self._decide(wanted))

    def decide_unwinding(self) -> list[Decision]:
        """The decisions of the claims that loops have been unrolled far enough."""
        return self._decided(lambda claim: claim.unwinding)

    def decide_one(self, contract: str) -> list[Decision]:
        """The decisions of the claims of one contract, in program order."""
        return self._decided(lambda claim: claim.contract.id == contract)

    def holds(self, claims: Collection[Claim]) -> bool:
        """True if each of these claims is proved, or is not reached."""
        return all(one.outcome.holds for one in self._decide(lambda claim: claim in claims))

    def one_by_one(self, phase: int) -> Iterator[Decision]:
        """The decisions of the claims of `phase`, and about unwinding, each made when it is asked for."""
        for decision in self._decide(lambda claim: claim.phase == phase or claim.unwinding):
            yield self._tried_hard().get(decision, decision)

    def refuted(self, claim: Claim, hypotheses: Sequence[Condition | bool]) -> Decision | None:
        """The decision about a claim that is not in the program, under these hypotheses, if it is refuted."""
        path = self._root.with_conditions(hypotheses)
        if path.satisfiable(negate(claim.condition)) is not Answer.YES:
            return None
        return Decision(claim, Outcome.REFUTED, path.rung, tuple(hypotheses), dict(path.model))

    def needed(self, undecided: Decision, most: int) -> int | None:
        """How many times the usual budget the claim needs, a power of two up to `most`; None where that is not
        enough."""
        times = 2
        while times <= most and self._seconds() > 0:
            if self._again(undecided, times).outcome is not Outcome.UNDECIDED:
                return times
            times *= 2
        return None

    def _decided(self, wanted: Callable[[Claim], bool]) -> list[Decision]:
        decisions = list(self._decide(wanted))
        harder = self._tried_hard()
        decisions = [harder.get(decision, decision) for decision in decisions]
        if not any(decision.outcome is Outcome.PROVED for decision in decisions):
            # One that is reached is enough, and those that come first have the fewest hypotheses.
            numbers = (at for at, one in enumerate(decisions) if one.outcome is Outcome.PROVED_IF_REACHED)
            for number in islice(numbers, 4):
                again = self._again(decisions[number])
                if again.outcome is Outcome.PROVED:
                    decisions[number] = again
                    break
        return decisions

    def _again(self, decision: Decision, times: int = 1) -> Decision:
        """The decision about the same claim when the solver tries hard, with this many times the usual budget."""
        path = self._root.with_conditions(decision.hypotheses)
        return self._claim(decision.claim, path.with_conditions((), times * BUDGETS.claim, ProvingBudget.CASES))

    def _tried_hard(self) -> dict[Decision, Decision]:
        """The answers of the solver about what it has given up, by that, when it tries hard."""
        given_up, self._given_up = self._given_up, []
        return {
            decision: self._claim(decision.claim, path.with_conditions((), BUDGETS.claim, ProvingBudget.CASES))
            for decision, path in given_up
        }

    def _decide(self, wanted: Callable[[Claim], bool]) -> Iterator[Decision]:
        for claim, place in _Places(self._beginning, wanted).block(self._program.body):
            path = place.path_for(claim)
            decision = self._claim(claim, path)
            if decision.outcome is Outcome.UNDECIDED and path.gave_up:
                self._given_up.append((decision, path))
            yield decision

    def _claim(self, claim: Claim, path: Prover) -> Decision:
        hypotheses = path.hypotheses
        if claim.by_sets is not None:
            outcome = Outcome.UNDECIDED if claim.by_sets.open else Outcome.PROVED
            return Decision(claim, outcome, Rung.SETS, hypotheses, reason=claim.by_sets.open)
        if claim.void:
            return Decision(claim, Outcome.UNDECIDED, Rung.CONSTANT, hypotheses, reason=claim.void)
        reachable = path.satisfiable()
        if reachable is Answer.NO:
            return Decision(claim, Outcome.UNREACHED, Rung.SMT, hypotheses)
        if self._seconds() <= 0:
            return Decision(claim, Outcome.UNDECIDED, Rung.SMT, hypotheses, reason=Basis.TIME_OUT.value)
        answer = path.satisfiable(negate(claim.condition))
        if claim.open and answer is not Answer.NO:
            return Decision(claim, Outcome.UNDECIDED, path.rung, hypotheses, reason=claim.open)
        if answer is Answer.NO:
            # Whether anything satisfies the hypotheses or not, nothing breaks the contract.
            outcome = Outcome.PROVED if reachable is Answer.YES else Outcome.PROVED_IF_REACHED
            return Decision(claim, outcome, path.rung, hypotheses)
        if answer is Answer.YES:
            return Decision(claim, Outcome.REFUTED, path.rung, hypotheses, dict(path.model))
        reason = Basis.TIME_OUT.value if self._seconds() <= 0 else "the solver gave up"
        return Decision(claim, Outcome.UNDECIDED, path.rung, hypotheses, reason=reason)

    def _seconds(self) -> float:
        return self._deadline - now()


def dimension_values(decision: Decision) -> dict[str, int]:
    """The dimensions' values in a counterexample, by name."""
    return {atom.name: value for atom, value in decision.values.items() if isinstance(atom, Dimension)}
