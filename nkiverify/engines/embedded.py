"""The embedded engine: constant folding, then the simplifier, then Z3 over unbounded integers.

Every claim is decided by the first rung that can, and the decision says which. A claim counts as reached only if its
hypotheses are satisfiable; an assignment that satisfies them is looked for among those found before, then by Z3.
"""

from __future__ import annotations

import enum
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from nkiverify.ir.program import Assume, Block, Branch, Claim, Loop, Program
from nkiverify.symbolic import terms
from nkiverify.symbolic.conditions import Condition, negate
from nkiverify.symbolic.evaluation import Undefined, Valuation, variants
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.guessing import guessed_values
from nkiverify.symbolic.smt import Answer, Question
from nkiverify.symbolic.terms import Atom

#: How hard Z3 tries to decide one claim, in milliseconds of an idle core; the target's time may end before.
CLAIM_MS = 10_000

#: Assignments kept for the next hypotheses; trying each costs as much as the hypotheses are long.
SAMPLES = 48


class Outcome(enum.Enum):
    """What the engine found out about a claim."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    UNREACHED = "unreached"


class Rung(enum.Enum):
    """Which step of the engine decided."""

    CONSTANT = "constant"
    SIMPLIFIER = "simplifier"
    SMT = "smt"


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The outcome for one claim. `values` are those of a counterexample, for a refuted one."""

    claim: Claim
    outcome: Outcome
    rung: Rung
    hypotheses: tuple[Condition | bool, ...]
    values: dict[Atom, int] = field(default_factory=dict)
    reason: str = ""


@dataclass(slots=True)
class _Path:
    """What holds at a place of the program, in all forms that deciding needs."""

    hypotheses: list[Condition | bool]
    _facts: Facts | None = None
    _parent: _Path | None = None
    reachable: bool | None = None
    asked: bool = False
    #: Values that satisfy the hypotheses, where known.
    sample: Valuation | None = None

    @property
    def facts(self) -> Facts:
        if self._facts is None:
            inherited = self._parent.facts if self._parent is not None else Facts()
            added = self.hypotheses[len(self._parent.hypotheses) :] if self._parent is not None else self.hypotheses
            self._facts = inherited.extended(*added)
        return self._facts

    def with_conditions(self, conditions: Iterable[Condition | bool]) -> _Path:
        return _Path([*self.hypotheses, *conditions], None, self)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of the program: what holds there, and what holds even if no division before it was by zero."""

    path: _Path
    before_divisions: _Path

    def path_for(self, claim: Claim) -> _Path:
        return self.before_divisions if claim.contract.id == "host.division_by_zero" else self.path

    def with_conditions(self, conditions: Sequence[Condition | bool], of_division: bool = False) -> _Place:
        path = self.path.with_conditions(conditions)
        if of_division:
            return _Place(path, self.before_divisions)
        if self.path is self.before_divisions:
            return _Place(path, path)
        return _Place(path, self.before_divisions.with_conditions(conditions))


class EmbeddedEngine:
    """Decides the claims of one shape program."""

    name = "embedded"

    def __init__(self, program: Program) -> None:
        self._program = program
        self._deadline = float("inf")
        #: Assignments that satisfied hypotheses: most other hypotheses are satisfied by one of the latest.
        self._samples: deque[Valuation] = deque(maxlen=SAMPLES)

    def limit(self, seconds: float) -> None:
        """Stop asking the solver after so many seconds from now: what is not decided by then stays undecided."""
        self._deadline = time.monotonic() + seconds

    def decide(self, phase: int) -> list[Decision]:
        """The decisions of the claims of `phase` that are not about unwinding, in program order."""
        return list(self._decide(lambda claim: claim.phase == phase and not claim.unwinding))

    def decide_unwinding(self) -> list[Decision]:
        """The decisions of the claims that loops have been unrolled far enough."""
        return list(self._decide(lambda claim: claim.unwinding))

    def one_by_one(self, phase: int) -> Iterator[Decision]:
        """The decisions of the claims of `phase`, and about unwinding, each made when it is asked for."""
        return self._decide(lambda claim: claim.phase == phase or claim.unwinding)

    def refuted(self, claim: Claim, hypotheses: Sequence[Condition | bool]) -> Decision | None:
        """The decision about a claim that is not in the program, under these hypotheses, if it is refuted."""
        decision = self._ask(claim, _Path(list(hypotheses)))
        return decision if decision.outcome is Outcome.REFUTED else None

    def _decide(self, wanted: Callable[[Claim], bool]) -> Iterator[Decision]:
        start = _Path([])
        return self._block(self._program.body, _Place(start, start), wanted)

    def _block(self, block: Block, place: _Place, wanted: Callable[[Claim], bool]) -> Iterator[Decision]:
        for item in block.items:
            if isinstance(item, Claim):
                if wanted(item):
                    yield self._claim(item, place.path_for(item))
            elif isinstance(item, Assume):
                place = place.with_conditions([item.condition], item.of_division)
            elif isinstance(item, Loop):
                yield from self._block(item.body, place.with_conditions(item.bounds), wanted)
            elif isinstance(item, Branch):
                yield from self._block(item.then, place.with_conditions([item.condition]), wanted)
                yield from self._block(item.orelse, place.with_conditions([item.condition.negation()]), wanted)

    def _claim(self, claim: Claim, path: _Path) -> Decision:
        hypotheses = tuple(path.hypotheses)
        if self._reachable(path) is False:
            return Decision(claim, Outcome.UNREACHED, Rung.SMT, hypotheses)
        if path.sample is not None and not path.facts.samples:
            path.facts.samples = tuple(islice(variants(path.sample, path.hypotheses), 3))
        if self._seconds() <= 0:
            return Decision(claim, Outcome.UNDECIDED, Rung.SMT, hypotheses, reason="time-out")
        if claim.condition is True:
            return self._proved(claim, path, Rung.CONSTANT)
        if isinstance(claim.condition, Condition) and path.facts.proves(claim.condition):
            return self._proved(claim, path, Rung.SIMPLIFIER)
        return self._ask(claim, path)

    def _proved(self, claim: Claim, path: _Path, rung: Rung) -> Decision:
        # That nothing was found to satisfy the hypotheses does not undo a proof; it is said all the same.
        reason = "" if path.reachable else "its hypotheses could not be shown to be satisfiable"
        outcome = Outcome.PROVED if path.reachable else Outcome.UNDECIDED
        return Decision(claim, outcome, rung, tuple(path.hypotheses), reason=reason)

    def _ask(self, claim: Claim, path: _Path) -> Decision:
        hypotheses = tuple(path.hypotheses)
        opposite = negate(claim.condition)
        for sample in self._samples:
            try:
                if sample.satisfies(path.hypotheses) and sample.holds(opposite):
                    return Decision(claim, Outcome.REFUTED, Rung.SMT, hypotheses, dict(sample.given))
            except Undefined:
                continue
        if self._seconds() <= 0:
            return Decision(claim, Outcome.UNDECIDED, Rung.SMT, hypotheses, reason="time-out")
        question = Question(hypotheses, CLAIM_MS, self._seconds())
        answer = question.satisfiable(opposite)
        if answer is Answer.NO:
            return self._proved(claim, path, Rung.SMT)
        if answer is Answer.YES:
            return Decision(claim, Outcome.REFUTED, Rung.SMT, hypotheses, dict(question.model))
        reason = "time-out" if self._seconds() <= 0 else "the solver gave up"
        return Decision(claim, Outcome.UNDECIDED, Rung.SMT, hypotheses, reason=reason)

    def _seconds(self) -> float:
        return self._deadline - time.monotonic()

    def _reachable(self, path: _Path) -> bool | None:
        """Whether the hypotheses can hold together; None where the solver does not know."""
        # Those around it first, and not one from within another: hundreds of asserts are as many paths.
        waiting: list[_Path] = []
        one: _Path | None = path
        while one is not None and not one.asked:
            waiting.append(one)
            one = one._parent
        for one in reversed(waiting):
            one.asked = True
            one.reachable = self._find_reachable(one)
        return path.reachable

    def _find_reachable(self, path: _Path) -> bool | None:
        parent = path._parent
        if (parent is not None and parent.reachable is False) or path.facts.contradictory:
            return False
        if parent is not None and parent.sample is not None:
            # Most often an assignment to what is new, on top of what satisfied the rest, is enough.
            added = path.hypotheses[len(parent.hypotheses) :]
            path.sample = parent.sample.extended_for(added)
            if path.sample is not None:
                return True
        if self._seconds() <= 0:
            return None
        for known in ([parent.sample] if parent is not None and parent.sample else []) + list(self._samples):
            path.sample = next(variants(known, path.hypotheses), None)
            if path.sample is not None:
                return True
        path.sample = guessed_values(path.facts, path.hypotheses)
        if path.sample is not None:
            self._samples.append(path.sample)
            return True
        question = Question(path.hypotheses, CLAIM_MS, max(0.001, self._seconds()))
        answer = question.satisfiable()
        if answer is Answer.YES:
            path.sample = Valuation(question.model)
            self._samples.append(path.sample)
        return {Answer.YES: True, Answer.NO: False}.get(answer)


def dimension_values(decision: Decision) -> dict[str, int]:
    """The dimensions' values in a counterexample, by name."""
    return {atom.name: value for atom, value in decision.values.items() if isinstance(atom, terms.Dimension)}
