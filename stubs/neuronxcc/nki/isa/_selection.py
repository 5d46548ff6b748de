"""Selects, index patterns, searches, statistics and gathers of the legacy API."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkiverify.model import isa_enums
from nkiverify.model.documented import legacy_documented
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.legacy_tensor import given_mask as _given_mask
from nkiverify.model.operators import legacy_operator
from nkiverify.model.ops import legacy_selection as _selection

from ..language import fp32
from . import reduce_cmd

__all__ = [
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "dropout",
    "iota",
    "local_gather",
    "max8",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_stream_shuffle",
    "range_select",
    "select_reduce",
    "sequence_bounds",
    "tensor_copy_predicated",
    "tensor_partition_reduce",
]


def _command(command: Any) -> Any:
    return isa_enums.reduce_cmd(int(command)) if isinstance(command, int) else command


@legacy_documented
def affine_select(
    pred: Any, on_true_tile: Any, on_false_value: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any
) -> LegacyTensor:
    """A tile where an affine condition holds, else a constant."""
    return _selection.affine_select(pred, on_true_tile, on_false_value, dtype, _given_mask(mask))


@legacy_documented
def bn_aggr(data: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """Mean and variance of statistics."""
    return _selection.bn_aggr(data, dtype, _given_mask(mask))


@legacy_documented
def bn_stats(data: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """Statistics of even and odd elements."""
    return _selection.bn_stats(data, dtype, _given_mask(mask))


@legacy_documented
def dropout(data: Any, prob: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """Elements set to 0 at a rate."""
    return _selection.dropout(data, prob, dtype, _given_mask(mask))


@legacy_documented
def iota(expr: Any, dtype: Any, *, mask: Any = None, **kwargs: Any) -> LegacyTensor:
    """An affine pattern of integers."""
    return _selection.iota(expr, dtype, _given_mask(mask))


@legacy_documented
def local_gather(
    src_buffer: Any, index: Any, num_elem_per_idx: Any = 1, num_valid_indices: Any = None, *, mask: Any = None
) -> LegacyTensor:
    """Elements gathered by each GpSimd core."""
    return _selection.local_gather(src_buffer, index, num_elem_per_idx, num_valid_indices, _given_mask(mask))


@legacy_documented
def max8(*, src: Any, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """The 8 greatest elements of each partition."""
    return _selection.max8(src, dtype, _given_mask(mask))


@legacy_documented
def nc_find_index8(*, data: Any, vals: Any, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """Positions of 8 values."""
    return _selection.nc_find_index8(data, vals, dtype, _given_mask(mask))


@legacy_documented
def nc_match_replace8(
    *, data: Any, vals: Any, imm: Any, dst_idx: Any = None, mask: Any = None, dtype: Any = None, **kwargs: Any
) -> LegacyTensor:
    """8 values replaced by a constant."""
    return _selection.nc_match_replace8(data, vals, imm, dst_idx, dtype, _given_mask(mask))


@legacy_documented
def nc_stream_shuffle(
    src: Any, dst: Any, shuffle_mask: Any, *, dtype: Any = None, mask: Any = None, **kwargs: Any
) -> None:
    """Partitions of each quadrant in another order."""
    _selection.nc_stream_shuffle(src, dst, shuffle_mask, dtype, _given_mask(mask))


@legacy_documented
def range_select(
    *,
    on_true_tile: Any,
    comp_op0: Any,
    comp_op1: Any,
    bound0: Any,
    bound1: Any,
    reduce_cmd: Any = reduce_cmd.idle,
    reduce_res: Any = None,
    reduce_op: Any = np.amax,
    range_start: Any = 0,
    on_false_value: Any = fp32.min,
    mask: Any = None,
    dtype: Any = None,
    **kwargs: Any,
) -> LegacyTensor:
    """A tile where the free position is in a range."""
    return _selection.range_select(
        on_true_tile,
        legacy_operator(comp_op0),
        legacy_operator(comp_op1),
        bound0,
        bound1,
        _command(reduce_cmd),
        reduce_res,
        legacy_operator(reduce_op),
        range_start,
        on_false_value,
        dtype,
        _given_mask(mask),
    )


@legacy_documented
def select_reduce(
    *,
    dst: Any,
    predicate: Any,
    on_true: Any,
    on_false: Any,
    reduce_res: Any = None,
    reduce_cmd: Any = reduce_cmd.idle,
    reduce_op: Any = np.amax,
    reverse_pred: Any = False,
    mask: Any = None,
    dtype: Any = None,
    **kwargs: Any,
) -> None:
    """A select with a maximum."""
    _selection.select_reduce(
        dst,
        predicate,
        on_true,
        on_false,
        reduce_res,
        _command(reduce_cmd),
        legacy_operator(reduce_op),
        dtype,
        _given_mask(mask),
    )


@legacy_documented
def sequence_bounds(*, segment_ids: Any, dtype: Any = None) -> LegacyTensor:
    """Bounds of the segment of every position."""
    return _selection.sequence_bounds(segment_ids, dtype)


@legacy_documented
def tensor_copy_predicated(
    *, src: Any, dst: Any, predicate: Any, reverse_pred: Any = False, mask: Any = None, dtype: Any = None, **kwargs: Any
) -> None:
    """A copy where a predicate holds."""
    _selection.tensor_copy_predicated(src, dst, predicate, dtype, _given_mask(mask))


@legacy_documented
def tensor_partition_reduce(op: Any, data: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> LegacyTensor:
    """A reduction over partitions."""
    return _selection.tensor_partition_reduce(legacy_operator(op), data, dtype, _given_mask(mask))
