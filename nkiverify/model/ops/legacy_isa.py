"""Instructions of the legacy API: each makes the tile it returns, then demands what the current one does.

Operands may be accesses with index tensors; they are resolved under the instruction's mask. Where the documentation
names no dtype for the result, it is that of the data.
"""

from __future__ import annotations

from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops import reductions
from nkiverify.model.ops.legacy_language import free_axes


def _dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else named_dtype(dtype)


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
