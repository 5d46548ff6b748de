"""The conditions of the path being explored, and questions about them.

Contexts form a tree: assuming the same condition in the same context gives the same context again, so what was found
out once is found again when a path is replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition, condition_key
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.prover import BUDGETS, Prover


class Context(Prover):
    """The hypotheses of a path, and what has been found out about them."""

    __slots__ = ("_children", "_entailed", "_proved", "_truth", "_values")

    def __init__(
        self,
        parent: Context | None = None,
        condition: Condition | bool = True,
        left: Callable[[], float] = lambda: float("inf"),
    ) -> None:
        """`left` are the seconds of the clock that there still are, for the first of a tree."""
        left = left if parent is None else parent.left
        super().__init__([] if condition is True else [condition], BUDGETS.path, left, parent)
        self._children: dict[int | str, Context] = {}
        #: With the condition, or the term: one that nothing else keeps would be another object when it is asked about
        #: again, by the next operation or when a path is replayed.
        self._entailed: dict[int, tuple[Condition, bool]] = {}
        self._proved: dict[int, tuple[Condition, bool]] = {}
        self._truth: dict[int, tuple[Condition, bool | None]] = {}
        self._values: dict[int, tuple[Term, int | None]] = {}

    def with_condition(self, condition: Condition | bool) -> Context:
        """The context in which `condition` holds as well."""
        if condition is True:
            return self
        key = condition_key(condition)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = Context(self, condition)
        return child

    def with_all(self, conditions: Iterable[Condition | bool]) -> Context:
        """The context in which all `conditions` hold as well."""
        context = self
        for condition in conditions:
            context = context.with_condition(condition)
        return context

    def entails(self, condition: Condition | bool) -> bool:
        """True if the simplifier alone shows that `condition` follows: the same each time that it is asked."""
        if not isinstance(condition, Condition):
            return condition
        if condition.uid not in self._entailed:
            # What has been seen to be false need not be tried to be proved.
            seen = self._seen_values(condition, self.known_sample())
            self._entailed[condition.uid] = condition, False not in seen and super().entails(condition)
        return self._entailed[condition.uid][1]

    def proves(self, condition: Condition | bool) -> bool:
        """True if `condition` surely holds wherever the hypotheses do: the same each time that it is asked."""
        if not isinstance(condition, Condition):
            return super().proves(condition)
        if condition.uid not in self._proved:
            self._proved[condition.uid] = condition, super().proves(condition)
        return self._proved[condition.uid][1]

    def truth(self, condition: Condition) -> bool | None:
        """True if `condition` holds: True and False are certain, None is either or not known."""
        if condition.uid not in self._truth:
            self._truth[condition.uid] = condition, super().truth(condition)
        return self._truth[condition.uid][1]

    def value(self, term: Term) -> int | None:
        """The only value `term` can have, if there is only one."""
        if term.uid not in self._values:
            self._values[term.uid] = term, super().value(term)
        return self._values[term.uid][1]

    def _facts_with(self, asked: Sequence[Condition]) -> Facts:
        # Those of the path on which they hold, which is likely to be explored next.
        return self.with_all(asked).facts
