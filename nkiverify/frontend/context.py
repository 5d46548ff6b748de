"""What holds on the path being explored, and questions about it.

Contexts form a tree: assuming the same condition in the same context gives the same context again, so what was found
out once is found again when a path is replayed.
"""

from __future__ import annotations

from nkiverify.engines.smt import Answer, Question
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation, variants
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.terms import Term

#: Milliseconds the solver may take for one question about a path. Not knowing only explores a path in vain.
PATH_QUESTION_MS = 1000


class Context:
    """The hypotheses of a path."""

    __slots__ = ("_children", "_facts", "_sample", "_sampled", "_truth", "_values", "condition", "parent")

    def __init__(self, parent: Context | None = None, condition: Condition | bool = True) -> None:
        self.parent = parent
        self.condition = condition
        self._children: dict[int, Context] = {}
        self._facts: Facts | None = None
        self._truth: dict[int, bool | None] = {}
        self._values: dict[int, int | None] = {}
        self._sample: Valuation | None = None
        self._sampled = False

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
        if self.facts.proves(condition):
            return True
        negated = condition.negation()
        if self.facts.proves(negated):
            return False
        question = Question(self.hypotheses(), PATH_QUESTION_MS)
        if not self.facts.samples and (sample := self.sample()) is not None:
            self.facts.samples = (sample,)
        seen = self._seen_values(condition)
        if True not in seen and question.satisfiable(condition) is Answer.NO:
            return False
        if False not in seen and question.satisfiable(negated) is Answer.NO:
            return True
        return None

    def sample(self) -> Valuation | None:
        """Some values for which the hypotheses hold, if some have been found."""
        if not self._sampled:
            self._sampled = True
            self._sample = self._find_sample()
        return self._sample

    def _find_sample(self) -> Valuation | None:
        hypotheses = self.hypotheses()
        inherited = self.parent.sample() if self.parent is not None else Valuation({})
        for candidate in variants(inherited, hypotheses) if inherited is not None else ():
            return candidate
        question = Question(hypotheses, PATH_QUESTION_MS)
        return Valuation(question.model) if question.satisfiable() is Answer.YES else None

    def _seen_values(self, condition: Condition) -> set[bool]:
        """The truth values that `condition` has been seen to have, without asking the solver."""
        sample = self.sample()
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
