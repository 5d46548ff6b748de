"""Symbolic integers as Python sees them: `SymInt`, with the operators of `int`.

`SymInt` is no subclass of `int`. Where CPython needs a concrete number (`__index__`, a dictionary key, a C function),
a value that the path conditions force gives it, and any other is an unsupported construct: C code must not see
a made-up number. Operators used in kernel code tell the run their result, which phase 2 checks.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from types import FrameType
from typing import Any, NoReturn, TypeAlias

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Min, Term, render
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import Execution, execution_in_progress, unsupported
from nkiverify.symbolic.rationals import SymRational, as_rational, compare_quotients
from nkiverify.symbolic.reals import exponential, power
from nkiverify.symbolic.stands_for import StandsFor, missing_attribute
from nkiverify.symbolic.values import (
    as_term,
    asked_about,
    at_most,
    check_divisor,
    equal,
    forced_int,
    less,
    modulo,
    observe,
    quotient,
    text_of,
)


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
        return _division(self, other, quotient)

    def __rfloordiv__(self, other: object) -> Any:
        return _division(self, other, quotient, swapped=True)

    def __mod__(self, other: object) -> Any:
        return _division(self, other, modulo)

    def __rmod__(self, other: object) -> Any:
        return _division(self, other, modulo, swapped=True)

    def __divmod__(self, other: object) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> Any:
        return other // self, other % self

    def __truediv__(self, other: object) -> Any:
        return _true_division(self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _true_division(other, self)

    def __neg__(self) -> Any:
        return observe(terms.scale(self, -1), sys._getframe(1))

    def __pos__(self) -> SymInt:
        return self

    def __abs__(self) -> Any:
        return observe(terms.maximum((self, terms.scale(self, -1))), sys._getframe(1))

    def __pow__(self, exponent: object, modulus: object = None) -> Any:
        power = as_term(exponent)
        if power is None:
            return _fractional_power(self, exponent) if isinstance(exponent, float) else NotImplemented
        count = power.constant
        if count is None or count < 0 or modulus is not None:
            _no("`**` with a symbolic or negative exponent")
        result = terms.constant(1)
        for _ in range(count):
            result = terms.multiply(result, self)
        return observe(result, sys._getframe(1))

    def __rpow__(self, base: object) -> Any:
        exponent = self.constant
        if exponent is None:
            if isinstance(base, float):
                return exponential(base, self)
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
        return observe(terms.add(terms.constant(-1), self, -1), sys._getframe(1))

    def __lt__(self, other: object) -> Any:
        return _compare(self, other, less)

    def __le__(self, other: object) -> Any:
        return _compare(self, other, at_most)

    def __gt__(self, other: object) -> Any:
        return _compare(self, other, lambda left, right: less(right, left))

    def __ge__(self, other: object) -> Any:
        return _compare(self, other, lambda left, right: at_most(right, left))

    def __eq__(self, other: object) -> Any:
        return _compare(self, other, equal)

    def __ne__(self, other: object) -> Any:
        return _compare(self, other, lambda left, right: conditions.negate(equal(left, right)))

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
        # What Python takes of an integer does not depend on which.
        shown = format(value if value is not None else 1, spec)
        return shown if value is not None else text_of(self, sys._getframe(1))

    def __str__(self) -> str:
        return text_of(self, sys._getframe(1))

    def __repr__(self) -> str:
        return text_of(self, sys._getframe(1))

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
        raise unsupported(f"pickling the symbolic integer {render(self)}")


terms.use_term_class(SymInt)
# Libraries that ask whether something is a number are informed.
Integral.register(SymInt)
Real.register(SymRational)

Extent: TypeAlias = "int | SymInt"


def known_number(value: object) -> int | float | None:
    """The number of Python that `value` is, where it is one: arithmetic with such numbers is Python's."""
    if isinstance(value, Term):
        return value.constant
    return value if isinstance(value, int | float) else None


Number: TypeAlias = "int | float | SymInt | SymRational"


def _no(construct: str) -> NoReturn:
    raise unsupported(construct)


def _fractional_power(base: SymInt, exponent: float) -> Any:
    """`base ** exponent`: a float."""
    return base.constant**exponent if base.constant is not None else power(base, exponent)


def _operand(value: object) -> Term | None:
    """The operand of an integer, as `as_term`. Of NumPy's there are some whose results begin again at their limits."""
    dtype = None if type(value) is int or isinstance(value, Term) else getattr(value, "dtype", None)
    if isinstance(value, Integral) and dtype is not None and (dtype.kind == "u" or dtype.itemsize < 4):
        raise unsupported(f"a symbolic integer with one of NumPy's type {dtype}", "use int()")
    return as_term(value)


def _binary(left: Term, other: object, operation: Callable[[Term, Term], Term], swapped: bool = False) -> Any:
    right = _operand(other)
    if right is None:
        if isinstance(other, float):
            return _with_float(left, other, operation, swapped)
        return NotImplemented
    result = operation(right, left) if swapped else operation(left, right)
    return observe(result, sys._getframe(2))


def _with_float(left: Term, other: float, operation: Callable[[Term, Term], Term], swapped: bool) -> Any:
    if left.constant is not None:
        first, second = (other, left.constant) if swapped else (left.constant, other)
        if operation is terms.multiply:
            return first * second
        return first + second if operation is terms.add else first - second
    one, two = as_rational(left), as_rational(other)
    if one is None or two is None:
        return NotImplemented
    if operation is terms.multiply:
        return one * other
    if swapped:
        one, two = two, one
    return one + two if operation is terms.add else one - two


def _subtract(left: Term, right: Term) -> Term:
    return terms.add(left, right, -1)


def _division(left: Term, other: object, operation: Callable[[Term, Term], Term], swapped: bool = False) -> Any:
    right = _operand(other)
    if right is None:
        if isinstance(other, float):
            if left.constant is not None:
                first, second = (other, left.constant) if swapped else (left.constant, other)
                return first // second if operation is quotient else first % second
            raise unsupported("`//` or `%` between a symbolic integer and a float", "use integers")
        return NotImplemented
    if swapped:
        left, right = right, left
    frame = sys._getframe(2)
    check_divisor(right, frame)
    return observe(operation(left, right), frame)


def _true_division(left: object, right: object) -> Any:
    numbers = known_number(left), known_number(right)
    if numbers[0] is not None and numbers[1] is not None:
        check_divisor(terms.constant(0 if numbers[1] == 0 else 1), sys._getframe(2))
        return numbers[0] / numbers[1]
    top, bottom = as_rational(left), as_rational(right)
    if top is None or bottom is None:
        return NotImplemented
    check_divisor(bottom.top, sys._getframe(2))
    inexact = top.inexact or bottom.inexact
    return SymRational(terms.multiply(top.top, bottom.bottom), terms.multiply(top.bottom, bottom.top), inexact)


def _shift(left: Term, other: object, frame: FrameType, operation: Callable[[Term, int], Term]) -> Any:
    count = as_term(other)
    if count is None:
        return NotImplemented
    places = forced_int(count, "a shift count")
    if places < 0:
        raise ValueError("negative shift count")
    return observe(operation(left, 2**places), frame)


def _bitwise_and(left: Term, other: object) -> Any:
    right = _operand(other)
    if right is None:
        return NotImplemented
    mask = right.constant
    value = left.constant
    if value is not None and mask is not None:
        return terms.constant(value & mask)
    if mask is None and value is not None:
        left, mask = right, value
    found = _masked(left, mask) if mask is not None else None
    if found is not None:
        return found
    run = execution_in_progress()
    again = run.unroll_for(terms.add(left, right), "`&`") if run is not None else None
    raise again or unsupported("`&` of symbolic integers with a mask that is not one run of bits", "use `%` and `//`")


def _masked(value: Term, mask: int) -> Term | None:
    """`value & mask` of a mask whose bits are one run, which may go on for ever; None of any other."""
    if not mask:
        return terms.constant(0)
    lowest = mask & -mask
    ones = mask // lowest
    if ones & (ones + 1):
        return None
    without = terms.add(value, modulo(value, terms.constant(lowest)), -1) if lowest > 1 else value
    return without if mask < 0 else modulo(without, terms.constant(mask + lowest))


def _bitwise(left: Term, other: object, operation: Callable[[int, int], int]) -> Any:
    right = _operand(other)
    if right is None:
        return NotImplemented
    value, mask = (left, right.constant) if left.constant is None else (right, left.constant)
    both = _masked(value, mask) if mask is not None and value.constant is None else None
    if both is None:
        numbers = (forced_int(one, "a bitwise operation") for one in (left, right))
        return terms.constant(operation(*numbers))
    # Bits of both are in the sum twice: in neither place of `^`, in one of `|`.
    whole = terms.add(value, terms.constant(mask or 0))
    return terms.add(whole, both, -2 if operation is operator.xor else -1)


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
        fraction = as_rational(other)
        assert fraction is not None
        return compare_quotients(SymRational(left, terms.constant(1)), fraction, test)
    if isinstance(other, complex):
        raise unsupported("comparing a symbolic integer with a complex number")
    return NotImplemented


def minimum(*values: Any) -> Any:
    """The least of integers, plain or symbolic, without splitting the run."""
    return _extreme(values, min, terms.minimum, at_most)


def maximum(*values: Any) -> Any:
    """The greatest of integers, plain or symbolic, without splitting the run."""
    return _extreme(values, max, terms.maximum, lambda left, right: at_most(right, left))


def _extreme(
    values: tuple[Any, ...],
    plain: Any,
    symbolic: Callable[[Iterable[Term]], Term],
    before: Callable[[Term, Term], Condition | bool],
) -> Any:
    if not any(isinstance(value, Term) for value in values):
        return plain(values)
    converted = [as_term(value) for value in values]
    if any(term is None for term in converted):
        return plain(values)
    parts = [term for term in converted if term is not None]
    run = execution_in_progress()
    if run is not None and all(map(asked_about, parts)):
        # What the path decides is no minimum: whatever is computed from it is that much simpler.
        for shows in (run.entails, run.holds):
            for part in parts:
                others = (before(part, other) for other in parts if other is not part)
                if all(one is True or (isinstance(one, Condition) and shows(one)) for one in others):
                    return part
    return symbolic(parts)


def extreme_kept(place: Any, value: Any, greatest: bool) -> Any:
    """The greatest, or the least, of what is kept in `place`, which may be one of several integers already, and of
    `value`: one that another of them is never surpassed by is not among them."""
    sign = -1 if greatest else 1
    kept, new = as_term(place), as_term(value)
    run = execution_in_progress()
    if kept is None or new is None or run is None:
        return maximum(place, value) if greatest else minimum(place, value)
    parts = _least_of(terms.scale(kept, sign))
    added = terms.scale(new, sign)
    if any(_never_more(run, part, added) for part in parts):
        return place
    left = [part for part in parts if not _never_more(run, added, part)]
    return terms.scale(terms.minimum([*left, added]), sign) if left else value


def _never_more(run: Execution, one: Term, other: Term) -> bool:
    return one is other or (asked_about(one) and asked_about(other) and run.entails(at_most(one, other)))


def _least_of(term: Term) -> Sequence[Term]:
    """The terms of which `term` is the least: itself, if it is no minimum."""
    atom = next(iter(term.atoms), None)
    return atom.terms if isinstance(atom, Min) and term is terms.of_atom(atom) else (term,)
