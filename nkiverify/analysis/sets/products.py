"""Facts about numbers that are not affine: products of dimensions and indices, and quotients by a dimension.

Products of what is known of each factor, multiplied out. A quotient is known by the product with its divisor. All of
it is linear in the products, which is what sets over them can use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product as pairs

from nkiverify.foundation.budget import SetsBudget
from nkiverify.ir.program import DomainDimension
from nkiverify.symbolic import Extent
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Monomial, Term
from nkiverify.symbolic.terms import INT32_MAX, add, constant, make, multiply, of_atom, scale

#: The least and the greatest value of an atom, as far as they are known.
_Range = tuple[Term | None, Term | None]


class Products:
    """Knows the ranges of dimensions."""

    def __init__(self, dimensions: Sequence[DomainDimension] = ()) -> None:
        self._dimensions: Mapping[Atom, DomainDimension] = {dimension.atom: dimension for dimension in dimensions}

    def is_natural(self, atom: Atom) -> bool:
        """True if an atom is never negative."""
        low, _ = self._range(atom)
        return low is not None and (low.constant or 0) >= 0

    def values(self, atom: Atom) -> range | None:
        """The values of an atom, where they are few; those of the index of a loop are such in that loop."""
        low, high = self._interval(of_atom(atom))
        return (
            range(low, high + 1) if low is not None and high is not None and high - low < SetsBudget.FACTORS else None
        )

    def is_at_most_one(self, extent: Extent) -> bool:
        """True if an extent is 1 wherever there is anything at all."""
        _, most = self._interval(extent) if isinstance(extent, Term) else (None, int(extent))
        return most is not None and most <= 1

    def _interval(self, term: Term) -> tuple[int | None, int | None]:
        """The least and the greatest value of a term, as far as they are numbers; these may be too far apart."""
        least: int | None = 0
        most: int | None = 0
        for monomial, coefficient in term.monomials.items():
            low, high = (1, 1) if not monomial else self._ends(monomial[0]) if len(monomial) == 1 else (None, None)
            if coefficient < 0:
                low, high = high, low
            least = None if least is None or low is None else least + coefficient * low
            most = None if most is None or high is None else most + coefficient * high
        return least, most

    def _ends(self, atom: Atom) -> tuple[int | None, int | None]:
        if isinstance(atom, Div):
            divisor = atom.denominator.constant or 0
            low, high = self._interval(atom.numerator) if divisor > 0 else (None, None)
            return None if low is None else low // divisor, None if high is None else high // divisor
        if isinstance(atom, Min):
            lows, highs = zip(*map(self._interval, atom.terms), strict=True)
            known = [high for high in highs if high is not None]
            return None if None in lows else min(lows), min(known, default=None)
        if isinstance(atom, Index):
            _, count = self._interval(atom.extent)
            # A grid that may be empty has no last index.
            has_last = count is not None and (not atom.representative or atom.extent.constant is not None)
            return 0, count - 1 if has_last and count is not None else None
        first, last = self._range(atom)
        return None if first is None else first.constant, None if last is None else last.constant

    def cases(self, monomial: Monomial) -> list[list[Term]]:
        """Terms, in each of several cases, none of which is negative. One of the cases holds.

        What is said of the index of a loop holds in that loop.
        """
        if len(monomial) == 1:
            return self._of_quotient(monomial[0])
        if len(monomial) != 2:
            return [[make({monomial: 1})] if all(map(self.is_natural, monomial)) else []]
        sides = [self._distances(atom) for atom in monomial]
        return [[multiply(one, other) for one, other in pairs(*sides)]]

    def _of_quotient(self, atom: Atom) -> list[list[Term]]:
        if not isinstance(atom, Div) or (self._least(atom.denominator) or 0) <= 0:
            return [[]]
        top, bottom, value, one = atom.numerator, atom.denominator, of_atom(atom), constant(1)
        rest = add(top, multiply(bottom, value), -1)
        below = add(add(bottom, one, -1), rest, -1)
        # The quotient has the sign of the numerator, and is no further from zero.
        return [
            [rest, below, add(scale(top, -1), one, -1), add(scale(value, -1), one, -1), add(value, top, -1)],
            [rest, below, top, add(add(bottom, one, -1), top, -1), value, scale(value, -1)],
            [rest, below, add(top, bottom, -1), add(value, one, -1), add(top, value, -1)],
        ]

    def _distances(self, atom: Atom) -> list[Term]:
        """How far an atom is from the ends of its range."""
        low, high = self._range(atom)
        found = [] if low is None else [add(of_atom(atom), low, -1)]
        return found if high is None else [*found, add(high, of_atom(atom), -1)]

    def _range(self, atom: Atom) -> _Range:
        if isinstance(atom, Index):
            # That of a loop is asked about inside the loop only; a grid may be empty, and then has no last index.
            return constant(0), None if atom.representative else add(atom.extent, constant(-1))
        dimension = self._dimensions.get(atom) if isinstance(atom, Dimension) else None
        if dimension is None:
            return None, None
        high = dimension.high
        return constant(dimension.low), None if high is None or high == INT32_MAX else constant(high)

    def _least(self, term: Term) -> int | None:
        """A number that `term` is never below."""
        total = 0
        for monomial, coefficient in term.monomials.items():
            least = coefficient
            for atom in monomial:
                low, high = self._range(atom)
                bound = low if coefficient > 0 else high
                if low is None or bound is None or bound.constant is None or (low.constant or 0) < 0:
                    return None
                least *= bound.constant
            total += least
        return total
