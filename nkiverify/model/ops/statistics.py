"""Instructions over the elements of each partition: batch statistics, maxima and their places, searches (c.3)."""

from __future__ import annotations

from nkiverify.model.contracts import require
from nkiverify.model.dependence import RESULTS, Dependence, Link
from nkiverify.model.dtypes import bfloat16, float32, int32, uint16, uint32
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import as_extent
from nkiverify.model.operators import Operator
from nkiverify.model.ops.operands import (
    claim_generation,
    claim_in_sbuf,
    claim_on_chip,
    claim_partitions,
    claim_same_layout,
    destination,
    is_number,
    tile,
)
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import all_of, ceil_div, equal
from nkiverify.symbolic.execution import unsupported

BN_STATS = operation("nisa.bn_stats", dependence=Dependence(Link.STATISTICS, summaries=RESULTS))
BN_AGGR = operation("nisa.bn_aggr", dependence=Dependence(Link.AGGREGATED, summaries=RESULTS))
MAX8 = operation("nisa.max8", dependence=Dependence(Link.PARTITION, summaries=RESULTS))
NC_FIND_INDEX8 = operation("nisa.nc_find_index8", dependence=Dependence(Link.PARTITION, summaries=RESULTS))
NC_MATCH_REPLACE8 = operation(
    "nisa.nc_match_replace8",
    dependence=Dependence(Link.PARTITION, chosen=frozenset(("data", "vals")), summaries=frozenset(("dst_idx",))),
)
TOPK = operation("nisa.topk", dependence=Dependence(Link.EVERYTHING))


#: Elements per partition that max8 and its companions search.
_SEARCHED = (8, 16384)


def bn_stats(dst: object, data: object) -> None:
    """Count, mean and variance times count of the even, then of the odd elements of each partition: dst (P, 6)."""
    result, source = destination(dst), tile(data, "data")
    claim_on_chip(dst=result, data=source)
    limit = current_execution().hardware.bn_stats_fmax
    require("bn_stats.f512", source.free_size <= limit, data=source.shape, limit=limit)
    _claim_columns("bn_stats.dst6", result, source, 6)


def bn_aggr(dst: object, data: object) -> None:
    """Mean and variance of each partition, from triples as bn_stats makes them: dst (P, 2)."""
    result, source = destination(dst), tile(data, "data")
    claim_on_chip(dst=result, data=source)
    require("bn_aggr.mod3", equal(source.free_size % 3, 0), data=source.shape)
    _claim_columns("bn_aggr.dst2", result, source, 2)


def _claim_columns(contract: str, result: Tensor, source: Tensor, columns: int) -> None:
    require(
        contract,
        all_of(equal(result.shape[0], source.shape[0]), equal(result.free_size, columns)),
        dst=result.shape,
        data=source.shape,
    )


def max8(dst: object, src: object) -> None:
    """The 8 greatest elements of each partition, descending: dst (P, 8)."""
    result, source = destination(dst), tile(src, "src")
    claim_on_chip(dst=result, src=source)
    low, high = _SEARCHED
    require("max8.n", all_of(source.free_size >= low, source.free_size <= high), src=source.shape)
    require("max8.rank", source.ndim <= (5 if source.legacy else 3), src=source.shape)
    _claim_columns("max8.dst", result, source, 8)


def nc_find_index8(dst: object, data: object, vals: object) -> None:
    """Positions of the 8 values of each partition in its data: dst (P, 8)."""
    result, source, wanted = destination(dst), tile(data, "data"), tile(vals, "vals")
    claim_on_chip(dst=result, data=source, vals=wanted)
    low, high = _SEARCHED
    require("find8.n", all_of(source.free_size >= low, source.free_size <= high), data=source.shape)
    rank = 5 if source.legacy else 3
    require("find8.rank", source.ndim <= rank and wanted.ndim <= rank, data=source.shape, vals=wanted.shape)
    _claim_columns("find8.vals", wanted, source, 8)
    _claim_columns("find8.dst", result, source, 8)
    require("find8.dst_dtype", result.dtype in (uint16, uint32), dst=result.dtype)


def nc_match_replace8(dst: object, data: object, vals: object, imm: object, dst_idx: object = None) -> None:
    """data with the 8 values of each partition replaced by `imm`, and where they were in dst_idx."""
    result, source, wanted = destination(dst), tile(data, "data"), tile(vals, "vals")
    claim_on_chip(dst=result, data=source, vals=wanted)
    claim_same_layout("match8.shape", dst=result, data=source)
    require("match8.n", source.free_size <= _SEARCHED[1], data=source.shape)
    _claim_columns("match8.vals", wanted, source, 8)
    require("match8.imm", is_number(imm), imm=type(imm).__name__)
    if dst_idx is not None:
        places = destination(dst_idx, "dst_idx")
        claim_on_chip(dst_idx=places)
        _claim_columns("match8.dst_idx", places, source, 8)


def tensor_partition_reduce(dst: object, op: Operator, data: object) -> None:
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


def sequence_bounds(dst: object, segment_ids: object) -> None:
    """First and last position of each position's segment: dst (1, 2, N) of ids (1, N)."""
    result, source = destination(dst), tile(segment_ids, "segment_ids")
    claim_in_sbuf("seqb.sbuf", dst=result, segment_ids=source)
    require("seqb.p1", equal(source.shape[0], 1), segment_ids=source.shape)
    dtypes = (float32, int32)
    require("seqb.dtype", source.dtype in dtypes and result.dtype in dtypes, ids=source.dtype, dst=result.dtype)
    shaped = all_of(
        result.ndim == 3,
        equal(result.shape[0], 1),
        equal(result.shape[1], 2),
        equal(result.size, 2 * source.free_size),
    )
    require("seqb.dst", shaped, dst=result.shape, segment_ids=source.shape)


def topk(val_dst: object, idx_dst: object, src: object, n: object) -> None:
    """The k greatest of n elements laid out over 16 partitions each, with their positions."""
    values, places = destination(val_dst, "val_dst"), destination(idx_dst, "idx_dst")
    source = tile(src, "src")
    claim_in_sbuf("topk.sbuf", val_dst=values, idx_dst=places, src=source)
    typed = source.dtype == bfloat16 and values.dtype == bfloat16 and places.dtype == uint32
    require("topk.dtypes", typed, src=source.dtype, val_dst=values.dtype, idx_dst=places.dtype)
    count = as_extent(n)
    if count is None:
        raise unsupported(f"topk with n of type {type(n).__name__}")
    k = values.free_size
    require(
        "topk.shape",
        all_of(equal(source.shape[0] % 16, 0), source.free_size >= ceil_div(count, 16)),
        src=source.shape,
        n=count,
    )
    claim_partitions("topk.dst", src=source, val_dst=values, idx_dst=places)
    require("topk.dst", equal(places.free_size, k), val_dst=values.shape, idx_dst=places.shape)
    require("topk.n", all_of(count >= 8, count < 65536, k >= 1, k < 32768, k <= count), n=count, k=k)


def nonzero_with_count(dst: object, src: object, index_offset: object = 0, padding_val: object = -1) -> None:
    """Positions of the non-zero elements of each partition, padded, and their count last: dst (P, F + 1)."""
    result, source = destination(dst), tile(src, "src")
    claim_generation("nzc.gen3", 3)
    claim_in_sbuf("nzc.sbuf", dst=result, src=source)
    typed = source.dtype in (float32, int32) and result.dtype == int32
    require("nzc.dtypes", typed, src=source.dtype, dst=result.dtype)
    shaped = all_of(equal(result.shape[0], source.shape[0]), equal(result.free_size, source.free_size + 1))
    require("nzc.shape", shaped, dst=result.shape, src=source.shape)
    plain = is_number(index_offset) and is_number(padding_val)
    require("nzc.constants", plain, index_offset=type(index_offset).__name__, padding_val=type(padding_val).__name__)
