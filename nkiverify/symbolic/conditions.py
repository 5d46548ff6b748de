"""Conditions over terms, in negation normal form, hash-consed: `p <= 0`, `p == 0`, `p != 0`, conjunction, disjunction.

A condition that folds to a truth value is a plain `bool`. What Python operators on a symbolic condition mean
is in `nkiverify.symbolic.booleans`.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from weakref import WeakValueDictionary

from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Div, Min, Monomial, Term
from nkiverify.symbolic.atoms import Condition as Condition

_uids = count()


class Relation(enum.Enum):
    """How a comparison relates its term to zero."""

    AT_MOST = "<="
    EQUAL = "=="
    UNEQUAL = "!="


class Comparison(Condition):
    """`term <= 0`, `term == 0` or `term != 0`."""

    __slots__ = ("relation", "term")

    relation: Relation
    term: Term

    def negation(self) -> Condition:
        if self.relation is Relation.AT_MOST:
            # The coefficients of this one have no common factor, and so have those of the opposite.
            opposite = _comparison(Relation.AT_MOST, terms.add(terms.constant(1), self.term, -1))
        else:
            flipped = Relation.UNEQUAL if self.relation is Relation.EQUAL else Relation.EQUAL
            opposite = _comparison(flipped, self.term)
        return opposite

    def terms(self) -> Iterator[Term]:
        yield self.term

    def substitute(self, mapping: Mapping[Atom, Term]) -> Condition | bool:
        replaced = terms.substitute(self.term, mapping)
        if replaced is self.term:
            return self
        return compare(self.relation, replaced)

    def __repr__(self) -> str:
        left: dict[Monomial, int] = {}
        right: dict[Monomial, int] = {}
        for monomial, coefficient in self.term.monomials.items():
            if monomial and coefficient > 0:
                left[monomial] = coefficient
            else:
                right[monomial] = -coefficient
        if not left and any(right):
            # Only negative parts: turn the comparison round, `5 <= n` instead of `0 <= n - 5` read backwards.
            low = terms.constant(-right.pop((), 0))
            mirrored = {Relation.AT_MOST: "<=", Relation.EQUAL: "==", Relation.UNEQUAL: "!="}[self.relation]
            return f"{low} {mirrored} {terms.make(right)}"
        return f"{terms.make(left)} {self.relation.value} {terms.make(right)}"


class Junction(Condition):
    """All (`conjunction`) or at least one of several conditions."""

    __slots__ = ("conjunction", "parts")

    conjunction: bool
    parts: tuple[Condition, ...]

    def negation(self) -> Condition:
        opposite = _junction(not self.conjunction, [part.negation() for part in self.parts])
        assert isinstance(opposite, Condition)
        return opposite

    def terms(self) -> Iterator[Term]:
        for part in self.parts:
            yield from part.terms()

    def substitute(self, mapping: Mapping[Atom, Term]) -> Condition | bool:
        replaced = [part.substitute(mapping) for part in self.parts]
        if all(new is old for new, old in zip(replaced, self.parts, strict=True)):
            return self
        return _junction(self.conjunction, replaced)

    def __repr__(self) -> str:
        word = " and " if self.conjunction else " or "
        return word.join(f"({part})" if isinstance(part, Junction) else str(part) for part in self.parts)


_interned: WeakValueDictionary[tuple[object, ...], Condition] = WeakValueDictionary()
_comparison_class: type[Comparison] = Comparison
_junction_class: type[Junction] = Junction


def use_condition_classes(comparison: type[Comparison], junction: type[Junction]) -> None:
    """Make conditions objects of these classes from now on (called once, when `booleans` is imported)."""
    global _comparison_class, _junction_class
    _comparison_class, _junction_class = comparison, junction


def _comparison(relation: Relation, term: Term) -> Comparison:
    key = (relation, term.uid)
    found = _interned.get(key)
    if found is None:
        found = _comparison_class.__new__(_comparison_class)
        found.relation = relation
        found.term = term
        found.uid = next(_uids)
        found._about = found._indices = None
        _interned[key] = found
    return found  # type: ignore[return-value]


def compare(relation: Relation, term: Term) -> Condition | bool:
    """`term <relation> 0`, folded where the answer does not depend on the atoms."""
    if relation is Relation.AT_MOST:
        return at_most_zero(term)
    return equals_zero(term) if relation is Relation.EQUAL else negate(equals_zero(term))


def at_most_zero(term: Term) -> Condition | bool:
    """`term <= 0`, with the common factor of its coefficients divided out and the bound tightened."""
    value = term.constant
    if value is not None:
        return value <= 0
    factors = [coefficient for monomial, coefficient in term.monomials.items() if monomial]
    common = math.gcd(*factors)
    if common > 1:
        # g*q + c <= 0 is q <= floor(-c/g), that is q + ceil(c/g) <= 0.
        smaller = {monomial: coefficient // common for monomial, coefficient in term.monomials.items() if monomial}
        bound = -(-term.constant_part // common)
        if bound:
            smaller[()] = bound
        term = terms.make(smaller)
    return _comparison(Relation.AT_MOST, term)


def equals_zero(term: Term) -> Condition | bool:
    """`term == 0`, with the common factor divided out; False where the constant is no multiple of it."""
    value = term.constant
    if value is not None:
        return value == 0
    factors = {monomial: coefficient for monomial, coefficient in term.monomials.items() if monomial}
    common = math.gcd(*factors.values())
    if term.constant_part % common:
        return False
    # One sign for both `p == 0` and `-p == 0`.
    first = min(factors, key=lambda monomial: (len(monomial), *(atom.uid for atom in monomial)))
    sign = 1 if factors[first] > 0 else -1
    if common > 1 or sign < 0:
        term = terms.make({monomial: sign * part // common for monomial, part in term.monomials.items()})
    return _comparison(Relation.EQUAL, term)


def condition_key(condition: Condition | bool) -> int | str:
    """The key of a condition, or of a truth value: a number would equal `True` or `False` itself."""
    return condition.uid if isinstance(condition, Condition) else str(condition)


def substituted(condition: Condition | bool, mapping: Mapping[Atom, Term]) -> Condition | bool:
    """The condition with atoms replaced, also inside other atoms."""
    return condition.substitute(mapping) if isinstance(condition, Condition) else condition


def negate(condition: Condition | bool) -> Condition | bool:
    """The opposite of `condition`."""
    if not isinstance(condition, Condition):
        return not condition
    return terms.remembered("not", condition.uid, condition.uid, condition.negation)


def as_number(condition: Condition) -> Term:
    """1 where `condition` holds, else 0. Of whether a division leaves a rest it is what rounding up adds, so that
    `x // b + (x % b != 0)` is the quotient that is rounded up, and compares as that."""
    if isinstance(condition, Comparison) and condition.relation is not Relation.AT_MOST:
        for atom in condition.term.atoms:
            if not isinstance(atom, Div) or (atom.denominator.constant or 0) <= 0:
                continue
            down = terms.of_atom(atom)
            whole = equals_zero(terms.add(atom.numerator, terms.multiply(atom.denominator, down), -1))
            up = terms.scale(terms.divide(terms.scale(atom.numerator, -1), atom.denominator), -1)
            if condition is negate(whole):
                return terms.add(up, down, -1)
            if condition is whole:
                return terms.add(terms.add(terms.constant(1), down), up, -1)
    return terms.select(condition, terms.constant(1), terms.constant(0))


def _has_opposites(parts: list[Comparison]) -> bool:
    """True if one of these is the opposite of another."""
    # The opposite of `t <= 0` is `1 - t <= 0`: so are the sums of their coefficients, which few others are.
    sums = {sum(part.term.monomials.values()) for part in parts if part.relation is Relation.AT_MOST}
    uids = {part.uid for part in parts}
    return any(
        part.negation().uid in uids
        for part in parts
        if part.relation is not Relation.AT_MOST or 1 - sum(part.term.monomials.values()) in sums
    )


def _junction(conjunction: bool, parts: Iterable[Condition | bool]) -> Condition | bool:
    distinct: dict[int, Condition] = {}
    for part in parts:
        if not isinstance(part, Condition):
            if part is not conjunction:
                return part
            continue
        if isinstance(part, Junction) and part.conjunction is conjunction:
            distinct.update((inner.uid, inner) for inner in part.parts)
        else:
            distinct[part.uid] = part
    if len(distinct) <= 1:
        return next(iter(distinct.values()), conjunction)
    if _has_opposites([part for part in distinct.values() if isinstance(part, Comparison)]):
        return not conjunction
    key = (conjunction, *sorted(distinct))
    found = _interned.get(key)
    if found is None:
        found = _junction_class.__new__(_junction_class)
        found.conjunction = conjunction
        found.parts = tuple(distinct.values())
        found.uid = next(_uids)
        found._about = found._indices = None
        _interned[key] = found
    return found


def conjunction(parts: Iterable[Condition | bool]) -> Condition | bool:
    """All of `parts`."""
    return _junction(True, parts)


def disjunction(parts: Iterable[Condition | bool]) -> Condition | bool:
    """At least one of `parts`."""
    return _junction(False, parts)


def minima(term: Term) -> list[Min]:
    """The least of several terms, wherever it occurs in `term`."""
    return [atom for atom in terms.all_atoms(term) if isinstance(atom, Min)]


def without_minima(term: Term, proves: Callable[[Condition], bool]) -> Term:
    """`term` with the least of several terms replaced by the one of them that it is, as far as `proves` shows that it
    is one of them in any case."""
    for atom in minima(term):
        for part in atom.terms:
            equal = equals_zero(terms.add(terms.of_atom(atom), part, -1))
            if equal is True or (isinstance(equal, Condition) and proves(equal)):
                term = terms.substitute(term, {atom: part})
                break
    return term
