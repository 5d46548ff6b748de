"""Instructions of the legacy API: each makes the tile it returns, then demands what the current one does.

Operands may be accesses with index tensors; they are resolved under the instruction's mask. Where the documentation
names no dtype for the result, it is that of the data.
"""

from __future__ import annotations

from nkiverify.model import isa_enums as isa
from nkiverify.model.access import Access
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, bfloat16, float16, float32
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops import elementwise, reductions
from nkiverify.model.ops.legacy_language import free_axes
from nkiverify.model.promotion import promoted
from nkiverify.model.tensor import Tensor


def _dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else named_dtype(dtype)


def _scalar_operand(value: object, mask: Mask | None, argument: str) -> object:
    """A constant as it is, a tile resolved under the mask."""
    return operand(value, mask, argument) if isinstance(value, Tensor | Access) else value


def _engine(engine: object) -> isa.engine:
    if not isinstance(engine, int):
        raise TypeError(f"engine is a member of nki.isa.engine, not {engine!r}")
    return isa.engine(int(engine))


def tensor_tensor(
    data1: object, data2: object, op: Operator, engine: object, dtype: object, mask: Mask | None
) -> LegacyTensor:
    """data1 op data2, element by element."""
    left, right = operand(data1, mask, "data1"), operand(data2, mask, "data2")
    result = result_tile(left.shape, _dtype(dtype, promoted(left.dtype, right.dtype)), mask=mask)
    elementwise.tensor_tensor(result, left, right, op, _engine(engine))
    return result


def tensor_scalar(
    data: object,
    op0: Operator,
    operand0: object,
    op1: Operator | None,
    operand1: object,
    engine: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """(data op0 operand0) op1 operand1."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    elementwise.tensor_scalar(
        result,
        source,
        op0,
        _scalar_operand(operand0, mask, "operand0"),
        op1,
        _scalar_operand(operand1, mask, "operand1"),
        _engine(engine),
    )
    return result


def scalar_tensor_tensor(
    data: object,
    op0: Operator,
    operand0: object,
    op1: Operator,
    operand1: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """(data op0 operand0) op1 operand1, operand1 a tile."""
    source, other = operand(data, mask, "data"), operand(operand1, mask, "operand1")
    result = result_tile(source.shape, _dtype(dtype, promoted(source.dtype, other.dtype)), mask=mask)
    elementwise.scalar_tensor_tensor(result, source, op0, _scalar_operand(operand0, mask, "operand0"), op1, other)
    return result


def tensor_scalar_reduce(
    data: object,
    op0: Operator,
    operand0: object,
    reduce_op: Operator,
    reduce_res: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """data op0 operand0, and its reduction over the free axes in `reduce_res`."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    elementwise.tensor_scalar_reduce(
        result,
        source,
        op0,
        _scalar_operand(operand0, mask, "operand0"),
        reduce_op,
        operand(reduce_res, mask, "reduce_res"),
        reducers=("add", "subtract", "multiply", "maximum", "minimum"),
    )
    return result


def tensor_tensor_scan(
    data0: object,
    data1: object,
    initial: object,
    op0: Operator,
    op1: Operator,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """A recurrence along the free axis."""
    left, right = operand(data0, mask, "data0"), operand(data1, mask, "data1")
    result = result_tile(left.shape, _dtype(dtype, promoted(left.dtype, right.dtype)), mask=mask)
    elementwise.tensor_tensor_scan(result, left, right, _scalar_operand(initial, mask, "initial"), op0, op1)
    return result


def activation(
    op: Operator,
    data: object,
    bias: object,
    scale: object,
    reduce_op: Operator | None,
    reduce_res: object,
    reduce_cmd: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """op(data * scale + bias); a bias is a tile on every generation."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    shift = _scalar_operand(bias, mask, "bias")
    if isinstance(shift, Tensor):
        require("leg.activation.bias", shift.dtype in (float32, float16, bfloat16), dtype=shift.dtype)
    elementwise.activation(
        result,
        op,
        source,
        shift,
        _scalar_operand(scale, mask, "scale"),
        reduce_op,
        None if reduce_res is None else operand(reduce_res, mask, "reduce_res"),
        isa.reduce_cmd(int(reduce_cmd)) if isinstance(reduce_cmd, int) else reduce_cmd,
        constant_bias_from=_NEVER,
    )
    return result


#: No generation: the legacy activation takes a bias tile everywhere.
_NEVER = 99


def activation_reduce(
    op: Operator,
    data: object,
    reduce_op: Operator,
    reduce_res: object,
    bias: object,
    scale: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """op(data * scale + bias), and its sum over the free axes in `reduce_res`."""
    return activation(op, data, bias, scale, reduce_op, reduce_res, isa.reduce_cmd.reset_reduce, dtype, mask)


def reciprocal(data: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """1 / data."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    elementwise.reciprocal(result, source)
    return result


def tensor_reduce(
    op: Operator,
    data: object,
    axis: object,
    negate: object,
    keepdims: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """data reduced over free axes: the first ones or the last ones (the documentation has both)."""
    source = operand(data, mask, "data")
    axes = free_axes(source, axis)
    last, count = source.ndim - 1, len(axes)
    joined = axes in (frozenset(range(1, 1 + count)), frozenset(range(last - count + 1, last + 1)))
    require("leg.tensor_reduce.axis", joined, axis=axis, shape=source.shape)
    if keepdims:
        shape = tuple(1 if dim in axes else extent for dim, extent in enumerate(source.shape))
    else:
        shape = tuple(extent for dim, extent in enumerate(source.shape) if dim not in axes)
        shape = shape if len(shape) > 1 else (*shape, 1)
    left = None if mask is None else mask.reduced(source.ndim, axes, keepdims=bool(keepdims))
    result = result_tile(shape, _dtype(dtype, source.dtype), mask=left)
    reductions.claim_reduction(op, negate, result, source)
    return result
