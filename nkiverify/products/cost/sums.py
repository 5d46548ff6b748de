"""Sums of terms over the iterations of a loop, in closed form.

A polynomial in the index is summed by Faulhaber's formulas. A minimum, or a value that depends on a condition, which is
decided by a linear comparison of the index is summed on both sides of the iteration where the comparison changes. A
loop of few iterations of known number is summed term by term. Everything else has no closed form: None.
"""

from __future__ import annotations

from collections.abc import Iterator

from nkiverify.foundation.budget import CostingBudget
from nkiverify.symbolic import conditions
from nkiverify.symbolic.atoms import Atom, Condition, Index, Min, Monomial, Select, Term
from nkiverify.symbolic.conditions import Comparison, Junction, Relation
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.terms import (
    add,
    all_atoms,
    coefficient_of,
    constant,
    divide,
    make,
    maximum,
    minimum,
    multiply,
    of_atom,
    scale,
    select,
    substitute,
    total,
)

#: The sums of i**k for i below n: coefficients of n**1, n**2, … and what they are divided by (Faulhaber).
_FAULHABER = (
    ((1,), 1),
    ((-1, 1), 2),
    ((1, -3, 2), 6),
    ((0, 1, -2, 1), 4),
    ((-1, 0, 10, -15, 6), 30),
)


def sum_over(term: Term, index: Index, count: Term, prover: Prover) -> Term | None:
    """The sum of `term` for `index` from 0 to before `count`, which is not negative; None where it has no closed
    form."""
    return _sum(term, index, count, prover, 0)


def at_least_zero(term: Term, prover: Prover) -> Term:
    """`term`, or 0 where it is negative."""
    return term if surely(scale(term, -1), prover) else maximum([term, constant(0)])


def _sum(term: Term, index: Index, count: Term, prover: Prover, splits: int) -> Term | None:
    if index not in all_atoms(term):
        return multiply(term, count)
    within = [atom for atom in term.atoms if atom is not index and index in all_atoms(of_atom(atom))]
    if not within:
        return _polynomial(term, index, count)
    number = count.constant
    if number is not None and number <= CostingBudget.ADDED_ONE_BY_ONE:
        return total(substitute(term, {index: constant(value)}) for value in range(number))
    tiled = _tiles(term, within, index, count, prover, splits)
    if tiled is not None or splits == CostingBudget.SPLITS:
        return tiled
    for one, other, comparison in _ways(within, index):
        found = _split(term, one, other, comparison, index, count, prover, splits)
        if found is not None:
            return found
    return None


def _tiles(term: Term, within: list[Atom], index: Index, count: Term, prover: Prover, splits: int) -> Term | None:
    """The sum where a tile of the loop is as long as others, but for the last one, which is cut off: together they are
    as long as what they cover. The sum of `min(tile, max(whole - tile * i, 0))` is `whole`, within 0 and all tiles."""
    for atom in within:
        if not isinstance(atom, Min) or len(atom.terms) != 2:
            continue
        for tile, left in (atom.terms, atom.terms[::-1]):
            parts = None if index in all_atoms(tile) else coefficient_of(term, atom)
            if parts is None or index in all_atoms(parts[0]):
                continue
            rest, cut = _positive_part(left)
            linear = coefficient_of(rest, index)
            if linear is None or linear[0] is not scale(tile, -1) or index in all_atoms(linear[1]):
                continue
            covered = multiply(tile, count)
            if not cut and not surely(add(add(covered, tile, -1), linear[1], -1), prover):
                continue
            others = _sum(parts[1], index, count, prover, splits)
            if others is not None and surely(scale(tile, -1), prover):
                return add(multiply(parts[0], _clamped(linear[1], covered, prover)), others)
    return None


def _positive_part(term: Term) -> tuple[Term, bool]:
    """The term that `term` is the positive part of, and True, if it is written `max(…, 0)`; else itself, and False."""
    if len(term.monomials) == 1:
        ((monomial, coefficient),) = term.monomials.items()
        if coefficient == -1 and len(monomial) == 1 and isinstance(monomial[0], Min):
            others = [part for part in monomial[0].terms if part.constant != 0]
            if len(others) == 1 and len(monomial[0].terms) == 2:
                return scale(others[0], -1), True
    return term, False


def surely(at_most_zero: Term, prover: Prover) -> bool:
    """True if a term is surely not positive."""
    condition = conditions.at_most_zero(at_most_zero)
    return condition is True or (isinstance(condition, Condition) and prover.entails(condition))


def _polynomial(term: Term, index: Index, count: Term) -> Term | None:
    by_power: dict[int, dict[Monomial, int]] = {}
    for monomial, coefficient in term.monomials.items():
        rest = tuple(atom for atom in monomial if atom is not index)
        of_power = by_power.setdefault(len(monomial) - len(rest), {})
        of_power[rest] = of_power.get(rest, 0) + coefficient
    if max(by_power) >= len(_FAULHABER):
        return None
    return total(multiply(make(factor), _power_sum(power, count)) for power, factor in sorted(by_power.items()))


def _power_sum(power: int, count: Term) -> Term:
    coefficients, divisor = _FAULHABER[power]
    found, product = constant(0), constant(1)
    for coefficient in coefficients:
        product = multiply(product, count)
        found = add(found, product, coefficient)
    return divide(found, constant(divisor))


def _ways(within: list[Atom], index: Index) -> Iterator[tuple[dict[Atom, Term], dict[Atom, Term], Condition]]:
    """The terms that atoms are where a comparison holds, and where it does not, innermost ones first."""
    for atom in within:
        inner = [part for argument in atom.arguments() for part in argument.atoms]
        yield from _ways([part for part in inner if part is not index and index in all_atoms(of_atom(part))], index)
        if isinstance(atom, Min):
            one, *others = atom.terms
            other = minimum(others)
            comparison = conditions.at_most_zero(add(one, other, -1))
            if isinstance(comparison, Condition):
                yield {atom: one}, {atom: other}, comparison
        elif isinstance(atom, Select):
            yield from _ways_of(atom, atom.condition)


def _ways_of(atom: Select, condition: Condition) -> Iterator[tuple[dict[Atom, Term], dict[Atom, Term], Condition]]:
    if isinstance(condition, Comparison):
        yield {atom: atom.when_true}, {atom: atom.when_false}, condition
    elif isinstance(condition, Junction):
        first, *others = condition.parts
        if condition.conjunction:
            rest = conditions.conjunction(others)
            inner = atom.when_true if rest is True else _select(rest, atom)
            yield {atom: inner}, {atom: atom.when_false}, first
        else:
            rest = conditions.disjunction(others)
            inner = atom.when_false if rest is False else _select(rest, atom)
            yield {atom: atom.when_true}, {atom: inner}, first


def _select(condition: Condition | bool, atom: Select) -> Term:
    if isinstance(condition, Condition):
        return select(condition, atom.when_true, atom.when_false)
    return atom.when_true if condition else atom.when_false


def _split(
    term: Term,
    one: dict[Atom, Term],
    other: dict[Atom, Term],
    comparison: Condition,
    index: Index,
    count: Term,
    prover: Prover,
    splits: int,
) -> Term | None:
    """The sum where `comparison` holds with `one`, and where it does not with `other`."""
    if not isinstance(comparison, Comparison):
        return None
    linear = coefficient_of(comparison.term, index)
    if linear is None or any(index in all_atoms(part) for part in linear):
        return None
    slope, rest = linear
    rises = surely(add(constant(1), slope, -1), prover)
    if not rises and not surely(add(constant(1), slope), prover):
        return None
    holds, fails = substitute(term, one), substitute(term, other)
    if comparison.relation is not Relation.AT_MOST:
        if comparison.relation is Relation.UNEQUAL:
            holds, fails = fails, holds
        return _at_one_place(holds, fails, rest, slope, index, count, prover, splits)
    if rises:
        before, after = holds, fails
        change = add(divide(scale(rest, -1), slope), constant(1))
    else:
        before, after = fails, holds
        change = scale(divide(scale(rest, -1), scale(slope, -1)), -1)
    change = _clamped(change, count, prover)
    parts = (
        _sum(before, index, change, prover, splits + 1),
        _sum(after, index, count, prover, splits + 1),
        _sum(after, index, change, prover, splits + 1),
    )
    if None in parts:
        return None
    first, whole, less = parts
    assert first is not None and whole is not None and less is not None
    return add(add(first, whole), less, -1)


def _at_one_place(
    there: Term, elsewhere: Term, rest: Term, slope: Term, index: Index, count: Term, prover: Prover, splits: int
) -> Term | None:
    """The sum of `elsewhere`, and of `there` for the iteration with `slope * index + rest == 0`, where that is one."""
    if slope.constant not in (1, -1) and rest.constant != 0:
        return None
    whole = _sum(elsewhere, index, count, prover, splits + 1)
    if whole is None:
        return None
    place = scale(rest, -(slope.constant or 1))
    inside = conditions.conjunction(
        (
            conditions.at_most_zero(scale(place, -1)),
            conditions.at_most_zero(add(add(place, constant(1)), count, -1)),
        )
    )
    differs = substitute(add(there, elsewhere, -1), {index: place})
    if inside is True or prover.entails(inside):
        return add(whole, differs)
    return whole if inside is False else add(whole, select(inside, differs, constant(0)))


def _clamped(place: Term, count: Term, prover: Prover) -> Term:
    """`place`, or 0 or `count` where it is outside of them."""
    place = at_least_zero(place, prover)
    return place if surely(add(place, count, -1), prover) else minimum([place, count])
