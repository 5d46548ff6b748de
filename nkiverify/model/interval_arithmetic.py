"""Arithmetic on what is known of numbers (`nkiverify.model.known_numbers`): what operators make of intervals.

An interval bounds numbers between integers, so a number that is rounded stays inside as long as its ends are numbers
of the dtype: from there on the ends are moved outwards. Errs to too many numbers; no NaN is in any interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.model.extents import as_extent
from nkiverify.model.known_numbers import UNKNOWN, Interval, NumberOrigin, Value, hull_of, unknown, whole_range
from nkiverify.symbolic import Extent, constant_value, equal, known, maximum, minimum, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.generic_intervals import IntervalArithmetic
from nkiverify.symbolic.values import as_term

#: Pairs of intervals that operators are applied to one by one.
_MOST_PAIRS = 16

#: Bits of the significand of each dtype of floats, the hidden one included, and its largest integer (about).
_SIGNIFICANDS = {"float32": (24, 2**127), "tfloat32": (11, 2**127), "bfloat16": (8, 2**127), "float16": (11, 65504)}

#: Integers up to this one are all numbers of float32.
EXACT_INTEGERS = 2 ** _SIGNIFICANDS["float32"][0]

#: Operators that give 0 or 1, whatever they are given, NaN included.
TRUTHS = frozenset(
    (
        *("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
        *("logical_and", "logical_or", "logical_xor", "logical_not"),
    )
)

#: Arithmetic on ends that are integers or terms.
_ENDS: IntervalArithmetic[Extent] = IntervalArithmetic(minimum, maximum)

#: 0 or 1.
TRUTH = Value((Interval(0, 1),), exact=False)


# --- rounding ---------------------------------------------------------------------------------------------------------


def single(value: Value) -> Value:
    """The numbers as the engines compute with them, in float32 ("isa.fp32_internal")."""
    return _rounded(value, *_SIGNIFICANDS["float32"])


def converted(value: Value, dtype: DType) -> Value:
    """The numbers as elements of a dtype; unknown where one may be too large for it."""
    if dtype.is_integer:
        whole = whole_range(dtype)
        fits = whole is not None and _all_within(value, whole)
        if dtype.kind is DTypeKind.BOOL and not fits:
            return replace(TRUTH, undeclared=value.undeclared)
        return replace(value, integral=True) if fits else unknown(value)
    precision = _SIGNIFICANDS.get(dtype.name)
    return unknown(value) if precision is None else _rounded(value, *precision)


def _all_within(value: Value, whole: Interval) -> bool:
    intervals = value.known
    return intervals is not None and all(
        known(whole.low <= each.low) and known(each.high <= whole.high) for each in intervals
    )


def exactly(value: Value) -> Value:
    """The numbers if float32 has them, and all between them, as they are; else unknown."""
    return value if _all_within(value, Interval(-EXACT_INTEGERS, EXACT_INTEGERS)) else unknown(value)


def _rounded(value: Value, bits: int, largest: int) -> Value:
    intervals = value.known
    if intervals is None or _all_within(value, Interval(-(2**bits), 2**bits)):
        return value
    found = tuple(Interval(-_rounded_up(-each.low, bits), _rounded_up(each.high, bits)) for each in intervals)
    moved = replace(value, intervals=found, exact=False, term=None)
    return moved if _all_within(moved, Interval(-largest, largest)) else unknown(value)


def _rounded_up(end: Extent, bits: int) -> Extent:
    """An upper bound of a number of at most `end`, rounded to this many bits."""
    if known(end <= 2**bits) and known(end >= -(2**bits)):
        return end
    most = maximum(end, 0)
    rounded: Extent = most + most // 2 ** (bits - 1)
    return rounded


# --- operators --------------------------------------------------------------------------------------------------------


def of_operator(operator: str, left: Value, right: Value | None = None) -> Value:
    """The result of an operator, before it is rounded; unknown for one that is not followed."""
    if operator in TRUTHS:
        return TRUTH
    if operator in _WHOLE:
        return replace(left, integral=True)
    if right is None:
        return _mapped(_UNARY.get(operator), left)
    return _paired(operator, left, right)


def plus(left: Value, right: Value) -> Value:
    """The sums."""
    return _paired("add", left, right)


def times(left: Value, right: Value) -> Value:
    """The products."""
    return _paired("multiply", left, right)


def summed(value: Value, count: Extent) -> Value:
    """Sums of this many numbers, or of some of them."""
    intervals = value.known
    if not intervals:
        return unknown(value)
    # The numbers of one sum may be of different intervals.
    low, high = _ENDS.hull(*(each.ends for each in intervals))
    total = Interval(minimum(low, low * count), maximum(high, high * count))
    return exactly(replace(value, intervals=(total,), exact=False, origin=NumberOrigin.COMPUTED, term=None))


def is_between(value: Value, low: int, high: int) -> bool:
    """True if all numbers are known to be in an interval."""
    return _all_within(value, Interval(low, high))


def number(value: object) -> Value:
    """A constant: an integer as it is, another number between the integers around it."""
    if isinstance(value, bool):
        return Value.between(int(value), int(value))
    whole = as_extent(value)
    if whole is not None:
        return Value.between(whole, whole)
    # A symbolic number passes for a float: it may be any.
    if not issubclass(type(value), float) and type(value).__module__.partition(".")[0] not in ("numpy", "ml_dtypes"):
        return UNKNOWN
    given = float(value)  # type: ignore[arg-type]
    if not math.isfinite(given):
        return UNKNOWN
    low, high = math.floor(given), math.ceil(given)
    return Value((Interval(low, high),), exact=low == high, integral=low == high)


_Change = Callable[[Interval], Interval | None]
_Pair = Callable[[Interval, Interval], Interval | None]


def _mapped(change: _Change | None, value: Value) -> Value:
    intervals = value.known
    if change is None or intervals is None:
        return unknown(value)
    found = [change(each) for each in intervals]
    kept = tuple(each for each in found if each is not None)
    if len(kept) < len(found):
        return unknown(value)
    return replace(value, intervals=kept, exact=False, origin=NumberOrigin.COMPUTED, term=None)


def _paired(operator: str, left: Value, right: Value) -> Value:
    rule = _BINARY.get(operator)
    ones, others = left.known, right.known
    if rule is None or ones is None or others is None:
        return unknown(left, right)
    if operator in _ON_INTEGERS and not (left.integral and right.integral):
        return unknown(left, right)
    if len(ones) * len(others) > _MOST_PAIRS:
        around = _around(ones), _around(others)
        if around[0] is None or around[1] is None:
            return unknown(left, right)
        ones, others = (around[0],), (around[1],)
    found: list[Interval] = []
    for one in ones:
        for other in others:
            both = rule(one, other)
            if both is None:
                return unknown(left, right)
            found.append(both)
    # A number shifts the ends of the intervals, and both are there still; two numbers have one result.
    shifts = (_is_one_number(right) or (_is_one_number(left) and operator != "subtract")) and operator in _SHIFTING
    one_result = _is_one_number(left) and _is_one_number(right) and equal(found[0].low, found[0].high) is True
    return Value(
        tuple(found),
        left.exact and right.exact and (shifts or one_result),
        left.uniform and right.uniform,
        left.assumptions | right.assumptions,
        left.integral and right.integral,
        left.undeclared | right.undeclared,
        origin=NumberOrigin.COMPUTED,
        term=_term_of(operator, left, right),
    )


def _term_of(operator: str, left: Value, right: Value) -> Term | None:
    """The one number of a result, where operands are one number each, of which not both are constants."""
    rule = _ON_TERMS.get(operator)
    if rule is None or (left.number is None and right.number is None):
        return None
    one, other = _number_of(left), _number_of(right)
    return None if one is None or other is None else rule(one, other)


def _number_of(value: Value) -> Term | None:
    if value.number is not None or value.known is None or not _is_one_number(value):
        return value.number
    return as_term(value.known[0].low)


def _is_one_number(value: Value) -> bool:
    intervals = value.intervals
    return intervals is not None and len(intervals) == 1 and equal(intervals[0].low, intervals[0].high) is True


def _around(intervals: Sequence[Interval]) -> Interval | None:
    lows = [constant_value(each.low) for each in intervals]
    highs = [constant_value(each.high) for each in intervals]
    if None in lows or None in highs:
        return None
    return hull_of([low for low in lows if low is not None], [high for high in highs if high is not None])


def _multiplied(one: Interval, other: Interval) -> Interval | None:
    if known(one.low >= 0) and known(other.low >= 0):
        return Interval(one.low * other.low, one.high * other.high)
    for first, second in ((one, other), (other, one)):
        factor = constant_value(first.low)
        if factor is not None and constant_value(first.high) == factor:
            return Interval(*_ENDS.scaled(factor, second.ends))
    return Interval(*_ENDS.product(one.ends, other.ends))


def _of_numbers(operator: Callable[[int, int], int], rule: _Pair) -> _Pair:
    """The rule of an operator on intervals that knows its result for two numbers without a sign."""

    def result(one: Interval, other: Interval) -> Interval | None:
        low, by = constant_value(one.low), constant_value(other.low)
        numbers = low is not None and low == constant_value(one.high) and by is not None
        if numbers and by == constant_value(other.high) and low >= 0 and by > 0:  # type: ignore[operator]
            number = operator(low, by)  # type: ignore[arg-type]
            return Interval(number, number)
        return rule(one, other)

    return result


def _remainder(one: Interval, other: Interval) -> Interval | None:
    """Of a division of integers: with the sign of either, as it is not said which."""
    if not known(other.low >= 1):
        return None
    if known(one.low >= 0):
        return Interval(0, minimum(one.high, other.high - 1))
    return Interval(1 - other.high, other.high - 1)


def _masked(one: Interval, other: Interval) -> Interval | None:
    """Bits in both: no more than either, if that has no sign."""
    limits = [each.high for each in (one, other) if known(each.low >= 0)]
    return Interval(0, minimum(*limits)) if limits else None


def _merged(one: Interval, other: Interval) -> Interval | None:
    """Bits in one of both, or in one of them only: no more than the sum."""
    if not (known(one.low >= 0) and known(other.low >= 0)):
        return None
    return Interval(0, one.high + other.high)


def _shift_of(amount: Interval) -> int | None:
    by = constant_value(amount.low)
    return by if by is not None and 0 <= by < 32 and constant_value(amount.high) == by else None


def _shifted_left(one: Interval, amount: Interval) -> Interval | None:
    by = _shift_of(amount)
    return None if by is None or not known(one.low >= 0) else Interval(one.low * 2**by, one.high * 2**by)


def _shifted_right(one: Interval, amount: Interval) -> Interval | None:
    by = _shift_of(amount)
    return None if by is None or not known(one.low >= 0) else Interval(one.low // 2**by, one.high // 2**by)


def _magnitude(one: Interval) -> Interval:
    if known(one.low >= 0):
        return one
    return Interval(0, maximum(-one.low, one.high))


_UNARY: dict[str, _Change] = {
    "copy": lambda one: one,
    "bypass": lambda one: one,
    "abs": _magnitude,
    "relu": lambda one: Interval(*_ENDS.greater(one.ends, (0, 0))),
    "square": lambda one: _multiplied(_magnitude(one), _magnitude(one)),
    "negative": lambda one: Interval(*_ENDS.negative(one.ends)),
    "sign": lambda one: Interval(-1, 1),
}
_BINARY: dict[str, _Pair] = {
    "add": lambda one, other: Interval(*_ENDS.sum(one.ends, other.ends)),
    "subtract": lambda one, other: Interval(*_ENDS.difference(one.ends, other.ends)),
    "multiply": _multiplied,
    "maximum": lambda one, other: Interval(*_ENDS.greater(one.ends, other.ends)),
    "minimum": lambda one, other: Interval(*_ENDS.lesser(one.ends, other.ends)),
    "mod": _of_numbers(int.__mod__, _remainder),
    "fmod": _of_numbers(int.__mod__, _remainder),
    "bitwise_and": _of_numbers(int.__and__, _masked),
    "bitwise_or": _of_numbers(int.__or__, _merged),
    "bitwise_xor": _of_numbers(int.__xor__, _merged),
    "left_shift": _shifted_left,
    "right_shift": _shifted_right,
}
_ON_TERMS: dict[str, Callable[[Term, Term], Term]] = {
    "add": terms.add,
    "subtract": lambda one, other: terms.add(one, other, -1),
    "multiply": terms.multiply,
}
#: Functions that give the integer above or below a number: one of those its interval has.
_WHOLE = frozenset(("ceil", "floor", "trunc"))
#: Operators whose intervals are right for integers only.
_ON_INTEGERS = frozenset(("mod", "fmod"))
#: Operators that move both ends of an interval by a number.
_SHIFTING = frozenset(("add", "subtract", "multiply", "maximum", "minimum"))
