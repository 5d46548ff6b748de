"""Instructions about numbers: statistics, maxima, searches, random numbers, fused element-wise operations."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import documented
from nkiverify.model.instruction import ISSUED, NkiInstruction
from nkiverify.model.isa_enums import engine
from nkiverify.model.operators import operator
from nkiverify.model.ops import randomness as _randomness
from nkiverify.model.ops import statistics as _statistics


@documented
def tensor_partition_reduce(dst: Any, op: Any, data: Any, name: Any = None) -> NkiInstruction:
    """dst = data reduced over its partitions."""
    _statistics.tensor_partition_reduce(dst, operator(op), data)
    return ISSUED


@documented
def bn_stats(dst: Any, data: Any, name: Any = None) -> NkiInstruction:
    """Count, mean and variance of even and odd elements."""
    _statistics.bn_stats(dst, data)
    return ISSUED


@documented
def bn_aggr(dst: Any, data: Any, name: Any = None) -> NkiInstruction:
    """Mean and variance of the statistics of parts."""
    _statistics.bn_aggr(dst, data)
    return ISSUED


@documented
def max8(dst: Any, src: Any, name: Any = None) -> NkiInstruction:
    """The 8 greatest elements of each partition."""
    _statistics.max8(dst, src)
    return ISSUED


@documented
def nc_find_index8(dst: Any, data: Any, vals: Any, name: Any = None) -> NkiInstruction:
    """Positions of 8 values in each partition."""
    _statistics.nc_find_index8(dst, data, vals)
    return ISSUED


@documented
def nc_match_replace8(
    dst: Any, data: Any, vals: Any, imm: Any, dst_idx: Any = None, name: Any = None
) -> NkiInstruction:
    """8 values of each partition replaced by a constant."""
    _statistics.nc_match_replace8(dst, data, vals, imm, dst_idx)
    return ISSUED


@documented
def sequence_bounds(dst: Any, segment_ids: Any, name: Any = None) -> NkiInstruction:
    """Bounds of the segment of every position."""
    _statistics.sequence_bounds(dst, segment_ids)
    return ISSUED


@documented
def topk(val_dst: Any, idx_dst: Any, src: Any, n: Any, name: Any = None) -> NkiInstruction:
    """The k greatest of n elements, and where they are."""
    _statistics.topk(val_dst, idx_dst, src, n)
    return ISSUED


@documented
def nonzero_with_count(
    dst: Any, src: Any, index_offset: Any = 0, padding_val: Any = -1, name: Any = None
) -> NkiInstruction:
    """Positions of non-zero elements, and how many there are."""
    _statistics.nonzero_with_count(dst, src, index_offset, padding_val)
    return ISSUED


@documented
def rng(dst: Any, engine: Any = engine.vector, name: Any = None) -> NkiInstruction:
    """dst = random bits."""
    _randomness.rng(dst, engine)
    return ISSUED


@documented
def rand2(dst: Any, min: Any, max: Any, name: Any = None) -> NkiInstruction:
    """dst = random numbers between two bounds (gen4)."""
    _randomness.rand2(dst, min, max)
    return ISSUED


@documented
def set_rng_seed(src_seeds: Any, name: Any = None) -> NkiInstruction:
    """Seed the generator."""
    _randomness.set_rng_seed(src_seeds)
    return ISSUED


@documented
def rand_set_state(src_seeds: Any, engine: Any = engine.gpsimd, name: Any = None) -> NkiInstruction:
    """Set the generators' states."""
    _randomness.rand_set_state(src_seeds, engine)
    return ISSUED


@documented
def rand_get_state(dst: Any, engine: Any = engine.gpsimd, name: Any = None) -> NkiInstruction:
    """dst = the generators' states."""
    _randomness.rand_get_state(dst, engine)
    return ISSUED


@documented
def dropout(dst: Any, data: Any, prob: Any, name: Any = None) -> NkiInstruction:
    """dst = data, some elements set to 0."""
    _randomness.dropout(dst, data, prob)
    return ISSUED
