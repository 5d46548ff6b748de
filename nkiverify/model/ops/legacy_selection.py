"""Selects, index patterns, searches, statistics and gathers of the legacy API (reference section f.4).

As in `legacy_isa`, each makes the tile it returns, then demands what the current instruction does.
"""

from __future__ import annotations

from nkiverify.model import contents
from nkiverify.model import isa_enums as isa
from nkiverify.model.access import Access
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, int8, int16, uint8, uint16, uint32
from nkiverify.model.extents import as_extent
from nkiverify.model.indices import IndexTensor, Mask, as_mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, new_tile, operand, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops import gathers, randomness, selection, statistics
from nkiverify.model.ops.operands import is_number, on_chip
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import all_of, any_of, constant_value, equal
from nkiverify.symbolic.execution import unsupported


def _dtype(dtype: object, default: DType) -> DType:
    return default if dtype is None else named_dtype(dtype)


def _resolved(value: object, mask: Mask | None, argument: str) -> object:
    """A tile as it is under the mask; anything else as it is."""
    return operand(value, mask, argument) if isinstance(value, Tensor | Access) else value


def _destination(dst: object, dtype: object, mask: Mask | None) -> Tensor:
    """A tile that is given to be written; what another dtype than its own would mean is not documented."""
    target = operand(dst, mask, "dst")
    if dtype is not None and named_dtype(dtype) != target.dtype:
        raise unsupported("a dtype beside a destination of another dtype")
    return target


def affine_select(
    pred: object, on_true_tile: object, on_false_value: object, dtype: object, mask: Mask | None
) -> LegacyTensor:
    """on_true_tile where the comparison of index tensors holds, else the constant."""
    source = operand(on_true_tile, mask, "on_true_tile")
    test = as_mask(pred)
    compared = test.terms[0].difference if test is not None and len(test.terms) == 1 and test.host is True else None
    fits = False if compared is None or compared.ndim > source.ndim else _fits(compared, source)
    require("leg.affine_select.pred", fits, pred=type(pred).__name__, on_true_tile=source.shape)
    narrow = source.dtype.is_float or source.dtype in (int8, uint8, int16, uint16)
    require("leg.affine_select.dtype", narrow, on_true_tile=source.dtype)
    require("affine_select.false_fp32", is_number(on_false_value), on_false_value=type(on_false_value).__name__)
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    require("isa.on_chip", on_chip(source), on_true_tile=source.buffer)
    return result


def _fits(index: IndexTensor, tile: Tensor) -> object:
    """Whether every axis of an index tensor is one of the tile's, or of extent 1."""
    extents = tile.shape[tile.ndim - index.ndim :]
    return all_of(
        *(any_of(equal(part, 1), equal(part, extent)) for part, extent in zip(index.shape, extents, strict=True))
    )


def iota(expr: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """A new SBUF tile of the values of an index expression, of the shape of its grid."""
    if not isinstance(expr, IndexTensor):
        require("leg.iota.expr", False, expr=type(expr).__name__)
        raise TypeError(f"iota takes an expression of index tensors, not a {type(expr).__name__}")
    result = new_tile(expr.shape, named_dtype(dtype), mask=mask)
    low = high = constant_value(expr.base)
    for coefficient, extent in zip(expr.coefficients, expr.shape, strict=True):
        step, count = constant_value(coefficient), constant_value(extent)
        if low is None or high is None or step is None or (count is None and step):
            low = high = None
            break
        reach = step * (count - 1) if count is not None else 0
        low, high = low + min(0, reach), high + max(0, reach)
    contents.filled(result, low, high)
    return result


def range_select(
    on_true_tile: object,
    comp_op0: Operator,
    comp_op1: Operator,
    bound0: object,
    bound1: object,
    reduce_cmd: isa.reduce_cmd,
    reduce_res: object,
    reduce_op: Operator,
    range_start: object,
    on_false_value: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    """on_true_tile where the free position is in the range two bounds per partition give."""
    source = operand(on_true_tile, mask, "on_true_tile")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    selection.range_select(
        result,
        source,
        comp_op0,
        comp_op1,
        operand(bound0, mask, "bound0"),
        operand(bound1, mask, "bound1"),
        reduce_cmd,
        _resolved(reduce_res, mask, "reduce_res"),
        reduce_op,
        range_start,
        on_false_value,
    )
    return result


def select_reduce(
    dst: object,
    predicate: object,
    on_true: object,
    on_false: object,
    reduce_res: object,
    reduce_cmd: isa.reduce_cmd,
    reduce_op: Operator,
    dtype: object,
    mask: Mask | None,
) -> None:
    """dst = on_true where the predicate holds, else on_false."""
    selection.select_reduce(
        _destination(dst, dtype, mask),
        operand(predicate, mask, "predicate"),
        operand(on_true, mask, "on_true"),
        _resolved(on_false, mask, "on_false"),
        _resolved(reduce_res, mask, "reduce_res"),
        reduce_cmd,
        reduce_op,
    )


def tensor_copy_predicated(src: object, dst: object, predicate: object, dtype: object, mask: Mask | None) -> None:
    """dst = src where the predicate holds."""
    selection.tensor_copy_predicated(
        _destination(dst, dtype, mask), _resolved(src, mask, "src"), operand(predicate, mask, "predicate")
    )


def nc_stream_shuffle(src: object, dst: object, shuffle_mask: object, dtype: object, mask: Mask | None) -> None:
    """In each quadrant, partition i of dst is partition shuffle_mask[i] of src."""
    gathers.nc_stream_shuffle(_destination(dst, dtype, mask), operand(src, mask, "src"), shuffle_mask)


def local_gather(
    src_buffer: object, index: object, num_elem_per_idx: object, num_valid_indices: object, mask: Mask | None
) -> LegacyTensor:
    """A new SBUF tile: what each GpSimd core gathers from its 16 partitions."""
    source, places = operand(src_buffer, mask, "src_buffer"), operand(index, mask, "index")
    per_index = as_extent(num_elem_per_idx)
    valid = places.free_size * 16 if num_valid_indices is None else as_extent(num_valid_indices)
    if per_index is None or valid is None:
        raise TypeError("num_elem_per_idx and num_valid_indices are integers")
    result = new_tile((source.shape[0], valid * per_index), source.dtype, mask=mask)
    gathers.local_gather(result, source, places, per_index, valid)
    return result


def bn_stats(data: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """Count, mean and variance times count of the even, then of the odd elements of each partition: (P, 6)."""
    source = operand(data, mask, "data")
    if mask is not None:
        whole = not any(mask.varies_along(axis) for axis in range(1, source.ndim))
        require("leg.mask_bn", whole, data=source.shape)
    result = result_tile((source.shape[0], 6), _dtype(dtype, source.dtype), mask=mask)
    statistics.bn_stats(result, source)
    return result


def bn_aggr(data: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """Mean and variance of each partition: (P, 2)."""
    source = operand(data, mask, "data")
    result = result_tile((source.shape[0], 2), _dtype(dtype, source.dtype), mask=mask)
    statistics.bn_aggr(result, source)
    return result


def max8(src: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """The 8 greatest elements of each partition: (P, 8)."""
    source = operand(src, mask, "src")
    result = result_tile((source.shape[0], 8), _dtype(dtype, source.dtype), mask=mask)
    statistics.max8(result, source)
    return result


def nc_find_index8(data: object, vals: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """Positions of the 8 values of each partition: (P, 8), uint32 where no dtype is given."""
    source = operand(data, mask, "data")
    result = result_tile((source.shape[0], 8), _dtype(dtype, uint32), mask=mask)
    statistics.nc_find_index8(result, source, operand(vals, mask, "vals"))
    return result


def nc_match_replace8(
    data: object, vals: object, imm: object, dst_idx: object, dtype: object, mask: Mask | None
) -> LegacyTensor:
    """data with the 8 values of each partition replaced; where they were in dst_idx."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    places = _resolved(dst_idx, mask, "dst_idx")
    statistics.nc_match_replace8(result, source, operand(vals, mask, "vals"), imm, places)
    return result


def tensor_partition_reduce(op: Operator, data: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """data reduced over the partitions: a tile of one."""
    source = operand(data, mask, "data")
    result = result_tile((1, *source.shape[1:]), _dtype(dtype, source.dtype), mask=mask)
    statistics.tensor_partition_reduce(result, op, source)
    return result


def sequence_bounds(segment_ids: object, dtype: object) -> LegacyTensor:
    """First and last position of each position's segment: (1, 2, N)."""
    source = operand(segment_ids, None, "segment_ids")
    result = result_tile((1, 2, source.free_size), _dtype(dtype, source.dtype))
    statistics.sequence_bounds(result, source)
    return result


def dropout(data: object, prob: object, dtype: object, mask: Mask | None) -> LegacyTensor:
    """data, each element set to 0 with probability `prob`."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, _dtype(dtype, source.dtype), mask=mask)
    randomness.dropout(result, source, _resolved(prob, mask, "prob"))
    return result
