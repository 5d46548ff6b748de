"""How large terms can get: whether the arithmetic of a lowered program fits its integers.

ESBMC's integers are 64 bits wide and wrap around; those of a shape program have no width. A term is lowered only if no
value of it, nor of any of its parts, can leave 62 bits where it is evaluated. What is known of an atom comes from the
hypotheses that the lowered program states before that place, so nothing is relied on that ESBMC is not given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce

from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Monomial, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.generic_intervals import IntervalArithmetic, range_of

#: Largest magnitude of a lowered term: one bit is the sign, one is room for comparing and rounding.
LARGEST = 2**62

#: Integers, or plus and minus infinity: Python compares both exactly.
Bound = int | float

#: Bounds further out than this are as good as infinite, and Python cannot mix larger integers with infinity.
_FAR = 2**128


def _rounded(bound: Bound) -> Bound:
    if -_FAR <= bound <= _FAR:
        return bound
    return math.inf if bound > 0 else -math.inf


def _times(left: Bound, right: Bound) -> Bound:
    # An infinite bound is one that is not known; zero times whatever it is, is zero.
    return 0 if left == 0 or right == 0 else _rounded(_rounded(left) * _rounded(right))


#: Inclusive bounds of a value.
Range = tuple[Bound, Bound]
_RANGES: IntervalArithmetic[Bound] = IntervalArithmetic(times=_times)
ANYTHING: Range = (-math.inf, math.inf)


class AtomRanges:
    """Bounds of single atoms, from the hypotheses of a place."""

    def __init__(self, outer: AtomRanges | None = None) -> None:
        self._known: dict[Atom, Range] = dict(outer._known) if outer is not None else {}

    def fits(self, condition: Condition | bool) -> bool:
        """True if both sides of every comparison of `condition` stay within 62 bits."""
        if isinstance(condition, bool):
            return True
        return all(self.term_fits(side) for term in condition.terms() for side in sides(term))

    def hypothesis_fits(self, condition: Condition | bool) -> bool:
        """True if `condition` can be stated as a hypothesis: each side of a comparison fits, or is a lone variable.

        A 64-bit variable can be compared with anything that fits, whatever is known of it. To say more of it takes
        bounds that make it fit, so that no value beyond 64 bits is passed over.
        """
        if isinstance(condition, bool):
            return True
        return all(self._side_fits(side) for term in condition.terms() for side in sides(term))

    def _side_fits(self, side: Term) -> bool:
        return _is_variable(side) or self.term_fits(side)

    def term_fits(self, term: Term) -> bool:
        """True if `term` and its parts, in whatever order they are computed, stay within 62 bits."""
        return self._size(term) <= LARGEST and all(self._atom_fits(atom) for atom in term.atoms)

    def _size(self, term: Term) -> Bound:
        size: Bound = 0
        for atoms, factor in _parts(term):
            size += abs(_rounded(factor)) * _product(_magnitude(self.atom(atom)) for atom in atoms)
        return size

    def _atom_fits(self, atom: Atom) -> bool:
        if isinstance(atom, Div):
            parts = self.term_fits(atom.numerator) and self.term_fits(atom.denominator)
            return parts and (self.positive_division(atom) is not None or self._multiplication_fits(atom))
        if isinstance(atom, Min):
            return all(self.term_fits(term) for term in atom.terms)
        if isinstance(atom, Select):
            arms = self.term_fits(atom.when_true) and self.term_fits(atom.when_false)
            return arms and self.fits(atom.condition)
        return True

    def positive_division(self, atom: Div) -> int | None:
        """How often the denominator is to be added to the numerator so that positive numbers can be divided.

        With that number c, `(a + c*b)/b - c` rounds down, as Python does, where a language rounds towards zero. None
        where that is not known, does not fit, or is no good: if the denominator is no constant, solvers of bit-vectors
        are quicker with the remainder that a quotient leaves.
        """
        top, bottom = self.term(atom.numerator), self.term(atom.denominator)
        constant = atom.denominator.constant
        if constant is None:
            plain = top[0] >= 0 and bottom[0] > 0 and not self._multiplication_fits(atom)
            return 0 if plain else None
        if constant <= 0 or math.isinf(top[0]):
            return None
        added = max(0, -(int(top[0]) // constant))
        return added if top[1] + added * constant < 2 * LARGEST else None

    def _multiplication_fits(self, atom: Div) -> bool:
        # The quotient is at most as large as the numerator, and its product is subtracted from that.
        top, bottom = self._size(atom.numerator), self._size(atom.denominator)
        return top * bottom + top < 2 * LARGEST

    def term(self, term: Term) -> Range:
        """Bounds of `term`."""
        return range_of(term, self.atom, _RANGES)

    def atom(self, atom: Atom) -> Range:
        """Bounds of `atom`."""
        return _within(self._known.get(atom, ANYTHING), self._computed(atom))

    def _computed(self, atom: Atom) -> Range:
        if isinstance(atom, Div):
            return _quotient(self.term(atom.numerator), self.term(atom.denominator))
        if isinstance(atom, Min):
            first, *others = (self.term(term) for term in atom.terms)
            return reduce(_RANGES.lesser, others, first)
        if isinstance(atom, Select):
            return _RANGES.hull(self.term(atom.when_true), self.term(atom.when_false))
        if isinstance(atom, Index) and atom.representative:
            return 0, self.term(atom.extent)[1] - 1
        return ANYTHING

    def learn(self, condition: Condition | bool) -> None:
        """Take `condition` as a hypothesis from here on."""
        if isinstance(condition, Junction) and condition.conjunction:
            for part in condition.parts:
                self.learn(part)
        elif isinstance(condition, Comparison):
            if condition.relation is Relation.UNEQUAL:
                self._learn_unequal(condition.term)
                return
            self._learn_at_most(condition.term, 1)
            if condition.relation is Relation.EQUAL:
                self._learn_at_most(condition.term, -1)

    def learn_range(self, atom: Atom, low: Bound, high: Bound) -> None:
        """`low <= atom <= high` from here on."""
        self._known[atom] = _within(self._known.get(atom, ANYTHING), (low, high))

    def _learn_at_most(self, term: Term, sign: int) -> None:
        """`sign * term <= 0`: bounds every atom that the term is linear in."""
        for atom in term.atoms:
            occurrences = [atoms for atoms, _ in _parts(term) if atom in atoms]
            if occurrences != [(atom,)]:
                continue
            factor = sign * term.monomials[(atom,)]
            rest = {atoms: sign * other for atoms, other in _parts(term) if atoms != (atom,)}
            least = range_of(terms.make(rest), self.atom, _RANGES)[0]
            if math.isinf(least):
                continue
            # factor * atom <= -rest for the smallest rest.
            if factor > 0:
                self.learn_range(atom, -math.inf, -least // factor)
            else:
                self.learn_range(atom, -(-least // -factor), math.inf)

    def _learn_unequal(self, term: Term) -> None:
        """`term != 0`: takes the end from the range of a lone variable."""
        if len(term.atoms) != 1 or len(term.monomials) - (() in term.monomials) != 1:
            return
        (atom,) = term.atoms
        factor = term.monomials.get((atom,), 0)
        if abs(factor) == 1:
            value, (low, high) = -term.constant_part * factor, self.atom(atom)
            self.learn_range(atom, low + (low == value), high - (high == value))


def _parts(term: Term) -> Iterator[tuple[Monomial, int]]:
    yield from term.monomials.items()


def writable(condition: Condition | bool) -> bool:
    """True if all numbers in `condition`, and in the terms that it is computed from, can be written as 64-bit integers.

    That is asked of them where integers are unbounded, too: nothing else is.
    """
    if isinstance(condition, bool):
        return True
    terms_in = [*condition.terms()]
    for atom in condition.atoms():
        terms_in.extend(atom.arguments())
    return all(abs(factor) <= LARGEST for term in terms_in for _, factor in _parts(term))


def sides(term: Term) -> tuple[Term, Term]:
    """Two terms whose difference is `term`, to compare with each other instead of `term` with zero.

    Nothing is subtracted but a constant: what has a minus sign stands on the right, the constant where it reads best.
    """
    left = {atoms: factor for atoms, factor in _parts(term) if atoms and factor > 0}
    right = {atoms: -factor for atoms, factor in _parts(term) if atoms and factor < 0}
    rest = term.constant_part
    if rest and left:
        right[()] = -rest
    elif rest:
        left[()] = rest
    return terms.make(left), terms.make(right)


def _is_variable(term: Term) -> bool:
    if len(term.monomials) != 1:
        return False
    ((atoms, factor),) = term.monomials.items()
    return factor == 1 and len(atoms) == 1 and not isinstance(atoms[0], Div | Min | Select)


def _product(sizes: Iterator[Bound]) -> Bound:
    result: Bound = 1
    for size in sizes:
        result = _rounded(result * size)
    return result


def _magnitude(known: Range) -> Bound:
    """The largest absolute value, at least 1."""
    return max(1, abs(known[0]), abs(known[1]))


def _within(one: Range, other: Range) -> Range:
    """The numbers that are in both."""
    return _rounded(max(one[0], other[0])), _rounded(min(one[1], other[1]))


def _quotient(top: Range, bottom: Range) -> Range:
    """Bounds of the floor of a quotient."""
    found: list[Range] = []
    low, high = bottom
    if high >= 1:
        found.append(_RANGES.at_corners(_floor, top, (max(1, low), high)))
    if low <= -1:
        found.append(_RANGES.at_corners(_floor, top, (low, min(-1, high))))
    if low <= 0 <= high:
        # Nothing is said of a quotient by zero but that it is no larger than the numerator.
        size = max(abs(top[0]), abs(top[1]))
        found.append((-size, size))
    return _RANGES.hull(*found) if found else ANYTHING


def _floor(numerator: Bound, denominator: Bound) -> Bound:
    if math.isinf(numerator):
        return numerator if denominator > 0 else -numerator
    if math.isinf(denominator):
        return 0 if numerator == 0 or (numerator > 0) == (denominator > 0) else -1
    return numerator // denominator
