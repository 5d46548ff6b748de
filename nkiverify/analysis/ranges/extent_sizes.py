"""Sizes on a path: between which numbers an extent is, and whether two are the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.symbolic import Extent, conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.reals import SymReal
from nkiverify.symbolic.terms import INT32_MAX

#: More than the relative error of a few operations on floats of the host.
_SLACK = 2.0**-48


class Sizes:
    """The sizes of a program at the place where a walk is: `facts` are what is known there."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def range_of(self, number: Extent | Term) -> tuple[float, float]:
        """The least and the greatest value of an integer."""
        return self.facts.range_of(as_term(number))

    def extent(self, extent: Extent) -> tuple[float, float]:
        """As `range_of`, for the extent of a tensor, or a product of extents: at least 1, each a 32-bit integer."""
        low, high = self.range_of(extent)
        if math.isinf(high):
            high = float(INT32_MAX) ** max(map(len, as_term(extent).monomials), default=1)
        return max(low, 1.0), high

    def same(self, one: Extent, other: Extent) -> bool:
        """True if two integers are known to be equal."""
        first, second = as_term(one), as_term(other)
        return first is second or self.facts.proves(conditions.equals_zero(terms.add(first, second, -1)))

    def real(self, value: object) -> tuple[float, float]:
        """The least and the greatest value of a number of the kernel's that sizes are in, as the host computes it."""
        if isinstance(value, SymReal):
            function = _FUNCTIONS.get(value.name)
            if function is None:
                raise UnsupportedConstruct(f"a constant that is a {value.name}")
            ends = [self.real(operand) for operand in value.operands]
            return _around(function, ends)
        if isinstance(value, SymRational):
            top, bottom = self.range_of(value.top), self.range_of(value.bottom)
            if bottom[0] <= 0:
                raise UnsupportedConstruct("a constant that is a quotient of sizes, of which one may not be positive")
            return _around(lambda one, other: one / other, [top, bottom])
        if isinstance(value, Term):
            return self.range_of(value)
        if isinstance(value, int | float):
            return float(value), float(value)
        raise UnsupportedConstruct(f"a constant of type {type(value).__name__}")


#: By the name of a real number: the function of its operands that it is, monotone in each on positive numbers.
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "power": lambda base, exponent: base**exponent,
    "square root": math.sqrt,
    "sum": lambda one, other: one + other,
    "difference": lambda one, other: one - other,
    "product": lambda one, other: one * other,
    "quotient": lambda one, other: one / other if other > 0 else math.nan,
    "negative": lambda one: -one,
}


def _around(function: Callable[..., float], ends: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The least and the greatest value of a function that is monotone in each operand, and some rounding."""
    corners: list[tuple[float, ...]] = [()]
    for low, high in ends:
        corners = [(*corner, end) for corner in corners for end in (low, high)]
    try:
        found = [function(*corner) for corner in corners]
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        raise UnsupportedConstruct(f"a constant of sizes: {error}") from None
    if any(isinstance(each, complex) or math.isnan(each) for each in found):
        raise UnsupportedConstruct("a constant of sizes without a bound")
    low, high = min(found), max(found)
    return low - abs(low) * _SLACK, high + abs(high) * _SLACK
