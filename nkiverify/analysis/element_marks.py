"""Marks of a result from those of its operands, by what the operation states of their dependence, on NumPy arrays.

A mark per element of an operand (an int, 0 for none) becomes a mark per element of the result: the greatest mark of
what the element may be computed from. Where a link that the operation states does not fit the shapes of the call, every
element of the result may depend on every element of the operand, which is never too little. `certain` says where it
depends on a marked element for sure: not where data choose what is used, nor where a link does not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from nkiverify.analysis.reduction_registers import REGISTERS, Command, command_of
from nkiverify.foundation.late import numpy as np
from nkiverify.model.dependence import CORE_PARTITIONS, PERMUTATIONS, REDUCTION_RESULT, SCALES, Link
from nkiverify.model.extents import is_sequence
from nkiverify.model.isa_enums import member_name
from nkiverify.model.operation import LANE_STAYS, Operation

if TYPE_CHECKING:
    import numpy.typing as npt

#: Partitions of a quadrant, those that share scales, and such groups in a quadrant.
_QUADRANT, _GROUP, _PER_QUADRANT = 32, 8, 4

Marks: TypeAlias = "npt.NDArray[np.int32]"
Shape = tuple[int, ...]
ScalarT = TypeVar("ScalarT", bound="np.generic")

#: Comparisons, by the name that they have in NumPy as well.
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def reduced_axes(operation: Operation, rank: int) -> tuple[int, ...] | None:
    """The axes, counted from 0, that the attribute `axis` names of an operand; None where it is not understood."""
    given = operation.attributes.get("axis")
    axes = tuple(given) if is_sequence(given) or isinstance(given, set | frozenset) else (given,)
    if not all(isinstance(axis, int) and -rank <= axis < rank for axis in axes):
        return None
    return tuple(sorted({axis % rank for axis in axes}))


def is_reduced(argument: str) -> bool:
    """True if an operand written holds a number for each partition of what is read."""
    return argument in (REDUCTION_RESULT, REGISTERS)


def exchanges(operation: Operation) -> bool:
    """True if what it writes comes from the operands of another program of the launch."""
    stated = operation.declared.dependence
    return stated is not None and stated.exchanges


def link_of(operation: Operation, argument: str, read: str) -> Link:
    """How the written operand `argument` depends on the operand `read`."""
    stated = operation.declared.dependence
    if argument == REGISTERS and command_of(operation) is Command.RESET:
        return Link.NOTHING
    if stated is None:
        return Link.EVERYTHING
    if read.endswith(".index"):
        return Link.EVERYTHING
    if is_reduced(argument):
        return Link.PARTITION
    if read == REGISTERS:
        # A scan continues with the registers, other operations only reduce into them.
        return Link.PARTITION if stated.others is Link.BEFORE else Link.NOTHING
    return stated.on(read)


def matters(operation: Operation, argument: str, read: str) -> bool:
    """True if the written operand `argument` depends on the operand `read` at all."""
    return link_of(operation, argument, read) is not Link.NOTHING


def dependent(operation: Operation, argument: str, shape: Shape, marks: dict[str, Marks]) -> Marks:
    """Marks of the written operand `argument`, of `shape`, given those of everything read: too many."""
    result = np.zeros(shape, np.int32)
    for name, mark in marks.items():
        link = link_of(operation, argument, name)
        if link is Link.NOTHING or not mark.any():
            continue
        found = _linked(operation, link, shape, mark, argument)
        np.maximum(result, mark.max() if found is None else found, out=result)
    return result


def certain(operation: Operation, argument: str, shape: Shape, marks: dict[str, Marks]) -> Marks:
    """Marks of `dependent` where it is certain that they are those of what is used; 0 elsewhere: too few."""
    stated = operation.declared.dependence
    chosen = frozenset() if stated is None else stated.chosen
    # Of several operands one or the other is used, element by element; a constant is not among the marks.
    selects = len(chosen) > 1 and stated is not None and stated.others in (Link.ROWS, Link.BROADCAST)
    result = np.zeros(shape, np.int32)
    used = [name for name in marks if name not in chosen] if selects else list(marks)
    if selects and chosen <= marks.keys():
        # What only may be undefined has smaller marks.
        if is_reduced(argument):
            result[...] = min(int(marks[name].min()) for name in chosen)
        else:
            either = [_certain_of(operation, argument, shape, name, marks[name]) for name in sorted(chosen)]
            result = np.min(either, axis=0).astype(np.int32)
    for name in used:
        mark = marks[name]
        if name in chosen:
            np.maximum(result, _least_of(operation, argument, shape, name, mark), out=result)
        else:
            np.maximum(result, _certain_of(operation, argument, shape, name, mark), out=result)
    return result


def _least_of(operation: Operation, argument: str, shape: Shape, name: str, mark: Marks) -> Marks | int:
    """The least mark of what data choose among: whatever is taken, it is one of these."""
    if not mark.size:
        return 0
    link = link_of(operation, argument, name)
    found: Marks | None = None
    if link is Link.PARTITION:
        found = _partition(mark.reshape(mark.shape[0], -1).min(axis=1, keepdims=True), shape)
    elif link is Link.CORE:
        found = _core(mark, shape, least=True)
    if found is not None:
        return found
    return int(mark.min())


def _certain_of(operation: Operation, argument: str, shape: Shape, name: str, mark: Marks) -> Marks:
    """Marks of a result where it depends for sure on those of one operand, if that is used."""
    link = link_of(operation, argument, name)
    if link is Link.NOTHING or not mark.any():
        return np.zeros(shape, np.int32)
    found = None if link is Link.EVERYTHING else _linked(operation, link, shape, mark, argument)
    # Where a link does not fit, it is computed from some of these, whatever it is.
    return np.full(shape, mark.min(), np.int32) if found is None else found


def _linked(operation: Operation, link: Link, shape: Shape, mark: Marks, argument: str) -> Marks | None:
    """The marks of an operand at the elements of a written one, of `shape`; None where the link does not fit these."""
    if link is Link.ROW_MAJOR:
        return _row_major(mark, shape)
    if link is Link.BROADCAST:
        return _broadcast(mark, shape)
    if link is Link.ROWS:
        return _rows(mark, shape)
    if link is Link.PARTITION:
        return _partition(mark, shape)
    if link is Link.CORE:
        return _core(mark, shape)
    if link is Link.AGGREGATED:
        return _aggregated(mark, shape)
    if link is Link.ALONG:
        axes = reduced_axes(operation, mark.ndim)
        if axes is None:
            return None
        return _row_major(np.broadcast_to(mark.max(axis=axes, keepdims=True), mark.shape), shape)
    if link is Link.STATISTICS:
        return _statistics(mark, shape)
    if link is Link.BEFORE:
        return _before(mark, shape)
    if link is Link.SELECTED:
        return _selected(operation, mark, shape)
    if link is Link.REDUCED:
        return _reduced(operation, mark, shape)
    if link is Link.OVER_PARTITIONS:
        return _row_major(mark.reshape(mark.shape[0], -1).max(axis=0), shape)
    if link is Link.TRANSPOSED:
        return _row_major(mark.reshape(mark.shape[0], -1).T, shape)
    if link is Link.PERMUTED:
        order = PERMUTATIONS.get(mark.ndim)
        return None if order is None else _row_major(mark.transpose(order), shape)
    if link in (Link.STATIONARY, Link.MOVING):
        return _factor(operation, link, mark, shape)
    if link in (Link.SHUFFLED, Link.LEFT_ALONE):
        return _shuffled(operation, link, mark, shape)
    if link is Link.QUANTISED:
        return _quantised(mark, shape, scales=argument == SCALES)
    return None


def _row_major(mark: Marks, shape: Shape) -> Marks | None:
    return mark.reshape(shape) if mark.size == prod(shape) else None


def _broadcast(mark: Marks, shape: Shape) -> Marks | None:
    if mark.size == prod(shape):
        return mark.reshape(shape)
    aligned = zip(mark.shape[::-1], shape[::-1], strict=False)
    fits = mark.ndim <= len(shape) and all(one in (1, extent) for one, extent in aligned)
    return np.broadcast_to(mark, shape) if fits else None


def _rows(mark: Marks, shape: Shape) -> Marks | None:
    if mark.size == prod(shape):
        return mark.reshape(shape)
    if not mark.ndim or not shape:
        return None
    rows = mark.reshape(mark.shape[0], -1)
    grid = (shape[0], prod(shape[1:]))
    if rows.shape[0] not in (1, grid[0]) or rows.shape[1] not in (1, grid[1]):
        return None
    return np.broadcast_to(rows, grid).reshape(shape)


def _partition(mark: Marks, shape: Shape) -> Marks | None:
    if not mark.ndim or not shape or mark.shape[0] not in (1, shape[0]):
        return None
    column = mark.reshape(mark.shape[0], -1).max(axis=1)
    return np.broadcast_to(column.reshape((-1,) + (1,) * (len(shape) - 1)), shape)


def _core(mark: Marks, shape: Shape, *, least: bool = False) -> Marks | None:
    """The partitions of a GpSimd core as one, marked as the greatest of them, or the least."""
    if not mark.ndim or not shape or mark.shape[0] != shape[0] or shape[0] % CORE_PARTITIONS:
        return None
    parts = mark.reshape(shape[0] // CORE_PARTITIONS, -1)
    cores = parts.min(axis=1) if least else parts.max(axis=1)
    return np.broadcast_to(np.repeat(cores, CORE_PARTITIONS).reshape((-1,) + (1,) * (len(shape) - 1)), shape)


def _statistics(mark: Marks, shape: Shape) -> Marks | None:
    """Count, mean and variance of the elements at even places, then at odd ones ("bn_stats.dst6")."""
    rows = mark.reshape(mark.shape[0], -1)
    if not shape or rows.shape[0] != shape[0] or prod(shape) != 6 * shape[0]:
        return None
    even, odd = (rows[:, first::2].max(axis=1, initial=0) for first in (0, 1))
    nothing = np.zeros_like(even)
    return np.stack((nothing, even, even, nothing, odd, odd), axis=1).reshape(shape)


def _aggregated(mark: Marks, shape: Shape) -> Marks | None:
    """Mean and variance of what triples of count, mean and variance are about ("bn_aggr.mod3")."""
    rows = mark.reshape(mark.shape[0], -1)
    if not shape or rows.shape[0] != shape[0] or rows.shape[1] % 3 or prod(shape) != 2 * shape[0]:
        return None
    triples = rows.reshape(rows.shape[0], -1, 3)
    mean = triples[:, :, :2].max(axis=(1, 2))
    return np.stack((mean, np.maximum(mean, triples[:, :, 2].max(axis=1))), axis=1).reshape(shape)


def _before(mark: Marks, shape: Shape) -> Marks | None:
    placed = _rows(mark, shape)
    return None if placed is None else np.maximum.accumulate(placed.reshape(shape[0], -1), axis=1).reshape(shape)


def _selected(operation: Operation, mark: Marks, shape: Shape) -> Marks | None:
    """Elements of an operand where the pattern compares to 0 as asked ("affine_select.pred")."""
    result = _rows(mark, shape)
    name = getattr(operation.attributes.get("cmp_op"), "name", "")
    pattern = operation.attributes.get("pattern")
    if result is None or name not in _COMPARISONS or not is_sequence(pattern):
        return None
    total = np.zeros((1,), np.int64)
    for step, count in pattern:
        total = (total[:, None] + np.arange(int(count), dtype=np.int64) * int(step)).ravel()
    rows = np.arange(shape[0], dtype=np.int64) * int(operation.attributes.get("channel_multiplier", 0))
    values = int(operation.attributes.get("offset", 0)) + rows[:, None] + total[None, :]
    if values.size != result.size:
        return None
    compare: Callable[[npt.NDArray[np.int64], int], npt.NDArray[np.bool_]] = getattr(np, name)
    return np.where(compare(values, 0).reshape(shape), result, 0).astype(np.int32)


def _reduced(operation: Operation, mark: Marks, shape: Shape) -> Marks | None:
    axes = reduced_axes(operation, mark.ndim)
    return None if axes is None else _row_major(mark.max(axis=axes), shape)


def _factor(operation: Operation, link: Link, mark: Marks, shape: Shape) -> Marks | None:
    """A factor of a product of (M, N): what is in a column of it counts for a row, or a column, of the product."""
    rows = mark.reshape(mark.shape[0], -1)
    turned = link is Link.STATIONARY and not operation.attributes.get("transpose_x", True)
    line = rows.max(axis=1 if turned else 0)
    if member_name(operation.attributes.get("perf_mode")).startswith("double_row") and line.size % 2 == 0:
        # Both halves of the columns are rows of the contraction ("nc_matmul.double_row_shape").
        line = line.reshape(2, -1).max(axis=0)
    grid = (shape[0], prod(shape[1:]))
    if line.size != grid[0 if link is Link.STATIONARY else 1]:
        return None
    return np.broadcast_to(line[:, None] if link is Link.STATIONARY else line, grid).reshape(shape)


def _quantised(mark: Marks, shape: Shape, *, scales: bool) -> Marks | None:
    """A packed element, or its scale, is made of 8 partitions and four columns; the scales of a quadrant are in its
    first rows ("quantize_mx.scale", "matmul_mx.scale_shape")."""
    rows = mark.reshape(mark.shape[0], -1)
    partitions, columns = rows.shape
    if partitions % _GROUP or columns % 4 or not shape or prod(shape[1:]) != columns // 4:
        return None
    groups = rows.reshape(partitions // _GROUP, _GROUP, columns // 4, 4).max(axis=(1, 3))
    if not scales:
        return np.repeat(groups, _GROUP, axis=0).reshape(shape) if shape[0] == partitions else None
    result = np.zeros((shape[0], columns // 4), np.int32)
    for group, marked in enumerate(groups):
        row = group // _PER_QUADRANT * _QUADRANT + group % _PER_QUADRANT
        if row >= shape[0]:
            return None
        result[row] = marked
    return result.reshape(shape)


def _shuffled(operation: Operation, link: Link, mark: Marks, shape: Shape) -> Marks | None:
    """In each quadrant, partition i takes what is in partition mask[i], or stays ("shuffle.quadrant")."""
    lanes = operation.attributes.get("shuffle_mask")
    if not is_sequence(lanes) or not shape or not mark.ndim or mark.shape[0] != shape[0] or mark.size != prod(shape):
        return None
    taken = mark.reshape(shape)
    result = np.zeros(shape, np.int32)
    for start in range(0, shape[0], len(lanes)):
        for at, lane in enumerate(lanes[: shape[0] - start]):
            stays = lane == LANE_STAYS or start + int(lane) >= shape[0]
            if stays and link is Link.LEFT_ALONE:
                result[start + at] = taken[start + at]
            elif not stays and link is Link.SHUFFLED:
                result[start + at] = taken[start + int(lane)]
    return result


def distinct(values: npt.NDArray[ScalarT]) -> npt.NDArray[ScalarT]:
    """The different values, none of them NaN, ascending: `np.unique`, which loads NumPy's masked arrays for it."""
    ordered = np.sort(values, axis=None)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if ordered.size else ordered
