"""The prover: what follows from hypotheses about integers, by one ladder.

    fold     the condition is constant
    facts    the simplifier proves or refutes it (nkiverify.symbolic.facts)
    sample   values known to satisfy the hypotheses, and some near them, show that it can hold
    guess    so do values near the least that the hypotheses allow
    try all  where few dimensions have few values each, every one is tried (nkiverify.symbolic.exhaustion)
    cases    a factor of a product that has few values is replaced by each of them in turn, for a prover that tries hard
    points   so do points of the path that were drawn, and some near them (nkiverify.symbolic.points)
    SMT      Z3, over unbounded integers, which is asked the same question once

Each rung is asked where those before it do not know, and costs more than they do. What the ladder answers is certain;
None and `Answer.UNKNOWN` say nothing.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import STEPS_PER_MS, count_steps
from nkiverify.foundation.dataclass import dataclass
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Hypotheses, Undefined, Valuation, in_range, variants
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.guessing import guessed_values
from nkiverify.symbolic.smt import Answer, Question


@dataclass(slots=True)
class Budgets:
    """How hard Z3 tries to answer one question, in milliseconds of an idle core, by what the question is about."""

    #: A condition on the path that is explored. Not knowing only explores a path that no values take.
    path: int = 1000
    #: Whether a domain, or a path through what the target says of it, has any values; and some of them.
    domain: int = 2000
    #: A claim, and whether its hypotheses can hold, when all claims of a phase are asked about in turn.
    first: int = 50
    #: The same for those that this leaves open.
    claim: int = 10_000
    #: A simpler witness. Not knowing keeps the larger one.
    witness: int = 500
    #: A statement about other shapes than the witness. What takes longer to confirm is not said.
    statement: int = 400
    #: A shape on which a loop goes round twice, or a condition goes one way.
    rounds: int = 1000
    #: A shape on which two kernels are compared.
    compared: int = 1000


BUDGETS = Budgets()

#: Steps of a question that neither Z3 is asked nor values are tried for.
_STEPS_OF_QUESTION = STEPS_PER_MS // 4


class Rung(enum.Enum):
    """The rung that answered; values that show something count as the solver's, whom they save being asked.

    Sets of elements are none of the prover's: they decide what is claimed about all elements of a tensor.
    """

    CONSTANT = "constant"
    SIMPLIFIER = "simplifier"
    SMT = "smt"
    SETS = "sets"


def _unlimited() -> float:
    return float("inf")


class Prover:
    """Hypotheses, and the questions about them.

    `milliseconds` say how hard Z3 tries (a name of `Budgets`), `left` how many seconds of the clock there still are,
    `cases` how many a question may be split into.
    Provers made by `with_conditions` share facts and samples with the one they are made from.
    """

    __slots__ = (
        "_asked",
        "_cases",
        "_facts",
        "_guessed",
        "_hypotheses",
        "_milliseconds",
        "_points",
        "_pool",
        "_possible",
        "_refuted",
        "_sample",
        "added",
        "gave_up",
        "left",
        "model",
        "parent",
        "rung",
    )

    def __init__(
        self,
        hypotheses: Iterable[Condition | bool],
        milliseconds: int,
        left: Callable[[], float] = _unlimited,
        parent: Prover | None = None,
        cases: int = 0,
    ) -> None:
        self.parent = parent
        #: The hypotheses that the parent has not.
        self.added = tuple(hypotheses)
        self._hypotheses: Hypotheses | None = None
        self._milliseconds = milliseconds
        self.left = left
        self._cases = cases
        #: Values that satisfied some hypotheses: most other hypotheses are satisfied by one of the latest.
        self._pool: deque[Valuation] = parent._pool if parent is not None else deque(maxlen=ProvingBudget.SAMPLES)
        #: What a solver has refuted: the numbers of conditions, and of the hypotheses that were enough for it. What is
        #: asked on one path is asked on others, that differ in what has nothing to do with it.
        self._refuted: set[tuple[frozenset[int], frozenset[int]]] = parent._refuted if parent is not None else set()
        self._facts: Facts | None = None
        #: The facts with what has been asked about last, by the numbers of its conditions.
        self._asked: tuple[tuple[int, ...], Facts] | None = None
        #: Points at which the hypotheses hold, once a solver would have been asked.
        self._points: tuple[Valuation, ...] | None = None
        self._sample: Valuation | None = None
        #: Whether the hypotheses can hold together, as far as has been asked.
        self._possible: Answer | None = None
        self._guessed = False
        #: Values for which what was asked last, by this prover or by the one it is made from, holds; atoms that do not
        #: matter may be left out.
        self.model: Mapping[Atom, int] = parent.model if parent is not None else {}
        #: Whether Z3 has given up a question of this prover, which it might answer in more time.
        self.gave_up = False
        #: The rung that answered `satisfiable` last.
        self.rung = Rung.CONSTANT

    def with_conditions(
        self, conditions: Iterable[Condition | bool], milliseconds: int | None = None, cases: int = 0
    ) -> Prover:
        """A prover for which `conditions` hold as well."""
        budget = self._milliseconds if milliseconds is None else milliseconds
        return Prover(conditions, budget, self.left, self, cases)

    @property
    def hypotheses(self) -> Hypotheses:
        """All conditions that hold, outermost first."""
        if self._hypotheses is None:
            chain = [prover.added for prover in self._ancestry()]
            self._hypotheses = Hypotheses(condition for added in reversed(chain) for condition in added)
        return self._hypotheses

    @property
    def facts(self) -> Facts:
        """The hypotheses in the form the simplifier works on."""
        if self._facts is None:
            # Not one from within another: hundreds of asserts are as many provers.
            waiting = [prover for prover in self._ancestry() if prover._facts is None]
            for prover in reversed(waiting):
                inherited = prover.parent._facts_with_samples() if prover.parent is not None else Facts()
                # The same hypotheses are the same facts: what has been proved of them is known.
                prover._facts = inherited.extended(*prover.added) if prover.added else inherited
            assert self._facts is not None
        return self._facts

    # --- questions ----------------------------------------------------------------------------------------------------

    def entails(self, condition: Condition | bool) -> bool:
        """True if the simplifier alone shows that `condition` follows."""
        if not isinstance(condition, Condition):
            return condition
        facts = self._facts_with_samples()
        found = facts.proves_soon(condition)
        if found is None:
            # What is false at a point need not be tried any longer.
            found = not self._holds_at_a_point([condition.negation()]) and facts.proves(condition)
        return found

    def truth(self, condition: Condition) -> bool | None:
        """True if `condition` holds: True and False are certain, None is either or not known."""
        negated = condition.negation()
        if self._is_refuted([negated]):
            return True
        if self._is_refuted([condition]):
            return False
        # What has been seen to be false need not be tried to be proved.
        seen = self._seen_values(condition, self.known_sample())
        if False not in seen and self.entails(condition):
            return True
        if True not in seen and self.entails(negated):
            return False
        if len(seen) < 2 and self.known_sample() is None:
            seen = self._seen_values(condition, self.sample())
        if True not in seen and self._sought([condition]) is Answer.NO:
            return False
        if False not in seen and self._sought([negated]) is Answer.NO:
            return True
        return None

    def value(self, term: Term) -> int | None:
        """The only value `term` can have, if there is only one."""
        value = self.facts.value_of(term)
        if value is not None:
            return value
        if len(self._seen_of(term)) > 1:
            return None
        from nkiverify.symbolic.exhaustion import TooMany, satisfying

        try:
            found = {valuation.term(term) for valuation in satisfying(self.facts, self.hypotheses, term)}
            return found.pop() if len(found) == 1 else None
        except (TooMany, Undefined):
            pass
        seen = _values_at(self.points(), term)
        if seen:
            return self._confirmed(term, seen.pop()) if len(seen) == 1 else None
        # The dimension named `value` occurs nowhere else: it gives the term a name in the model.
        name = terms.dimension("value of a term")
        same = conditions.equals_zero(terms.add(term, name, -1))
        (atom,) = name.atoms
        if self._solved([same]) is not Answer.YES or atom not in self.model:
            return None
        return self._confirmed(term, self.model[atom])

    def _confirmed(self, term: Term, candidate: int) -> int | None:
        """`candidate`, if `term` can have no other value."""
        other = conditions.negate(conditions.equals_zero(terms.add(term, terms.constant(-candidate))))
        return candidate if self._solved([other]) is Answer.NO else None

    def satisfiable(self, *asked: Condition | bool) -> Answer:
        """True if the hypotheses and `asked` hold together for some integers; `model` then has such integers.

        The simplifier tries to refute the first of them under the others.
        """
        count_steps(_STEPS_OF_QUESTION)
        self.rung = Rung.CONSTANT
        if any(one is False for one in asked):
            return Answer.NO
        stated = [one for one in asked if isinstance(one, Condition)]
        if not stated:
            self.rung = Rung.SMT
            return self._possibility()
        if self._is_refuted(stated):
            self.rung = Rung.SMT
            return Answer.NO
        self.rung = Rung.SIMPLIFIER
        goal, *given = stated
        facts = self._facts_with(given) if given else self._facts_with_samples()
        refuted = facts.contradictory or facts.proves_soon(goal.negation())
        if refuted is None:
            refuted = not self._holds_at_a_point(stated) and facts.proves(goal.negation())
        if refuted:
            return Answer.NO
        self.rung = Rung.SMT
        return self._shown(stated) or self._sought(stated)

    def proves(self, condition: Condition | bool) -> bool:
        """True if `condition` surely holds wherever the hypotheses do."""
        return self.satisfiable(conditions.negate(condition)) is Answer.NO

    def refutes(self, condition: Condition | bool) -> bool:
        """True if `condition` surely holds nowhere where the hypotheses do."""
        return self.satisfiable(condition) is Answer.NO

    # --- values that satisfy the hypotheses ---------------------------------------------------------------------------

    def sample(self) -> Valuation | None:
        """Some values for which the hypotheses hold, if some can be found."""
        if self.known_sample() is None and self._possible is None:
            self._possible = self._solved([])
            if self._possible is Answer.YES:
                self._keep(Valuation(self.model))
                self._pool.append(Valuation(self.model))
        return self._sample

    def known_sample(self) -> Valuation | None:
        """Some values for which the hypotheses hold, if some are found without asking the solver."""
        if not self._guessed:
            # Those around it first: most of what satisfies them does so inside.
            for prover in reversed([prover for prover in self._ancestry() if not prover._guessed]):
                prover._guessed = True
                prover._guess()
        return self._sample

    def _guess(self) -> None:
        base = self.parent._sample if self.parent is not None else Valuation({})
        # Most often an assignment to what is new, on top of what satisfied the rest, is enough.
        near = base.extended_for(self.added) if base is not None else None
        if near is not None:
            self._keep(near)
            return
        if (self.parent is not None and self.parent._possible is Answer.NO) or self.facts.contradictory:
            self._possible = Answer.NO
            return
        if self.left() <= 0:
            return
        hypotheses = self.hypotheses
        near = next(variants(base, hypotheses), None) if base is not None else None
        if near is None:
            near = guessed_values(self.facts, hypotheses)
            if near is not None:
                self._pool.append(near)
        if near is None:
            tried = (next(variants(known, hypotheses), None) for known in self._pool)
            near = next((found for found in tried if found is not None), None)
        if near is not None:
            self._keep(near)

    def _keep(self, sample: Valuation) -> None:
        self._sample = sample
        self._possible = Answer.YES

    def _possibility(self) -> Answer:
        """True if the hypotheses hold together for some integers."""
        sample = self.sample()
        if sample is not None:
            self.model = sample.given
        return self._possible or Answer.UNKNOWN

    # --- rungs --------------------------------------------------------------------------------------------------------

    def _facts_with_samples(self) -> Facts:
        if self._sample is not None and not self.facts.samples:
            self.facts.samples = tuple(islice(variants(self._sample, self.hypotheses), 3))
        return self.facts

    def _seen_values(self, condition: Condition, sample: Valuation | None) -> set[bool]:
        """The truth values that `condition` has for values near `sample` that satisfy the hypotheses."""
        seen: set[bool] = set()
        for candidate in variants(sample, self.hypotheses, condition) if sample is not None else ():
            try:
                seen.add(candidate.holds(condition))
            except Undefined:
                continue
            if len(seen) == 2:
                break
        return seen

    def _seen_of(self, term: Term) -> set[int]:
        """Some values that `term` has where the hypotheses hold: two at most."""
        hypotheses = self.hypotheses
        sample = self.known_sample()
        same = conditions.equals_zero(term)
        mentioned = [same] if isinstance(same, Condition) else []
        near = variants(sample, hypotheses, *mentioned) if sample is not None else ()
        seen: set[int] = set()
        for known in (*near, *(one for one in self._pool if one.satisfies(hypotheses))):
            try:
                if in_range(known, [*mentioned, *hypotheses]):
                    seen.add(known.term(term))
            except Undefined:
                continue
            if len(seen) == 2:
                break
        return seen

    def _shown(self, asked: Sequence[Condition]) -> Answer | None:
        """YES where values that are known satisfy the hypotheses and `asked`."""
        hypotheses = self.hypotheses
        sample = self.known_sample()
        near = variants(sample, hypotheses, *asked) if sample is not None else ()
        for known in (*near, *self._pool):
            if known.satisfies(asked) and known.satisfies(hypotheses) and in_range(known, [*asked, *hypotheses]):
                self.model = known.given
                return Answer.YES
        return None

    def _sought(self, asked: Sequence[Condition]) -> Answer:
        """True if the hypotheses and `asked` hold together, by a guess or else by the solver."""
        together = [*self.hypotheses, *asked]
        found = guessed_values(self._facts_with(asked), together)
        if found is not None and in_range(found, together):
            self.model = found.given
            return Answer.YES
        return self._solved(asked)

    def _facts_with(self, asked: Sequence[Condition]) -> Facts:
        if not asked:
            return self.facts
        # One question comes here several times, one after the other.
        key = tuple(condition.uid for condition in asked)
        if self._asked is None or self._asked[0] != key:
            self._asked = key, self._facts_with_samples().extended(*asked)
        return self._asked[1]

    def _solved(self, asked: Sequence[Condition | bool]) -> Answer:
        left = self.left()
        if left <= 0:
            return Answer.UNKNOWN
        from nkiverify.symbolic.exhaustion import TooMany, satisfying

        try:
            looks = ProvingBudget.CONDITIONS * (ProvingBudget.TIMES_WITH_CASES if self._cases else 1)
            found = next(satisfying(self.facts, [*self.hypotheses, *asked], looks=looks), None)
        except TooMany:
            return self._by_cases(asked) or self._asked_of_solver(asked, left)
        if found is None:
            return Answer.NO
        self.model = found.given
        return Answer.YES

    def _by_cases(self, asked: Sequence[Condition | bool]) -> Answer | None:
        """The answer where it is known for each value of a factor that has few; None where it is not."""
        from nkiverify.symbolic.exhaustion import factors

        stated = [one for one in asked if isinstance(one, Condition)]
        facts = self._facts_with(stated)
        split = min(factors(stated, facts, self._cases), key=lambda one: len(one[1]), default=None)
        if split is None:
            return None
        atom, values = split
        for value in values:
            same = conditions.equals_zero(terms.add(terms.of_atom(atom), terms.constant(-value)))
            case = self.with_conditions([same], min(BUDGETS.first, self._milliseconds), self._cases // len(values))
            answer = case.satisfiable(*asked)
            if answer is Answer.YES:
                self.model = case.model
            if answer is not Answer.NO:
                return answer if answer is Answer.YES else None
        return Answer.NO

    def points(self) -> tuple[Valuation, ...]:
        """Points at which the hypotheses hold."""
        from nkiverify.symbolic.points import START, continued  # as in `_solved`

        waiting = [prover for prover in self._ancestry() if prover._points is None]
        for prover in reversed(waiting):
            before = prover.parent._points if prover.parent is not None else None
            before = before if before is not None else START
            prover._points = continued(before, prover.facts, prover.hypotheses, len(prover.added))
        assert self._points is not None
        return self._points

    def _holds_at_a_point(self, asked: Sequence[Condition | bool]) -> bool:
        """True if the hypotheses and `asked` hold at one of the points of the path."""
        from nkiverify.symbolic.points import one_of  # as in `_solved`

        stated = [one for one in asked if isinstance(one, Condition)]
        refused = any(one is False for one in asked)
        return not refused and one_of(self.points(), self.facts, stated) is not None

    def _asked_of_solver(self, asked: Sequence[Condition | bool], left: float) -> Answer:
        from nkiverify.symbolic.points import nearest  # as in `_solved`

        if any(one is False for one in asked):
            return Answer.NO
        stated = [one for one in asked if isinstance(one, Condition)]
        point = nearest(self.points(), self._facts_with(stated), self.hypotheses, stated, self.known_sample())
        if point is not None:
            self.model = point.given
            return Answer.YES
        own = self._about_the_same(stated)
        if len(own) < len(self.hypotheses) and self._refutes_with(own, stated, min(BUDGETS.first, self._milliseconds)):
            return Answer.NO
        question = Question(self.hypotheses, self._milliseconds, left)
        answer = question.satisfiable(*stated)
        if answer is Answer.YES:
            self.model = question.model
            self._keep_point(Valuation(question.model))
        if answer is Answer.NO:
            every = (one for one in self.hypotheses if isinstance(one, Condition))
            self._refuted.add((_numbers(stated), _numbers(every)))
        self.gave_up |= answer is Answer.UNKNOWN
        return answer

    def _about_the_same(self, asked: Sequence[Condition]) -> list[Condition]:
        """The hypotheses that are about nothing but the dimensions and indices of `asked`, and what bounds those."""
        found: set[Atom] = set()
        pending = [atom for condition in asked for atom in condition.about()]
        while pending:
            atom = pending.pop()
            if atom not in found:
                found.add(atom)
                pending += terms.all_atoms(atom.extent) if isinstance(atom, Index) else ()
        return [one for one in self.hypotheses if isinstance(one, Condition) and one.about() <= found]

    def _is_refuted(self, asked: Sequence[Condition]) -> bool:
        """True if the solver is known to have refuted `asked`, under hypotheses that are all among these."""
        if not self._refuted:
            return False
        goal = _numbers(asked)
        every = (one for one in self.hypotheses if isinstance(one, Condition))
        return any((goal, _numbers(held)) in self._refuted for held in (self._about_the_same(asked), every))

    def _refutes_with(self, held: Sequence[Condition], asked: Sequence[Condition], milliseconds: int) -> bool:
        """True if the solver refutes `asked` under some of the hypotheses, which then all of them do."""
        refuted = Question(held, milliseconds, self.left()).satisfiable(*asked) is Answer.NO
        if refuted:
            self._refuted.add((_numbers(asked), _numbers(held)))
        return refuted

    def _keep_point(self, point: Valuation) -> None:
        """Keep values that the solver has found among the points of this path, and of those that it continues: what
        other paths ask need not be found there again."""
        if not (point.satisfies(self.hypotheses) and in_range(point, self.hypotheses)):
            # It leaves out atoms that do not matter here.
            return
        for prover in self._ancestry():
            if prover._points is not None:
                prover._points = (*prover._points, point)[-2 * ProvingBudget.POINTS :]

    def _ancestry(self) -> Iterable[Prover]:
        """This prover, the one it is made from, and so on."""
        prover: Prover | None = self
        while prover is not None:
            yield prover
            prover = prover.parent


def _numbers(stated: Iterable[Condition]) -> frozenset[int]:
    return frozenset(condition.uid for condition in stated)


def _values_at(points: Iterable[Valuation], term: Term) -> set[int]:
    """The values that `term` has at `points`, where it has one."""
    found: set[int] = set()
    for point in points:
        try:
            found.add(point.term(term))
        except Undefined:
            continue
    return found
