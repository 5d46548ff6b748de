"""Shapes on which two kernels are compared: every loop runs at least twice, no two dimensions are equal, none is 1;
then others that are no multiples of a tile."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from types import MethodType, ModuleType
from typing import Any

from nkiverify.foundation.budget import TargetBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.source import is_kernel_class
from nkiverify.frontend.loader import MadeInRun
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Claim, DomainDimension, Loop, Program
from nkiverify.ir.walk import of_kind, ways_to
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import DATAFLOW
from nkiverify.products.equiv.untaken import Untaken, Way, ways
from nkiverify.project.request import Request
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.terms import INT32_MAX
from nkiverify.verify.exploration import explore

#: The greatest value a dimension is given: equivalence is decided on small shapes.
_GREATEST = 1 << 14
#: Kinds of values that say no size; nor do functions, which may hold some.
_NO_SIZES = (bool, float, str, bytes, type, ModuleType, DType, enum.Enum, type(None))


@dataclass(frozen=True, slots=True)
class AskedDomain:
    """The values of dimensions that are asked about: those of the domains of both kernels."""

    hypotheses: tuple[Condition | bool, ...]
    dimensions: Mapping[str, Term]

    def not_run(self, tried: Sequence[Mapping[str, int]]) -> tuple[str, ...]:
        """The dimensions that have other values than in the shapes that were `tried`; errs on the side of too many."""
        others = [conditions.disjunction(self._is_not(name, one[name]) for name in self.dimensions) for one in tried]
        if Prover([*self.hypotheses, *others], BUDGETS.compared).satisfiable() is Answer.NO:
            return ()
        prover = Prover(list(self.hypotheses), BUDGETS.compared)
        differ = {name: self._is_not(name, tried[0][name]) for name in self.dimensions}
        return tuple(name for name, other in differ.items() if prover.satisfiable(other) is not Answer.NO)

    def _is_not(self, name: str, value: int) -> Condition | bool:
        return conditions.negate(_is(self.dimensions[name], value))


@dataclass(frozen=True, slots=True)
class ComparedShapes:
    """Values of all dimensions of the kernels: small ones, and others of which each has one or all dimensions one
    greater."""

    chosen: dict[str, int]
    greater: dict[str, int] | None = None
    greater_by_one: tuple[dict[str, int], ...] = ()
    #: The kernels that are made for some sizes, so that no others are tried.
    made_for_sizes: tuple[str, ...] = ()
    #: The ways that the kernels go at some shapes, to be searched for among those that are tried.
    untaken: Untaken | None = None
    #: The domain of the dimensions; None where all have a value.
    domain: AskedDomain | None = None


def chosen_dimensions(requests: Sequence[Request], hardware: str) -> ComparedShapes:
    """The shapes to try. Raises `UsageError` where no values are legal."""
    domains: dict[str, DomainDimension] = {}
    demanded: list[Condition | bool] = []
    wished: list[Condition | bool] = []
    legal: list[Condition | bool] = []
    found_ways: list[Way] = []
    held = {asked.name: list(_held(asked.kernel)) for asked in requests}
    for asked in requests:
        if not asked.domain.ranges:
            continue
        target, recorded = asked.target(hardware, several=False), frozenset({DATAFLOW.number})
        exploration = explore(target, hardware_named(hardware), _limits(), recorded)
        for dimension in exploration.run.program.dimensions:
            domains.setdefault(dimension.atom.name, dimension)
        program = exploration.run.program
        demanded += filter(_of_dimensions, program.assumed)
        wished += filter(_of_dimensions, (loop.runs_twice for loop in of_kind(program.body, Loop)))
        legal += _claims(program)
        found_ways += ways(program)
    if not domains:
        return ComparedShapes({})
    own = {name: terms.of_atom(dimension.atom) for name, dimension in domains.items()}
    sizes = [value for values in held.values() for value in values if isinstance(value, int)]
    # What a kernel was made with is a size of its tensors, if it can be.
    legal += [conditions.disjunction(_is(term, size) for term in own.values()) for size in sizes]
    hypotheses = [*_ranges(domains.values(), own, _GREATEST), *demanded]
    domain = AskedDomain((*_ranges(domains.values(), own, INT32_MAX), *demanded), own)
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

    def least(prover: Prover) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, term in own.items():
            found[name] = _least(prover, term, domains[name])
            prover = prover.with_conditions([_is(term, found[name])])
        return found

    chosen = least(prover)

    def allowed(dimensions: dict[str, int]) -> bool:
        equalities = (_is(own[name], value) for name, value in dimensions.items())
        return Prover([*hypotheses, *equalities], BUDGETS.compared).satisfiable() is Answer.YES

    untaken = Untaken(tuple(found_ways), tuple(hypotheses), tuple(legal), own, least)
    made_for_sizes = tuple(name for name, values in held.items() if values)
    if made_for_sizes:
        return ComparedShapes(chosen, made_for_sizes=made_for_sizes, untaken=untaken, domain=domain)
    greater = {name: value + 1 for name, value in chosen.items()}
    single = [{**chosen, name: value} for name, value in greater.items()] if len(chosen) > 1 else []
    by_one = tuple(filter(allowed, single))
    return ComparedShapes(chosen, greater if allowed(greater) else None, by_one, untaken=untaken, domain=domain)


def _held(kernel: Any) -> Iterator[Any]:
    """The values that a kernel holds since it was made, and that may say for which sizes: what its factory,
    `functools.partial` or its object was given. Errs on too many."""
    seen: set[int] = set()
    left = [kernel]
    while left:
        value = left.pop()
        if id(value) in seen or isinstance(value, _NO_SIZES):
            continue
        seen.add(id(value))
        if isinstance(value, MadeInRun):
            left += value.given
        elif isinstance(value, partial):
            left += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, MethodType):
            left += [value.__func__, value.__self__]
        elif callable(value) and not is_kernel_class(type(value)):
            left += _in_closure(value)
        elif not isinstance(value, int) or value > 1:
            yield value


def _in_closure(function: Callable[..., Any]) -> Iterator[Any]:
    """The values that a function, or the one it wraps, takes from where it was defined."""
    yield getattr(function, "__wrapped__", None)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue


def _limits() -> Limits:
    return Limits(seconds=TargetBudget.SECONDS)


def _ranges(domains: Iterable[DomainDimension], own: Mapping[str, Term], greatest: int) -> Iterator[Condition | bool]:
    """The ranges of dimensions, of which none is beyond `greatest`."""
    for dimension in domains:
        term = own[dimension.atom.name]
        high = min(dimension.greatest, greatest)
        yield conditions.at_most_zero(_minus(terms.constant(dimension.low), term))
        yield conditions.at_most_zero(_minus(term, terms.constant(high)))
        if dimension.multiple_of > 1:
            multiple = terms.constant(dimension.multiple_of)
            yield conditions.equals_zero(_minus(term, terms.multiply(multiple, terms.divide(term, multiple))))


def _minus(one: Term, two: Term) -> Term:
    return terms.add(one, two, -1)


def _claims(program: Program) -> Iterator[Condition | bool]:
    """The claims of a program that only dimensions decide, on every path, those in loops for the last iteration."""
    for path, claim in ways_to(program.body, Claim):
        if not path.branches:
            ends: dict[Atom, Term] = {}
            for loop in path.loops:
                ends[loop.index] = terms.substitute(terms.add(loop.extent, terms.constant(1), -1), ends)
            condition = conditions.substituted(claim.condition, ends)
            if _of_dimensions(condition):
                yield condition


def _of_dimensions(condition: Condition | bool) -> bool:
    return isinstance(condition, Condition) and not condition.indices()


def _least(prover: Prover, term: Term, dimension: DomainDimension) -> int:
    """The least value a dimension can have next to those already settled."""
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
