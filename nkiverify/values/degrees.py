"""Bounds on the degrees of what a kernel computes, which bound the probability that different values agree by chance.

Each element is a quotient of polynomials in the elements of the arguments and in the results of other functions, which
count as variables of their own. The two lanes are the degrees of the numerator and of the denominator.
"""

from __future__ import annotations

import numpy as np

from nkiverify.model.dtypes import DType
from nkiverify.values.formats import Array
from nkiverify.values.numbers import Numbers

#: Functions of one number that are quotients of polynomials.
_LINEAR = frozenset(("copy", "negative", "logical_not"))
_PRODUCTS = frozenset(("multiply", "logical_and", "logical_or", "logical_xor"))


class Degrees(Numbers):
    """Degrees in place of numbers."""

    lanes = 2

    def __init__(self) -> None:
        #: The greatest degree of an argument of a function that is no quotient of polynomials, as a cross product.
        self.of_arguments = 1.0

    def buffer(self, elements: int, dtype: DType) -> Array:
        return np.zeros((2, elements), dtype=np.float32)

    def window(
        self, buffer: Array, owner: DType, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Array:
        steps = (buffer.strides[0], *(stride * 4 for stride in strides))
        return np.ndarray((2, *shape), np.float32, buffer, offset * 4, steps)

    def flat(self, buffer: Array, owner: DType, dtype: DType) -> Array:
        return buffer

    def entered(self, values: Array, dtype: DType) -> Array:
        return np.zeros((2, *values.shape), dtype=np.float32)

    def variables(self, shape: tuple[int, ...]) -> Array:
        """Elements of an argument: each is a variable."""
        return self._variable(np.zeros((2, *shape), dtype=np.float32))

    def _variable(self, like: Array) -> Array:
        result = np.zeros_like(like)
        result[0] = 1
        return result

    def read(self, stored: Array, dtype: DType) -> Array:
        return stored

    exact = read

    def convert(self, numbers: Array, dtype: DType) -> Array:
        return numbers

    def nonzero(self, condition: Array) -> Array:
        return self._function(condition)

    def rounded(self, numbers: Array, dtype: DType) -> Array:
        return self._function(numbers)

    def constant(self, value: float, rank: int) -> Array:
        return np.zeros((2, *(1,) * (rank - 1)), dtype=np.float32)

    def _function(self, *arguments: Array) -> Array:
        joined = np.broadcast_arrays(*arguments)
        for argument in joined:
            # Two arguments n1/d1 and n2/d2 agree where n1 d2 - n2 d1 is zero.
            self.of_arguments = max(self.of_arguments, float((argument[0] + argument[1]).max()))
        return self._variable(joined[0])

    def unary(self, name: str, x: Array) -> Array:
        if name in _LINEAR:
            return x
        if name == "square":
            return 2 * x
        if name == "reciprocal":
            return x[::-1]
        return self._function(x)

    def binary(self, name: str, x: Array, y: Array) -> Array:
        x, y = np.broadcast_arrays(x, y)
        if name in ("add", "subtract"):
            return np.stack([np.maximum(x[0] + y[1], y[0] + x[1]), x[1] + y[1]])
        if name in _PRODUCTS:
            return x + y
        if name == "divide":
            return x + y[::-1]
        return self._function(x, y)

    def reduce(self, name: str, x: Array) -> Array:
        if name == "add":
            below = x[1:].sum(axis=-1, keepdims=True)
            return np.concatenate([x[:1].max(axis=-1, keepdims=True) + below, below])
        if name in ("multiply", "logical_and", "logical_or", "logical_xor"):
            return x.sum(axis=-1, keepdims=True)
        return self._function(x[..., :1] * 0 + x.max(axis=-1, keepdims=True))

    def matmul(self, x: Array, y: Array) -> Array:
        below = x[1].sum(axis=0)[:, None] + y[1].sum(axis=0)[None, :]
        return np.stack([x[0].max(axis=0)[:, None] + y[0].max(axis=0)[None, :] + below, below])

    def scan(self, name0: str, name1: str, x: Array, y: Array, initial: Array) -> Array:
        first, second = np.moveaxis(x, -1, 0), np.moveaxis(y, -1, 0)
        states = []
        state = initial[..., 0]
        for step in range(first.shape[0]):
            state = self.binary(name1, self.binary(name0, first[step], state), second[step])
            states.append(state)
        return np.stack(states, axis=-1)

    def choose(self, condition: Array, x: Array, y: Array) -> Array:
        return self.binary("add", y, self.binary("multiply", condition, self.binary("subtract", x, y)))
