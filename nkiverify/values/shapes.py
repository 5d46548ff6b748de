"""Shapes on which two kernels are compared: every loop runs at least twice, no two dimensions are equal, none is 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from nkiverify.check.request import Request
from nkiverify.config import DEFAULT_TIMEOUT_SECONDS
from nkiverify.engines.smt import Answer, Question
from nkiverify.errors import UsageError
from nkiverify.exploration import explore
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.program import Assume, Block, Branch, DomainDimension, Loop
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import Atom, Index, Term

#: Milliseconds for one question about the dimensions.
_QUESTION_MS = 1000
#: The greatest value a dimension is given: equivalence is decided on small shapes.
_GREATEST = 1 << 14


def chosen_dimensions(requests: Sequence[Request], hardware: str) -> dict[str, int]:
    """Small values of all dimensions of the kernels. Raises `UsageError` where no values are legal."""
    domains: dict[str, DomainDimension] = {}
    demanded: list[Condition | bool] = []
    wished: list[Condition | bool] = []
    for asked in requests:
        if not asked.domain.ranges:
            continue
        exploration = explore(asked.target(hardware, several=False), hardware_named(hardware), _limits())
        for dimension in exploration.run.program.dimensions:
            domains.setdefault(dimension.atom.name, dimension)
        _collect(exploration.run.program.body, demanded, wished)
    if not domains:
        return {}
    own = {name: terms.of_atom(dimension.atom) for name, dimension in domains.items()}
    hypotheses = [*_ranges(domains.values(), own), *demanded]
    wished += [
        conditions.negate(conditions.equals_zero(_minus(one, two))) for one, two in combinations(own.values(), 2)
    ]
    # Of a single element, or of two, too much is the same: the first and the last, a sum and its order.
    wished += [conditions.at_most_zero(_minus(terms.constant(3), term)) for term in own.values()]
    question = Question(hypotheses, _QUESTION_MS)
    if question.satisfiable() is not Answer.YES:
        raise UsageError("no shapes were found that both kernels accept: give the dimensions, for example K=256")
    for wish in wished:
        if question.satisfiable(wish) is Answer.YES:
            question.suppose(wish)
    return {name: _least(question, term, domains[name]) for name, term in own.items()}


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
    """What holds at the top of a program, and for its loops that they run twice, where only dimensions decide it."""
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


def _of_dimensions(condition: Condition | bool) -> bool:
    if not isinstance(condition, Condition):
        return False
    atoms: set[Atom] = set()
    for atom in condition.atoms():
        terms.collect_atoms(terms.of_atom(atom), atoms)
    return not any(isinstance(atom, Index) for atom in atoms)


def _least(question: Question, term: Term, dimension: DomainDimension) -> int:
    """The least value a dimension can have beside those already settled, which it is then supposed to have."""
    assert question.satisfiable() is Answer.YES
    high = question.model.get(dimension.atom, dimension.low)
    low = dimension.low
    while low < high:
        middle = (low + high) // 2
        if question.satisfiable(conditions.at_most_zero(_minus(term, terms.constant(middle)))) is Answer.YES:
            high = min(middle, question.model.get(dimension.atom, middle))
        else:
            low = middle + 1
    question.suppose(conditions.equals_zero(_minus(term, terms.constant(high))))
    return high
