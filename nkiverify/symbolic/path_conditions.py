"""The conditions of the path being explored, and questions about them.

Contexts form a tree: assuming the same condition in the same context gives the same context again, so what was found
out once is found again when a path is replayed. What surely holds in a context, or surely does not, does so in those
that are made from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition, condition_key
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.prover import BUDGETS, Prover


class Context(Prover):
    """The hypotheses of a path, and what has been found out about them."""

    __slots__ = ("_certain", "_children", "_entailed", "_proved", "_truth", "_values")

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
        self._certain: dict[int, tuple[Condition, bool]] = {}
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
            found = self._known_before(condition)
            if found is None:
                # What has been seen to be false need not be tried to be proved.
                seen = self._seen_values(condition, self.known_sample())
                found = False not in seen and super().entails(condition)
                self._note(condition, True if found else None)
            self._entailed[condition.uid] = condition, found
        return self._entailed[condition.uid][1]

    def proves(self, condition: Condition | bool) -> bool:
        """True if `condition` surely holds wherever the hypotheses do: the same each time that it is asked."""
        if not isinstance(condition, Condition):
            return super().proves(condition)
        if condition.uid not in self._proved:
            found = self._known_before(condition)
            if found is None:
                found = super().proves(condition)
                self._note(condition, True if found else None)
            self._proved[condition.uid] = condition, found
        return self._proved[condition.uid][1]

    def truth(self, condition: Condition) -> bool | None:
        """True if `condition` holds: True and False are certain, None is either or not known."""
        if condition.uid not in self._truth:
            found = self._known_before(condition)
            if found is None:
                found = super().truth(condition)
                self._note(condition, found)
            self._truth[condition.uid] = condition, found
        return self._truth[condition.uid][1]

    def value(self, term: Term) -> int | None:
        """The only value `term` can have, if there is only one."""
        if term.uid not in self._values:
            before = (one._values.get(term.uid) for one in self._contexts())
            found = next((known[1] for known in before if known is not None and known[1] is not None), None)
            self._values[term.uid] = term, super().value(term) if found is None else found
        return self._values[term.uid][1]

    def _note(self, condition: Condition, found: bool | None) -> None:
        """Keep the answer about a condition, where it is certain."""
        if found is not None:
            self._certain[condition.uid] = condition, found

    def _known_before(self, condition: Condition) -> bool | None:
        """The certain answer about `condition` in this context, or in one that it is made from, if there is any."""
        for one in self._contexts():
            known = one._certain.get(condition.uid)
            if known is not None:
                return known[1]
        return None

    def _contexts(self) -> Iterator[Context]:
        return (one for one in self._ancestry() if isinstance(one, Context))

    def _facts_with(self, asked: Sequence[Condition]) -> Facts:
        # Those of the path on which they hold, which is likely to be explored next.
        return self.with_all(asked).facts
