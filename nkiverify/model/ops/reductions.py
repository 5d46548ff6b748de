"""Reductions: over free axes, over the partitions, over the iterations of a loop (reference sections c.3 and f.4).

A source `op` is the page of that operation, `L:op` the docstring of the legacy one; SH is the page of operators, A2 the
architecture of gen2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.model.allocation import result_tile as new_tile
from nkiverify.model.contracts import define, require, require_if_open
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import bool_
from nkiverify.model.extents import as_extent, as_number, is_sequence
from nkiverify.model.indices import Mask
from nkiverify.model.interval_arithmetic import TRUTH, TRUTHS, of_operator, summed
from nkiverify.model.known_numbers import UNKNOWN, Value
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops.arithmetic import difference, mean, multiplied
from nkiverify.model.ops.operands import claim_in_sbuf, claim_integers, destination, on_chip, tile
from nkiverify.model.registry import OVERWRITES, Declaration, operation
from nkiverify.model.tensor import Tensor, declared_dtype, free_elements
from nkiverify.symbolic import Extent, all_of, equal

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Array, Step


LEGACY = ("neuronxcc",)

define("nl.reduce.axis", "A reduction's axes must be free ones, each named once.", "nl.sum; L:sum")
define(
    "nl.reduce.axis_last",
    "A reduction's axes must be the last contiguous dimensions.",
    "nl.sum",
    api=("nki",),
    contested="as `tensor_reduce.axis_last`: the functions are wrappers of that instruction",
)
define("leg.reduce.axis", "A reduction's axes must be free ones.", "L:sum; L:max", api=LEGACY)


def reduced_axes(contract: str, contested: str, data: Tensor, axis: object) -> frozenset[int]:
    """The dimensions that `axis` names: claimed to be free ones, as `contract`, and the last ones, as `contested`."""
    axes = tuple(axis) if is_sequence(axis) else (axis,)
    given = (as_number(part) for part in axes)
    numbers = [part + data.ndim if part < 0 else part for part in given if part is not None]
    legal = len(numbers) == len(axes) == len(set(numbers)) > 0 and all(1 <= part < data.ndim for part in numbers)
    require(contract, legal, axis=axis, shape=data.shape)
    if not legal:
        raise ValueError(f"axes {axis!r} are not free dimensions of a tensor of {data.ndim} dimensions")
    last = sorted(numbers) == list(range(data.ndim - len(numbers), data.ndim))
    require_if_open(contested, last, axis=axis, shape=data.shape)
    return frozenset(numbers)


def free_axes(source: Tensor, axis: object) -> frozenset[int]:
    """The dimensions a reduction of the legacy API names, claimed to be free ones."""
    axes = tuple(axis) if is_sequence(axis) else (axis,)
    given = (as_number(part) for part in axes)
    numbers = [part + source.ndim if part < 0 else part for part in given if part is not None]
    legal = len(numbers) == len(axes) == len(set(numbers)) and all(1 <= part < source.ndim for part in numbers)
    require("leg.reduce.axis", legal and len(axes) > 0, axis=axis, shape=source.shape)
    if not legal:
        raise ValueError(f"axes {axis!r} are not free dimensions of a tile of {source.ndim} dimensions")
    return frozenset(numbers)


def _reduced_shape(source: Tensor, axes: frozenset[int], keepdims: object) -> tuple[Extent, ...]:
    """The shape of a tile reduced over axes: they go away or stay with extent 1."""
    if keepdims:
        return tuple(1 if dim in axes else extent for dim, extent in enumerate(source.shape))
    shape = tuple(extent for dim, extent in enumerate(source.shape) if dim not in axes)
    return shape if len(shape) > 1 else (*shape, 1)


def _reduced_mask(source: Tensor, axes: frozenset[int], keepdims: object, mask: Mask | None) -> Mask | None:
    """The part of its result that a mask of a reduction in the legacy API leaves."""
    return None if mask is None else mask.reduced(source.ndim, axes, keepdims=bool(keepdims))


# --- tensor_reduce ----------------------------------------------------------------------------------------------------

TENSOR_REDUCE = operation("nisa.tensor_reduce", dependence=Dependence(Link.REDUCED), engine="any", behaviour=OVERWRITES)

define(
    "tensor_reduce.axis_free",
    "The axes must be free dimensions, each named once, never 0.",
    "tensor_reduce",
    api=("nki",),
)
define(
    "tensor_reduce.axis_last",
    "The axes must be the last contiguous dimensions.",
    "tensor_reduce",
    api=("nki",),
    contested="published kernels reduce other free axes, for example axis 1 of (P, A, B), and pass their tests; since "
    "NKI 0.3 the numbers of axes are those of dimensions (MIG-0.3)",
)
define(
    "tensor_reduce.dst",
    "dst must have the partitions of data and one element for each kept free position.",
    "tensor_reduce",
)
define(
    "tensor_reduce.op",
    "op must be an operator the table allows in reductions; negate must only be set with arithmetic ones.",
    "tensor_reduce; SH",
)
define("tensor_reduce.buffers", "Data and dst must be in SBUF or PSUM.", "tensor_reduce", takes={"": ("sbuf", "psum")})
define(
    "leg.tensor_reduce.axis",
    "The axes must be contiguous and include the first or the last free dimension.",
    "L:tensor_reduce",
    api=LEGACY,
    contested="published convolutions that passed their tests on hardware reduce axes 1 and 3 of (P, A, B, C) by "
    "tensor_reduce, and those of the current API reduce others as well (`tensor_reduce.axis_last`)",
)


@TENSOR_REDUCE.current
def _(
    dst: object,
    op: Operator,
    data: object,
    axis: object,
    negate: object = False,
    keepdims: object = False,
    name: object = None,
) -> None:
    """dst = data (P, …) reduced over its last axes; dst has one element for each position of the kept ones."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    _claim_reduction(op, negate, result, source)
    axes = reduced_axes("tensor_reduce.axis_free", "tensor_reduce.axis_last", source, axis)
    kept = free_elements([extent for dim, extent in enumerate(source.shape) if dim and dim not in axes])
    require(
        "tensor_reduce.dst",
        all_of(equal(result.shape[0], source.shape[0]), equal(result.free_size, kept)),
        dst=result.shape,
        data=source.shape,
        axis=axis,
    )


@TENSOR_REDUCE.legacy
def _(
    op: Operator,
    data: object,
    axis: object,
    *,
    mask: Mask | None = None,
    dtype: object = None,
    negate: object = False,
    keepdims: object = False,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile: data reduced over free axes, the first ones or the last ones (the documentation has both)."""
    source = operand(data, mask, "data")
    axes = free_axes(source, axis)
    last, count = source.ndim - 1, len(axes)
    joined = axes in (frozenset(range(1, 1 + count)), frozenset(range(last - count + 1, last + 1)))
    require("leg.tensor_reduce.axis", joined, axis=axis, shape=source.shape)
    left = _reduced_mask(source, axes, keepdims, mask)
    result = result_tile(_reduced_shape(source, axes, keepdims), named_dtype(dtype, source.dtype), mask=left)
    _claim_reduction(op, negate, result, source)
    return result


def _claim_reduction(op: Operator, negate: object, result: Tensor, source: Tensor) -> None:
    """Claim what a reduction demands of its operator and memories."""
    require("tensor_reduce.op", op.reduces and not (negate and op.bitvec), op=op, negate=negate)
    claim_integers(op, result, source)
    require("tensor_reduce.buffers", on_chip(result, source), dst=result.buffer, data=source.buffer)


@TENSOR_REDUCE.meaning
def _(step: Step) -> None:
    """data reduced over some of its axes ("tensor_reduce.axis_last"), negated if asked."""
    op = step.operator("op")
    reduced = step.reduced("data", op.name, step.axes("axis", "data"), exact=op.bitvec)
    step.write("dst", step.n.unary("negative", reduced) if step.flag("negate") else reduced)


@TENSOR_REDUCE.bounds
def _(bounds: Bounds) -> None:
    """The elements of a partition reduced, or some of them."""
    op = bounds.operator("op")
    value = _reduced_numbers(bounds, op.name if op is not None else "", "data", bounds.count("data"))
    bounds.write(of_operator("negative", value) if bounds.attribute("negate") else value)


def _reduced_numbers(bounds: Bounds, operator: str, source: str, count: Extent) -> Value:
    """At most this many elements of an operand reduced."""
    if operator in TRUTHS:
        return TRUTH
    if bounds.undetermined(source):
        return UNKNOWN
    if operator in ("maximum", "minimum", "max", "min"):
        return replace(bounds.numbers(source), exact=False, term=None)
    if operator == "add":
        return summed(bounds.numbers(source), count)
    return UNKNOWN


# --- tensor_partition_reduce ------------------------------------------------------------------------------------------

TENSOR_PARTITION_REDUCE = operation(
    "nisa.tensor_partition_reduce", dependence=Dependence(Link.OVER_PARTITIONS), engine="gpsimd", behaviour=OVERWRITES
)

define(
    "tpr.op",
    "op of tensor_partition_reduce must be add, average, max, bitwise_or or bitwise_and.",
    "tensor_partition_reduce",
)
define(
    "tpr.sbuf",
    "tensor_partition_reduce runs on GpSimd: its operands must be in SBUF.",
    "tensor_partition_reduce; A2",
    takes={"": ("sbuf",)},
)
define(
    "tpr.shape",
    "dst of tensor_partition_reduce must have one partition and the elements per partition of data.",
    "tensor_partition_reduce (implied)",
    api=("nki",),
)


@TENSOR_PARTITION_REDUCE.current
def tensor_partition_reduce(dst: object, op: Operator, data: object, name: object = None) -> None:
    """dst (1, F) = data (P, F) reduced over the partitions, on GpSimd."""
    result, source = destination(dst), tile(data, "data")
    legal = op.name in ("add", "average", "maximum", "max", "bitwise_or", "bitwise_and")
    require("tpr.op", legal, op=op)
    claim_in_sbuf("tpr.sbuf", dst=result, data=source)
    require(
        "tpr.shape",
        all_of(equal(result.shape[0], 1), equal(result.free_size, source.free_size)),
        dst=result.shape,
        data=source.shape,
    )


@TENSOR_PARTITION_REDUCE.legacy
def _(op: Operator, data: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile of one partition: data reduced over the partitions."""
    source = operand(data, mask, "data")
    result = result_tile((1, *source.shape[1:]), named_dtype(dtype, source.dtype), mask=mask)
    tensor_partition_reduce(result, op, source)
    return result


@TENSOR_PARTITION_REDUCE.meaning
def _(step: Step) -> None:
    """data (P, F) reduced over the partitions to (1, F)."""
    op = step.operator("op")
    data = step.rows("data", exact=op.bitvec)
    across = data.transpose(0, 2, 1)
    name = {"average": "add", "max": "maximum"}.get(op.name, op.name)
    result = step.n.reduce(name, across)
    if op.name == "average":
        result = multiplied(step.n, result, 1.0 / data.shape[1])
    step.write("dst", result)


@TENSOR_PARTITION_REDUCE.bounds
def _(bounds: Bounds) -> None:
    """The partitions reduced."""
    op, source = bounds.operator("op"), bounds.tensor("data")
    if op is not None and source is not None:
        bounds.write(_reduced_numbers(bounds, op.name, "data", source.shape[0]))


# --- functions of nl over free axes -----------------------------------------------------------------------------------

SUM, MAX, MIN, MEAN, PROD, VAR, ALL = (
    operation(f"nl.{name}", dependence=Dependence(Link.REDUCED), engine="any", behaviour=OVERWRITES)
    for name in ("sum", "max", "min", "mean", "prod", "var", "all")
)
#: The operators of those that are a reduction by one.
_OPERATORS = {
    "nl.sum": "add",
    "nl.max": "maximum",
    "nl.min": "minimum",
    "nl.prod": "multiply",
    "nl.all": "logical_and",
}


def _declare_functions(declared: Declaration) -> None:
    """Give a function over free axes its documented signatures."""

    @declared.current
    def _(x: object, axis: object, dtype: object = None, keepdims: object = False) -> Tensor:
        """A new SBUF tile: `x` reduced over its last free axes, which go away or stay with extent 1."""
        return _reduced(x, axis, dtype, keepdims)

    @declared.legacy
    def _(
        x: object,
        axis: object,
        *,
        dtype: object = None,
        mask: Mask | None = None,
        keepdims: object = False,
        **kwargs: object,
    ) -> LegacyTensor:
        """A new SBUF tile: `x` reduced over free axes, which go away or stay with extent 1."""
        return _legacy_reduced(x, axis, dtype, mask, keepdims)


for _declared in (SUM, MAX, MIN, MEAN, PROD):
    _declare_functions(_declared)


@VAR.current
def _(x: object, axis: object, dtype: object = None, keepdims: object = False) -> Tensor:
    """A new SBUF tile: the variance over the last free axes, which stay with extent 1."""
    return _reduced(x, axis, dtype, True)


@VAR.legacy
def _(x: object, axis: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile: the variance over free axes, which go away."""
    return _legacy_reduced(x, axis, dtype, mask, False)


@ALL.current
def _(x: object, axis: object, dtype: object = None) -> Tensor:
    """A new SBUF tile: whether all elements are non-zero, over the last free axes, which go away."""
    return _reduced(x, axis, dtype, False)


@ALL.legacy
def _(x: object, axis: object, *, dtype: object = bool, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile: whether all elements are non-zero, over free axes, which go away."""
    return _legacy_reduced(x, axis, bool_ if dtype is None else dtype, mask, False)


def _reduced(x: object, axis: object, dtype: object, keepdims: object) -> Tensor:
    """A new SBUF tile: `x` reduced over free axes, which go away or stay with extent 1."""
    source = tile(x, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    axes = reduced_axes("nl.reduce.axis", "nl.reduce.axis_last", source, axis)
    # An on-chip tile has a free dimension, whatever was reduced.
    return new_tile(_reduced_shape(source, axes, keepdims), declared_dtype(dtype, source.dtype))


def _legacy_reduced(x: object, axis: object, dtype: object, mask: Mask | None, keepdims: object) -> LegacyTensor:
    """A new SBUF tile: `x` reduced over free axes, which go away or stay with extent 1."""
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    axes = free_axes(source, axis)
    left = _reduced_mask(source, axes, keepdims, mask)
    return result_tile(_reduced_shape(source, axes, keepdims), named_dtype(dtype, source.dtype), mask=left)


def _reduce(step: Step) -> None:
    """The reduction over free axes by the operator of the function."""
    step.write(step.only_write, step.reduced("x", _OPERATORS[step.name], step.axes("axis", "x")))


def _bounds_of(operator: str) -> Callable[[Bounds], None]:
    def bounds_of(bounds: Bounds) -> None:
        """Elements of a partition reduced."""
        bounds.write(_reduced_numbers(bounds, operator, "x", bounds.count("x")))

    return bounds_of


for _declared in (SUM, MAX, MIN, PROD, ALL):
    _declared.meaning(_reduce)
    _declared.bounds(_bounds_of(_OPERATORS[_declared.name]))


def reduced_lines(step: Step, name: str) -> tuple[Array, int]:
    """An operand with its reduced axes made one and put last, and how many elements that one has."""
    axes = step.axes("axis", name)
    step.whole_lines(name, axes)
    lines = step.gathered_axes(name, axes)
    return lines, lines.shape[-1]


@MEAN.meaning
def _(step: Step) -> None:
    """The mean over free axes, in float32 ("nl.mean")."""
    lines, count = reduced_lines(step, "x")
    step.write(step.only_write, mean(step.n, lines, count))


@VAR.meaning
def _(step: Step) -> None:
    """The mean square distance from the mean over free axes."""
    lines, count = reduced_lines(step, "x")
    away = difference(step.n, lines, mean(step.n, lines, count))
    step.write(step.only_write, mean(step.n, step.n.binary("multiply", away, away), count))


# --- nl.loop_reduce ---------------------------------------------------------------------------------------------------

LOOP_REDUCE = operation(
    "nl.loop_reduce",
    dependence=Dependence(Link.BROADCAST),
    engine="any",
    behaviour=OVERWRITES.but(side_effect=True, sums_loop=True),
)


@LOOP_REDUCE.legacy
def _(
    x: object,
    op: Operator,
    loop_indices: object,
    *,
    dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`: its running reduction over the loops listed."""
    if not is_sequence(loop_indices) or any(as_extent(index) is None for index in loop_indices):
        raise TypeError("loop_reduce takes a list of loop indices")
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    return result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)


@LOOP_REDUCE.meaning
def _(step: Step) -> None:
    """The tile itself: the assignment that follows joins it to what its destination holds ("L:loop_reduce")."""
    step.write(step.only_write, step.numbers("x"))
    step.start_reduction(step.operator("op").name)
