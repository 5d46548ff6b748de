"""Conditions that a domain may be made of, and sizes at which they differ: taken from what the program compares and
divides.

The language is small: multiples of constants, bounds, equalities and multiples between two dimensions, the conditions
of refuted claims themselves, and one disjunction (`K <= 128 or K % 128 == 0`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from nkiverify.engines.embedded import Decision
from nkiverify.foundation.budget import DerivingBudget, SearchingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Claim, DomainDimension, Item, Program
from nkiverify.ir.walk import Visitor, conditions_in, items, terms_in
from nkiverify.model.indices import MaskRelation as MaskRelation
from nkiverify.model.recorded import Executed
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Atoms, Dimension, Div, Index, Min, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation, compare
from nkiverify.symbolic.terms import constant, of_atom
from nkiverify.verify.witness.sufficient import about_dimensions, as_text, plain_parts

#: A bound from below as conditions write it.
_TURNED = re.compile(r"^(\d+) <= (\w+)$")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A condition with its text; the dearer, the later it is chosen. `rule` names the contract that it is about;
    `seen` says that only the shapes that were run speak for it."""

    condition: Condition
    text: str
    cost: float
    rule: str = ""
    seen: bool = False

    @property
    def dimensions(self) -> frozenset[str]:
        """The names of the dimensions in it."""
        return frozenset(atom.name for atom in _leaves(self.condition.atoms()) if isinstance(atom, Dimension))


@dataclass(slots=True)
class DimensionConstants:
    """Of one dimension: what it is divided by, and what it is compared with."""

    divisors: set[int]
    bounds: set[int]

    @property
    def all(self) -> list[int]:
        """All of them that shapes are run about, the greatest first."""
        small = {one for one in self.divisors | self.bounds if 1 < one <= SearchingBudget.NEAR}
        return sorted(small, key=lambda one: (one not in self.divisors, -one))[: DerivingBudget.CONSTANTS]


def constants(program: Program, decisions: Sequence[Decision]) -> dict[str, DimensionConstants]:
    """The constants of each dimension."""
    found = {one.atom.name: DimensionConstants(set(), set()) for one in program.dimensions if not one.choices}
    seen: set[Atom] = set()
    for term in _terms(program):
        waiting = list(term.atoms)
        while waiting:
            atom = waiting.pop()
            if atom in seen:
                continue
            seen.add(atom)
            if isinstance(atom, Div):
                for leaf in _leaves(atom.numerator.atoms):
                    if isinstance(leaf, Dimension) and leaf.name in found:
                        found[leaf.name].divisors |= _divisors(atom.denominator)
            waiting += [inner for argument in atom.arguments() for inner in argument.atoms]
    compared = [
        *conditions_in(program.body),
        *(part for one in decisions for part in _at_last(one.claim.condition)),
    ]
    for condition in compared:
        for part in _comparisons(condition):
            atoms = _leaves(part.term.atoms)
            names = {atom.name for atom in atoms if isinstance(atom, Dimension)}
            linear = [(key, value) for key, value in part.term.monomials.items() if key]
            if len(names) == 1 and len(linear) == 1 and len(linear[0][0]) == 1:
                (name,), (_, factor) = names, linear[0]
                bound = -part.term.constant_part // factor
                if name in found and bound > 0:
                    found[name].bounds.add(bound)
    return found


def _divisors(denominator: Term) -> set[int]:
    """The constants that a denominator is: those also that it is a minimum of, as in `N // min(N, 512)`."""
    least = (part for atom in _leaves(denominator.atoms) if isinstance(atom, Min) for part in atom.terms)
    numbers = {abs(one.constant) for one in (denominator, *least) if one.constant is not None}
    return numbers - {0, 1}


def candidates(
    program: Program, decisions: Sequence[Decision], numbers: dict[str, DimensionConstants]
) -> list[Candidate]:
    """The conditions that are tried. `decisions` are those about claims that are refuted or undecided."""
    found: dict[int, Candidate] = {}

    def add(condition: Condition | bool, cost: float, rule: str = "") -> None:
        condition = _without_factors(condition, program)
        parts = [*plain_parts(condition)] if isinstance(condition, Comparison) else []
        if any(part is not condition for part in parts):
            for part in parts:
                add(part, cost, rule)
            cost += 0.2
        known = found.get(condition.uid) if isinstance(condition, Condition) else None
        if isinstance(condition, Condition) and (known is None or cost < known.cost):
            text = readable(condition, program)
            if 0 < len(text) <= DerivingBudget.CHARACTERS_OF_A_CONDITION:
                found[condition.uid] = Candidate(condition, text, cost, rule)

    dimensions = [one for one in program.dimensions if not one.choices]
    for one in dimensions:
        known = numbers[one.atom.name]
        for value in sorted(known.divisors):
            add(one.is_multiple(value), 1.0)
        for value in known.all:
            add(one.at_most(value), 1.0)
            add(one.at_least(value), 1.3)
            add(one.equals(value), 1.2)
        add(one.equals(1), 1.25)
    pairs = related(decisions)
    order = {one.atom.name: at for at, one in enumerate(dimensions)}
    for two, first in permutations(dimensions, 2):
        # As the kernel names them: what comes later is said in terms of what came before, all that are equal in terms
        # of one.
        later, earlier = of_atom(two.atom), of_atom(first.atom)
        before, after = sorted((order[two.atom.name], order[first.atom.name]))
        add(conditions.equals_zero(terms.add(earlier, later, -1)), 1.0 + before / 1e3 + after / 1e5)
        # Of two dimensions that no claim compares this says less than a bound of each (`bounds_seen`).
        compared = tuple(sorted((two.atom.name, first.atom.name))) in pairs
        add(conditions.at_most_zero(terms.add(later, earlier, -1)), 1.15 if compared else 2.3)
    for decision in decisions[: DerivingBudget.CLAIMS]:
        rule = decision.claim.contract.id
        for part in about_dimensions(decision.claim.condition):
            add(part, _cost(part), rule)
            for product in all_of_it(part):
                add(product, 0.1 + _cost(product), rule)
            if isinstance(part, Junction):
                for way in part.parts:
                    add(way, _cost(way), rule)
        for part in (*_at_last(decision.claim.condition), *without_minima(decision.claim.condition)):
            for inner in _parts(part):
                add(inner, 0.6 + _cost(inner), rule)
                add(_whole_ratio(inner), 1.4, rule)
                for product in all_of_it(inner):
                    add(product, 0.1 + _cost(product), rule)
    for one, other in permutations(dimensions, 2):
        for factor in _ratios(decisions, one, other):
            add(conditions.equals_zero(terms.add(of_atom(one.atom), of_atom(other.atom), -factor)), 1.4)
    for part in _reaching(program):
        add(part, _cost(part))
    for atom in _symbolic_divisions(program):
        rest = terms.add(atom.numerator, terms.multiply(of_atom(atom), atom.denominator), -1)
        if not any(isinstance(leaf, Index) for leaf in _leaves(rest.atoms)):
            add(conditions.equals_zero(rest), 1.35)
    for part in whole_quotients(program):
        add(part, 1.1)
    for one in dimensions:
        known = numbers[one.atom.name]
        for value in sorted(known.divisors):
            whole = one.is_multiple(value)
            add(conditions.disjunction([one.at_most(value), whole]), 2.6)
    for two, first in permutations(dimensions, 2):
        same = conditions.equals_zero(terms.add(of_atom(first.atom), of_atom(two.atom), -1))
        add(conditions.disjunction([two.equals(1), same]), 2.6)
    return list(found.values())


def _without_factors(condition: Condition | bool, program: Program) -> Condition | bool:
    """The same condition, `P == 128` for `P*F == 128*F`: without a dimension of at least 1 that is a factor of all."""
    if isinstance(condition, Junction):
        joined = conditions.conjunction if condition.conjunction else conditions.disjunction
        return joined(_without_factors(part, program) for part in condition.parts)
    if not isinstance(condition, Comparison):
        return condition
    term = condition.term
    for one in program.dimensions:
        while one.smallest >= 1 and all(one.atom in monomial for monomial in term.monomials):
            divided = ((terms.without(key, (one.atom,)), factor) for key, factor in term.monomials.items())
            term = terms.make({key: factor for key, factor in divided if key is not None})
    return condition if term is condition.term else conditions.compare(condition.relation, term)


def bounds_seen(
    program: Program,
    numbers: Mapping[str, DimensionConstants],
    passing: Sequence[Mapping[str, int]],
    failing: Sequence[Mapping[str, int]],
) -> Iterator[Candidate]:
    """An upper bound of each dimension that all shapes keep that pass, and beyond which one fails: where the kernel
    counts to a number that stands in none of its conditions."""
    for one in program.dimensions:
        name = one.atom.name
        greatest = max((values[name] for values in passing), default=SearchingBudget.NEAR)
        beyond = min((values[name] for values in failing if values[name] > greatest), default=None)
        if beyond is None or one.choices:
            continue
        # Of the shapes between, those are legal at most that are multiples like the ones that were run.
        steps = [each for each in numbers[name].divisors if greatest % each == 0]
        bound = max([greatest, *((beyond - 1) // each * each for each in steps)]) if steps else beyond - 1
        condition = one.at_most(bound)
        if isinstance(condition, Condition):
            yield Candidate(condition, readable(condition, program), 2.2, seen=True)


def readable(condition: Condition, program: Program) -> str:
    """The condition as `--where` reads it, dimensions first: `E >= 8`; empty where it cannot be said so."""
    text = as_text(condition, program)
    return _TURNED.sub(r"\2 >= \1", text)


def plainest(chosen: Sequence[Candidate], kept: Collection[int], program: Program) -> tuple[Candidate, ...]:
    """The same domain, said the plainest: what a dimension is compared with is the number that another condition gives
    it (`x1 == 128` for `x0 == x1`), what is divided without rest is not rounded (`N == g0` for `128*(N//128) == g0`),
    two bounds that meet are one value. Conditions with the uids `kept` stay as they are, as the kernel has them."""
    found = list(chosen)
    for _ in chosen:
        values = {atom: constant(value) for one in found for atom, value in _value_given(one.condition)}
        whole = {atom for one in found for atom in _without_rest(one.condition)}
        found = [one if one.condition.uid in kept else _substituted(one, values, whole, program) for one in found]
        meeting = next(_meeting([one for one in found if one.condition.uid not in kept]), None)
        if meeting is not None:
            low, high, equation = meeting
            found[found.index(low)] = replace(low, condition=equation, text=readable(equation, program))
            found.remove(high)
        elif all(one is other for one, other in zip(found, chosen, strict=True)):
            break
        chosen = found
    return tuple(found)


def _value_given(condition: Condition) -> Iterator[tuple[Atom, int]]:
    """The dimension that a condition is about, with the value that it gives it."""
    if isinstance(condition, Comparison) and condition.relation is Relation.EQUAL:
        linear = [(key, factor) for key, factor in condition.term.monomials.items() if key]
        if len(linear) == 1 and len(linear[0][0]) == 1 and isinstance(linear[0][0][0], Dimension):
            value, rest = divmod(-condition.term.constant_part, linear[0][1])
            if not rest:
                yield linear[0][0][0], value


def _without_rest(condition: Condition) -> Iterator[Div]:
    """The quotient of which a condition says that it leaves no rest."""
    for atom in condition.atoms():
        if isinstance(atom, Div):
            rest = terms.add(atom.numerator, terms.multiply(of_atom(atom), atom.denominator), -1)
            if conditions.equals_zero(rest) is condition:
                yield atom


def _unrounded(term: Term, whole: Collection[Div]) -> Term:
    """`term` with what is divided in place of a quotient without rest, times the divisor."""
    found = constant(0)
    for key, factor in term.monomials.items():
        part = constant(factor)
        for atom in key:
            divisor = atom.denominator.constant if isinstance(atom, Div) and atom in whole else None
            known = part.constant
            if isinstance(atom, Div) and divisor and known is not None and known % divisor == 0:
                part = terms.multiply(constant(known // divisor), atom.numerator)
            else:
                part = terms.multiply(part, of_atom(atom))
        found = terms.add(found, part)
    return found


def _substituted(one: Candidate, values: Mapping[Atom, Term], whole: Collection[Div], program: Program) -> Candidate:
    if any(True for _ in (*_value_given(one.condition), *_without_rest(one.condition))):
        return one
    condition = one.condition.substitute(values)
    if isinstance(condition, Comparison):
        condition = compare(condition.relation, _unrounded(condition.term, whole))
    if not isinstance(condition, Condition) or condition is one.condition:
        return one
    text = readable(condition, program)
    return replace(one, condition=condition, text=text) if text else one


def _meeting(chosen: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate, Condition]]:
    """Two bounds, from below and from above, of the same term, and that it has that value."""
    for low, high in combinations(chosen, 2):
        one, other = low.condition, high.condition
        if isinstance(one, Comparison) and isinstance(other, Comparison):
            bounds = one.relation is Relation.AT_MOST and other.relation is Relation.AT_MOST
            equation = conditions.equals_zero(one.term) if bounds else False
            if isinstance(equation, Condition) and terms.add(one.term, other.term) is constant(0):
                yield low, high, equation


def within(dimension: DomainDimension, most: int) -> list[Condition | bool]:
    """The dimension is one of its values, and at most `most`."""
    return [dimension.at_least(dimension.low), dimension.at_most(most)]


def is_upper_bound(condition: Condition) -> bool:
    """True if the condition holds for smaller values wherever it holds for larger ones: `N <= 512`, `H*D <= 128`."""
    if isinstance(condition, Junction):
        return all(map(is_upper_bound, condition.parts))
    if not isinstance(condition, Comparison) or condition.relation is not Relation.AT_MOST:
        return False
    return all(_rises(key, factor) for key, factor in condition.term.monomials.items() if key)


def bounds_from_above(condition: Condition) -> bool:
    """True if the condition bounds what sizes and the parts that they fall into come to: `(H//p)*(W//p) <= 512`, which
    is no upper bound of `p`."""
    dividends: dict[Atom, Term] = {atom: atom.numerator for atom in condition.atoms() if isinstance(atom, Div)}
    of_sizes = condition.substitute(dividends)
    return is_upper_bound(condition) or (isinstance(of_sizes, Condition) and is_upper_bound(of_sizes))


def at_last_iteration(condition: Condition | bool) -> tuple[Condition, ...]:
    """The consequence of a condition about iterations of loops for the last one of each, in terms of dimensions."""
    return tuple(_at_last(condition))


def all_of_it(condition: Condition) -> Iterator[Condition]:
    """That what may come to the end of something comes to all of it: `N == B*C` for `N <= B*C`, where the kernel goes
    through a tensor of B rows as through one row."""
    if isinstance(condition, Comparison) and condition.relation is Relation.AT_MOST:
        whole = conditions.equals_zero(condition.term) if not condition.term.constant_part else False
        if isinstance(whole, Condition):
            yield whole


def about_products(condition: Condition) -> bool:
    """True if a condition is about a product of dimensions."""
    return any(len(key) > 1 for term in condition.terms() for key in term.monomials)


def has_minimum(condition: Condition) -> bool:
    """True if a condition is about a minimum, with which solvers are slow."""
    return any(isinstance(atom, Min) for atom in condition.atoms())


def related(decisions: Sequence[Decision]) -> list[tuple[str, str]]:
    """Pairs of dimensions that one claim, or loop, is about, in the order of their names: shapes are run in that of the
    pairs, and a set of texts has another one in each process."""
    found: set[tuple[str, str]] = set()
    for one in decisions:
        for condition in (one.claim.condition, *_at_last(one.claim.condition)):
            if isinstance(condition, Condition):
                names = sorted({leaf.name for leaf in _leaves(condition.atoms()) if isinstance(leaf, Dimension)})
                found.update(combinations(names, 2))
    return sorted(found)


def _rises(monomial: Sequence[Atom], factor: int) -> bool:
    plain = all(isinstance(atom, Dimension) or (isinstance(atom, Div) and _rising(atom)) for atom in monomial)
    return factor > 0 and plain


def _rising(atom: Div) -> bool:
    parts = ((key, factor) for key, factor in atom.numerator.monomials.items() if key)
    return (atom.denominator.constant or 0) > 0 and all(_rises(key, factor) for key, factor in parts)


def _at_last(condition: Condition | bool) -> Iterator[Condition]:
    """`condition` with the loop indices in it at their last values."""
    if not isinstance(condition, Condition):
        return
    indices = {atom for atom in _leaves(condition.atoms()) if isinstance(atom, Index)}
    if not indices:
        return
    last: dict[Atom, Term] = {}
    for atom in sorted(indices, key=lambda one: one.uid):
        last[atom] = terms.add(terms.substitute(atom.extent, last), constant(-1))
    found = condition.substitute(last)
    if isinstance(found, Condition) and not any(isinstance(one, Index) for one in _leaves(found.atoms())):
        yield found


def without_minima(condition: Condition | bool) -> Iterator[Condition]:
    """Conditions that are enough for a comparison of minima, in each iteration: `N <= R` for `512*i + min(512, N -
    512*i) <= R`, with a number in place of the minimum; `C == D//2` for `C*min(128, T) == (D//2)*min(128, T)`,
    without it."""
    for part in _comparisons(condition):
        for atom in part.term.atoms:
            if not isinstance(atom, Min):
                continue
            found: list[Condition | bool] = []
            if part.relation is Relation.AT_MOST and part.term.monomials.get((atom,), 0) > 0:
                found = [part.substitute({atom: number}) for number in atom.terms]
            elif part.relation is Relation.EQUAL and all(atom in key for key in part.term.monomials):
                rest = {terms.without(key, (atom,)) or (): factor for key, factor in part.term.monomials.items()}
                found = [conditions.equals_zero(terms.make(rest))]
            for one in found:
                if isinstance(one, Condition) and all(map(_is_of_dimensions, one.atoms())):
                    yield one


def _whole_ratio(condition: Condition) -> Condition | bool:
    """The condition that a quotient leaves no rest as well: `D == 2*C` for `C == D//2`."""
    if isinstance(condition, Comparison) and condition.relation is Relation.EQUAL:
        for atom in condition.term.atoms:
            factor = condition.term.monomials.get((atom,), 0)
            if isinstance(atom, Div) and factor:
                rest = terms.add(condition.term, of_atom(atom), -factor)
                whole = terms.add(terms.multiply(rest, atom.denominator), terms.scale(atom.numerator, factor))
                return conditions.equals_zero(whole)
    return False


def _is_of_dimensions(atom: Atom) -> bool:
    return all(isinstance(leaf, Dimension | Div) for leaf in _leaves((atom,)))


def _parts(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, Junction) and condition.conjunction:
        yield from condition.parts
    else:
        yield condition


def _comparisons(condition: object) -> Iterator[Comparison]:
    if isinstance(condition, Junction):
        for part in condition.parts:
            yield from _comparisons(part)
    elif isinstance(condition, Comparison):
        yield condition


def _cost(condition: Condition) -> float:
    """The cost of reading a condition."""
    comparisons = list(_comparisons(condition))
    atoms = [atom for one in comparisons for atom in one.term.atoms]
    return 1.0 + 0.4 * (len(comparisons) - 1) + 0.15 * sum(1 if isinstance(one, Dimension) else 3 for one in atoms)


def _ratios(decisions: Sequence[Decision], one: DomainDimension, other: DomainDimension) -> Iterator[int]:
    """Factors with which claims compare two dimensions: `M == 128*G`."""
    found: set[int] = set()
    for decision in decisions[: DerivingBudget.CLAIMS]:
        for condition in (decision.claim.condition, *_at_last(decision.claim.condition)):
            for part in _comparisons(condition):
                factors = {key[0]: value for key, value in part.term.monomials.items() if len(key) == 1}
                mine, others = factors.get(one.atom), factors.get(other.atom)
                if mine and others and mine * others < 0 and others % mine == 0 and abs(others // mine) > 1:
                    found.add(-others // mine)
    yield from sorted(found)


def _reaching(program: Program) -> Iterator[Condition]:
    """The extents that the last iterations, or programs, come to the end of: `R <= 128*G`, where a mask or the end of a
    slice says how far each comes."""
    for end in _Ends().block(program.body):
        for part in _at_last(end) or (end,):
            if isinstance(part, Comparison) and part.relation is Relation.AT_MOST:
                reached = conditions.at_most_zero(terms.scale(part.term, -1))
                if isinstance(reached, Condition):
                    yield reached


class _Ends(Visitor[Condition | bool]):
    """The claims, and that what masks compare does not end before the last element."""

    def claim(self, item: Claim) -> Iterable[Condition | bool]:
        return (item.condition,)

    def recorded(self, item: Item) -> Iterable[Condition | bool]:
        if isinstance(item, Executed) and item.operation.mask is not None:
            bounds = (one.difference for one in item.operation.mask.terms if one.relation is MaskRelation.AT_MOST)
            greatest = (bound.at([extent - 1 for extent in bound.shape]) for bound in bounds)
            yield from (conditions.at_most_zero(value) for value in greatest if isinstance(value, Term))


def _symbolic_divisions(program: Program) -> Iterator[Div]:
    seen: set[Atom] = set()
    for term in _terms(program):
        for atom in _leaves(term.atoms):
            if isinstance(atom, Div) and atom not in seen and atom.denominator.constant is None:
                seen.add(atom)
                yield atom


def whole_quotients(program: Program) -> list[Condition]:
    """That a sum of dimensions and a constant leaves no rest where it is divided: `(n - 1) % 512 == 0`."""
    found: dict[int, Condition] = {}
    for term in _terms(program):
        for atom in _leaves(term.atoms):
            if not isinstance(atom, Div) or (atom.denominator.constant or 0) < 2 or not atom.numerator.constant_part:
                continue
            rest = terms.add(atom.numerator, terms.multiply(of_atom(atom), atom.denominator), -1)
            whole = conditions.equals_zero(rest)
            dimensions = all(isinstance(leaf, Dimension) for leaf in atom.numerator.atoms)
            if isinstance(whole, Condition) and dimensions:
                found[whole.uid] = whole
    return list(found.values())


def _terms(program: Program) -> Iterator[Term]:
    for item in items(program.body):
        yield from terms_in(item, claimed=True)
        if isinstance(item, Executed):
            for view in (*item.operation.reads.values(), *item.operation.writes.values()):
                yield from (part for part in (*view.shape, *view.strides, view.offset) if isinstance(part, Term))


def _leaves(atoms: Iterable[Atom]) -> Atoms:
    """`atoms` and those in their arguments."""
    found: dict[Atom, None] = {}
    waiting = list(atoms)
    while waiting:
        atom = waiting.pop()
        if atom not in found:
            found[atom] = None
            waiting += [part for term in atom.arguments() for part in term.atoms]
    return found.keys()
