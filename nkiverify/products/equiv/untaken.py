"""Ways of branches, minima, choices and masks that kernels do not take at the shapes on which they are run.

A kernel that is right at small shapes may go another way at greater ones. What it does there is in its symbolic
program, which has every branch: each way is asked for a shape that takes it. It errs on the side of too many ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod

from nkiverify.foundation.budget import ComparingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Branch, Claim, Program
from nkiverify.ir.walk import ways_to
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.values import as_term


@dataclass(frozen=True, slots=True)
class Way:
    """One way on from `site`: taken where all `conditions` hold together for some indices."""

    conditions: tuple[Condition | bool, ...]
    condition: Condition | bool
    site: Site | None

    @property
    def text(self) -> str:
        """The condition that holds where it is taken."""
        return str(self.condition)


def ways(program: Program) -> list[Way]:
    """Every way of a program, with the path that leads to it."""
    # Conditions are interned, and comparing two asks the run.
    return list({(way.site, id(way.condition)): way for way in _all(program)}.values())


def _all(program: Program) -> Iterator[Way]:
    for path, claim in ways_to(program.body, Claim):
        stated = claim.condition.terms() if isinstance(claim.condition, Condition) else ()
        yield from _of_terms(stated, path.conditions, claim.site)
    for path, executed in ways_to(program.body, Executed):
        yield from _of_terms(_terms_of(executed.operation), path.conditions, executed.site)
        yield from _of_mask(executed.operation, path.conditions, executed.site)
    for path, branch in ways_to(program.body, Branch):
        for condition, _ in branch.arms:
            yield _way(condition, path.conditions, branch.site)


def _way(condition: Condition | bool, path: Sequence[Condition | bool], site: Site | None) -> Way:
    bounds = [bound for index in _indices(condition) for bound in _within(index)]
    return Way((*path, *bounds, condition), condition, site)


def _indices(condition: Condition | bool) -> Iterable[Index]:
    return condition.indices() if isinstance(condition, Condition) else ()


def _within(index: Index) -> Iterator[Condition | bool]:
    term = terms.of_atom(index)
    yield conditions.at_most_zero(terms.scale(term, -1))
    yield _less(term, index.extent)


def _less(one: Term, other: Term) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.add(one, other, -1), terms.constant(1)))


def _terms_of(operation: Operation) -> Iterator[Term]:
    """The places and sizes of the operands of an operation, and the numbers that it is given."""
    places = (extent for view in operation.views for extent in (view.offset, *view.shape, *view.strides))
    for value in (*places, *operation.attributes.values()):
        for part in value if isinstance(value, tuple | list) else (value,):
            if isinstance(part, SymRational):
                yield from (part.top, part.bottom)
            elif (term := as_term(part)) is not None:
                yield term


def _of_terms(found: Iterable[Term], path: Sequence[Condition | bool], site: Site | None) -> Iterator[Way]:
    atoms: dict[Atom, None] = {}
    for term in found:
        if term.atoms:
            atoms.update(dict.fromkeys(terms.all_atoms(term)))
    for atom in atoms:
        if isinstance(atom, Select):
            yield _way(atom.condition, path, site)
            yield _way(atom.condition.negation(), path, site)
        elif isinstance(atom, Min):
            for part in atom.terms:
                least = (_less(part, other) for other in atom.terms if other is not part)
                yield _way(conditions.conjunction(tuple(least)), path, site)
        elif isinstance(atom, Div):
            # A quotient that is never anything but 0 might as well not be there.
            yield _way(conditions.negate(_less(atom.numerator, atom.denominator)), path, site)


def _of_mask(operation: Operation, path: Sequence[Condition | bool], site: Site | None) -> Iterator[Way]:
    for part in operation.mask.terms if operation.mask is not None else ():
        places = [
            terms.index(f"lane {axis}", term, ("untaken", axis))
            for axis, extent in enumerate(part.difference.shape)
            if (term := as_term(extent)) is not None
        ]
        if len(places) == len(part.difference.shape):
            holds = part.at(tuple(places))  # type: ignore[arg-type]
            yield _way(holds, path, site)
            yield _way(conditions.negate(holds), path, site)


@dataclass(frozen=True, slots=True)
class Untaken:
    """Finds ways that shapes do not take, given what all shapes satisfy."""

    ways: tuple[Way, ...]
    hypotheses: tuple[Condition | bool, ...]
    #: What makes both kernels legal, as far as only dimensions decide it.
    legal: tuple[Condition | bool, ...]
    #: The dimensions by name, and the least shape of those in a prover's hypotheses.
    own: Mapping[str, Term]
    least: Callable[[Prover], dict[str, int]]

    def at(self, shapes: Iterable[Mapping[str, int]]) -> list[Way]:
        """The ways that some shape takes, but none of these does, as far as is known."""
        tried = [[self._is(name, value) for name, value in shape.items()] for shape in shapes]
        return [
            way
            for way in self.ways
            if not any(self._satisfiable(way, shape) is Answer.YES for shape in tried)
            and self._satisfiable(way, ()) is not Answer.NO
        ]

    def shape(self, way: Way, chosen: Mapping[str, int]) -> dict[str, int] | None:
        """A legal shape that takes a way; None where none is known, or running it is too much work.

        The least one may take it once, for an element that is stored nowhere: twice its sizes are better."""
        prover = Prover([*self.hypotheses, *self.legal, *way.conditions], BUDGETS.compared)
        if prover.satisfiable() is not Answer.YES:
            return None
        least = self.least(prover)
        twice = {name: 2 * value if value > chosen[name] else value for name, value in least.items()}
        for shape in (twice, least):
            more = prod(max(1.0, shape[name] / value) for name, value in chosen.items())
            given = [self._is(name, value) for name, value in shape.items()]
            if more <= ComparingBudget.MORE_WORK and prover.with_conditions(given).satisfiable() is Answer.YES:
                return shape
        return None

    def _is(self, name: str, value: int) -> Condition | bool:
        return conditions.equals_zero(terms.add(self.own[name], terms.constant(-value)))

    def _satisfiable(self, way: Way, shape: Iterable[Condition | bool]) -> Answer:
        return Prover([*self.hypotheses, *way.conditions, *shape], BUDGETS.compared).satisfiable()
