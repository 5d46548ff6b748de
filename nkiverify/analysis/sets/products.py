"""Facts about numbers that are not affine: products of dimensions and indices, and quotients by a dimension.

Products of what is known of each factor, multiplied out. A quotient is known by the product with its divisor. All of
it is linear in the products, which is what sets over them can use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from itertools import product as pairs

from nkiverify.analysis.sets.structure import bounds_of
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.source import identity
from nkiverify.ir.program import DomainDimension
from nkiverify.symbolic import Extent
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Monomial, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Relation, at_most_zero, minima, without_minima
from nkiverify.symbolic.path_conditions import Context
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.terms import INT32_MAX, add, all_atoms, constant, make, multiply, of_atom, scale

#: The least and the greatest value of an atom, as far as they are known.
_Range = tuple[Term | None, Term | None]


class Products:
    """Knows the ranges of dimensions, and by conditions `assumed` of them which ones are products."""

    def __init__(self, dimensions: Sequence[DomainDimension] = (), assumed: Iterable[Condition | bool] = ()) -> None:
        self._dimensions: Mapping[Atom, DomainDimension] = {dimension.atom: dimension for dimension in dimensions}
        self._natural: dict[Atom, bool] = {}
        #: With the terms, and the conditions: they keep their numbers.
        self._without_minima: dict[tuple[int, int], tuple[Term, Context, Term]] = {}
        #: Conditions that hold in the loops around a term, whatever else does, or do not surely: with both, as above.
        self._alone: dict[tuple[int, int], tuple[Condition, Term, bool]] = {}
        #: The products that dimensions are equal to, as `heads` is to `groups * (heads // groups)`.
        self.equal: Mapping[Atom, Monomial] = dict(found for one in assumed if (found := _as_product(one)))

    def is_natural(self, atom: Atom) -> bool:
        """True if an atom is never negative; what indices of loops occur in is not so in these loops."""
        found = self._natural.get(atom)
        if found is None:
            low, _ = self._ends(atom)
            found = self._natural[atom] = (low is not None and low >= 0) or _is_at_least(0, of_atom(atom))
        return found

    def _is_positive(self, term: Term) -> bool:
        return (self._interval(term)[0] or 0) > 0 or _is_at_least(1, term)

    def without_minima(self, term: Term, held: Context) -> Term:
        """The same number where the conditions `held` hold, in the loops around: the last tile is what is left for it,
        and no larger than others."""
        if not minima(term):
            return term
        key = (term.uid, identity(held))
        found = self._without_minima.get(key)
        if found is None:
            within = held.with_all(_bounds_of_loops(term))

            def proves(condition: Condition) -> bool:
                # A solver is not asked with all that holds: that would take it long, on each path again.
                return self._holds_alone(condition, term) or within.entails(condition)

            found = self._without_minima[key] = term, held, without_minima(term, proves)
        return found[2]

    def _holds_alone(self, condition: Condition, term: Term) -> bool:
        key = (condition.uid, term.uid)
        if key not in self._alone:
            within = Prover(_bounds_of_loops(term), BUDGETS.first)
            self._alone[key] = condition, term, within.proves(condition)
        return self._alone[key][2]

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
            low, high = self._ends_of_product(monomial)
            if coefficient < 0:
                low, high = high, low
            least = None if least is None or low is None else least + coefficient * low
            most = None if most is None or high is None else most + coefficient * high
        return least, most

    def _ends_of_product(self, monomial: Monomial) -> tuple[int | None, int | None]:
        least: int | None = 1
        most: int | None = 1
        for atom in monomial:
            low, high = self._ends(atom)
            if len(monomial) > 1 and (low is None or low < 0):
                return None, None
            least = None if least is None or low is None else least * low
            most = None if most is None or high is None else most * high
        return least, most

    def _ends(self, atom: Atom) -> tuple[int | None, int | None]:
        if isinstance(atom, Div):
            first, last = self._interval(atom.denominator)
            if first is None or first <= 0:
                return None, None
            low, high = self._interval(atom.numerator)
            # A larger divisor brings both ends nearer to zero, but no negative one beyond -1.
            least = None if low is None else low // first if low < 0 else low // last if last is not None else 0
            most = None if high is None else high // first if high >= 0 else high // last if last is not None else -1
            return least, most
        if isinstance(atom, Min):
            lows, highs = zip(*map(self._interval, atom.terms), strict=True)
            known = [high for high in highs if high is not None]
            return None if None in lows else min(lows), min(known, default=None)
        if isinstance(atom, Index):
            _, count = self._interval(atom.extent)
            # A grid that may be empty has no last index.
            has_last = count is not None and (not atom.representative or atom.extent.constant is not None)
            return atom.least, count - 1 if has_last and count is not None else None
        dimension = self._dimensions.get(atom) if isinstance(atom, Dimension) else None
        if dimension is None:
            return None, None
        return dimension.low, None if dimension.high == INT32_MAX else dimension.high

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
        if not isinstance(atom, Div) or not self._is_positive(atom.denominator):
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
            return constant(atom.least), None if atom.representative else add(atom.extent, constant(-1))
        least, most = self._ends(atom)
        return None if least is None else constant(least), None if most is None else constant(most)


def _bounds_of_loops(term: Term) -> list[Condition | bool]:
    """The bounds of the loops whose indices a term depends on; nothing where it depends on none."""
    indices = [one for one in all_atoms(term) if isinstance(one, Index)]
    # One of no elements stands for any, of which nothing is known.
    if any(index.extent.constant == 0 for index in indices):
        return []
    return [*chain.from_iterable(map(bounds_of, indices))]


def _is_at_least(least: int, term: Term) -> bool:
    """True if a term is at least so much in the loops whose indices it depends on, whatever else holds there: as what
    is left for the last tile."""
    bounds = _bounds_of_loops(term)
    within = Prover(bounds, BUDGETS.first)
    return bool(bounds) and within.proves(at_most_zero(add(constant(least), term, -1)))


def _as_product(condition: Condition | bool) -> tuple[Atom, Monomial] | None:
    """A dimension, and the product that a condition says it is equal to, if that is what it says."""
    if not isinstance(condition, Comparison) or condition.relation is not Relation.EQUAL:
        return None
    if sorted(condition.term.monomials.values()) != [-1, 1]:
        return None
    one, other = sorted(condition.term.monomials, key=len)
    return (one[0], other) if len(one) == 1 and len(other) > 1 and isinstance(one[0], Dimension) else None
