"""How large terms can get: whether the arithmetic of a lowered program fits its integers.

ESBMC's integers are 64 bits wide and wrap around; those of a shape program have no width. A term is lowered only if no
value of it, nor of any of its parts, can leave 62 bits where it is evaluated. What is known of an atom comes from the
hypotheses that the lowered program states before that place, so nothing is relied on that ESBMC is not given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Monomial, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation

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


class ValueRange:
    """Inclusive bounds of a value."""

    __slots__ = ("high", "low")

    def __init__(self, low: Bound = -math.inf, high: Bound = math.inf) -> None:
        self.low = _rounded(low)
        self.high = _rounded(high)

    @property
    def magnitude(self) -> Bound:
        """The largest absolute value, at least 1."""
        return max(1, abs(self.low), abs(self.high))

    def __repr__(self) -> str:
        return f"[{self.low}, {self.high}]"


ANYTHING = ValueRange()


class AtomRanges:
    """Bounds of single atoms, from the hypotheses of a place."""

    def __init__(self, outer: AtomRanges | None = None) -> None:
        self._known: dict[Atom, ValueRange] = dict(outer._known) if outer is not None else {}

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
            size += abs(_rounded(factor)) * _product(self.atom(atom).magnitude for atom in atoms)
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
            plain = top.low >= 0 and bottom.low > 0 and not self._multiplication_fits(atom)
            return 0 if plain else None
        if constant <= 0 or math.isinf(top.low):
            return None
        added = max(0, -(int(top.low) // constant))
        return added if top.high + added * constant < 2 * LARGEST else None

    def _multiplication_fits(self, atom: Div) -> bool:
        # The quotient is at most as large as the numerator, and its product is subtracted from that.
        top, bottom = self._size(atom.numerator), self._size(atom.denominator)
        return top * bottom + top < 2 * LARGEST

    def term(self, term: Term) -> ValueRange:
        """Bounds of `term`."""
        low: Bound = 0
        high: Bound = 0
        for atoms, factor in _parts(term):
            part = ValueRange(factor, factor)
            for atom in atoms:
                part = _times(part, self.atom(atom))
            low, high = low + part.low, high + part.high
        return ValueRange(low, high)

    def atom(self, atom: Atom) -> ValueRange:
        """Bounds of `atom`."""
        known = self._known.get(atom, ANYTHING)
        computed = self._computed(atom)
        return ValueRange(max(known.low, computed.low), min(known.high, computed.high))

    def _computed(self, atom: Atom) -> ValueRange:
        if isinstance(atom, Div):
            return _quotient(self.term(atom.numerator), self.term(atom.denominator))
        if isinstance(atom, Min):
            parts = [self.term(term) for term in atom.terms]
            return ValueRange(min(part.low for part in parts), min(part.high for part in parts))
        if isinstance(atom, Select):
            one, other = self.term(atom.when_true), self.term(atom.when_false)
            return ValueRange(min(one.low, other.low), max(one.high, other.high))
        if isinstance(atom, Index) and atom.representative:
            return ValueRange(0, self.term(atom.extent).high - 1)
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
        known = self._known.get(atom, ANYTHING)
        self._known[atom] = ValueRange(max(known.low, low), min(known.high, high))

    def _learn_at_most(self, term: Term, sign: int) -> None:
        """`sign * term <= 0`: bounds every atom that the term is linear in."""
        for atom in term.atoms:
            occurrences = [atoms for atoms, _ in _parts(term) if atom in atoms]
            if occurrences != [(atom,)]:
                continue
            factor = sign * term.monomials[(atom,)]
            rest = ValueRange(0, 0)
            for atoms, other in _parts(term):
                if atoms != (atom,):
                    part = ValueRange(sign * other, sign * other)
                    for inner in atoms:
                        part = _times(part, self.atom(inner))
                    rest = ValueRange(rest.low + part.low, rest.high + part.high)
            if math.isinf(rest.low):
                continue
            # factor * atom <= -rest for the smallest rest.
            if factor > 0:
                self.learn_range(atom, -math.inf, -rest.low // factor)
            else:
                self.learn_range(atom, -(-rest.low // -factor), math.inf)

    def _learn_unequal(self, term: Term) -> None:
        """`term != 0`: takes the end from the range of a lone variable."""
        if len(term.atoms) != 1 or len(term.monomials) - (() in term.monomials) != 1:
            return
        (atom,) = term.atoms
        factor = term.monomials.get((atom,), 0)
        if abs(factor) == 1:
            value, known = -term.constant_part * factor, self.atom(atom)
            self.learn_range(atom, known.low + (known.low == value), known.high - (known.high == value))


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


def _times(one: ValueRange, other: ValueRange) -> ValueRange:
    corners = [_times_bound(left, right) for left in (one.low, one.high) for right in (other.low, other.high)]
    return ValueRange(min(corners), max(corners))


def _times_bound(left: Bound, right: Bound) -> Bound:
    # An infinite bound is one that is not known; zero times whatever it is, is zero.
    return 0 if left == 0 or right == 0 else left * right


def _quotient(top: ValueRange, bottom: ValueRange) -> ValueRange:
    """Bounds of the floor of a quotient."""
    ends: list[Bound] = []
    if bottom.high >= 1:
        ends += [max(1, bottom.low), bottom.high]
    if bottom.low <= -1:
        ends += [bottom.low, min(-1, bottom.high)]
    corners = [_floor(numerator, end) for numerator in (top.low, top.high) for end in ends]
    if bottom.low <= 0 <= bottom.high:
        # Nothing is said of a quotient by zero but that it is no larger than the numerator.
        size = max(abs(top.low), abs(top.high))
        corners += [-size, size]
    return ValueRange(min(corners), max(corners)) if corners else ANYTHING


def _floor(numerator: Bound, denominator: Bound) -> Bound:
    if math.isinf(numerator):
        return numerator if denominator > 0 else -numerator
    if math.isinf(denominator):
        return 0 if numerator == 0 or (numerator > 0) == (denominator > 0) else -1
    return numerator // denominator
