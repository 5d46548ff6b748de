"""Symbolic integers as Python sees them: `SymInt` with the operators of `int`, `SymRational` for true division.

`SymInt` is no subclass of `int`. Where CPython needs a concrete number (`__index__`, a dictionary key, a C function),
a value that the path conditions force gives it, and any other is an unsupported construct: C code must not see
a made-up number. Operators used in kernel code tell the run their result, which phase 2 checks.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from numbers import Integral
from types import FrameType
from typing import Any, NoReturn, TypeAlias

from nkiverify.run import run_in_progress, unsupported
from nkiverify.source import KERNEL_MARKER
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.booleans import SymBool
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import Term


class StandsFor:
    """A value that stands for one of a built-in class, and says so to kernel code that asks for its class."""

    __slots__ = ()
    _stands_for: type = object

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        namespace = sys._getframe(1).f_globals
        asked_for_kernel = KERNEL_MARKER in namespace or namespace.get("__name__") == "functools"
        return self._stands_for if asked_for_kernel else type(self)


class SymInt(StandsFor, Term):
    """An integer that may depend on dimensions and loop indices; a constant `SymInt` is one as well."""

    __slots__ = ()
    _stands_for = int

    # NumPy scalars and arrays leave an operation with a SymInt to the SymInt.
    __array_ufunc__ = None

    def __add__(self, other: object) -> Any:
        return _binary(self, other, terms.add)

    def __radd__(self, other: object) -> Any:
        return _binary(self, other, terms.add)

    def __sub__(self, other: object) -> Any:
        return _binary(self, other, _subtract)

    def __rsub__(self, other: object) -> Any:
        return _binary(self, other, _subtract, swapped=True)

    def __mul__(self, other: object) -> Any:
        return _binary(self, other, terms.multiply)

    def __rmul__(self, other: object) -> Any:
        return _binary(self, other, terms.multiply)

    def __floordiv__(self, other: object) -> Any:
        return _division(self, other, terms.divide)

    def __rfloordiv__(self, other: object) -> Any:
        return _division(self, other, terms.divide, swapped=True)

    def __mod__(self, other: object) -> Any:
        return _division(self, other, _modulo)

    def __rmod__(self, other: object) -> Any:
        return _division(self, other, _modulo, swapped=True)

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> Any:
        return other // self, other % self

    def __truediv__(self, other: object) -> Any:
        return _true_division(self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _true_division(other, self)

    def __neg__(self) -> Any:
        return _observe(terms.scale(self, -1), sys._getframe(1))

    def __pos__(self) -> SymInt:
        return self

    def __abs__(self) -> Any:
        return _observe(terms.maximum((self, terms.scale(self, -1))), sys._getframe(1))

    def __pow__(self, exponent: object, modulus: object = None) -> Any:
        power = as_term(exponent)
        if power is None:
            return NotImplemented if not isinstance(exponent, float) else _no("`**` with a fractional exponent")
        count = power.constant
        if count is None or count < 0 or modulus is not None:
            _no("`**` with a symbolic or negative exponent")
        result = terms.constant(1)
        for _ in range(count):
            result = terms.multiply(result, self)
        return _observe(result, sys._getframe(1))

    def __rpow__(self, base: object) -> Any:
        exponent = self.constant
        if exponent is None:
            _no(f"`**` with the symbolic exponent {self}")
        return base**exponent  # type: ignore[operator]

    def __lshift__(self, other: object) -> Any:
        return _shift(self, other, sys._getframe(1), lambda term, power: terms.scale(term, power))

    def __rshift__(self, other: object) -> Any:
        return _shift(self, other, sys._getframe(1), lambda term, power: terms.divide(term, terms.constant(power)))

    def __rlshift__(self, other: object) -> Any:
        return other << forced_int(self, "a shift count")  # type: ignore[operator]

    def __rrshift__(self, other: object) -> Any:
        return other >> forced_int(self, "a shift count")  # type: ignore[operator]

    def __and__(self, other: object) -> Any:
        return _bitwise_and(self, other)

    __rand__ = __and__

    def __or__(self, other: object) -> Any:
        return _bitwise(self, other, operator.or_)

    __ror__ = __or__

    def __xor__(self, other: object) -> Any:
        return _bitwise(self, other, operator.xor)

    __rxor__ = __xor__

    def __invert__(self) -> Any:
        return _observe(terms.add(terms.constant(-1), self, -1), sys._getframe(1))

    def __lt__(self, other: object) -> Any:
        return _compare(self, other, _less)

    def __le__(self, other: object) -> Any:
        return _compare(self, other, _at_most)

    def __gt__(self, other: object) -> Any:
        return _compare(self, other, lambda left, right: _less(right, left))

    def __ge__(self, other: object) -> Any:
        return _compare(self, other, lambda left, right: _at_most(right, left))

    def __eq__(self, other: object) -> Any:
        return _compare(self, other, _equal)

    def __ne__(self, other: object) -> Any:
        return _compare(self, other, lambda left, right: conditions.negate(_equal(left, right)))

    def __bool__(self) -> bool:
        return bool(conditions.negate(conditions.equals_zero(self)))

    def __hash__(self) -> int:
        return hash(forced_int(self, "a dictionary key or set element"))

    def __index__(self) -> int:
        return forced_int(self, "a concrete integer where Python needs one")

    def __int__(self) -> int:
        return forced_int(self, "a concrete integer where Python needs one")

    def __float__(self) -> float:
        return float(forced_int(self, "a floating-point number"))

    def __complex__(self) -> complex:
        return complex(forced_int(self, "a complex number"))

    def __trunc__(self) -> SymInt:
        return self

    def __floor__(self) -> SymInt:
        return self

    def __ceil__(self) -> SymInt:
        return self

    def __round__(self, digits: object = None) -> SymInt:
        if digits is not None:
            _no("round() of a symbolic integer to digits")
        return self

    def __format__(self, spec: str) -> str:
        value = self.constant
        if value is not None:
            return format(value, spec)
        _forbid_text_in_kernel(self, sys._getframe(1))
        return terms.render(self)

    def __str__(self) -> str:
        if self.constant is None:
            _forbid_text_in_kernel(self, sys._getframe(1))
        return terms.render(self)

    def __repr__(self) -> str:
        return self.__str__()

    @property
    def numerator(self) -> SymInt:
        """The value itself, as for `int`."""
        return self

    @property
    def denominator(self) -> int:
        """1, as for `int`."""
        return 1

    @property
    def real(self) -> SymInt:
        """The value itself, as for `int`."""
        return self

    @property
    def imag(self) -> int:
        """0, as for `int`."""
        return 0

    def bit_length(self) -> int:
        """As for `int`, of a value the path conditions force."""
        return forced_int(self, "bit_length()").bit_length()

    def is_integer(self) -> bool:
        """True, as for `int`."""
        return True

    def conjugate(self) -> SymInt:
        """The value itself, as for `int`."""
        return self

    def __getattr__(self, name: str) -> NoReturn:
        raise missing_attribute(int, name)

    def __copy__(self) -> SymInt:
        return self

    def __deepcopy__(self, memo: object) -> SymInt:
        return self

    def __reduce__(self) -> NoReturn:
        raise unsupported(f"pickling the symbolic integer {terms.render(self)}")


terms.use_term_class(SymInt)

Extent: TypeAlias = "int | SymInt"


class SymRational(StandsFor):
    """An exact quotient of two integers, what `/` on symbolic integers gives.

    Python's quotient is a rounded float. For one division of 32-bit integers, to which integers may have been added,
    `ceil`, `floor`, `int` and comparison with integers agree with it; after any other arithmetic the value is
    `inexact`, and asking it for an integer or a truth value is unsupported.
    """

    __slots__ = ("bottom", "inexact", "top")
    _stands_for = float

    __array_ufunc__ = None

    def __init__(self, top: Term, bottom: Term, inexact: bool = False) -> None:
        self.top = top
        self.bottom = bottom
        self.inexact = inexact

    def _exact(self, what: str) -> None:
        if self.inexact:
            raise unsupported(f"{what} of a rounded floating-point value", "use integer arithmetic (`//`)")

    def __floor__(self) -> Any:
        self._exact("floor()")
        return _observe(terms.divide(self.top, self.bottom), sys._getframe(1))

    def __ceil__(self) -> Any:
        self._exact("ceil()")
        return _observe(terms.scale(terms.divide(terms.scale(self.top, -1), self.bottom), -1), sys._getframe(1))

    def __trunc__(self) -> Any:
        self._exact("int()")
        floor = terms.divide(self.top, self.bottom)
        ceiling = terms.scale(terms.divide(terms.scale(self.top, -1), self.bottom), -1)
        return select(self >= 0, floor, ceiling)

    def __round__(self, digits: object = None) -> NoReturn:
        raise unsupported("round() of a symbolic quotient", "use integer arithmetic (`//`)")

    def is_integer(self) -> Any:
        """Whether the division leaves no remainder."""
        self._exact("is_integer()")
        return conditions.equals_zero(_modulo(self.top, self.bottom))

    def _combine(self, other: object, sign: int, swapped: bool = False) -> Any:
        right = as_rational(other)
        if right is None:
            return NotImplemented
        one, two = (right, self) if swapped else (self, right)
        top = terms.add(terms.multiply(one.top, two.bottom), terms.multiply(two.top, one.bottom), sign)
        whole = as_term(other) is not None
        return SymRational(top, terms.multiply(one.bottom, two.bottom), self.inexact or not whole)

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
        return SymRational(terms.multiply(self.top, right.top), terms.multiply(self.bottom, right.bottom), True)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        right = as_rational(other)
        if right is None:
            return NotImplemented
        _check_divisor(right.top, sys._getframe(1))
        return SymRational(terms.multiply(self.top, right.bottom), terms.multiply(self.bottom, right.top), True)

    def __rtruediv__(self, other: object) -> Any:
        left = as_rational(other)
        if left is None:
            return NotImplemented
        _check_divisor(self.top, sys._getframe(1))
        return SymRational(terms.multiply(left.top, self.bottom), terms.multiply(left.bottom, self.top), True)

    def __floordiv__(self, other: object) -> Any:
        raise unsupported("`//` of a floating-point quotient", "divide the integers with `//` at once")

    __rfloordiv__ = __floordiv__

    def __mod__(self, other: object) -> Any:
        raise unsupported("`%` of a floating-point quotient", "use integer arithmetic")

    __rmod__ = __mod__

    def __pow__(self, other: object) -> SymRational:
        if isinstance(other, int | float):
            return SymRational(self.top, self.bottom, True)
        return NotImplemented

    def __neg__(self) -> SymRational:
        return SymRational(terms.scale(self.top, -1), self.bottom, self.inexact)

    def __abs__(self) -> NoReturn:
        raise unsupported("abs() of a symbolic quotient")

    def _compare(self, other: object, test: Callable[[Term, Term], Condition | bool]) -> Any:
        right = as_rational(other)
        if right is None:
            return NotImplemented
        self._exact("comparison")
        if right.inexact:
            right._exact("comparison")
        return _compare_quotients(self, right, test)

    def __lt__(self, other: object) -> Any:
        return self._compare(other, _less)

    def __le__(self, other: object) -> Any:
        return self._compare(other, _at_most)

    def __gt__(self, other: object) -> Any:
        return self._compare(other, lambda left, right: _less(right, left))

    def __ge__(self, other: object) -> Any:
        return self._compare(other, lambda left, right: _at_most(right, left))

    def __eq__(self, other: object) -> Any:
        return self._compare(other, _equal)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, lambda left, right: conditions.negate(_equal(left, right)))

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
        return f"({self.top})/({self.bottom})"


Number: TypeAlias = "int | float | SymInt | SymRational"


def as_term(value: object) -> Term | None:
    """`value` as a term, if it is an integer of any kind; a condition counts as 0 or 1, as `bool` does."""
    if isinstance(value, Term):
        return value
    if isinstance(value, int):
        return terms.constant(int(value))
    if isinstance(value, SymBool):
        return terms.select(value, terms.constant(1), terms.constant(0))
    if isinstance(value, float | str | bytes | list | tuple | dict | None):
        return None
    if isinstance(value, Integral):
        # NumPy integers.
        return terms.constant(operator.index(value))
    return None


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


def forced_int(term: Term, use: str) -> int:
    """The one value the path conditions leave for `term`; unsupported, naming the `use`, if there are several."""
    value = term.constant
    if value is not None:
        return value
    run = run_in_progress()
    found = run.forced_value(term) if run is not None else None
    if found is None:
        raise unsupported(f"{use}: {terms.render(term)} is symbolic", "bound the dimension to one value")
    return found


def missing_attribute(stands_for: type, name: str) -> BaseException:
    """What asking a symbolic value for an attribute it lacks raises: the value it stands for may have it."""
    if hasattr(stands_for, name) and not name.startswith("__array"):
        return unsupported(f"the attribute `{name}` of a symbolic {stands_for.__name__}")
    return AttributeError(f"'{stands_for.__name__}' object has no attribute '{name}'")


def _no(construct: str) -> NoReturn:
    raise unsupported(construct)


def _forbid_text_in_kernel(term: Term, frame: FrameType) -> None:
    # Text made from a symbolic value compares unequal to the text of any number. In f-strings and str() the
    # instrumented kernel gets a guarded string; every other way to text in kernel code is refused.
    if KERNEL_MARKER in frame.f_globals:
        raise unsupported(f"text made from the symbolic integer {terms.render(term)}", "use an f-string")


def _observe(result: Term, frame: FrameType) -> Term:
    """Tell the run that kernel code computed `result`."""
    if KERNEL_MARKER in frame.f_globals:
        run = run_in_progress()
        if run is not None:
            run.host_integer(result, frame)
    return result


def _check_divisor(divisor: Term, frame: FrameType) -> None:
    """Tell the run that kernel code divides by `divisor`, raising as Python does where it is zero for sure."""
    run = run_in_progress()
    if run is not None and KERNEL_MARKER in frame.f_globals:
        run.host_division(divisor, frame)
    if divisor.constant == 0:
        raise ZeroDivisionError("division by zero")


def _binary(left: Term, other: object, operation: Callable[[Term, Term], Term], swapped: bool = False) -> Any:
    right = as_term(other)
    if right is None:
        if isinstance(other, float):
            return _with_float(left, other, operation, swapped)
        return NotImplemented
    result = operation(right, left) if swapped else operation(left, right)
    return _observe(result, sys._getframe(2))


def _with_float(left: Term, other: float, operation: Callable[[Term, Term], Term], swapped: bool) -> Any:
    one, two = as_rational(left), as_rational(other)
    if one is None or two is None:
        return NotImplemented
    if swapped:
        one, two = two, one
    if operation is terms.multiply:
        return one * two
    return one + two if operation is terms.add else one - two


def _subtract(left: Term, right: Term) -> Term:
    return terms.add(left, right, -1)


def _modulo(left: Term, right: Term) -> Term:
    return terms.add(left, terms.multiply(right, terms.divide(left, right)), -1)


def _division(left: Term, other: object, operation: Callable[[Term, Term], Term], swapped: bool = False) -> Any:
    right = as_term(other)
    if right is None:
        if isinstance(other, float):
            raise unsupported("`//` or `%` between a symbolic integer and a float", "use integers")
        return NotImplemented
    if swapped:
        left, right = right, left
    frame = sys._getframe(2)
    _check_divisor(right, frame)
    return _observe(operation(left, right), frame)


def _true_division(left: object, right: object) -> Any:
    top, bottom = as_rational(left), as_rational(right)
    if top is None or bottom is None:
        return NotImplemented
    _check_divisor(bottom.top, sys._getframe(2))
    inexact = top.inexact or bottom.inexact
    return SymRational(terms.multiply(top.top, bottom.bottom), terms.multiply(top.bottom, bottom.top), inexact)


def _shift(left: Term, other: object, frame: FrameType, operation: Callable[[Term, int], Term]) -> Any:
    count = as_term(other)
    if count is None:
        return NotImplemented
    places = forced_int(count, "a shift count")
    if places < 0:
        raise ValueError("negative shift count")
    return _observe(operation(left, 2**places), frame)


def _bitwise_and(left: Term, other: object) -> Any:
    right = as_term(other)
    if right is None:
        return NotImplemented
    mask = right.constant
    value = left.constant
    if value is not None and mask is not None:
        return terms.constant(value & mask)
    if mask is None and value is not None:
        left, mask = right, value
    if mask is not None and mask >= 0 and mask & (mask + 1) == 0:
        return _modulo(left, terms.constant(mask + 1))
    raise unsupported("`&` of symbolic integers that is not a remainder by a power of two", "use `%` and `//`")


def _bitwise(left: Term, other: object, operation: Callable[[int, int], int]) -> Any:
    right = as_term(other)
    if right is None:
        return NotImplemented
    return terms.constant(operation(forced_int(left, "a bitwise operation"), forced_int(right, "a bitwise operation")))


def _less(left: Term, right: Term) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.add(left, right, -1), terms.constant(1)))


def _at_most(left: Term, right: Term) -> Condition | bool:
    return conditions.at_most_zero(terms.add(left, right, -1))


def _equal(left: Term, right: Term) -> Condition | bool:
    return conditions.equals_zero(terms.add(left, right, -1))


def _compare(left: Term, other: object, test: Callable[[Term, Term], Condition | bool]) -> Any:
    right = as_term(other)
    if right is not None:
        return test(left, right)
    if isinstance(other, float):
        if other != other:
            raise unsupported("comparing a symbolic integer with NaN")
        if abs(other) == float("inf"):
            # An integer lies strictly between the infinities: any integer on the far side decides the same.
            return test(terms.constant(0), terms.constant(1 if other > 0 else -1))
        quotient = as_rational(other)
        assert quotient is not None
        return _compare_quotients(SymRational(left, terms.constant(1)), quotient, test)
    return NotImplemented


def _compare_quotients(
    left: SymRational, right: SymRational, test: Callable[[Term, Term], Condition | bool]
) -> Condition | bool:
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


def select(condition: Any, when_true: Any, when_false: Any) -> Any:
    """`when_true` where `condition` holds, else `when_false`, without splitting the run."""
    if not isinstance(condition, Condition):
        return when_true if condition else when_false
    one, two = as_term(when_true), as_term(when_false)
    if one is None or two is None:
        return when_true if bool(condition) else when_false
    return terms.select(condition, one, two)


def minimum(*values: Any) -> Any:
    """The least of integers, plain or symbolic, without splitting the run."""
    return _extreme(values, min, terms.minimum)


def maximum(*values: Any) -> Any:
    """The greatest of integers, plain or symbolic, without splitting the run."""
    return _extreme(values, max, terms.maximum)


def _extreme(values: tuple[Any, ...], plain: Any, symbolic: Callable[[Iterable[Term]], Term]) -> Any:
    if not any(isinstance(value, Term) for value in values):
        return plain(values)
    converted = [as_term(value) for value in values]
    if any(term is None for term in converted):
        return plain(values)
    return symbolic([term for term in converted if term is not None])
