"""Functions that are documented and not modelled yet: calls are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from nkiverify.model.documented import unmodelled

from ..language import fp32
from . import engine, reduce_cmd

__all__: list[str] = [
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "builtin_custom_op",
    "dma_engine",
    "dma_transpose",
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
    "tensor_copy_dynamic_dst",
    "tensor_copy_dynamic_src",
    "tensor_copy_predicated",
    "tensor_partition_reduce",
]


@unmodelled
def affine_select(
    pred: Any, on_true_tile: Any, on_false_value: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """A tile where an affine condition holds, else a constant."""


@unmodelled
def bn_aggr(data: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Mean and variance of statistics."""


@unmodelled
def bn_stats(data: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Statistics of even and odd elements."""


@unmodelled
def builtin_custom_op(
    function_name: Any,
    lib_file_name: Any,
    ulib_to_ucode_version: Any,
    ulib_to_isa_version: Any,
    srcs: Any,
    dsts: Any,
    **kwargs: Any,
) -> Any:
    """Listed without a description."""


@unmodelled
def dma_transpose(src: Any, *, axes: Any = None, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """A DMA that transposes."""


@unmodelled
def dropout(data: Any, prob: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Elements set to 0 at a rate."""


@unmodelled
def iota(expr: Any, dtype: Any, *, mask: Any = None, **kwargs: Any) -> Any:
    """An affine pattern of integers."""


@unmodelled
def local_gather(
    src_buffer: Any, index: Any, num_elem_per_idx: Any = 1, num_valid_indices: Any = None, *, mask: Any = None
) -> Any:
    """Elements gathered by each GpSimd core."""


@unmodelled
def max8(*, src: Any, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """The 8 greatest elements of each partition."""


@unmodelled
def nc_find_index8(*, data: Any, vals: Any, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """Positions of 8 values."""


@unmodelled
def nc_match_replace8(
    *, data: Any, vals: Any, imm: Any, dst_idx: Any = None, mask: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """8 values replaced by a constant."""


@unmodelled
def nc_stream_shuffle(
    src: Any, dst: Any, shuffle_mask: Any, *, dtype: Any = None, mask: Any = None, **kwargs: Any
) -> Any:
    """Partitions of each quadrant in another order."""


@unmodelled
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
) -> Any:
    """A tile where the free position is in a range."""


@unmodelled
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
) -> Any:
    """A select with a maximum."""


@unmodelled
def sequence_bounds(*, segment_ids: Any, dtype: Any = None) -> Any:
    """Bounds of the segment of every position."""


@unmodelled
def tensor_copy_dynamic_dst(
    *, dst: Any, src: Any, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **kwargs: Any
) -> Any:
    """A copy to a place known at run time."""


@unmodelled
def tensor_copy_dynamic_src(
    src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = engine.unknown, **kwargs: Any
) -> Any:
    """A copy from a place known at run time."""


@unmodelled
def tensor_copy_predicated(
    *, src: Any, dst: Any, predicate: Any, reverse_pred: Any = False, mask: Any = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """A copy where a predicate holds."""


@unmodelled
def tensor_partition_reduce(op: Any, data: Any, *, mask: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
    """A reduction over partitions."""


@unmodelled
def dma_engine() -> Any:
    """A constant listed without a description."""
