"""Bounds on the degrees of what a kernel computes, which bound the probability that different values agree by chance.

Each element is a quotient of polynomials in the elements of the arguments and in the results of other functions, which
count as variables of their own. The lanes are the degrees of the numerator and of the denominator, and the value itself
as long as it is an integer known in this run, as indices have to be.
"""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.definitions import DEFINED
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.recognised import contains, converted
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.meaning import Numbers

#: Functions of one number that leave its degrees as they are.
_LINEAR = frozenset(("negative",))
_LOGICAL = frozenset(("logical_and", "logical_or", "logical_xor"))
_EXACT = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}
_LANES = 3
#: The greatest magnitude of an exponent that powers are products for.
GREATEST_EXPONENT = 64


def _of(top: Array, bottom: Array, value: Array | float = np.nan) -> Array:
    with np.errstate(over="ignore"):
        return np.stack(np.broadcast_arrays(top, bottom, np.asarray(value, dtype=np.float32))).astype(np.float32)


class Degrees(Numbers):
    """Degrees in place of numbers."""

    lanes = _LANES

    def __init__(self, roundings: bool = True) -> None:
        """`roundings` as in `Fields`."""
        self.roundings = roundings
        #: The greatest sum of both degrees of an argument of a function that is no quotient of polynomials.
        self.of_arguments = 1.0

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros((_LANES, elements), dtype=np.float32)

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        steps = (buffer.strides[0], *(stride * 4 for stride in strides))
        return np.ndarray((_LANES, *shape), np.float32, buffer, offset * 4, steps)

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        return buffer

    def entered(self, values: Array, dtype: DType) -> Array:
        return _of(np.zeros(values.shape), np.zeros(values.shape), values.astype(np.float32))

    def variables(self, shape: tuple[int, ...]) -> Array:
        """Elements of an argument: each is a variable."""
        found = np.zeros((_LANES, *shape), dtype=np.float32)
        found[0], found[2] = 1, np.nan
        return found

    def read(self, stored: Array, dtype: DType) -> Array:
        wide = dtype.is_integer and not contains(float32, dtype)
        return self._projected(stored, float32) if wide and self.roundings else stored

    def exact(self, stored: Array, dtype: DType) -> Array:
        return stored

    def convert(self, numbers: Array, dtype: DType) -> Array:
        rounds = self.roundings and not dtype.is_integer and not dtype.is_packed and dtype != float32
        return self._projected(numbers, dtype) if rounds else numbers

    def single(self, integers: Array) -> Array:
        return self._projected(integers, float32) if self.roundings else integers

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        return self._projected(numbers, dtype)

    def _projected(self, x: Array, dtype: DType) -> Array:
        """A value of a dtype: x itself, or the result of a function; known numbers as they really are converted."""
        top, bottom = self._function(x)[0], x[1]
        value = converted(np.nan_to_num(x[2]), dtype)
        known = ~np.isnan(x[2]) & ((value == x[2]) if dtype.is_integer else ~np.isnan(value))
        return _of(np.where(known, x[0], np.maximum(x[0], top)), bottom, np.where(known, value, np.nan))

    def integers(self, stored: Array, dtype: DType) -> Array:
        if np.isnan(stored[2]).any():
            raise UnsupportedConstruct("indices that depend on an argument, over prime fields")
        return stored[2].astype(np.int64)

    def wants(self, name: str) -> None:
        raise UnsupportedConstruct(f"{name} over prime fields")

    def nonzero(self, condition: Array) -> Array:
        return self._function(condition)

    def constant(self, value: float, rank: int) -> Array:
        return _of(np.zeros((1,) * (rank - 1)), np.zeros((1,) * (rank - 1)), value)

    def _function(self, *arguments: Array) -> Array:
        shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
        for argument in arguments:
            # Two arguments n1/d1 and n2/d2 agree where n1 d2 - n2 d1 is zero.
            self.of_arguments = max(self.of_arguments, float((argument[0] + argument[1]).max()))
        return self.variables(shape[1:])

    def unary(self, name: str, x: Array) -> Array:
        if name == "copy":
            return x
        if name in _LINEAR:
            return _of(x[0], x[1], -x[2] if name == "negative" else np.nan)
        if name == "square":
            return _of(2 * x[0], 2 * x[1], x[2] * x[2])
        if name == "reciprocal":
            return _of(x[1], x[0])
        if name == "rsqrt":
            return self.unary("reciprocal", self._function(x))
        if name == "tan":
            return self.binary("divide", self._function(x), self._function(x))
        if name in DEFINED:
            return DEFINED[name](self, x)
        return self._function(x)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        value = _EXACT[name](x[2], y[2]) if name in _EXACT else np.nan
        if name in ("add", "subtract"):
            return _of(np.maximum(x[0] + y[1], y[0] + x[1]), x[1] + y[1], value)
        if name in _LOGICAL:
            x, y = self._function(x), self._function(y)
        if name == "multiply" or name in _LOGICAL:
            return _of(x[0] + y[0], x[1] + y[1], value)
        if name == "divide":
            return _of(x[0] + y[1], x[1] + y[0])
        if name == "power":
            return self._power(x, y)
        return self._function(x, y)

    def _power(self, x: Array, y: Array) -> Array:
        """As `Fields` computes it: a product for one exponent that is an integer, a reciprocal root, else a
        function of both. Of an exponent that is not known it is all of them: it errs on the side of too much."""
        candidates = [self._function(x, y)]
        exponents = y[2].ravel()
        unknown = bool(np.isnan(exponents).any())
        if unknown or (exponents == -0.5).all():
            candidates.append(self.unary("rsqrt", x))
        if exponents.size == 1 and (unknown or float(exponents[0]).is_integer()):
            times = GREATEST_EXPONENT if unknown else min(abs(float(exponents[0])), GREATEST_EXPONENT)
            product = _of(times * x[0], times * x[1])
            if unknown or exponents[0] >= 0:
                candidates.append(product)
            if unknown or exponents[0] < 0:
                candidates.append(self.unary("reciprocal", product))
        top, bottom = (
            np.max(np.stack(np.broadcast_arrays(*(one[lane] for one in candidates))), axis=0) for lane in (0, 1)
        )
        return _of(top, bottom)

    def reduce(self, name: str, x: Array) -> Array:
        if name == "add":
            below = x[1].sum(axis=-1, keepdims=True)
            return _of(x[0].max(axis=-1, keepdims=True) + below, below)
        if name in _LOGICAL:
            x = self._function(x)
        if name == "multiply" or name in _LOGICAL:
            return _of(x[0].sum(axis=-1, keepdims=True), x[1].sum(axis=-1, keepdims=True))
        if name in ("maximum", "minimum", "abs_max", "abs_min"):
            return self._function(x.max(axis=-1, keepdims=True))
        result = x[..., :1]
        for position in range(1, x.shape[-1]):
            result = self.binary(name, result, x[..., position : position + 1])
        return result

    def matmul(self, x: Array, y: Array) -> Array:
        below = x[1].sum(axis=0)[:, None] + y[1].sum(axis=0)[None, :]
        return _of(x[0].max(axis=0)[:, None] + y[0].max(axis=0)[None, :] + below, below)

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        states = []
        state = initial[..., 0]
        for step in range(x.shape[-1]):
            state = self.binary(name1, self.binary(name0, x[..., step], state), y[..., step])
            states.append(state)
        return np.stack(states, axis=-1)

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        # Both are searched for among the values of dtypes.
        self._function(x, y)
        return self.binary("add", y, self.binary("multiply", condition, self.binary("subtract", x, y)))


class Cleared(Degrees):
    """Degrees where every inverse is a variable: instead of denominators there are degrees in inverses.

    A polynomial of degree d in the variables and e in inverses becomes one in the variables alone when it is multiplied
    by each inverted number e times: its degree is then d and e times the degrees of all numbers that were inverted.
    Nothing is said (infinity) where an inverted number has inverses in it.
    """

    def __init__(self) -> None:
        super().__init__(roundings=False)
        #: The degrees of all numbers that were inverted.
        self.inverted = 0.0

    def whole(self, degree: float) -> float:
        """The degree of what has this sum of both degrees, without inverses."""
        return degree * (1 + self.inverted)

    def unary(self, name: str, x: Array) -> Array:
        if name == "reciprocal":
            return self._inverse(x)
        if name == "rsqrt":
            return self._inverse(self._function(x))
        if name == "tan":
            return self.binary("divide", self._function(x), self._function(x))
        return super().unary(name, x)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        if name in ("add", "subtract"):
            return _of(np.maximum(x[0], y[0]), np.maximum(x[1], y[1]), _EXACT[name](x[2], y[2]))
        if name == "divide":
            return self.binary("multiply", x, self._inverse(y))
        return super().binary(name, x, y)

    def reduce(self, name: str, x: Array) -> Array:
        if name == "add":
            return _of(x[0].max(axis=-1, keepdims=True), x[1].max(axis=-1, keepdims=True))
        return super().reduce(name, x)

    def matmul(self, x: Array, y: Array) -> Array:
        tops, inverses = (x[lane].max(axis=0)[:, None] + y[lane].max(axis=0)[None, :] for lane in (0, 1))
        return _of(tops, inverses)

    def _inverse(self, x: Array) -> Array:
        if (x[1] > 0).any():
            self.inverted = np.inf
        self.inverted += float(x[0].sum())
        # An inverse of a constant is one.
        return _of(np.zeros(x.shape[1:]), x[0] > 0)
