"""Instructions that reduce free axes: tensor_reduce."""

from __future__ import annotations

from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.extents import is_sequence
from nkiverify.model.operators import Operator
from nkiverify.model.ops.operands import claim_integers, destination, on_chip, tile
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor, free_elements
from nkiverify.symbolic import all_of, equal

TENSOR_REDUCE = operation("nisa.tensor_reduce", dependence=Dependence(Link.REDUCED))
LANGUAGE_SUM = operation("nl.sum", dependence=Dependence(Link.REDUCED))
LANGUAGE_MAX = operation("nl.max", dependence=Dependence(Link.REDUCED))
LANGUAGE_MIN = operation("nl.min", dependence=Dependence(Link.REDUCED))
LANGUAGE_MEAN = operation("nl.mean", dependence=Dependence(Link.REDUCED))
LANGUAGE_PROD = operation("nl.prod", dependence=Dependence(Link.REDUCED))
LANGUAGE_VAR = operation("nl.var", dependence=Dependence(Link.REDUCED))
LANGUAGE_ALL = operation("nl.all", dependence=Dependence(Link.REDUCED))
TENSOR_PARTITION_REDUCE = operation(
    "nisa.tensor_partition_reduce", dependence=Dependence(Link.OVER_PARTITIONS), engine="gpsimd"
)
LANGUAGE_SOFTMAX = operation("nl.softmax", dependence=Dependence(Link.ALONG))
LANGUAGE_RMS_NORM = operation("nl.rms_norm", dependence=Dependence(Link.ALONG, {"w": Link.ROWS}))
LANGUAGE_LOOP_REDUCE = operation(
    "nl.loop_reduce", dependence=Dependence(Link.BROADCAST), side_effect=True, sums_loop=True
)


def last_axes(contract: str, data: Tensor, axis: object) -> int:
    """How many last dimensions `axis` names; that it names the last contiguous free ones is claimed as `contract`."""
    rank = data.ndim
    axes = tuple(axis) if is_sequence(axis) else (axis,)
    numbers = sorted(part + rank if part < 0 else part for part in axes if isinstance(part, int))
    legal = len(numbers) == len(axes) > 0 and numbers == list(range(rank - len(numbers), rank)) and numbers[0] >= 1
    require(contract, legal, axis=axis, shape=data.shape)
    if not legal:
        raise ValueError(f"axes {axis!r} are not the last free dimensions of a tensor of {rank} dimensions")
    return len(numbers)


def tensor_reduce(dst: object, op: Operator, data: object, axis: object, negate: object = False) -> None:
    """dst = data (P, …) reduced over its last axes; dst has one element for each position of the kept ones."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    claim_reduction(op, negate, result, source)
    count = last_axes("tensor_reduce.axis_last", source, axis)
    kept = free_elements(source.shape[1 : source.ndim - count])
    require(
        "tensor_reduce.dst",
        all_of(equal(result.shape[0], source.shape[0]), equal(result.free_size, kept)),
        dst=result.shape,
        data=source.shape,
        axis=axis,
    )


def claim_reduction(op: Operator, negate: object, result: Tensor, source: Tensor) -> None:
    """Claim what a reduction demands of its operator and memories."""
    require("tensor_reduce.op", op.reduces and not (negate and op.bitvec), op=op, negate=negate)
    claim_integers(op, result, source)
    require("tensor_reduce.buffers", on_chip(result, source), dst=result.buffer, data=source.buffer)
