"""Statistics of the elements of each partition: bn_stats and bn_aggr (reference sections c.3 and f.4).

A source `op` is the page of that operation, LKI the known issues of the legacy API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model.contracts import define, require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dependence import RESULTS, Dependence, Link
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, result_tile
from nkiverify.model.ops.arithmetic import difference, mean
from nkiverify.model.ops.operands import claim_columns, claim_on_chip, destination, tile
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import equal

if TYPE_CHECKING:
    from nkiverify.model.meaning import Array, Numbers, Step


NKI = ("nki",)

# --- bn_stats ---------------------------------------------------------------------------------------------------------

BN_STATS = operation(
    "nisa.bn_stats", dependence=Dependence(Link.STATISTICS, summaries=RESULTS), engine="any", behaviour=OVERWRITES
)

define(
    "bn_stats.f512",
    "data of bn_stats must have at most 512 elements per partition.",
    "bn_stats",
    takes={"elements": "limit"},
    limit=True,
)
define(
    "bn_stats.dst6",
    "dst of bn_stats must have 6 elements per partition, and the partitions of data.",
    "bn_stats",
    api=NKI,
)
define("leg.mask_bn", "A mask of bn_stats must not leave out free elements.", "LKI", api=("neuronxcc",))


@BN_STATS.current
def bn_stats(dst: object, data: object, name: object = None) -> None:
    """Count, mean and variance times count of the even, then of the odd elements of each partition: dst (P, 6)."""
    result, source = destination(dst), tile(data, "data")
    claim_on_chip(dst=result, data=source)
    limit = current_execution().hardware.bn_stats_fmax
    require("bn_stats.f512", source.free_size <= limit, elements=source.free_size, limit=limit)
    claim_columns("bn_stats.dst6", result, source, 6)


@BN_STATS.legacy
def _(data: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile (P, 6): count, mean and variance times count of the even, then of the odd elements."""
    source = operand(data, mask, "data")
    if mask is not None:
        require("leg.mask_bn", mask.leaves_whole(range(1, source.ndim)), data=source.shape)
    result = result_tile((source.shape[0], 6), named_dtype(dtype, source.dtype), mask=_of_partitions(mask, source))
    bn_stats(result, source)
    return result


def _of_partitions(mask: Mask | None, data: Tensor) -> Mask | None:
    """The mask of a result with a row for each partition of `data`."""
    return None if mask is None else mask.reduced(data.ndim, range(1, data.ndim), keepdims=False)


@BN_STATS.meaning
def _(step: Step) -> None:
    """Count, mean and variance times count of the even, then of the odd positions ("bn_stats.dst6")."""
    data, numbers = step.rows("data"), step.n
    parts: list[Array] = []
    for first in (0, 1):
        parts += numbers.of_some(numbers.every(data, first, 2), lambda half: _moments(numbers, half), 3)
    step.write("dst", numbers.attached(parts))


def _moments(numbers: Numbers, half: Array) -> tuple[Array, Array, Array]:
    """Count, mean and variance times count of rows."""
    count = half.shape[-1]
    middle = mean(numbers, half, count)
    away = difference(numbers, half, middle)
    squares = numbers.reduce("add", numbers.binary("multiply", away, away))
    return np.broadcast_to(numbers.constant(count, 3), middle.shape), middle, squares


# --- bn_aggr ----------------------------------------------------------------------------------------------------------

BN_AGGR = operation(
    "nisa.bn_aggr", dependence=Dependence(Link.AGGREGATED, summaries=RESULTS), engine="any", behaviour=OVERWRITES
)

define("bn_aggr.mod3", "bn_aggr takes triples: elements per partition must be a multiple of 3.", "bn_aggr")
define(
    "bn_aggr.dst2", "dst of bn_aggr must have 2 elements per partition, and the partitions of data.", "bn_aggr", api=NKI
)


@BN_AGGR.current
def bn_aggr(dst: object, data: object, name: object = None) -> None:
    """Mean and variance of each partition, from triples as bn_stats makes them: dst (P, 2)."""
    result, source = destination(dst), tile(data, "data")
    claim_on_chip(dst=result, data=source)
    require("bn_aggr.mod3", equal(source.free_size % 3, 0), data=source.shape)
    claim_columns("bn_aggr.dst2", result, source, 2)


@BN_AGGR.legacy
def _(data: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile (P, 2): mean and variance of each partition, from triples as bn_stats makes them."""
    source = operand(data, mask, "data")
    result = result_tile((source.shape[0], 2), named_dtype(dtype, source.dtype), mask=_of_partitions(mask, source))
    bn_aggr(result, source)
    return result


@BN_AGGR.meaning
def _(step: Step) -> None:
    """Mean and variance of triples of count, mean and variance times count ("bn_aggr.mod3")."""
    data, numbers = step.rows("data"), step.n
    counts, means, squares = (numbers.every(data, part, 3) for part in range(3))
    inverse = numbers.unary("reciprocal", numbers.reduce("add", counts))
    weighted = numbers.reduce("add", numbers.binary("multiply", counts, means))
    middle = numbers.binary("multiply", weighted, inverse)
    away = difference(numbers, means, middle)
    spread = numbers.binary("multiply", counts, numbers.binary("multiply", away, away))
    total = numbers.binary("add", numbers.reduce("add", squares), numbers.reduce("add", spread))
    step.write("dst", numbers.attached([middle, numbers.binary("multiply", total, inverse)]))
