"""Dual numbers: numbers with their derivatives along some directions (docs/gradients.md).

The lanes of a number are those of its value, then those of its derivative along each direction. What moves elements
moves all of them the same. A function of numbers with a derivative that is not 0 is differentiated by a rule
(`nkiverify.analysis.values.definitions`), or it is refused: there is no derivative that is 0 for want of a rule.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nkiverify.analysis.values.compared_pieces import EQUAL_NUMBERS, Asked, Pieces, StoredAsNumbers
from nkiverify.analysis.values.definitions import DEFINED, DERIVATIVES, STEPS
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import DType

#: Derivatives so near to each other, relatively, count as equal where two numbers tie.
_NEAR = 1e-9
_COMPARISONS = frozenset(("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"))
_LOGICAL = frozenset(("logical_and", "logical_or", "logical_xor"))
_ROOTS = {0.5: "sqrt", -0.5: "rsqrt"}


class Duals(StoredAsNumbers):
    """Dual numbers over the numbers `base`, with this many `directions`."""

    def __init__(self, base: Pieces, directions: int) -> None:
        self.base = base
        self.directions = directions
        self.lanes = base.lanes * (1 + directions)

    # --- parts --------------------------------------------------------------------------------------------------------

    def value(self, x: Array) -> Array:
        """The values, in the base's numbers."""
        return x[: self.base.lanes]

    def derivatives(self, x: Array) -> list[Array]:
        """The derivatives along each direction, in the base's numbers."""
        size = self.base.lanes
        return [x[size * number : size * (number + 1)] for number in range(1, 1 + self.directions)]

    def dual(self, value: Array, *derivatives: Array) -> Array:
        """Numbers from their parts; without derivatives, constant ones."""
        shape = np.broadcast_shapes(value.shape[1:], *(part.shape[1:] for part in derivatives))
        found = np.zeros((self.lanes, *shape))
        size = self.base.lanes
        for number, part in enumerate((value, *derivatives)):
            found[size * number : size * (number + 1)] = part
        return found

    def _varies(self, *numbers: Array) -> bool:
        return any(x[self.base.lanes :].any() for x in numbers)

    def _each(self, apply: Callable[..., Array], *numbers: Array) -> Array:
        """A linear function of the numbers."""
        parts = zip(*(self.derivatives(x) for x in numbers), strict=True)
        return self.dual(apply(*(self.value(x) for x in numbers)), *(apply(*part) for part in parts))

    def _moves(self, x: Array) -> Array:
        """Where a derivative is not 0, (1, …)."""
        return np.asarray(x[self.base.lanes :].any(axis=0, keepdims=True))

    # --- constants ----------------------------------------------------------------------------------------------------

    def entered(self, values: Array, dtype: DType) -> Array:
        return self.dual(self.base.entered(values, dtype))

    def constant(self, value: float, rank: int) -> Array:
        return self.dual(self.base.constant(value, rank))

    def integers(self, stored: Array, dtype: DType) -> Array:
        return self.base.integers(self.value(stored), dtype)

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        if self._varies(numbers):
            raise UnsupportedConstruct(f"the derivative of a conversion to {dtype}")
        return self.dual(self.base.rounded(self.value(numbers), dtype))

    def low_bits(self, integers: Array, dtype: DType) -> Array:
        if self._varies(integers):
            raise UnsupportedConstruct(f"the derivative of bits of {dtype}")
        return self.dual(self.base.low_bits(self.value(integers), dtype))

    def unsigned(self, integers: Array, dtype: DType) -> Array:
        if self._varies(integers):
            raise UnsupportedConstruct(f"the derivative of bits of {dtype}")
        return self.dual(self.base.unsigned(self.value(integers), dtype))

    # --- where functions have no derivative ---------------------------------------------------------------------------

    def _ties(self, function: str, ties: Array, x: Array, y: Array) -> None:
        """Raise where two numbers are equal, and do not stay so along a direction."""
        if not ties.any() or not self._varies(x, y):
            return
        for one, other in zip(self.derivatives(x), self.derivatives(y), strict=True):
            left, right = np.broadcast_arrays(self.base.floats(one), self.base.floats(other))
            apart = np.abs(left - right) > _NEAR * np.maximum(np.abs(left), np.abs(right))
            if (apart & ties).any():
                raise UnsupportedConstruct(f"{function}, which has no derivative at the numbers that were drawn")

    def _against_zero(self, function: str, x: Array, asked: Asked = EQUAL_NUMBERS) -> Array:
        """The signs of numbers, which move away from 0 nowhere, and of which this is asked."""
        zero = self.constant(0, x.ndim)
        signs = self.base.order(self.value(x), self.value(zero), asked)
        self._ties(function, signs == 0, x, zero)
        return signs

    def nonzero(self, condition: Array) -> Array:
        return self.dual(self.base.truth(self._against_zero("a condition", condition, (-1, 1)) != 0))

    # --- functions ----------------------------------------------------------------------------------------------------

    def unary(self, name: str, x: Array) -> Array:
        base = self.base
        if name == "copy":
            return x
        if name == "negative":
            return self._each(lambda part: base.unary("negative", part), x)
        if name == "abs":
            return np.where(self._against_zero("abs", x, None) < 0, self.unary("negative", x), x)
        if name == "relu":
            return self.binary("maximum", x, self.constant(0, x.ndim))
        if name in STEPS:
            return self._step(name, x)
        if name in DEFINED and name not in DERIVATIVES:
            return DEFINED[name](self, x)
        value = base.unary(name, self.value(x))
        if not self._varies(x):
            return self.dual(value)
        if name not in DERIVATIVES:
            raise UnsupportedConstruct(f"the derivative of {name}")
        slope = DERIVATIVES[name](base, self.value(x), value)
        # Constants may be where the slope is infinite.
        slope = np.where(self._moves(x), slope, 0.0)
        return self.dual(value, *(base.binary("multiply", slope, part) for part in self.derivatives(x)))

    def _step(self, name: str, x: Array) -> Array:
        """A function that is constant but for jumps, none of which is where the numbers are."""
        if name in ("sign", "logical_not"):
            self._against_zero(name, x)
        elif (self._moves(x) & (self.base.floats(self.value(x)) % 1 == 0)).any():
            raise UnsupportedConstruct(f"{name}, which has no derivative at the numbers that were drawn")
        return self.dual(self.base.unary(name, self.value(x)))

    def binary(self, name: str, x: Array, y: Array) -> Array:
        base = self.base
        if name in ("add", "subtract"):
            return self._each(lambda one, other: base.binary(name, one, other), x, y)
        if name == "multiply":
            return self._multiplied(lambda one, other: base.binary("multiply", one, other), x, y)
        if name == "divide":
            return self.binary("multiply", x, self.unary("reciprocal", y)) if self._varies(y) else self._quotient(x, y)
        if name in ("maximum", "minimum") and base.free_maxima:
            return self.reduce(name, np.stack(np.broadcast_arrays(x, y), axis=-1))[..., 0]
        if name in ("maximum", "minimum"):
            signs = base.order(self.value(x), self.value(y), None)
            self._ties(name, signs == 0, x, y)
            return np.where(signs >= 0 if name == "maximum" else signs <= 0, x, y)
        if name in ("abs_max", "abs_min"):
            return self.binary(name.replace("abs_", "") + "imum", self.unary("abs", x), self.unary("abs", y))
        if name in ("mod", "fmod"):
            return self.remainder(name, x, y)
        if name == "power":
            return self._power(x, y)
        if name in _COMPARISONS:
            self._ties(name, base.order(self.value(x), self.value(y)) == 0, x, y)
        elif name in _LOGICAL:
            x, y = self.nonzero(x), self.nonzero(y)
        elif self._varies(x, y):
            raise UnsupportedConstruct(f"the derivative of {name}")
        return self.dual(base.binary(name, self.value(x), self.value(y)))

    def _multiplied(self, product: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
        """A product of whatever kind, by the rule for products."""
        one, other = self.value(x), self.value(y)
        parts = [
            self.base.binary("add", product(left, other), product(one, right))
            for left, right in zip(self.derivatives(x), self.derivatives(y), strict=True)
        ]
        return self.dual(product(one, other), *parts)

    def _quotient(self, x: Array, y: Array) -> Array:
        """A quotient by constants."""
        divisor = self.value(y)
        return self._each(lambda part: self.base.binary("divide", part, divisor), x)

    def _power(self, x: Array, y: Array) -> Array:
        base, exponent = self.base, self.value(y)
        if self._varies(y):
            raise UnsupportedConstruct("the derivative of power by its exponent")
        if not self._varies(x):
            return self.dual(base.binary("power", self.value(x), exponent))
        exponents = np.unique(base.floats(exponent))
        if exponents.size == 1 and float(exponents[0]) in _ROOTS:
            return self.unary(_ROOTS[float(exponents[0])], x)
        less = base.binary("subtract", exponent, base.constant(1, y.ndim))
        slope = base.binary("multiply", exponent, base.binary("power", self.value(x), less))
        slope = np.where(self._moves(x), slope, 0.0)
        value = base.binary("power", self.value(x), exponent)
        return self.dual(value, *(base.binary("multiply", slope, part) for part in self.derivatives(x)))

    def reduce(self, name: str, x: Array) -> Array:
        if name == "add":
            return self._each(lambda part: self.base.reduce("add", part), x)
        if name in ("abs_max", "abs_min"):
            return self.reduce(name.replace("abs_", "") + "imum", self.unary("abs", x))
        if name not in ("maximum", "minimum"):
            return self.one_by_one(name, x)
        place = np.broadcast_to(self.base.place(name, self.value(x)), (self.lanes, *x.shape[1:-1], 1))
        found = np.take_along_axis(x, place, axis=-1)
        if self.base.free_maxima:
            return self._free_maximum(name, x, found)
        self._ties(name, self.base.floats(self.value(x)) == self.base.floats(self.value(found)), x, found)
        return found

    def _free_maximum(self, name: str, x: Array, chosen: Array) -> Array:
        """A maximum that is not decided; one argument that counts alone keeps its derivative."""
        if name == "minimum":
            return self.unary("negative", self._free_maximum("maximum", self.unary("negative", x), -chosen))
        value = self.base.reduce("maximum", self.value(x))
        alone = self.base.only_one(self.value(x), value)
        moves = self._moves(x).any(axis=-1, keepdims=True)
        parts = []
        for direction, (every, one) in enumerate(zip(self.derivatives(x), self.derivatives(chosen), strict=True)):
            part = self.base.derivative_of_maximum(direction, value, every, one)
            parts.append(np.where(moves, np.where(alone, one, part), 0.0))
        return self.dual(value, *parts)

    def matmul(self, x: Array, y: Array) -> Array:
        return self._multiplied(self.base.matmul, x, y)

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        return np.where(self.base.floats(self.value(condition)) != 0, x, y)
