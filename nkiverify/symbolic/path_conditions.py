"""What holds on the path being explored, and questions about it.

Contexts form a tree: assuming the same condition in the same context gives the same context again, so what was found
out once is found again when a path is replayed.
"""

from __future__ import annotations

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation, variants
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.guessing import guessed_values
from nkiverify.symbolic.smt import Answer, Question
from nkiverify.symbolic.terms import Term

#: Milliseconds the solver may take for one question about a path. Not knowing only explores a path in vain.
PATH_QUESTION_MS = 1000


class Context:
    """The hypotheses of a path."""

    __slots__ = ("_asked", "_children", "_facts", "_guessed", "_sample", "_truth", "_values", "condition", "parent")

    def __init__(self, parent: Context | None = None, condition: Condition | bool = True) -> None:
        self.parent = parent
        self.condition = condition
        self._children: dict[int, Context] = {}
        self._facts: Facts | None = None
        self._truth: dict[int, bool | None] = {}
        self._values: dict[int, int | None] = {}
        self._sample: Valuation | None = None
        self._guessed = False
        self._asked = False

    def with_condition(self, condition: Condition | bool) -> Context:
        """The context in which `condition` holds as well."""
        if condition is True:
            return self
        key = condition.uid if isinstance(condition, Condition) else 0
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = Context(self, condition)
        return child

    @property
    def facts(self) -> Facts:
        """The hypotheses in the form the cheap prover works on."""
        if self._facts is None:
            self._facts = Facts() if self.parent is None else self.parent.facts.extended(self.condition)
        return self._facts

    def hypotheses(self) -> list[Condition | bool]:
        """All conditions that hold, outermost first."""
        found: list[Condition | bool] = []
        walker: Context | None = self
        while walker is not None:
            if walker.condition is not True:
                found.append(walker.condition)
            walker = walker.parent
        return found[::-1]

    def truth(self, condition: Condition) -> bool | None:
        """Whether `condition` holds: True and False are certain, None is either or not known."""
        if condition.uid not in self._truth:
            self._truth[condition.uid] = self._find_truth(condition)
        return self._truth[condition.uid]

    def _find_truth(self, condition: Condition) -> bool | None:
        # What has been seen to be false need not be tried to be proved.
        seen = self._seen_values(condition, self._known_sample())
        if False not in seen and self.facts.proves(condition):
            return True
        negated = condition.negation()
        if True not in seen and self.facts.proves(negated):
            return False
        if len(seen) < 2 and self._known_sample() is None:
            seen = self._seen_values(condition, self.sample())
        question = Question(self.hypotheses(), PATH_QUESTION_MS)
        if True not in seen and not self._easily(condition) and question.satisfiable(condition) is Answer.NO:
            return False
        if False not in seen and not self._easily(negated) and question.satisfiable(negated) is Answer.NO:
            return True
        return None

    def _easily(self, condition: Condition) -> bool:
        """Whether `condition` is seen to hold for some values without asking a solver."""
        return guessed_values(self.with_condition(condition).facts, [*self.hypotheses(), condition]) is not None

    def sample(self) -> Valuation | None:
        """Some values for which the hypotheses hold, if some can be found."""
        if self._known_sample() is None and not self._asked:
            self._asked = True
            question = Question(self.hypotheses(), PATH_QUESTION_MS)
            if question.satisfiable() is Answer.YES:
                self._keep(Valuation(question.model))
        return self._sample

    def _known_sample(self) -> Valuation | None:
        """Some values for which the hypotheses hold, if some are found without asking the solver."""
        if not self._guessed:
            self._guessed = True
            hypotheses = self.hypotheses()
            inherited = self.parent._known_sample() if self.parent is not None else Valuation({})
            near = next(variants(inherited, hypotheses), None) if inherited is not None else None
            self._keep(near if near is not None else guessed_values(self.facts, hypotheses))
        return self._sample

    def _keep(self, sample: Valuation | None) -> None:
        self._sample = sample
        if sample is not None and not self.facts.samples:
            self.facts.samples = (sample,)

    def _seen_values(self, condition: Condition, sample: Valuation | None) -> set[bool]:
        """The truth values that `condition` has for values near `sample` that satisfy the hypotheses."""
        seen: set[bool] = set()
        for candidate in variants(sample, self.hypotheses(), condition) if sample is not None else ():
            try:
                seen.add(candidate.holds(condition))
            except Undefined:
                continue
            if len(seen) == 2:
                break
        return seen

    def value(self, term: Term) -> int | None:
        """The only value `term` can have, if there is only one."""
        if term.uid not in self._values:
            self._values[term.uid] = self._find_value(term)
        return self._values[term.uid]

    def _find_value(self, term: Term) -> int | None:
        value = self.facts.value_of(term)
        if value is not None:
            return value
        # The dimension named `value` occurs nowhere else: it gives the term a name in the model.
        name = terms.dimension("value of a term")
        same = conditions.equals_zero(terms.add(term, name, -1))
        question = Question(self.hypotheses(), PATH_QUESTION_MS)
        if question.satisfiable(same) is not Answer.YES:
            return None
        (atom,) = name.atoms
        candidate = question.model.get(atom)
        if candidate is None:
            return None
        other = conditions.negate(conditions.equals_zero(terms.add(term, terms.constant(-candidate))))
        return candidate if question.satisfiable(other) is Answer.NO else None
