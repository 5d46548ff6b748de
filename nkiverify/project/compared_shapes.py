"""Shapes on which two kernels are compared: every loop runs at least twice, no two dimensions are equal, none is 1;
then others that are no multiples of a tile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Assume, Block, Branch, Claim, DomainDimension, Loop
from nkiverify.model.hardware import hardware_named
from nkiverify.project.request import Request
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.terms import Atom, Term
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import DEFAULT_TIMEOUT_SECONDS

#: The greatest value a dimension is given: equivalence is decided on small shapes.
_GREATEST = 1 << 14


@dataclass(frozen=True, slots=True)
class Shapes:
    """Values of all dimensions of the kernels: small ones, and others of which each has one or all dimensions one
    greater."""

    chosen: dict[str, int]
    greater: dict[str, int] | None = None
    greater_by_one: tuple[dict[str, int], ...] = ()


def chosen_dimensions(requests: Sequence[Request], hardware: str) -> Shapes:
    """The shapes to try. Raises `UsageError` where no values are legal."""
    domains: dict[str, DomainDimension] = {}
    demanded: list[Condition | bool] = []
    wished: list[Condition | bool] = []
    legal: list[Condition | bool] = []
    for asked in requests:
        if not asked.domain.ranges:
            continue
        exploration = explore(asked.target(hardware, several=False), hardware_named(hardware), _limits())
        for dimension in exploration.run.program.dimensions:
            domains.setdefault(dimension.atom.name, dimension)
        _collect(exploration.run.program.body, demanded, wished)
        legal += _claims(exploration.run.program.body, {})
    if not domains:
        return Shapes({})
    own = {name: terms.of_atom(dimension.atom) for name, dimension in domains.items()}
    hypotheses = [*_ranges(domains.values(), own), *demanded]
    wished += [
        conditions.negate(conditions.equals_zero(_minus(one, two))) for one, two in combinations(own.values(), 2)
    ]
    # Of a single element, or of two, too much is the same: the first and the last, a sum and its order.
    wished += [conditions.at_most_zero(_minus(terms.constant(3), term)) for term in own.values()]
    prover = Prover(hypotheses, BUDGETS.compared)
    if prover.satisfiable() is not Answer.YES:
        raise UsageError("no shapes were found that both kernels accept: give the dimensions, for example K=256")
    # That the kernels are legal comes first: sizes that one of them has for constants are what the tensors have.
    for wish in [*legal, *wished]:
        if prover.satisfiable(wish) is Answer.YES:
            prover = prover.with_conditions([wish])
    chosen: dict[str, int] = {}
    for name, term in own.items():
        chosen[name] = _least(prover, term, domains[name])
        prover = prover.with_conditions([_is(term, chosen[name])])

    def allowed(dimensions: dict[str, int]) -> bool:
        equalities = (_is(own[name], value) for name, value in dimensions.items())
        return Prover([*hypotheses, *equalities], BUDGETS.compared).satisfiable() is Answer.YES

    greater = {name: value + 1 for name, value in chosen.items()}
    single = ({**chosen, name: value} for name, value in greater.items()) if len(chosen) > 1 else ()
    return Shapes(chosen, greater if allowed(greater) else None, tuple(filter(allowed, single)))


def _limits() -> Limits:
    return Limits(seconds=DEFAULT_TIMEOUT_SECONDS)


def _ranges(domains: Iterable[DomainDimension], own: dict[str, Term]) -> Iterator[Condition | bool]:
    for dimension in domains:
        term = own[dimension.atom.name]
        high = _GREATEST if dimension.high is None else min(dimension.high, _GREATEST)
        yield conditions.at_most_zero(_minus(terms.constant(dimension.low), term))
        yield conditions.at_most_zero(_minus(term, terms.constant(high)))
        if dimension.multiple_of > 1:
            multiple = terms.constant(dimension.multiple_of)
            yield conditions.equals_zero(_minus(term, terms.multiply(multiple, terms.divide(term, multiple))))


def _minus(one: Term, two: Term) -> Term:
    return terms.add(one, two, -1)


def _collect(block: Block, demanded: list[Condition | bool], wished: list[Condition | bool]) -> None:
    """The conditions at the top of a program, and for its loops that they run twice, where only dimensions decide
    it."""
    for item in block.items:
        if isinstance(item, Assume) and _of_dimensions(item.condition):
            demanded.append(item.condition)
        elif isinstance(item, Loop):
            twice = conditions.at_most_zero(_minus(terms.constant(2), item.extent))
            if _of_dimensions(twice):
                wished.append(twice)
            _collect(item.body, [], wished)
        elif isinstance(item, Branch):
            _collect(item.then, [], wished)
            _collect(item.orelse, [], wished)


def _claims(block: Block, ends: Mapping[Atom, Term]) -> Iterator[Condition | bool]:
    """The claims of a program that only dimensions decide, those in loops for the last iteration."""
    for item in block.items:
        if isinstance(item, Claim):
            condition = item.condition.substitute(ends) if isinstance(item.condition, Condition) else item.condition
            if _of_dimensions(condition):
                yield condition
        elif isinstance(item, Loop):
            last = terms.substitute(terms.add(item.extent, terms.constant(1), -1), ends)
            yield from _claims(item.body, {**ends, item.index: last})


def _of_dimensions(condition: Condition | bool) -> bool:
    return isinstance(condition, Condition) and not condition.indices()


def _least(prover: Prover, term: Term, dimension: DomainDimension) -> int:
    """The least value a dimension can have beside those already settled."""
    assert prover.satisfiable() is Answer.YES
    high = prover.model.get(dimension.atom, dimension.low)
    low = dimension.low
    while low < high:
        middle = (low + high) // 2
        if prover.satisfiable(conditions.at_most_zero(_minus(term, terms.constant(middle)))) is Answer.YES:
            high = min(middle, prover.model.get(dimension.atom, middle))
        else:
            low = middle + 1
    return high


def _is(term: Term, value: int) -> Condition | bool:
    return conditions.equals_zero(_minus(term, terms.constant(value)))
