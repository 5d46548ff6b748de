"""Exact quotients of symbolic integers: what true division gives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from types import FrameType
from typing import Any, NoReturn

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.stands_for import StandsFor, missing_attribute
from nkiverify.symbolic.texts import TextConversion
from nkiverify.symbolic.values import (
    as_term,
    at_most,
    check_divisor,
    equal,
    forced_int,
    less,
    modulo,
    observe,
    quotient,
    select,
    text_of,
)

#: `base ** exponent`, which is a real number, for a symbolic base and for a symbolic exponent:
#: `nkiverify.symbolic.reals` is built on quotients, and says what it is.
_power: Callable[[object, float], Any]
_exponential: Callable[[float, object], Any]


def use_power(power: Callable[[object, float], Any], exponential: Callable[[float, object], Any]) -> None:
    """Powers of quotients, and with quotients as exponents, are what these functions make them."""
    global _power, _exponential
    _power, _exponential = power, exponential


class SymRational(StandsFor):
    """An exact quotient of two integers, what `/` on symbolic integers gives.

    Python's quotient is a rounded float. For one division of small integers, or one product of such an integer and the
    float of a simple fraction, to which integers may have been added, `ceil`, `floor`, `int` and comparison with
    integers agree with it; after any other arithmetic the value is `inexact`, and asking it for an integer or a truth
    value is unsupported.
    """

    __slots__ = ("addends", "bottom", "inexact", "top")
    _stands_for = float

    __array_ufunc__ = None

    def __init__(self, top: Term, bottom: Term, inexact: bool = False, addends: tuple[Term, ...] = ()) -> None:
        self.top = top
        self.bottom = bottom
        self.inexact = inexact
        #: Numerators on the way to the present one.
        self.addends = addends

    def _exact(self, what: str) -> None:
        """Refuse where the rounded quotient of Python may fall on another side of an integer than the exact one."""
        small = (self.top, self.bottom, *self.addends)
        rounded_often = not self.is_whole and len(self.addends) > _MOST_ROUNDED
        if self.inexact or rounded_often or not all(_is_small(term) for term in small):
            advice = "use integer arithmetic (`//`), or bound the dimensions"
            raise unsupported(f"{what} of a rounded floating-point value", advice)

    def __floor__(self) -> Any:
        self._exact("floor()")
        return observe(quotient(self.top, self.bottom), sys._getframe(1))

    def __ceil__(self) -> Any:
        self._exact("ceil()")
        return observe(self._ceiling(), sys._getframe(1))

    def _ceiling(self) -> Term:
        return terms.scale(quotient(terms.scale(self.top, -1), self.bottom), -1)

    def __trunc__(self) -> Any:
        self._exact("int()")
        return observe(select(self >= 0, quotient(self.top, self.bottom), self._ceiling()), sys._getframe(1))

    def __round__(self, digits: object = None) -> NoReturn:
        raise unsupported("round() of a symbolic quotient", "use integer arithmetic (`//`)")

    def is_integer(self) -> Any:
        """True if the division leaves no remainder."""
        self._exact("is_integer()")
        return conditions.equals_zero(modulo(self.top, self.bottom))

    def _combine(self, other: object, sign: int, swapped: bool = False) -> Any:
        right = as_rational(other)
        if right is None:
            return NotImplemented
        one, two = (right, self) if swapped else (self, right)
        top = terms.add(terms.multiply(one.top, two.bottom), terms.multiply(two.top, one.bottom), sign)
        whole = as_term(other) is not None
        addends = (*self.addends, self.top)
        return SymRational(top, terms.multiply(one.bottom, two.bottom), self.inexact or not whole, addends)

    def __add__(self, other: object) -> Any:
        return self._combine(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._combine(other, -1)

    def __rsub__(self, other: object) -> Any:
        return self._combine(other, -1, swapped=True)

    def __mul__(self, other: object) -> Any:
        right = as_rational(other)
        if right is None:
            return NotImplemented
        # Integers that are not too large are multiplied exactly; a larger one on the way makes the product large, or 0.
        whole = self.is_whole and right.is_whole
        if self.is_whole and not whole and isinstance(other, float):
            fraction = _simple_fraction(other)
            if fraction is not None:
                top = terms.scale(self.top, fraction.numerator)
                return SymRational(top, terms.constant(fraction.denominator), False, (*self.addends, self.top))
        top, bottom = terms.multiply(self.top, right.top), terms.multiply(self.bottom, right.bottom)
        return SymRational(top, bottom, not whole, (*self.addends, *right.addends) if whole else ())

    __rmul__ = __mul__

    @property
    def is_whole(self) -> bool:
        """True if it is an integer, as far as floats can be."""
        return not self.inexact and self.bottom.constant == 1

    def __truediv__(self, other: object) -> Any:
        right = as_rational(other)
        if right is None:
            return NotImplemented
        check_divisor(right.top, sys._getframe(1))
        return SymRational(terms.multiply(self.top, right.bottom), terms.multiply(self.bottom, right.top), True)

    def __rtruediv__(self, other: object) -> Any:
        left = as_rational(other)
        if left is None:
            return NotImplemented
        check_divisor(self.top, sys._getframe(1))
        return SymRational(terms.multiply(left.top, self.bottom), terms.multiply(left.bottom, self.top), True)

    def __floordiv__(self, other: object) -> Any:
        raise unsupported("`//` of a floating-point quotient", "divide the integers with `//` at once")

    __rfloordiv__ = __floordiv__

    def __mod__(self, other: object) -> Any:
        raise unsupported("`%` of a floating-point quotient", "use integer arithmetic")

    __rmod__ = __mod__

    def __pow__(self, other: object) -> Any:
        return _power(self, other) if isinstance(other, int | float) else NotImplemented

    def __rpow__(self, other: object) -> Any:
        return _exponential(other, self) if isinstance(other, int | float) else NotImplemented

    def __neg__(self) -> SymRational:
        return SymRational(terms.scale(self.top, -1), self.bottom, self.inexact, self.addends)

    def __abs__(self) -> NoReturn:
        raise unsupported("abs() of a symbolic quotient")

    def _compare(self, other: object, test: Callable[[Term, Term], Condition | bool]) -> Any:
        right = as_rational(other)
        if right is None:
            if isinstance(other, complex):
                raise unsupported("comparing a symbolic quotient with a complex number")
            return NotImplemented
        self._exact("comparison")
        if right.inexact or right.bottom.constant != 1:
            # Two quotients that differ may round to the same number.
            raise unsupported("comparing quotients that are no integers", "multiply out and compare integers")
        return compare_quotients(self, right, test)

    def __lt__(self, other: object) -> Any:
        return self._compare(other, less)

    def __le__(self, other: object) -> Any:
        return self._compare(other, at_most)

    def __gt__(self, other: object) -> Any:
        return self._compare(other, lambda left, right: less(right, left))

    def __ge__(self, other: object) -> Any:
        return self._compare(other, lambda left, right: at_most(right, left))

    def __eq__(self, other: object) -> Any:
        return self._compare(other, equal)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, lambda left, right: conditions.negate(equal(left, right)))

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:
        return hash(float(self))

    def __float__(self) -> float:
        top, bottom = forced_int(self.top, "a floating-point number"), forced_int(self.bottom, "a divisor")
        return top / bottom

    def __int__(self) -> int:
        raise unsupported(f"int() of the symbolic quotient {self} in C code")

    __index__ = __int__

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(float, name)

    def __repr__(self) -> str:
        return self._shown(sys._getframe(1))

    def __format__(self, spec: str) -> str:
        # What Python takes of a float does not depend on which.
        format(1.0, spec)
        return self._shown(sys._getframe(1))

    def _shown(self, frame: FrameType) -> str:
        """The text, which is not Python's of the number: guarded where it may be data."""
        if TextConversion.active:
            TextConversion.symbolic = True
        return f"({text_of(self.top, frame)})/({text_of(self.bottom, frame)})"


def as_rational(value: object) -> SymRational | None:
    """`value` as a quotient, if it is a real number of any kind."""
    if isinstance(value, SymRational):
        return value
    term = as_term(value)
    if term is not None:
        return SymRational(term, terms.constant(1))
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        exact = Fraction(value)
        whole = exact.denominator == 1
        return SymRational(terms.constant(exact.numerator), terms.constant(exact.denominator), not whole)
    return None


def compare_quotients(
    left: SymRational, right: SymRational, test: Callable[[Term, Term], Condition | bool]
) -> Condition | bool:
    """The comparison of two quotients that `test` makes of two terms."""
    one = terms.multiply(left.top, right.bottom)
    two = terms.multiply(right.top, left.bottom)
    sign = terms.multiply(left.bottom, right.bottom)
    if sign.constant is not None:
        return test(one, two) if sign.constant > 0 else test(terms.scale(one, -1), terms.scale(two, -1))
    positive = conditions.at_most_zero(terms.add(terms.constant(1), sign, -1))
    return conditions.disjunction(
        (
            conditions.conjunction((positive, test(one, two))),
            conditions.conjunction((conditions.negate(positive), test(terms.scale(one, -1), terms.scale(two, -1)))),
        )
    )


#: Numerators and denominators up to this size, added up, leave the rounding error of a quotient below the distance of
#: two quotients with such denominators: 53 bits of a float, less a margin for some additions.
_SMALL = 2**50
#: Each addition may be an eighth of that distance off, and a product with the float of a fraction a quarter.
_MOST_ROUNDED = 4
#: Denominators of fractions that floats are taken for.
_SIMPLE = 2**20


def _simple_fraction(value: float) -> Fraction | None:
    """The fraction p/q that a float may stand for where small integers are multiplied by it: None if it is too far off.

    The float is off by at most a part of 2**-54. So where n*p/q is an integer m, the exact product n*value is no
    farther from m than half the distance of the floats next to m, and rounds to m; where it is none, it is at least 1/q
    from each integer and the rounded product less than that off.
    """
    exact = Fraction(value)
    fraction = exact.limit_denominator(_SIMPLE)
    return fraction if abs(exact - fraction) <= abs(fraction) / 2**54 else None


def _is_small(term: Term) -> bool:
    if term.constant is not None:
        return abs(term.constant) <= _SMALL
    run = execution_in_progress()
    bound = terms.constant(_SMALL)
    within = conditions.conjunction((at_most(term, bound), at_most(terms.scale(bound, -1), term)))
    return within is True or (run is not None and isinstance(within, Condition) and run.holds(within))
