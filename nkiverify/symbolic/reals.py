"""Real numbers that nobody computes: roots, powers and logarithms of symbolic numbers.

Kernels scale by `1 / sqrt(d)`: they make such a number on the host and hand it to an instruction, which takes any.
"""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import Any

from nkiverify.symbolic import terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.rationals import SymRational, as_rational, use_power
from nkiverify.symbolic.texts import guarded
from nkiverify.symbolic.values import at_most, check_divisor

#: Exponents of two between which a product of powers neither overflows nor becomes 0.
_SAFE_BITS = 1000
#: Magnitudes that are tried as bounds of an exponent.
_EXPONENTS = (1, 16, 128, 1000)
#: Bits of the numbers that roots and powers are made of.
_OPERAND_BITS = 62


class SymReal(SymRational):
    """A floating-point number of unknown value, `name` of the numbers `operands`.

    Arithmetic gives others like it; asking for an integer, a comparison or a truth value is unsupported. `bits` says
    that it is positive, from 2**-bits to 2**bits, so that dividing by it is safe; None where that is not known.
    """

    __slots__ = ("bits", "name", "operands")

    def __init__(self, name: str, operands: tuple[object, ...], bits: int | None = None) -> None:
        super().__init__(terms.constant(1), terms.constant(1), inexact=True)
        self.name = name
        self.operands = operands
        self.bits = bits if bits is not None and bits <= _SAFE_BITS else None

    def __pow__(self, other: object) -> Any:
        return power(self, other) if isinstance(other, int | float) else NotImplemented

    def __truediv__(self, other: object) -> Any:
        divisor = as_rational(other)
        if divisor is None:
            return NotImplemented
        _divide_by(divisor)
        return _result("quotient", self, other)

    def __rtruediv__(self, other: object) -> Any:
        if as_rational(other) is None:
            return NotImplemented
        _divide_by(self)
        return _result("quotient", other, self)

    def __neg__(self) -> SymReal:
        return SymReal("negative", (self,))

    def __bool__(self) -> bool:
        return True if self.bits is not None else super().__bool__()

    def __float__(self) -> float:
        raise unsupported(f"the value of {self} in C code")

    def _shown(self, frame: FrameType) -> str:
        return guarded(f"a {self.name} of symbolic numbers", float, frame)


def _arithmetic(name: str) -> Any:
    def forwards(self: SymReal, other: object) -> Any:
        return _result(name, self, other)

    def backwards(self: SymReal, other: object) -> Any:
        return _result(name, other, self)

    return forwards, backwards


for _method, _name in (("add", "sum"), ("sub", "difference"), ("mul", "product")):
    _forwards, _backwards = _arithmetic(_name)
    setattr(SymReal, f"__{_method}__", _forwards)
    setattr(SymReal, f"__r{_method}__", _backwards)


def power(base: object, exponent: float) -> SymReal:
    """`base ** exponent` of a symbolic number.

    Python's result is complex for a negative base, and an exception for 0 to a negative power, or out of range.
    """
    number = as_rational(base)
    assert number is not None
    bits = _bits(number)
    if bits is None or bits * abs(exponent) > _SAFE_BITS:
        raise unsupported(f"`**` {exponent} of a number that may be zero, negative or huge", _ADVICE)
    return SymReal("power", (base, exponent), math.ceil(bits * abs(exponent)))


def exponential(base: float, exponent: object) -> SymReal:
    """`base ** exponent` with a symbolic exponent, for a positive base.

    Python raises where the result is out of range, and gives 0 where it is too small: the exponent is to be bounded.
    """
    number = as_rational(exponent)
    assert number is not None
    if not 0 < base < math.inf:
        raise unsupported("`**` with a symbolic exponent of a number that is not positive")
    for most in () if isinstance(number, SymReal) else _EXPONENTS:
        bits = math.ceil(most * abs(math.log2(base))) + 1
        if bits <= _SAFE_BITS and _within(number, most):
            return SymReal("power", (base, exponent), bits)
    raise unsupported("`**` with a symbolic exponent that may be large", "bound the dimensions")


use_power(power, exponential)


def root(argument: object) -> SymReal:
    """The square root of a symbolic number, which is not to be negative."""
    number = as_rational(argument)
    assert number is not None
    bits = _bits(number)
    if bits is None and (isinstance(number, SymReal) or not _known(number, 0)):
        raise unsupported("the square root of a number that may be negative", _ADVICE)
    return SymReal("square root", (argument,), bits)


def logarithm(argument: object, base: object) -> SymReal:
    """The logarithm of a symbolic number, which is to be positive."""
    number = as_rational(argument)
    assert number is not None
    if _bits(number) is None:
        raise unsupported("the logarithm of a number that may not be positive", _ADVICE)
    return SymReal("logarithm", (argument, base))


_ADVICE = "bound the dimensions, so that it is surely positive"


def _result(name: str, left: object, right: object) -> Any:
    """The number that arithmetic with a real number gives."""
    one, two = as_rational(left), as_rational(right)
    if one is None or two is None:
        return NotImplemented
    bits, more = _bits(one), _bits(two)
    if bits is None or more is None or name == "difference":
        return SymReal(name, (left, right))
    return SymReal(name, (left, right), max(bits, more) + 1 if name == "sum" else bits + more)


def _divide_by(divisor: SymRational) -> None:
    if not isinstance(divisor, SymReal):
        check_divisor(divisor.top, sys._getframe(2))
    elif divisor.bits is None:
        raise unsupported(f"dividing by {divisor}, which may be 0")


def _bits(value: SymRational) -> int | None:
    """The bits of a number that is surely positive; see `SymReal`."""
    if isinstance(value, SymReal):
        return value.bits
    return 2 * _OPERAND_BITS if _known(value, 1) else None


def _known(value: SymRational, least: int) -> bool:
    """True if the numerator is surely at least `least`, the denominator surely positive, and neither huge."""
    limit = terms.constant(2**_OPERAND_BITS)
    parts = ((value.top, least), (value.bottom, 1))
    return all(_holds(at_most(terms.constant(lowest), part)) and _holds(at_most(part, limit)) for part, lowest in parts)


def _within(value: SymRational, most: int) -> bool:
    """True if the denominator is surely positive, and the number surely at most so large, negative ones as well."""
    limit = terms.scale(value.bottom, most)
    ends = (at_most(value.top, limit), at_most(terms.scale(limit, -1), value.top))
    return all(map(_holds, (at_most(terms.constant(1), value.bottom), *ends)))


def _holds(condition: Condition | bool) -> bool:
    run = execution_in_progress()
    return condition is True or (run is not None and isinstance(condition, Condition) and run.holds(condition))
