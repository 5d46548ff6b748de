"""Normalisation over free axes: nl.softmax and nl.rms_norm (reference sections c.5 and f.4).

A source `op` is the page of that function, `L:op` the docstring of the legacy one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.model.allocation import result_tile as new_tile
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.ops.arithmetic import difference, multiplied
from nkiverify.model.ops.operands import on_chip, tile
from nkiverify.model.ops.reductions import free_axes, reduced_axes, reduced_lines
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import all_of, any_of, equal

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


SOFTMAX = operation("nl.softmax", dependence=Dependence(Link.ALONG), engine="any", behaviour=OVERWRITES)
RMS_NORM = operation(
    "nl.rms_norm", dependence=Dependence(Link.ALONG, {"w": Link.ROWS}), engine="any", behaviour=OVERWRITES
)

define(
    "nl.rms_norm.weight",
    "The weight of nl.rms_norm must have the shape of x, or its free shape in one partition.",
    "nl.rms_norm",
    api=("nki",),
)
define(
    "leg.compute_dtype",
    "dtype and compute_dtype must be the same where both are given.",
    "L:softmax; L:rms_norm",
    api=("neuronxcc",),
)


@SOFTMAX.current
def _(x: object, axis: object = -1, dtype: object = None) -> Tensor:
    """A new SBUF tile of the shape of `x`: softmax over its last free axes."""
    source = tile(x, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    reduced_axes("nl.reduce.axis", "nl.reduce.axis_last", source, axis)
    return new_tile(source.shape, declared_dtype(dtype, source.dtype))


@SOFTMAX.legacy
def _(
    x: object,
    axis: object,
    *,
    dtype: object = None,
    compute_dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`: softmax over free axes."""
    _claim_one_dtype(dtype, compute_dtype)
    return _normalised(x, axis, dtype, mask)


@SOFTMAX.meaning
def _(step: Step) -> None:
    """exp(x - max) / sum of it, over free axes."""
    axes = step.axes("axis", "x")
    lines, _ = reduced_lines(step, "x")
    powers = step.n.unary("exp", difference(step.n, lines, step.n.reduce("maximum", lines)))
    inverse = step.n.unary("reciprocal", step.n.reduce("add", powers))
    step.write(step.only_write, step.scattered_axes(step.n.binary("multiply", powers, inverse), "x", axes))


@RMS_NORM.current
def _(
    x: object,
    w: object,
    axis: object,
    n: object,
    epsilon: object = 1e-06,
    dtype: object = None,
    compute_dtype: object = None,
) -> Tensor:
    """A new SBUF tile of the shape of `x`: x / RMS(x) * w."""
    source, weight = tile(x, "x"), tile(w, "w")
    require("isa.on_chip", on_chip(source, weight), x=source.buffer, w=weight.buffer)
    reduced_axes("nl.reduce.axis", "nl.reduce.axis_last", source, axis)
    require(
        "nl.rms_norm.weight",
        all_of(
            equal(weight.free_size, source.free_size),
            any_of(equal(weight.shape[0], 1), equal(weight.shape[0], source.shape[0])),
        ),
        x=source.shape,
        w=weight.shape,
    )
    return new_tile(source.shape, declared_dtype(dtype, source.dtype))


@RMS_NORM.legacy
def _(
    x: object,
    w: object,
    axis: object,
    n: object,
    epsilon: object = 1e-06,
    *,
    dtype: object = None,
    compute_dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`: x / RMS(x) * w."""
    _claim_one_dtype(dtype, compute_dtype)
    weight = operand(w, mask, "w")
    require("isa.on_chip", on_chip(weight), w=weight.buffer)
    return _normalised(x, axis, dtype, mask)


@RMS_NORM.meaning
def _(step: Step) -> None:
    """x / sqrt(sum of squares / n + epsilon) * w."""
    axes = step.axes("axis", "x")
    lines, count = reduced_lines(step, "x")
    divisor = step.attribute("n", None)
    squares = step.n.reduce("add", step.n.binary("multiply", lines, lines))
    inside = multiplied(step.n, squares, 1.0 / (count if divisor is None else float(divisor)))
    epsilon = step.attribute("epsilon", 0.0)
    inside = step.n.binary("add", inside, step.n.constant(float(epsilon), inside.ndim))
    scaled = step.scattered_axes(step.n.binary("multiply", lines, step.n.unary("rsqrt", inside)), "x", axes)
    rows = scaled.reshape(step.n.lanes, scaled.shape[1], -1)
    step.write(step.only_write, step.n.binary("multiply", rows, step.rows("w")))


def _claim_one_dtype(dtype: object, compute_dtype: object) -> None:
    if dtype is not None and compute_dtype is not None:
        same = named_dtype(dtype) == named_dtype(compute_dtype)
        require("leg.compute_dtype", same, dtype=dtype, compute_dtype=compute_dtype)


def _normalised(x: object, axis: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`, of which free axes are named."""
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    free_axes(result, axis)
    return result
