"""Rounding errors: how far a number of a run may be from the one that real arithmetic makes of the same inputs.

`ErrorIntervals` bounds them: intervals hold the numbers of the run and those of real arithmetic, for which ends are
moved outwards by their rounding, and a fifth lane holds the greatest distance of the two. A function multiplies it by
its steepest slope on the interval, and rounding adds its own: float32 after each operation, sums in any order, the
dtype where something is stored. Inputs and the kernel's constants are exact. Errs to too much; infinite where nothing
is known. `Exactly` is what runs are compared with: float64 throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nkiverify.analysis.ranges.interval_functions import FUNCTIONS, Course
from nkiverify.analysis.ranges.intervals import CODES, Intervals
from nkiverify.analysis.ranges.range_arithmetic import ROUNDOFF, SMALLEST_NORMAL, Parts, sum_error
from nkiverify.analysis.values.compared_pieces import StoredAsNumbers
from nkiverify.analysis.values.number_formats import STORED, Array, smallest_normal, unit_roundoff
from nkiverify.analysis.values.numbers import Doubles, function_of
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, DTypeKind, float32

_COMPARISONS = frozenset(("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"))
_ROUNDS = frozenset(("multiply", "divide", "power", "mod", "fmod"))
_LOGICAL = frozenset(("logical_and", "logical_or", "logical_xor"))
#: More than what float64 loses in computing a bound.
_MORE = 1 + 2.0**-20

Slope = Callable[[Array, Array], Array]


def _constant(slope: float) -> Slope:
    return lambda low, high: np.full(low.shape, slope)


def _magnitude(low: Array, high: Array) -> Array:
    return np.maximum(np.abs(low), np.abs(high))


def _least(low: Array, high: Array) -> Array:
    return np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))


#: The steepest slope of a function from one number to another, by its name; at least that of `Function.course`.
_SLOPES: dict[str, Slope] = {
    "negative": _constant(1.0),
    "exp": lambda low, high: np.exp(high),
    "log": lambda low, high: 1.0 / np.maximum(low, 0.0),
    "sqrt": lambda low, high: 0.5 / np.sqrt(np.maximum(low, 0.0)),
    "rsqrt": lambda low, high: 0.5 * np.maximum(low, 0.0) ** -1.5,
    "reciprocal": lambda low, high: _least(low, high) ** -2.0,
    "square": lambda low, high: 2.0 * _magnitude(low, high),
    "tanh": _constant(1.0),
    "sigmoid": _constant(0.25),
    "softplus": _constant(1.0),
    "erf": _constant(1.1284),
    "arctan": _constant(1.0),
    "relu": _constant(1.0),
    "abs": _constant(1.0),
    "sin": _constant(1.0),
    "cos": _constant(1.0),
    "silu": _constant(1.1),
    "gelu": _constant(1.13),
    "gelu_apprx_tanh": _constant(1.14),
    "gelu_apprx_sigmoid": _constant(1.1),
    "mish": _constant(1.09),
    "erf_dx": _constant(0.97),
    "silu_dx": _constant(0.51),
    "gelu_dx": _constant(0.81),
    "gelu_apprx_sigmoid_dx": _constant(0.86),
}


class ErrorIntervals(Intervals):
    """Intervals with the greatest rounding error of each number."""

    lanes = 5

    # --- storage ------------------------------------------------------------------------------------------------------

    def entered(self, values: Array, dtype: DType) -> Array:
        found = super().entered(values, dtype)
        return _with(found, _error(found))

    def arguments(self, shape: tuple[int, ...], dtype: DType, low: float, high: float) -> Array:
        return _with(super().arguments(shape, dtype, low, high))

    def read(self, stored: Array, dtype: DType) -> Array:
        found = super().read(stored, dtype)
        rounded = dtype.is_integer and dtype.itemsize >= 4
        if not rounded:
            return found if len(found) == self.lanes else _with(found)
        return _with(_outwards(found), _error(stored) + _rounding(Parts.of(found)))

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        return _with(super().unsigned(integers, dtype), _unless_exact(integers))

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        return _with(super().low_bits(integers, dtype), _unless_exact(integers))

    def constant(self, value: float, rank: int) -> Array:
        return _with(super().constant(value, rank))

    def convert(self, numbers: Array, dtype: DType) -> Array:
        part, error = Parts.of(numbers), _error(numbers)
        if dtype.is_packed or dtype.kind is DTypeKind.SCALE:
            return super().convert(numbers, dtype)
        found = super().convert(numbers, dtype)
        if dtype.kind is DTypeKind.BOOL:
            return _with(found, np.where(error > 0, 1.0, 0.0))
        if dtype.is_integer:
            return _with(found, np.where(error > 0, error + 1.0, 0.0))
        if dtype != float32:
            kept = self.relations.is_of(part.ids, CODES[dtype])
            # Below the least normal number a result may be 0.
            more = unit_roundoff(dtype) * np.maximum(part.magnitude, Parts.of(found).magnitude) + smallest_normal(dtype)
            error = np.where(kept, error, error + more)
            wider = 2 * unit_roundoff(dtype), smallest_normal(dtype)
            moved = _outwards(found, (part.low >= 0, part.high <= 0), *wider)
            found = np.where(kept, found, moved)
        return _with(found, error)

    def index_ends(self, stored: Array, dtype: DType) -> tuple[Array, Array]:
        if _error(stored).any():
            raise UnsupportedConstruct("indices that rounding may change")
        return super().index_ends(stored, dtype)

    def around(self, x: Array) -> Array:
        return _with(super().around(x), _error(x).max(axis=-1, keepdims=True))

    # --- operators ----------------------------------------------------------------------------------------------------

    def unary(self, name: str, x: Array) -> Array:
        if name == "copy":
            return np.asarray(x)
        found, error = super().unary(name, x), _error(x)
        if name == "negative":
            return _with(found, error)
        function, part = FUNCTIONS.get(name), Parts.of(x)
        low, high = (np.where(part.empty, 1.0, end) for end in (part.low, part.high))
        with np.errstate(all="ignore"):
            if name in _SLOPES:
                moved = np.where(error > 0, _SLOPES[name](low, high) * error, 0.0)
            else:
                moved = np.where(error > 0, np.inf, 0.0)
            if function is not None and function.course is Course.INCREASING:
                # Nor does it go further than from one end to the other.
                between = function_of(name)(high) - function_of(name)(np.maximum(low, function.domain))
                moved = np.where(between >= 0, np.minimum(moved, between * _MORE + 1e-13), moved)
        noise = 0.0 if function is None else 2 * function.noise
        stays = (part.low >= 0) | (function is not None and function.within[0] >= 0), False
        return _with(_outwards(found, stays), moved + _rounding(Parts.of(found), 8.0) + noise)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        found = super().binary(name, x, y)
        if name in ("abs_max", "abs_min"):
            return found
        one, other, errors = Parts.of(x), Parts.of(y), (_error(x), _error(y))
        exact = (errors[0] == 0) & (errors[1] == 0)
        result, rounding = Parts.of(found), _rounding(Parts.of(found))
        with np.errstate(all="ignore"):
            match name:
                case "add" | "subtract":
                    error = errors[0] + errors[1] + rounding
                case "multiply":
                    error = one.magnitude * errors[1] + other.magnitude * errors[0] + rounding
                case "divide":
                    moved = errors[0] + result.magnitude * errors[1]
                    error = np.where(moved > 0, moved / _least(other.low, other.high), 0.0) + rounding
                case "maximum" | "minimum":
                    error = np.maximum(*errors)
                case _ if name in _COMPARISONS:
                    error = np.where(exact | (result.low == result.high), 0.0, 1.0)
                case _ if name in _LOGICAL:
                    error = np.where(exact, 0.0, 1.0)
                case "power":
                    error = np.where(exact, _rounding(result, 8.0), np.inf)
                case _:
                    error = np.where(exact, rounding, np.inf)
        if name in ("add", "subtract"):
            found = _outwards(found)
        elif name in _ROUNDS:
            same = ((one.low >= 0) & (other.low >= 0)) | ((one.high <= 0) & (other.high <= 0))
            squares = (x is y) | ((one.ids == other.ids) & (one.ids > 0))
            found = _outwards(found, (same | squares | (name == "power"), False))
        return _with(found, error)

    # --- of many ------------------------------------------------------------------------------------------------------

    def reduce(self, name: str, x: Array) -> Array:
        if name not in ("add", "maximum", "minimum"):
            return super().reduce(name, x)
        found, error, part = super().reduce(name, x), _error(x), Parts.of(x)
        if name == "add":
            size = part.magnitude.sum(axis=-1, keepdims=True)
            return _with(found, error.sum(axis=-1, keepdims=True) + sum_error(size, x.shape[-1]))
        return _with(found, error.max(axis=-1, keepdims=True))

    def matmul(self, x: Array, y: Array) -> Array:
        one, other = Parts.of(x.transpose(0, 2, 1)), Parts.of(y)
        errors = _error(x).transpose(1, 0), _error(y)
        with np.errstate(all="ignore"):
            moved = one.magnitude @ errors[1] + errors[0] @ other.magnitude
        return _with(super().matmul(x, y), moved + sum_error(one.magnitude @ other.magnitude, x.shape[1] + 1))

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        truth, one, other = Parts.of(condition).truths(), Parts.of(x), Parts.of(y)
        errors = _error(x), _error(y)
        apart = np.maximum(np.abs(one.high - other.low), np.abs(other.high - one.low)) + errors[0] + errors[1]
        either = np.where(_error(condition) > 0, apart, np.maximum(*errors))
        sure = np.where(truth.low == 1, errors[0], np.where(truth.high == 0, errors[1], either))
        return _with(super().choose(condition, x, y), np.where(_error(condition) > 0, either, sure))


def _error(numbers: Array) -> Array:
    return np.asarray(numbers[4]) if len(numbers) > 4 else np.zeros(numbers.shape[1:])


def _outwards(
    numbers: Array,
    stays: tuple[Array | bool, Array | bool] = (True, True),
    relative: Array | float = 2.0**-23,
    absolute: float = SMALLEST_NORMAL,
) -> Array:
    """Intervals that hold what was not rounded as well. A lower, and an upper, end of 0 `stays` where nothing beyond it
    can have become 0 as it is too small."""
    found: Array = numbers.copy()
    for lane, sign, kept in ((0, -1.0, stays[0]), (1, 1.0, stays[1])):
        end = np.where(np.isfinite(numbers[lane]), numbers[lane], 0.0)
        moved = end + sign * (np.abs(end) * relative + absolute)
        found[lane] = np.where(((end == 0) & kept) | ~np.isfinite(numbers[lane]), numbers[lane], moved)
    return found


def _rounding(result: Parts, units: float = 1.0) -> Array:
    """The error of rounding results to float32; below its least normal number one may be 0."""
    return np.asarray(units * ROUNDOFF * result.magnitude + SMALLEST_NORMAL)


def _unless_exact(numbers: Array) -> Array:
    return np.where(_error(numbers) > 0, np.inf, 0.0)


def _with(numbers: Array, error: Array | float = 0.0) -> Array:
    """The four lanes of numbers, and their error."""
    lane = np.broadcast_to(np.nan_to_num(error * _MORE, nan=np.inf, posinf=np.inf), numbers.shape[1:])[None]
    # What may be anything has any error.
    return np.concatenate([numbers[:4], np.where(np.isnan(numbers[:1]), np.inf, lane)])


class Exactly(StoredAsNumbers, Doubles):
    """float64 throughout, without any rounding to a float dtype; integers are rounded and saturate as they do."""

    lanes = 1

    def entered(self, values: Array, dtype: DType) -> Array:
        found: Array = np.asarray(values, dtype=np.float64)[None]
        return found

    def convert(self, numbers: Array, dtype: DType) -> Array:
        found = super().convert(numbers, dtype)
        if dtype.kind is DTypeKind.BOOL:
            return np.asarray(found != 0, dtype=np.float64)
        if not dtype.is_integer:
            return found
        limits = np.iinfo(STORED[dtype])
        return np.asarray(np.clip(np.rint(found), limits.min, limits.max))

    def constant(self, value: float, rank: int) -> Array:
        exact = isinstance(value, int) and abs(value) >= 2**24
        return np.full((1,) * rank, float(value) if exact or math.isinf(value) else float(np.float32(value)))

    def integers(self, stored: Array, dtype: DType) -> Array:
        return np.asarray(stored[0], dtype=np.int64)

    def wants(self, name: str) -> None:
        return
