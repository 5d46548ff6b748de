"""Arithmetic on intervals, each a pair of ends, low and high, both included: generic over the kind of ends.

Ends are integers and infinities (the ranges of atoms), terms (what registers and index tiles hold), or arrays of floats
with an interval for each element. What operators make of them is here; a kind of ends has the least and the greatest of
several, and its product. Who computes in floating point moves the results outwards.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from nkiverify.symbolic.atoms import Atom, Monomial, Term

End = TypeVar("End")


class IntervalArithmetic(Generic[End]):
    """Operators on the numbers in intervals with one kind of ends; never too few."""

    def __init__(
        self,
        least: Callable[..., Any] = min,
        greatest: Callable[..., Any] = max,
        times: Callable[[Any, Any], Any] = operator.mul,
    ) -> None:
        self.least = least
        self.greatest = greatest
        self.times = times

    def sum(self, one: tuple[End, End], other: tuple[End, End]) -> tuple[End, End]:
        """The sums."""
        return operator.add(one[0], other[0]), operator.add(one[1], other[1])

    def negative(self, one: tuple[End, End]) -> tuple[End, End]:
        """The negatives."""
        return -one[1], -one[0]  # type: ignore[operator]

    def difference(self, one: tuple[End, End], other: tuple[End, End]) -> tuple[End, End]:
        """The differences."""
        return self.sum(one, self.negative(other))

    def scaled(self, factor: int, one: tuple[End, End]) -> tuple[End, End]:
        """The products with a number."""
        low, high = self.times(factor, one[0]), self.times(factor, one[1])
        return (low, high) if factor >= 0 else (high, low)

    def product(self, one: tuple[End, End], other: tuple[End, End]) -> tuple[End, End]:
        """The products."""
        return self.at_corners(self.times, one, other)

    def at_corners(
        self, function: Callable[[Any, Any], Any], one: tuple[End, End], other: tuple[End, End]
    ) -> tuple[End, End]:
        """The range of a function that has its least and its greatest value where both numbers are at an end."""
        found = [function(left, right) for left in one for right in other]
        return self.least(*found), self.greatest(*found)

    def lesser(self, one: tuple[End, End], other: tuple[End, End]) -> tuple[End, End]:
        """The lesser of two numbers."""
        return self.least(one[0], other[0]), self.least(one[1], other[1])

    def greater(self, one: tuple[End, End], other: tuple[End, End]) -> tuple[End, End]:
        """The greater of two numbers."""
        return self.greatest(one[0], other[0]), self.greatest(one[1], other[1])

    def hull(self, *intervals: tuple[End, End]) -> tuple[End, End]:
        """The smallest interval around all of them."""
        if len(intervals) == 1:
            return intervals[0]
        return self.least(*(low for low, _ in intervals)), self.greatest(*(high for _, high in intervals))


def _times(one: float, two: float) -> float:
    # 0 * inf is 0 here: the bound zero is reached, infinity is not.
    return 0 if one == 0 or two == 0 else one * two


#: Integers, and infinities where there is no bound.
OF_INTEGERS: IntervalArithmetic[float] = IntervalArithmetic(times=_times)


def range_of(
    term: Term, range_of_atom: Callable[[Atom], tuple[float, float]], n: IntervalArithmetic[float] = OF_INTEGERS
) -> tuple[float, float]:
    """The range of a term whose atoms have these ranges."""
    found: tuple[float, float] = (0, 0)
    for monomial, coefficient in term.monomials.items():
        found = n.sum(found, n.scaled(coefficient, range_of_monomial(monomial, range_of_atom, n)))
    return found


def range_of_monomial(
    monomial: Monomial, range_of_atom: Callable[[Atom], tuple[float, float]], n: IntervalArithmetic[float] = OF_INTEGERS
) -> tuple[float, float]:
    """The range of a product of atoms that have these ranges."""
    if len(monomial) == 1:
        return range_of_atom(monomial[0])
    found: tuple[float, float] = (1, 1)
    for atom in monomial:
        found = n.product(found, range_of_atom(atom))
    if len(monomial) == 2 and monomial[0] is monomial[1]:
        found = (max(found[0], 0), found[1])
    return found
