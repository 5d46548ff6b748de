"""Arithmetic on the ends of intervals: rounding outwards, corners, and the parts that an array of intervals has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from nkiverify.analysis.ranges.interval_functions import SINGLE_SLACK
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.dataclass import dataclass
from nkiverify.symbolic.generic_intervals import IntervalArithmetic

#: The ends of an interval without a number.
EMPTY = (np.inf, -np.inf)
#: That a number may be -inf, or inf.
MINUS, PLUS = 1, 2
FLOAT32_MAX = float(np.finfo(np.float32).max)
SMALLEST_NORMAL = float(np.finfo(np.float32).smallest_normal)
ROUNDOFF = 2.0**-24
#: From here on integers may be such as were computed exactly, which float32 has not.
_INTEGERS = 2.0**24
#: Arithmetic on arrays of intervals, without rounding; of an end that is NaN all results are.
ENDS: IntervalArithmetic[Any] = IntervalArithmetic(
    lambda *ends: reduce(np.minimum, ends), lambda *ends: reduce(np.maximum, ends)
)
_NAMES = {0: "", MINUS: "-inf", PLUS: "inf", MINUS | PLUS: "-inf, inf"}


@dataclass(frozen=True, slots=True)
class Parts:
    """Intervals: the ends of the finite numbers, NaN for anything at all; which infinities there are besides; ids."""

    low: Array
    high: Array
    flags: Array
    ids: Array

    @staticmethod
    def of(numbers: Array) -> Parts:
        """The lanes of an array of numbers."""
        numbers = np.asarray(numbers, dtype=np.float64)
        return Parts(numbers[0], numbers[1], numbers[2].astype(np.int8), numbers[3].astype(np.int32))

    @property
    def ends(self) -> tuple[Array, Array]:
        """The least and the greatest finite number."""
        return self.low, self.high

    @property
    def empty(self) -> Array:
        """Where there is no finite number."""
        return np.asarray(self.low > self.high)

    @property
    def magnitude(self) -> Array:
        """The greatest magnitude of a finite number."""
        return np.where(self.empty, 0.0, np.maximum(np.abs(self.low), np.abs(self.high)))

    def poisoned(self, where: Array) -> Parts:
        """The same, and anything at all where this holds."""
        if not where.any():
            return self
        low, high = np.where(where, np.nan, self.low), np.where(where, np.nan, self.high)
        return Parts(low, high, np.where(where, 0, self.flags).astype(np.int8), np.where(where, 0, self.ids))

    def with_ids(self, ids: Array) -> Parts:
        """The same numbers under other ids."""
        return replace(self, ids=np.where(np.isnan(self.low), 0, ids).astype(np.int32))

    def truths(self) -> Parts:
        """1 where the numbers are not 0, else 0; either where that is not known."""
        holds = (self.low > 0) | (self.high < 0) | (self.empty & (self.flags > 0))
        never = (self.low == 0) & (self.high == 0) & (self.flags == 0)
        return of_truth(np.asarray(holds), np.asarray(never))

    def first_of_rows(self) -> Parts:
        """The widest of each row: what a message shows of a sum."""
        low, high = (np.nan_to_num(end, nan=0.0) for end in (self.low, self.high))
        flags = np.bitwise_or.reduce(self.flags, axis=-1, keepdims=True)
        ends = low.min(axis=-1, keepdims=True), high.max(axis=-1, keepdims=True)
        return Parts(*ends, flags, np.zeros(flags.shape, dtype=np.int32))

    def text(self, shape: tuple[int, ...], at: tuple[int, ...]) -> str:
        """The interval of one element of an array of this shape, to which these parts are broadcast."""
        # No zero with a sign.
        low, high = (float(np.broadcast_to(part, shape)[at]) + 0.0 for part in (self.low, self.high))
        flags = np.broadcast_to(self.flags, shape)[at]
        infinities = _NAMES[int(flags)]
        if low > high:
            return infinities or "nothing"
        finite = "anything" if np.isnan(low) else f"{low:.6g}" if low == high else f"{low:.6g}..{high:.6g}"
        return f"{finite} or {infinities}" if infinities else finite


def of_truth(holds: Array, never: Array) -> Parts:
    """1 where something holds, 0 where it never does, else either."""
    low, high = np.where(holds, 1.0, 0.0), np.where(never, 0.0, 1.0)
    return Parts(low, high, np.zeros(low.shape, dtype=np.int8), np.zeros(low.shape, dtype=np.int32))


def scalar(part: Parts) -> float | None:
    """The one number that all elements are; None where they are not."""
    if not part.low.size or part.flags.any():
        return None
    first = float(part.low.flat[0])
    return first if (part.low == first).all() and (part.high == first).all() else None


def mirrored(part: Parts, ids: Array | None) -> Parts:
    """The negatives, which have these ids, or none."""
    empty, (low, high) = part.empty, ENDS.negative(part.ends)
    low, high = np.where(empty, part.low, low), np.where(empty, part.high, high)
    return Parts(low, high, swapped(part.flags), np.zeros_like(part.ids) if ids is None else ids)


def swapped(flags: Array) -> Array:
    """The infinities that negatives may be."""
    return np.asarray(((flags & MINUS) << 1) | ((flags & PLUS) >> 1)).astype(np.int8)


def joined(part: Parts, value: float, where: Array) -> Parts:
    """The same numbers, and in some places a value besides."""
    if np.isinf(value):
        flag = PLUS if value > 0 else MINUS
        return replace(part, flags=np.where(where, part.flags | flag, part.flags).astype(np.int8))
    low, high = ENDS.hull(part.ends, (value, value))
    return replace(part, low=np.where(where, low, part.low), high=np.where(where, high, part.high))


def made(low: Array, high: Array) -> Array:
    """Numbers of which nothing but their ends is known; infinite ones are infinities."""
    low, high = np.broadcast_arrays(low, high)
    flags = np.where(np.isinf(low), np.where(low > 0, PLUS, MINUS), 0).astype(np.int8)
    gone = flags > 0
    ends = np.where(gone, EMPTY[0], low), np.where(gone, EMPTY[1], high)
    return stacked(Parts(*ends, flags, np.zeros(low.shape, dtype=np.int32)))


def stacked(part: Parts) -> Array:
    """The lanes as one array."""
    return np.stack(np.broadcast_arrays(part.low, part.high, part.flags, part.ids)).astype(np.float64)


def least_fill(numbers: Array) -> Array:
    """The least magnitude of what is filled in for what is masked, the fifth lane; infinite where there is nothing.

    Infinities of which that is not known may be of any magnitude: 0.
    """
    known = numbers[4] if len(numbers) > 4 else np.zeros(numbers.shape[1:])
    return np.where(numbers[2] > 0, known, np.inf)


def with_least_fill(numbers: Array, *attached: Array) -> Array:
    """Numbers with the least fill of these and of others as the fifth lane; without it where none of them has it."""
    if all(len(part) == 4 for part in (numbers, *attached)):
        return numbers
    least = least_fill(numbers)
    for part in attached:
        least = np.minimum(least, least_fill(part))
    return np.concatenate([numbers[:4], least[None]])


# --- rounding ---------------------------------------------------------------------------------------------------------


def down(number: Array) -> Array:
    """A lower bound of numbers of at least this size, computed in float64 and rounded to float32, or kept exactly where
    they are integers; -inf where float32 has none."""
    with np.errstate(over="ignore", invalid="ignore"):
        below = np.nextafter(number, -np.inf)
        rounded = below.astype(np.float32).astype(np.float64)
    rounded = np.where((rounded > 0) & (rounded < SMALLEST_NORMAL), 0.0, rounded)
    whole = (np.abs(number) > _INTEGERS) & (np.abs(number) < 2.0**53) & (number == np.rint(number))
    return np.where(whole, np.minimum(rounded, number), rounded)


def up(number: Array) -> Array:
    """The upper bound."""
    return -down(-number)


def widened(low: Array, high: Array, relative: float, absolute: float = 0.0) -> tuple[Array, Array]:
    """The ends moved outwards by an error; an infinite one stays."""
    with np.errstate(invalid="ignore"):
        below, above = low - np.abs(low) * relative - absolute, high + np.abs(high) * relative + absolute
    return np.where(np.isinf(low), low, below), np.where(np.isinf(high), high, above)


def sum_error(size: Array, count: int) -> Array:
    """The error of a float32 sum of this many numbers in any order, given the sum of their magnitudes.

    (n - 1) u times that sum, for every n: Jeannerod and Rump, "Improved error bounds for inner products in
    floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34 (2013), theorem 3.1.
    """
    if count <= 1:
        return np.zeros_like(size)
    return 1.01 * (count - 1) * ROUNDOFF * size + np.where(size > 0, count * SMALLEST_NORMAL, 0.0)


# --- operators --------------------------------------------------------------------------------------------------------


def corners(operator: Callable[..., Array], one: Parts, other: Parts) -> tuple[Array, Array]:
    """The least and the greatest of an operator at the ends of two intervals; anything where there is none."""
    empty = one.empty | other.empty
    ends = [(np.where(part.empty, 1.0, part.low), np.where(part.empty, 1.0, part.high)) for part in (one, other)]
    low, high = ENDS.at_corners(operator, *ends)
    empty &= ~np.isnan(low)
    return np.where(empty, 0.0, low), np.where(empty, 0.0, high)


def once(part: Parts, axis: int) -> Parts:
    """One row, or one column, of intervals that are the same in all of them: else these."""
    ends = (part.low, part.high, part.flags)
    low, high, flags = single = [np.take(end, [0], axis=axis) for end in ends]
    if not all(
        np.array_equal(end, np.broadcast_to(one, end.shape), True) for end, one in zip(ends, single, strict=True)
    ):
        return part
    return Parts(low, high, flags, np.zeros(low.shape, dtype=np.int32))


def products_summed(one: Parts, other: Parts) -> tuple[Array, Array]:
    """The ends of sums of products over the last axis of `one` and the first of `other`, without rounding."""
    if (one.low >= 0).all() and (other.low >= 0).all():
        return one.low @ other.low, one.high @ other.high
    if (other.low == other.high).all():
        above, below = np.maximum(other.low, 0), np.minimum(other.low, 0)
        return one.low @ above + one.high @ below, one.high @ above + one.low @ below
    if (one.low == one.high).all():
        above, below = np.maximum(one.low, 0), np.minimum(one.low, 0)
        return above @ other.low + below @ other.high, above @ other.high + below @ other.low
    middles = [(part.low + part.high) / 2 for part in (one, other)]
    # More than half the width, so that rounding the middle loses nothing.
    widths = [(part.high - part.low) / 2 + part.magnitude * 2.0**-50 for part in (one, other)]
    centre = middles[0] @ middles[1]
    reach = np.abs(middles[0]) @ widths[1] + widths[0] @ (np.abs(middles[1]) + widths[1])
    return centre - reach, centre + reach


def powers(one: Parts, other: Parts, exponent: float | None) -> tuple[Array, Array]:
    """The ends of powers, without rounding. Without an integer `exponent` what is raised is positive, or 0."""
    with np.errstate(all="ignore"):
        low, high = corners(np.power, one, other)
    if exponent is not None and exponent == int(exponent) and exponent >= 0 and int(exponent) % 2 == 0:
        low = np.where((one.low <= 0) & (one.high >= 0), 0.0 if exponent else 1.0, low)
    return widened(low, high, SINGLE_SLACK)


def compared(name: str, one: Parts, other: Parts) -> Parts:
    """Comparisons and logical operators: 1, 0, or either."""
    if name in ("logical_and", "logical_or", "logical_xor"):
        left, right = one.truths(), other.truths()
        if name == "logical_and":
            return of_truth((left.low == 1) & (right.low == 1), (left.high == 0) | (right.high == 0))
        if name == "logical_or":
            return of_truth((left.low == 1) | (right.low == 1), (left.high == 0) & (right.high == 0))
        known = (left.low == left.high) & (right.low == right.high)
        return of_truth(known & (left.low != right.low), known & (left.low == right.low))
    finite = (one.flags == 0) & (other.flags == 0)
    less, more = finite & (one.high < other.low), finite & (one.low > other.high)
    at_most, at_least = finite & (one.high <= other.low), finite & (one.low >= other.high)
    same = finite & (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    match name:
        case "less":
            return of_truth(less, at_least)
        case "less_equal":
            return of_truth(at_most, more)
        case "greater":
            return of_truth(more, at_most)
        case "greater_equal":
            return of_truth(at_least, less)
        case "equal":
            return of_truth(same, less | more)
    return of_truth(less | more, same)


def integer_bits(name: str, one: Parts, other: Parts) -> Parts:
    """Operators on bits: of single numbers exactly, of numbers without a sign bounded, else any of 32 bits."""
    shape = np.broadcast_shapes(one.low.shape, other.low.shape)
    parts = [np.broadcast_to(end, shape) for end in (one.low, one.high, other.low, other.high)]
    unsigned = (parts[0] >= 0) & (parts[2] >= 0)
    if name == "bitwise_and":
        most = np.minimum(parts[1], parts[3])
    elif name == "right_shift":
        most = parts[1]
    elif name == "left_shift":
        most = parts[1] * 2.0 ** np.clip(parts[3], 0, 32)
    else:
        most = parts[1] + parts[3]
    low, high = np.where(unsigned, 0.0, -(2.0**31)), np.where(unsigned, most, 2.0**32 - 1)
    single = (parts[0] == parts[1]) & (parts[2] == parts[3])
    if single.any():
        left, right = (np.where(single, part, 0).astype(np.int64) for part in (parts[0], parts[2]))
        exactly = np.asarray(getattr(np, name)(left, right)).astype(np.float64)
        low, high = np.where(single, exactly, low), np.where(single, exactly, high)
    return Parts(low, high, np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.int32))
