"""`while` statements: run as they are, unrolled up to a bound, taken for a search, or summarised.

    while off < N:
        …
        off += T

is summarised as a `for` statement is: its body is run for an arbitrary iteration. An iteration begins after a test that
is true, and ends with the next test. The number of iterations is guessed from what is tested: where that is
`f + c*i <= 0` after iteration i, with c at least 1, there are as many as it holds for; of several such tests, as of
`while a and b`, the least number. `f + c*i != 0` is `f + c*i < 0`, or the same with the other sign, where the counter
meets 0. It is checked with the rest of what is guessed: the first test must be the one of the guess for no iteration,
and the test after an arbitrary iteration must be true where, by the guess, another one follows, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.source import Site, frame_site
from nkiverify.frontend.carried_guesses import BodyEnding
from nkiverify.frontend.drawn_loops import DrawnLoop, consumers_of
from nkiverify.frontend.loops import PlainWhile
from nkiverify.frontend.ranges import SymRange, SymZip
from nkiverify.frontend.source_names import LoopNames
from nkiverify.frontend.summaries import SummarisedLoop
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term

if TYPE_CHECKING:
    from nkiverify.frontend.explorer import SymbolicExecution
    from nkiverify.model.known_numbers import AllocationKey
    from nkiverify.symbolic.path_conditions import Context

#: More iterations than there can be.
_MANY = 2**31


class WhileLoop(PlainWhile):
    """A `while` statement of a symbolic run. It is summarised where its first test can be one of a counter. Otherwise
    each test may split the run; the unwinding bound ends it. One that may be a search is run again as one if it
    continues for long."""

    def __init__(
        self, run: SymbolicExecution, site: Site, frame: FrameType, names: LoopNames, may_search: bool
    ) -> None:
        self._run = run
        self._site = site
        self._frame = frame
        self._names = names
        self._may_search = may_search
        self._splits = 0
        self._tests = 0
        self._consumers = consumers_of(run, frame) if names.drawn else ()
        self._summary: _SummarisedWhile | None = None
        self._passes: Iterator[Any] = iter(())

    @property
    def restoring(self) -> bool:  # type: ignore[override]
        """True where local names are to be bound as `get` says."""
        return self._summary is not None and not self._summary.ends_iteration

    @property
    def testing(self) -> bool:  # type: ignore[override]
        """True at the first test, and at the end of an iteration."""
        return self._summary is None or self._summary.ends_iteration

    def goes_on(self) -> bool:
        """True if there is another round, another path through the body, or the test after it."""
        if self._summary is None:
            return not self._over
        if self._summary.begins_test():
            return True
        return next(self._passes, None) is not None

    def test(self, condition: Any) -> bool:
        """The truth value of the condition, for this iteration."""
        if self._summary is not None:
            self._summary.tested = condition
            return False
        if self._tests == 0 and self._may_summarise(condition):
            if self._run.context.truth(condition) is False:
                self._over = True
                return False
            assert self._consumers is not None
            summary = _SummarisedWhile(self._run, self._site, self._frame, self._names, condition, self._consumers)
            self._summary = summary
            self._passes = iter(self._summary)
            next(self._passes)
            return True
        self._over = not self._unrolled_test(condition)
        return not self._over

    def _may_summarise(self, condition: object) -> bool:
        return (
            self._names.summarise
            and self._site not in self._run.unrolled
            and isinstance(condition, conditions.Comparison)
            and condition.relation is not conditions.Relation.EQUAL
            and not self._may_search
            and self._consumers is not None
        )

    def _unrolled_test(self, condition: Any) -> bool:
        run = self._run
        self._tests += 1
        if self._may_search and self._tests > ExploringBudget.ROUNDS_BEFORE_A_SEARCH:
            raise run.search(self._site)
        if self._tests % 64 == 0:
            run.check_time()
        if not isinstance(condition, conditions.Condition):
            return bool(condition)
        known = run.context.truth(condition)
        if known is not None:
            return bool(condition)
        if self._splits >= run.limits.unwind:
            run.claim_unwinding(condition.negation(), self._site, self._splits)
            return False
        self._splits += 1
        return bool(condition)

    def has(self, name: str) -> bool:
        """True if the local `name` is to be bound now."""
        return self._summary is not None and self._summary.has(name)

    def get(self, name: str) -> object:
        """The value the local `name` is to have now."""
        return None if self._summary is None else self._summary.get(name)

    def leave(self) -> None:
        """The loop is left by `break` or `return`."""
        if self._summary is not None:
            self._summary.leave()

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the body ends only a path."""
        return self._summary is not None and self._summary.absorb(error)


class _SummarisedWhile(SummarisedLoop):
    """Drives a `while` statement so that its body runs once per path for an arbitrary iteration."""

    def __init__(
        self,
        run: SymbolicExecution,
        site: Site,
        frame: FrameType,
        names: LoopNames,
        first: conditions.Comparison,
        consumers: tuple[DrawnLoop, ...],
    ) -> None:
        # There is no telling yet how many iterations there are.
        many = SymRange(terms.constant(0), terms.constant(_MANY), terms.constant(1))
        super().__init__(many, run, site, frame, names, "i", consumers)
        self._first = first
        self._ranged = False
        #: The terms that are at most 0 before iteration i + 1, as far as is known, and the index i.
        self._before: tuple[list[Term], Term] | None = None
        #: The terms that are at most 0 before the iterations that there are.
        self._ranges: list[SymRange] = []
        self.ends_iteration = False
        self.tested: object = True

    def begins_test(self) -> bool:
        """True if the body has come to its end, and what it tests is to be evaluated."""
        self.ends_iteration = not self.ends_iteration and not self._path_ended
        return self.ends_iteration

    def _bounds(self, index: Term) -> tuple[conditions.Condition | bool, ...]:
        if self._ranged:
            return super()._bounds(index)
        if self._before is None:
            return (*super()._bounds(index), self._first)
        (old,) = self._before[1].atoms
        earlier = {old: terms.add(index, terms.constant(-1))}
        before = (conditions.at_most_zero(terms.substitute(term, earlier)) for term in self._before[0])
        return (*super()._bounds(index), *before)

    def _follows(self, ending: BodyEnding, index: Term) -> conditions.Condition | bool:
        tested = ending.tested
        if not isinstance(tested, conditions.Condition | bool):
            self._give_up("what it tests is no comparison")
        return tested

    def _ending(self, snapshot: Any) -> BodyEnding:
        ending = super()._ending(snapshot)
        ending.tested = self.tested
        return ending

    def _verified(self, endings: list[BodyEnding], index: Term, looked_at: Mapping[AllocationKey, bool]) -> bool:
        verified = super()._verified(endings, index, looked_at)
        if not self._ranged:
            self._ranged = self._find_range(endings, index)
            if verified and not self._ranged:
                self._give_up("there is no telling how many iterations there are")
            return False
        if verified and not all(self._tested_as_guessed(ending, index) for ending in endings):
            self._give_up("there is no telling how many iterations there are")
        return verified

    def _find_range(self, endings: list[BodyEnding], index: Term) -> bool:
        """True if the number of iterations is guessed from what the paths test at their ends."""
        found: dict[int, Term] = {}
        for ending in endings:
            tested = ending.tested
            if tested is False:
                continue
            term = _at_most_zero_while(tested, ending.context, index)
            if term is None:
                return False
            found[term.uid] = term
        ranges = [_range(term, index, self._run) for term in found.values()]
        known = [one for one in ranges if one is not None]
        if not known or len(known) < len(ranges):
            self._before = None
            return False
        self._before = list(found.values()), index
        context = self._run.context
        first = _goes_on(known, terms.constant(0))
        if first is not self._first and not _equivalent(context, first, self._first):
            return False
        self._ranges = known
        self._state.sequence = known[0] if len(known) == 1 else SymZip(tuple(known))
        return True

    def _tested_as_guessed(self, ending: BodyEnding, index: Term) -> bool:
        another = _goes_on(self._ranges, terms.add(index, terms.constant(1)))
        return another is ending.tested or _equivalent(ending.context, another, self._follows(ending, index))


def _at_most_zero_while(tested: object, context: Context, index: Term) -> Term | None:
    """The term that is at most 0 where a path through the body continues after its test, if there is one."""
    if not isinstance(tested, conditions.Comparison) or tested.relation is conditions.Relation.EQUAL:
        return None
    # Of `a and b` a path on which the first one is false ends with it.
    goes_on = context if context.truth(tested) is False else context.with_condition(tested)
    term = conditions.without_minima(tested.term, goes_on.proves)
    if tested.relation is conditions.Relation.AT_MOST:
        return term
    parts = terms.coefficient_of(term, terms.index_atom(index))
    if parts is None:
        return None
    rises = context.proves(conditions.at_most_zero(terms.scale(parts[0], -1)))
    return terms.add(terms.constant(1), term, 1 if rises else -1)


def _range(term: Term, index: Term, run: SymbolicExecution) -> SymRange | None:
    """The values of the term before iterations 0, 1, …, as long as they are at most 0, where it is `term` after
    iteration `index`, and grows."""
    atom = terms.index_atom(index)
    parts = terms.coefficient_of(term, atom)
    if parts is None or any(atom in terms.all_atoms(part) for part in parts):
        return None
    step, rest = parts
    if not run.entails(conditions.at_most_zero(terms.add(terms.constant(1), step, -1))):
        return None
    return SymRange(terms.add(rest, step, -1), terms.constant(1), step)


def _goes_on(ranges: list[SymRange], index: Term) -> conditions.Condition | bool:
    """The condition on which there is an iteration `index`."""
    return conditions.conjunction(conditions.at_most_zero(one.element(index)) for one in ranges)


def _equivalent(context: Context, one: conditions.Condition | bool, two: conditions.Condition | bool) -> bool:
    """True if each of two conditions follows from the other."""
    return all(given is False or context.with_condition(given).proves(goal) for given, goal in ((one, two), (two, one)))


def while_over(run: SymbolicExecution, frame: FrameType, names: LoopNames, steps: Mapping[str, int]) -> PlainWhile:
    """How to run a `while` statement. If all it computes is numbers, `steps` has their names, each with a number of
    which multiples are taken away."""
    site = frame_site(frame)
    if not steps:
        return WhileLoop(run, site, frame, names, may_search=False)
    from nkiverify.frontend.search_statements import (  # as late as this: few kernels have such a statement
        SearchStatement,
        may_be_search,
    )

    may_search = may_be_search(run, site, frame, steps)
    if may_search and site in run.searched:
        return SearchStatement(run, site, frame, steps)
    return WhileLoop(run, site, frame, names, may_search)
