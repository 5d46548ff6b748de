"""Symbolic integers: canonical polynomials over hash-consed atoms (`nkiverify.symbolic.atoms`).

A `SymInt` is a polynomial with integer coefficients over atoms, in one canonical form, so equal terms are the same
object. `a % b` is `a - b*div(a, b)`: divisibility facts and tile arithmetic meet in one form.

The functions of this module build terms and nothing else; what Python operators on `SymInt` mean, and what they
report to the run in progress, is in `nkiverify.symbolic.integers`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from weakref import WeakValueDictionary, ref

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.symbolic.atoms import (
    Atom,
    Atoms,
    Condition,
    Dimension,
    Div,
    Index,
    Min,
    Monomial,
    Select,
    Term,
    collect_atoms,
    monomial_key,
    uids,
)

#: Largest value of an extent and of an integer of the NKI language: both are 32 bits wide.
INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)

TermKey = frozenset[tuple[Monomial, int]]


class _TermReference(ref[Term]):
    """A weak reference that knows where it is kept."""

    __slots__ = ("key",)

    key: TermKey


def _forget(reference: ref[Term]) -> None:
    assert isinstance(reference, _TermReference)
    if _terms.get(reference.key) is reference:
        del _terms[reference.key]


#: Every living term. A dictionary of references rather than a WeakValueDictionary: looking a term up is the hottest
#: line of the whole program.
_terms: dict[TermKey, _TermReference] = {}
_atoms: WeakValueDictionary[tuple[object, ...], Atom] = WeakValueDictionary()
#: The first constants that were made: kept, as most are asked for again and again.
_constants: dict[int, Term] = {}

#: Answers that are asked for at each operation of a kernel, by the question and the numbers of what it is about.
_answers: dict[tuple[str, int, int], Condition | bool] = {}

_anew = False


@contextmanager
def fresh() -> Iterator[None]:
    """Make the terms of the block as in a process that has made none before; within another such block, as they are.

    Atoms and terms are ordered by when they were first made, so those that are left of an earlier kernel would order
    those of the next, and with them what is tried first. Terms from before keep their meaning, but are no longer the
    same objects as equal ones that are made now: a block is around everything that compares terms.
    """
    global _anew, _terms, _atoms, _constants, _answers
    if _anew:
        yield
        return
    before = _terms, _atoms, _constants
    _terms, _atoms, _constants, _answers = {}, WeakValueDictionary(), {}, {}
    _anew = True
    try:
        yield
    finally:
        _anew = False
        _terms, _atoms = {key: kept for key, kept in before[0].items() if kept() is not None}, before[1]
        _constants = before[2]
        _answers = {}


def remembered(question: str, one: int, other: int, answer: Callable[[], Condition | bool]) -> Condition | bool:
    """The answer to a question about the terms, or the condition, of these numbers, made once."""
    key = (question, one, other)
    found = _answers.get(key)
    if found is None:
        found = answer()
        if len(_answers) >= ProvingBudget.ANSWERS_KEPT:
            _answers.clear()
        _answers[key] = found
    return found


#: The class whose objects terms are. `integers` replaces it by `SymInt`, which adds Python's operators.
_term_class: type[Term] = Term


def use_term_class(cls: type[Term]) -> None:
    """Make terms objects of `cls` from now on (called once, when `integers` is imported)."""
    global _term_class
    _term_class = cls
    _constants.clear()


def make(monomials: dict[Monomial, int]) -> Term:
    """The term with these monomials. Zero coefficients must have been left out."""
    key = frozenset(monomials.items())
    reference = _terms.get(key)
    term = reference() if reference is not None else None
    if term is None:
        term = _term_class.__new__(_term_class)
        term.monomials = dict(sorted(key, key=monomial_key) if len(key) > 1 else key)
        term.uid = next(uids)
        term._atoms = None
        reference = _TermReference(term, _forget)
        reference.key = key
        _terms[key] = reference
    return term


def constant(value: int) -> Term:
    """The constant term `value`."""
    term = _constants.get(value)
    if term is None:
        term = make({(): value} if value else {})
        if len(_constants) < ProvingBudget.ANSWERS_KEPT:
            _constants[value] = term
    return term


def of_atom(atom: Atom) -> Term:
    """The term that is just `atom`."""
    return make({(atom,): 1})


def add(left: Term, right: Term, factor: int = 1) -> Term:
    """`left + factor * right`."""
    if factor == 0 or not right.monomials:
        return left
    result = dict(left.monomials)
    for monomial, coefficient in right.monomials.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return make(result)


def scale(term: Term, factor: int) -> Term:
    """`factor * term`."""
    if factor == 1:
        return term
    if factor == 0:
        return make({})
    return make({monomial: factor * coefficient for monomial, coefficient in term.monomials.items()})


def multiply(left: Term, right: Term) -> Term:
    """`left * right`."""
    value = right.constant
    if value is not None:
        return scale(left, value)
    value = left.constant
    if value is not None:
        return scale(right, value)
    result: dict[Monomial, int] = {}
    for one, one_coefficient in left.monomials.items():
        for two, two_coefficient in right.monomials.items():
            monomial = tuple(sorted(one + two, key=lambda atom: atom.uid)) if one and two else one or two
            total = result.get(monomial, 0) + one_coefficient * two_coefficient
            if total:
                result[monomial] = total
            else:
                del result[monomial]
    return make(result)


def total(terms: Iterable[Term]) -> Term:
    """The sum of `terms`."""
    return reduce(add, terms, constant(0))


def _intern(key: tuple[object, ...], build: type[Atom], *arguments: object) -> Atom:
    atom = _atoms.get(key)
    if atom is None:
        atom = build(*arguments)
        _atoms[key] = atom
    return atom


def dimension(name: str) -> Term:
    """The dimension of this name."""
    return of_atom(_intern((Dimension, name), Dimension, name))


def index(name: str, extent: Term, key: object, representative: bool = False, least: int = 0) -> Term:
    """The index identified by `key`: asking again gives the same atom."""
    found = _intern((Index, name, extent.uid, key, representative, least), Index, name, extent, representative, least)
    return of_atom(found)


def index_atom(index: Term) -> Index:
    """The atom that a term is, which is an index."""
    (atom,) = index.atoms
    assert isinstance(atom, Index)
    return atom


def divide(numerator: Term, denominator: Term) -> Term:
    """`floor(numerator / denominator)`, with the exact part of the quotient taken out of the atom."""
    divisor = denominator.constant
    if divisor is None:
        return _divide_by_term(numerator, denominator)
    if divisor == 0:
        return div_atom(numerator, denominator)
    if divisor < 0:
        return divide(scale(numerator, -1), constant(-divisor))
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in numerator.monomials.items():
        whole, part = divmod(coefficient, divisor)
        # A coefficient that is not a multiple stays whole: div(3*x, 2) reads better than x + div(x, 2).
        if part == 0 or not monomial:
            if whole:
                quotient[monomial] = whole
            if part:
                rest[monomial] = part
        else:
            rest[monomial] = coefficient
    if not rest or set(rest) == {()}:
        return make(quotient)
    common = math.gcd(divisor, *(coefficient for monomial, coefficient in rest.items() if monomial))
    if common > 1:
        rest = {monomial: coefficient // common for monomial, coefficient in rest.items() if coefficient // common}
        divisor //= common
    inner = make(rest)
    lone = _lone_atom(inner)
    if isinstance(lone, Div) and (value := lone.denominator.constant) is not None and value > 0:
        return add(make(quotient), divide(lone.numerator, constant(value * divisor)))
    return add(make(quotient), div_atom(inner, constant(divisor)))


def _divide_by_term(numerator: Term, denominator: Term) -> Term:
    quotient = constant(0)
    rest = numerator
    # Take out multiples of the denominator's leading monomial: exact for every non-zero denominator.
    leading, leading_coefficient = max(denominator.monomials.items(), key=monomial_key)
    for monomial, coefficient in sorted(numerator.monomials.items(), key=monomial_key, reverse=True):
        cofactor = without(monomial, leading)
        if cofactor is None or coefficient % leading_coefficient:
            continue
        part = make({cofactor: coefficient // leading_coefficient})
        smaller = add(rest, multiply(part, denominator), -1)
        if len(smaller.monomials) < len(rest.monomials):
            quotient, rest = add(quotient, part), smaller
    if not rest.monomials:
        # floor(q*b / b) is q for b != 0 only; for b == 0 the division has no value, and a claim says so.
        return quotient
    common = _common_factor(rest, denominator)
    if common.constant != 1:
        # So is floor(f*a / (f*b)) the floor of a / b.
        return add(quotient, divide(_by_factor(rest, common), _by_factor(denominator, common)))
    return add(quotient, div_atom(rest, denominator))


def _common_factor(*parts: Term) -> Term:
    """The largest product that all monomials of the terms are multiples of, with a positive coefficient."""
    monomials = [monomial for part in parts for monomial in part.monomials]
    shared = list(monomials[0])
    for monomial in monomials[1:]:
        left = list(monomial)
        kept = []
        for atom in shared:
            if atom in left:
                left.remove(atom)
                kept.append(atom)
        shared = kept
    number = math.gcd(*(coefficient for part in parts for coefficient in part.monomials.values()))
    return make({tuple(shared): number})


def _by_factor(term: Term, factor: Term) -> Term:
    ((shared, number),) = factor.monomials.items()
    divided: dict[Monomial, int] = {}
    for monomial, coefficient in term.monomials.items():
        rest = without(monomial, shared)
        assert rest is not None
        divided[rest] = coefficient // number
    return make(divided)


def without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """A product without the atoms of another; None where it has not got them."""
    remaining = list(monomial)
    for atom in factor:
        if atom not in remaining:
            return None
        remaining.remove(atom)
    return tuple(remaining)


def _lone_atom(term: Term) -> Atom | None:
    if len(term.monomials) == 1:
        ((monomial, coefficient),) = term.monomials.items()
        if coefficient == 1 and len(monomial) == 1:
            return monomial[0]
    return None


def div_atom(numerator: Term, denominator: Term) -> Term:
    """`floor(numerator / denominator)` as an atom, which nothing is taken out of."""
    return of_atom(_intern((Div, numerator.uid, denominator.uid), Div, numerator, denominator))


def minimum(terms: Iterable[Term]) -> Term:
    """The least of `terms`, of which there is at least one."""
    distinct: list[Term] = []
    for term in terms:
        for position, other in enumerate(distinct):
            difference = add(term, other, -1).constant
            if difference is not None:
                if difference < 0:
                    distinct[position] = term
                break
        else:
            distinct.append(term)
    if len(distinct) == 1:
        return distinct[0]
    distinct.sort(key=lambda term: term.uid)
    return of_atom(_intern((Min, *(term.uid for term in distinct)), Min, tuple(distinct)))


def maximum(terms: Iterable[Term]) -> Term:
    """The greatest of `terms`, of which there is at least one."""
    return scale(minimum([scale(term, -1) for term in terms]), -1)


def select(condition: Condition, when_true: Term, when_false: Term) -> Term:
    """`when_true` where `condition` holds, else `when_false`."""
    if when_true is when_false:
        return when_true
    key = (Select, condition.uid, when_true.uid, when_false.uid)
    return of_atom(_intern(key, Select, condition, when_true, when_false))


def coefficient_of(term: Term, atom: Atom) -> tuple[Term, Term] | None:
    """`(c, r)` with `term == c*atom + r` and `atom` in neither; None where `atom` occurs in a higher power."""
    factor: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in term.monomials.items():
        occurrences = monomial.count(atom)
        if occurrences == 0:
            rest[monomial] = coefficient
        elif occurrences == 1:
            factor[tuple(other for other in monomial if other is not atom)] = coefficient
        else:
            return None
    return make(factor), make(rest)


def substitute(term: Term, mapping: Mapping[Atom, Term], done: dict[Atom, Term] | None = None) -> Term:
    """`term` with atoms replaced, also inside other atoms. Replacements are not themselves looked into.

    `done` keeps what becomes of each atom, for other terms in which the same are replaced.
    """
    return _substitute(term, mapping, {} if done is None else done)


def _substitute(term: Term, mapping: Mapping[Atom, Term], done: dict[Atom, Term]) -> Term:
    changed = False
    for atom in term.atoms:
        if atom not in done:
            done[atom] = _substitute_atom(atom, mapping, done)
        changed = changed or done[atom] is not of_atom(atom)
    if not changed:
        return term
    result = constant(0)
    for monomial, coefficient in term.monomials.items():
        product = constant(coefficient)
        for atom in monomial:
            product = multiply(product, done[atom])
        result = add(result, product)
    return result


def _substitute_atom(atom: Atom, mapping: Mapping[Atom, Term], done: dict[Atom, Term]) -> Term:
    replacement = mapping.get(atom)
    if replacement is not None:
        return replacement
    if isinstance(atom, Div):
        return divide(_substitute(atom.numerator, mapping, done), _substitute(atom.denominator, mapping, done))
    if isinstance(atom, Min):
        return minimum([_substitute(term, mapping, done) for term in atom.terms])
    if isinstance(atom, Select):
        condition = atom.condition.substitute(mapping)
        when_true = _substitute(atom.when_true, mapping, done)
        when_false = _substitute(atom.when_false, mapping, done)
        if isinstance(condition, bool):
            return when_true if condition else when_false
        return select(condition, when_true, when_false)
    if isinstance(atom, Index) and atom.representative:
        extent = _substitute(atom.extent, mapping, done)
        if extent is not atom.extent:
            # One representative per extent: the same grid with another size is another grid.
            return index(atom.name, extent, ("of", atom.uid), representative=True, least=atom.least)
    return of_atom(atom)


def all_atoms(term: Term) -> Atoms:
    """Every atom of `term`, also those inside other atoms."""
    found: dict[Atom, None] = {}
    collect_atoms(term, found)
    return found.keys()
