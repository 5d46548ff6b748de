"""Pieces that the meanings of several operations are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.model.dtypes import DType
from nkiverify.model.operators import Operator

if TYPE_CHECKING:
    from nkiverify.model.meaning import Array, Numbers, Step


def applied(numbers: Numbers, op: Operator, x: Array, y: Array | None, reverse: bool = False) -> Array:
    """`x op y`, `y op x` where reversed, or the unary operator on x."""
    if op.name == "bypass":
        return x
    if op.arity == 1 or y is None:
        return numbers.unary(op.name, x)
    return numbers.binary(op.name, y, x) if reverse else numbers.binary(op.name, x, y)


def operated(
    step: Step, op: Operator, x: Array, y: Array | None, dtypes: tuple[DType, DType], reverse: bool = False
) -> Array:
    """As `applied`, where x and y were read from dtypes: a shift to the right takes what it shifts for unsigned."""
    if op.name == "right_shift" and y is not None:
        if reverse:
            y = step.n.unsigned(y, dtypes[1])
        else:
            x = step.n.unsigned(x, dtypes[0])
    return applied(step.n, op, x, y, reverse)


def multiplied(numbers: Numbers, x: Array, factor: float | Array) -> Array:
    """x times a number, which for 1 changes nothing."""
    if isinstance(factor, int | float):
        return x if factor == 1 else numbers.binary("multiply", x, numbers.constant(factor, x.ndim))
    return numbers.binary("multiply", x, factor)


def mean(numbers: Numbers, x: Array, count: int) -> Array:
    """The mean along the last axis of this many elements; the axis stays."""
    return multiplied(numbers, numbers.reduce("add", x), 1.0 / count)


def difference(numbers: Numbers, x: Array, y: Array) -> Array:
    """x - y."""
    return numbers.binary("subtract", x, y)
