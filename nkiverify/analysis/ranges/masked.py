"""Numbers that a select fills in for what is masked: that no result depends on which one it is.

`MaskedIntervals` shows it, and `MaskedFamilies` for all sizes: what is filled in is any number up to one, or -inf, and
stays apart from numbers that count, as infinities do. A fifth lane holds the least magnitude that such a one has by
then. An operator on it gives another one, or a number that is the same for all of them, 0 for an exponential; anything
else is reported. Errs to telling.
`OtherFills` refutes it: it computes with other fills, each of its own, and a result that is another one shows that it
depends on them, unless it still holds one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from nkiverify.analysis.ranges.extent_sizes import Sizes
from nkiverify.analysis.ranges.families import LANES, NumberFamily
from nkiverify.analysis.ranges.family_numbers import Families
from nkiverify.analysis.ranges.interval_functions import FUNCTIONS
from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.range_arithmetic import EMPTY, MINUS, PLUS, ROUNDOFF, Parts, least_fill
from nkiverify.analysis.ranges.range_findings import MASKED, RangeFindings, is_fill
from nkiverify.analysis.values.number_formats import Array, finite_range, unit_roundoff
from nkiverify.analysis.values.numbers import Floats, function_of
from nkiverify.model.dtypes import DType, DTypeKind

#: More than the rounding of a few operations on a magnitude.
_ROUNDED = 1 - 2.0**-20
_EXTREMES = ("maximum", "minimum")
_COMPARISONS = frozenset(("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"))
_LOGICAL = frozenset(("logical_and", "logical_or", "logical_xor"))
#: What other fills are in place of one, as factors; the others where that leaves the dtype.
_FURTHER, _NEARER = (1.25, 1.5, 1.75), (0.875, 0.75, 0.625)
#: A result of such a part of a fill still holds it: a scaled score, or a sum with one.
_HOLDS = 2.0**-12


class MaskedIntervals(Intervals):
    """Intervals, in which what is filled in counts as infinite; the fifth lane is its least magnitude."""

    lanes = 5

    # --- storage ------------------------------------------------------------------------------------------------------

    def entered(self, values: Array, dtype: DType) -> Array:
        return _with(super().entered(values, dtype))

    def arguments(self, shape: tuple[int, ...], dtype: DType, low: float, high: float) -> Array:
        return _with(super().arguments(shape, dtype, low, high))

    def read(self, stored: Array, dtype: DType) -> Array:
        found = super().read(stored, dtype)
        return found if len(found) == self.lanes else _with(found, least_fill(found))

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        return _with(super().unsigned(integers, dtype))

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        return _with(super().low_bits(integers, dtype))

    def constant(self, value: float, rank: int) -> Array:
        return _with(super().constant(value, rank))

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        self.findings.fill(value)
        found = self.constant(value, like.ndim)
        if is_fill(value):
            found[0], found[1] = EMPTY
            found[2], found[4] = MINUS, abs(value)
        return found

    def convert(self, numbers: Array, dtype: DType) -> Array:
        known = dtype.is_packed or dtype.kind is DTypeKind.SCALE
        found = super().convert(numbers, dtype)
        return found if known else _with(found, least_fill(numbers) * (1 - 2 * unit_roundoff(dtype)))

    def around(self, x: Array) -> Array:
        return _with(super().around(x), least_fill(x).min(axis=-1, keepdims=True))

    def returned(self, numbers: Array) -> None:
        _tell_small(numbers, self.findings)

    # --- operators ----------------------------------------------------------------------------------------------------

    def _tell_masked(self, name: str, where: Array, *operands: Array) -> None:
        self.tell(MASKED, name, where, *(Parts.of(operand) for operand in operands))

    def unary(self, name: str, x: Array) -> Array:
        if name == "copy":
            return np.asarray(x)
        found, function = super().unary(name, x), FUNCTIONS.get(name)
        if name == "negative" or function is None:
            return _with(found, least_fill(x))
        flags, beyond = x[2].astype(np.int8), least_fill(x)
        for sign, value, ends in zip((MINUS, PLUS), function.at_infinities, (-beyond, beyond), strict=True):
            here = ((flags & sign) > 0) & np.isfinite(beyond)
            if value is None or not here.any():
                # Without a value there, it has been reported.
                continue
            with np.errstate(all="ignore"):
                there = np.float32(function_of(name)(np.where(here, ends, 1.0))).astype(np.float64)
            if math.isfinite(value):
                self._tell_masked(name, here & (there != value), x)
            else:
                beyond = np.where(here, np.minimum(beyond, np.abs(there) * _ROUNDED), beyond)
        return _with(found, beyond)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        if name in ("abs_max", "abs_min"):
            return super().binary(name, x, y)
        found = super().binary(name, x, y)
        one, other = Parts.of(x), Parts.of(y)
        if not one.flags.any() and not other.flags.any():
            return _with(found)
        left, right = least_fill(x), least_fill(y)
        numbers = np.where(one.empty, -np.inf, one.magnitude), np.where(other.empty, -np.inf, other.magnitude)
        both = (one.flags > 0) & (other.flags > 0) & ~(np.isinf(left) & np.isinf(right))
        # Numbers of at least this magnitude could be taken for what is filled in.
        near = (left <= numbers[1]) | (right <= numbers[0])
        beyond = np.minimum(left, right)
        match name:
            case "add" | "subtract":
                less = np.where(np.isneginf(numbers[1]), left, left - numbers[1])
                beyond = np.minimum(less, np.where(np.isneginf(numbers[0]), right, right - numbers[0])) * _ROUNDED
                bad = beyond <= 0
            case "multiply":
                least = [
                    np.where(part.empty, np.inf, np.minimum(abs(part.low), abs(part.high))) for part in (one, other)
                ]
                with np.errstate(invalid="ignore"):
                    products = left * np.minimum(least[1], right), right * np.minimum(least[0], left)
                beyond = np.minimum(*products) * _ROUNDED
                bad = np.isnan(beyond)
            case _ if name in _EXTREMES:
                bad = near
            case _ if name in _COMPARISONS:
                bad = near | both
            case _ if name in _LOGICAL:
                bad = np.zeros_like(both)
            case _:
                bad = (one.flags > 0) | (other.flags > 0)
        self._tell_masked(name, np.broadcast_to(bad, found.shape[1:]), x, y)
        return _with(found, beyond)

    # --- of many ------------------------------------------------------------------------------------------------------

    def reduce(self, name: str, x: Array) -> Array:
        if name not in ("add", *_EXTREMES):
            return super().reduce(name, x)
        part, found = Parts.of(x), super().reduce(name, x)
        beyond = least_fill(x).min(axis=-1, keepdims=True)
        if name == "add":
            beyond = _fill_in_sum(beyond, part.magnitude.sum(axis=-1, keepdims=True), x.shape[-1])
            bad = beyond <= 0
        else:
            bad = beyond < part.magnitude.max(axis=-1, keepdims=True)
        self._tell_masked(name, np.isfinite(beyond) & bad, found)
        return _with(found, beyond)

    def matmul(self, x: Array, y: Array) -> Array:
        return _with(super().matmul(x, y))

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        truth, found = Parts.of(condition).truths(), super().choose(condition, x, y)
        one, other = least_fill(x), least_fill(y)
        beyond = np.where(truth.low == 1, one, np.where(truth.high == 0, other, np.minimum(one, other)))
        return _with(found, beyond)


def _fill_in_sum(least: Array, size: Array, count: float) -> Array:
    """The least magnitude of a float32 sum of this many numbers, in any order, of which one at least is a fill of at
    least `least`; the magnitudes of those that are none are at most `size` together. 0 where none is known.
    """
    # As `sum_error`: relative to the sum of all magnitudes, those of the fills among them.
    error = min(1.01 * count * ROUNDOFF, 1.0)
    with np.errstate(invalid="ignore"):
        found = least * (1 - error) * _ROUNDED - size * (1 + error)
    return np.where(np.isinf(least), least, np.maximum(found, 0.0) if error < 0.5 else 0.0)


def _with(numbers: Array, beyond: Array | float = np.inf) -> Array:
    """The four lanes of numbers, and the least magnitude of what is filled in."""
    lane = np.broadcast_to(beyond, numbers.shape[1:])[None]
    return np.concatenate([numbers[:4], lane])


class MaskedFamilies(Families):
    """`MaskedIntervals` for all sizes of tiles at once."""

    def __init__(self, findings: RangeFindings, sizes: Sizes) -> None:
        super().__init__(findings, sizes, MaskedIntervals)

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        number = self._ends.fill(value, np.zeros((LANES, 1)), dtype)
        return cast(Array, self.family(number, (1,) * (like.ndim - 1)))

    def returned(self, numbers: Array) -> None:
        _tell_small(numbers, self.findings)

    def reduce(self, name: str, x: Array) -> Array:
        given, found = cast(NumberFamily, x), cast(NumberFamily, super().reduce(name, x))
        if name not in ("add", *_EXTREMES) or not given.numbers[2].any():
            return cast(Array, found)
        least, size = least_fill(given.numbers), Parts.of(given.numbers).magnitude
        if name == "add":
            _, count = self._count(given.extents[-1], given.fewer)
            least = _fill_in_sum(least, size * count, count)
            bad = least <= 0
        else:
            bad = least < size
        self._ends.tell(MASKED, name, np.isfinite(least) & bad, Parts.of(found.numbers))
        return cast(Array, replace(found, numbers=_with(found.numbers, least)))


def _tell_small(numbers: Array, findings: RangeFindings) -> None:
    """Tell `findings` of results that are made of what is filled in, and hold none of it any more."""
    least = least_fill(numbers)
    where = np.isfinite(least) & ~_holds(least, findings)
    if findings.first_fill is None or not where.any():
        return
    fill, operation, findings.site = findings.first_fill
    findings.left = ()
    said = f"{fill:.9g} by {operation}: a result is made of it, of which it is less than"
    findings.tell(MASKED, "dependence on the fill", where, lambda at: f"{said} 2^-12")


def _holds(magnitude: Array, findings: RangeFindings) -> Array:
    """Where results of this magnitude still hold what is filled in: masked scores, and sums with them."""
    return np.asarray(magnitude >= findings.filled * _HOLDS)


# --- other fills ------------------------------------------------------------------------------------------------------


class OtherFills(Floats):
    """The simulator's arithmetic, where each element that is filled in is another number."""

    def fill(self, value: float, like: Array, dtype: DType) -> Array:
        if not is_fill(value):
            return super().fill(value, like, dtype)
        most = finite_range(dtype)[1] if dtype.is_float else float(np.finfo(np.float32).max)
        factors = _FURTHER if abs(value) * max(_FURTHER) < most else _NEARER
        places = np.arange(int(np.prod(like.shape))).reshape(like.shape)
        # Neighbours along each axis have others.
        return (value * np.choose((places * 7 + places // 3) % 3, factors)).astype(np.float32)


def tell_dependence(results: Sequence[Array], others: Sequence[Array], findings: RangeFindings) -> None:
    """Tell `findings`, those of a run of a kernel, of the first element of its results that is another number with
    other fills, and holds none of them."""
    if findings.first_fill is None or len(results) != len(others):
        return
    fill, operation, findings.site = findings.first_fill
    findings.left = ()
    for number, (result, other) in enumerate(zip(results, others, strict=True)):
        one, two = result[0].astype(np.float64), other[0].astype(np.float64)
        with np.errstate(invalid="ignore"):
            where = (one != two) & np.isfinite(one) & ~_holds(np.abs(one), findings)
        findings.operation = f"result {number}"

        def shown(at: tuple[int, ...], one: Array = one, two: Array = two) -> str:
            return f"{fill:.9g} by {operation}: it is {one[at]:.9g}, and {two[at]:.9g} where others are filled in"

        findings.tell(MASKED, "dependence on the fill", where, shown)
