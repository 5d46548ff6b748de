"""Instructions of the legacy API: they return the tile they write."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import legacy_documented
from nkiverify.model.execution import current_execution
from nkiverify.model.legacy_enums import dge_mode, engine, nc_version, oob_mode, reduce_cmd
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.legacy_tensor import given_mask as _given_mask
from nkiverify.model.operators import Operator, legacy_operator
from nkiverify.model.ops import legacy_isa as _isa

from ..language import fp32
from ._declared import dma_copy, memset, nc_matmul, nc_transpose, tensor_copy

__all__ = [
    "activation",
    "activation_reduce",
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "builtin_custom_op",
    "dge_mode",
    "dma_copy",
    "dma_engine",
    "dma_transpose",
    "dropout",
    "engine",
    "fp32",
    "get_nc_version",
    "gpsimd_engine",
    "iota",
    "local_gather",
    "max8",
    "memset",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_matmul",
    "nc_stream_shuffle",
    "nc_transpose",
    "nc_version",
    "oob_mode",
    "range_select",
    "reciprocal",
    "reduce_cmd",
    "scalar_engine",
    "scalar_tensor_tensor",
    "select_reduce",
    "sequence_bounds",
    "tensor_copy",
    "tensor_copy_dynamic_dst",
    "tensor_copy_dynamic_src",
    "tensor_copy_predicated",
    "tensor_engine",
    "tensor_partition_reduce",
    "tensor_reduce",
    "tensor_scalar",
    "tensor_scalar_reduce",
    "tensor_tensor",
    "tensor_tensor_scan",
    "unknown_engine",
    "vector_engine",
]


tensor_engine = engine.tensor
vector_engine = engine.vector
scalar_engine = engine.scalar
gpsimd_engine = engine.gpsimd
unknown_engine = engine.unknown


@legacy_documented
def tensor_tensor(
    data1: Any,
    data2: Any,
    op: Any,
    *,
    dtype: Any = None,
    mask: Any = None,
    engine: Any = engine.unknown,
    **kwargs: Any,
) -> LegacyTensor:
    """data1 op data2, element by element."""
    return _isa.tensor_tensor(data1, data2, legacy_operator(op), engine, dtype, _given_mask(mask))


@legacy_documented
def tensor_scalar(
    data: Any,
    op0: Any,
    operand0: Any,
    reverse0: Any = False,
    op1: Any = None,
    operand1: Any = None,
    reverse1: Any = False,
    *,
    dtype: Any = None,
    mask: Any = None,
    engine: Any = engine.unknown,
    **kwargs: Any,
) -> LegacyTensor:
    """(data op0 operand0) op1 operand1."""
    return _isa.tensor_scalar(
        data, legacy_operator(op0), operand0, _optional(op1), operand1, engine, dtype, _given_mask(mask)
    )


@legacy_documented
def scalar_tensor_tensor(
    *,
    data: Any,
    op0: Any,
    operand0: Any,
    op1: Any,
    operand1: Any,
    reverse0: Any = False,
    reverse1: Any = False,
    dtype: Any = None,
    mask: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """(data op0 operand0) op1 operand1, operand1 a tile."""
    return _isa.scalar_tensor_tensor(
        data, legacy_operator(op0), operand0, legacy_operator(op1), operand1, dtype, _given_mask(mask)
    )


@legacy_documented
def tensor_scalar_reduce(
    *,
    data: Any,
    op0: Any,
    operand0: Any,
    reduce_op: Any,
    reduce_res: Any,
    reverse0: Any = False,
    dtype: Any = None,
    mask: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """data op0 operand0, and its reduction over the free axes."""
    return _isa.tensor_scalar_reduce(
        data, legacy_operator(op0), operand0, legacy_operator(reduce_op), reduce_res, dtype, _given_mask(mask)
    )


@legacy_documented
def tensor_tensor_scan(
    data0: Any,
    data1: Any,
    initial: Any,
    op0: Any,
    op1: Any,
    reverse0: Any = False,
    reverse1: Any = False,
    *,
    dtype: Any = None,
    mask: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """A recurrence along the free axis."""
    return _isa.tensor_tensor_scan(
        data0, data1, initial, legacy_operator(op0), legacy_operator(op1), dtype, _given_mask(mask)
    )


@legacy_documented
def tensor_reduce(
    op: Any,
    data: Any,
    axis: Any,
    *,
    mask: Any = None,
    dtype: Any = None,
    negate: Any = False,
    keepdims: Any = False,
    **kwargs: Any,
) -> LegacyTensor:
    """data reduced over free axes."""
    return _isa.tensor_reduce(legacy_operator(op), data, axis, negate, keepdims, dtype, _given_mask(mask))


@legacy_documented
def activation(
    op: Any,
    data: Any,
    *,
    bias: Any = None,
    scale: Any = 1.0,
    reduce_op: Any = None,
    reduce_res: Any = None,
    reduce_cmd: Any = reduce_cmd.idle,
    mask: Any = None,
    dtype: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """op(data * scale + bias)."""
    return _isa.activation(
        legacy_operator(op),
        data,
        bias,
        scale,
        _optional(reduce_op),
        reduce_res,
        reduce_cmd,
        dtype,
        _given_mask(mask),
    )


@legacy_documented
def activation_reduce(
    op: Any,
    data: Any,
    *,
    reduce_op: Any,
    reduce_res: Any,
    bias: Any = None,
    scale: Any = 1.0,
    mask: Any = None,
    dtype: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """op(data * scale + bias), and its sum over the free axes."""
    return _isa.activation_reduce(
        legacy_operator(op), data, legacy_operator(reduce_op), reduce_res, bias, scale, dtype, _given_mask(mask)
    )


@legacy_documented
def reciprocal(data: Any, *, dtype: Any = None, mask: Any = None, **kwargs: Any) -> LegacyTensor:
    """1 / data."""
    return _isa.reciprocal(data, dtype, _given_mask(mask))


@legacy_documented
def get_nc_version() -> nc_version:
    """The generation of the hardware the kernel is checked for."""
    return nc_version(current_execution().hardware.generation)


def _optional(op: Any) -> Operator | None:
    return None if op is None else legacy_operator(op)


from . import _unmodelled  # noqa: E402 (they need the enumerations above)
from ._selection import (  # noqa: E402
    affine_select,
    bn_aggr,
    bn_stats,
    dropout,
    iota,
    local_gather,
    max8,
    nc_find_index8,
    nc_match_replace8,
    nc_stream_shuffle,
    range_select,
    select_reduce,
    sequence_bounds,
    tensor_copy_predicated,
    tensor_partition_reduce,
)

_DOCUMENTED = frozenset(_unmodelled.__all__)


def __getattr__(name: str) -> Any:
    if name in _DOCUMENTED:
        return getattr(_unmodelled, name)
    raise AttributeError(f"module 'neuronxcc.nki.isa' has no attribute {name!r}")
