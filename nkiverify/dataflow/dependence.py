"""Which elements of its operands each element of an operation's result depends on.

A mark per element of an operand (an int, 0 for none) becomes a mark per element of the result: the greatest mark of
what the element may be computed from. Where an operation is not listed, every element of the result may depend on every
element of every operand, which is never too little. `certain` says where it depends on a marked element for sure: not
where data choose what is used, nor where an operation is not listed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nkiverify.dataflow.effects import REGISTERS, Command, command_of
from nkiverify.model.extents import is_sequence
from nkiverify.model.operation import LANE_STAYS, Operation

Marks = npt.NDArray[np.int32]

#: Reductions over free axes named by `axis`.
_REDUCTIONS = frozenset(f"nl.{name}" for name in ("sum", "max", "min", "mean", "prod", "var", "all")) | {
    "nisa.tensor_reduce"
}
#: The result in a partition depends on that partition of every operand.
_BY_PARTITION = frozenset(
    ("nisa.bn_stats", "nisa.bn_aggr", "nisa.max8", "nisa.nc_find_index8", "nisa.nc_match_replace8", "nisa.nc_n_gather",
     "nisa.nonzero_with_count", "nisa.tensor_tensor_scan", "nisa.tensor_scalar_cumulative", "nl.softmax",
     "nl.gather_flattened")
)  # fmt: skip
#: Of these, element by element what comes before it in its partition.
_RUNNING = frozenset(("nisa.tensor_tensor_scan", "nisa.tensor_scalar_cumulative"))
#: Operands of which data choose what is used.
_CHOSEN = {
    "nisa.tensor_copy_predicated": ("src", "dst"), "nisa.select_reduce": ("on_true", "on_false"),
    "nisa.range_select": ("on_true_tile",), "nl.where": ("x", "y"), "nisa.nc_n_gather": ("data",),
    "nl.gather_flattened": ("data",), "nisa.nc_match_replace8": ("data", "vals"),
}  # fmt: skip
#: Operations whose result, element by element, depends on the operands at the same place (or the one broadcast there).
_ELEMENTWISE = frozenset(
    f"nisa.{name}"
    for name in (
        "tensor_copy", "tensor_tensor", "tensor_scalar", "scalar_tensor_tensor", "activation", "activation_reduce",
        "activate2", "exponential", "reciprocal", "tensor_scalar_reduce", "tensor_copy_predicated", "affine_select",
        "range_select", "select_reduce", "dma_copy", "dma_compute", "dropout", "memset", "iota", "rng", "rand2",
        "sendrecv",
    )
)  # fmt: skip
_COMPARE: dict[str, Callable[[npt.NDArray[np.int64], int], npt.NDArray[np.bool_]]] = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip
_NOT_ELEMENTWISE = _REDUCTIONS | _BY_PARTITION | {
    "nl.matmul", "nl.transpose", "nl.load_transpose2d", "nl.rms_norm", "nl.random_seed",
}  # fmt: skip


def is_elementwise(operation: Operation) -> bool:
    """Whether each element of `dst` or `result` depends on the operands at the same place only."""
    name = operation.name
    return name in _ELEMENTWISE or name == "setitem" or (name.startswith("nl.") and name not in _NOT_ELEMENTWISE)


def depends_on_partition(operation: Operation) -> bool:
    """Whether the results in a partition depend on nothing but that partition of the operands."""
    return operation.name in _BY_PARTITION or operation.name in _REDUCTIONS


def is_reduced(argument: str) -> bool:
    """Whether an operand written holds a number for each partition of what is read."""
    return argument in ("reduce_res", REGISTERS)


def matters(operation: Operation, argument: str, read: str) -> bool:
    """Whether the written operand `argument` depends on the operand `read` at all."""
    if argument == REGISTERS and command_of(operation) is Command.RESET:
        return False
    # A scan goes on with the registers, other operations only reduce into them.
    return read != REGISTERS or is_reduced(argument) or depends_on_partition(operation)


def masks_otherwise(operation: Operation) -> bool:
    """Whether the operation has a mask over a grid that is not that of its operands and result, as for a matmul."""
    return operation.mask is not None and not (is_elementwise(operation) or depends_on_partition(operation))


def dependent(operation: Operation, argument: str, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks:
    """Marks of the written operand `argument`, of `shape`, given those of everything read."""
    marks = {name: mark for name, mark in marks.items() if matters(operation, argument, name)}
    if not any(mark.any() for mark in marks.values()):
        return np.zeros(shape, np.int32)
    found = _rule(operation, argument)(operation, shape, marks)
    return _everything(operation, shape, marks) if found is None else found


def certain(operation: Operation, argument: str, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks:
    """Marks of `dependent` where it is certain that they are those of what is used; 0 elsewhere."""
    chosen = () if is_reduced(argument) else _CHOSEN.get(operation.name, ())
    known = {
        name: mark
        for name, mark in marks.items()
        if matters(operation, argument, name) and (name not in chosen or mark.all())
    }
    rule = _rule(operation, argument)
    found = rule(operation, shape, known) if known and rule is not _everything else None
    if found is not None:
        return found
    # Whatever it computes, it computes from one of these.
    return _everything(operation, shape, {name: mark for name, mark in known.items() if mark.all()})


_Rule = Callable[[Operation, tuple[int, ...], dict[str, Marks]], Marks | None]


def _rule(operation: Operation, argument: str) -> _Rule:
    name = operation.name
    if name in _RUNNING and not is_reduced(argument):
        return _running
    if is_reduced(argument) or name in _BY_PARTITION:
        return _by_partition
    if name == "nisa.affine_select":
        return _selected
    if is_elementwise(operation):
        return _elementwise
    return {
        "nisa.nc_matmul": _matmul,
        "nl.matmul": _matmul,
        "nisa.nc_transpose": _transpose,
        "nl.transpose": _transpose,
        "nl.load_transpose2d": _transpose,
        "nisa.dma_transpose": _transpose,
        "nisa.tensor_partition_reduce": _over_partitions,
        "nisa.nc_stream_shuffle": _shuffled,
    }.get(name, _reduction if name in _REDUCTIONS else _everything)


def _everything(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks:
    return np.full(shape, max((int(mark.max(initial=0)) for mark in marks.values()), default=0), np.int32)


def _elementwise(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    result = np.zeros(shape, np.int32)
    for mark in marks.values():
        placed = _placed(mark, shape)
        if placed is None:
            return None
        np.maximum(result, placed, out=result)
    return result


def _placed(mark: Marks, shape: tuple[int, ...]) -> Marks | None:
    """`mark` at the elements of `shape`: the same elements in row-major order, or extents of 1 repeated."""
    size = int(np.prod(shape))
    if mark.size == size:
        return mark.reshape(shape)
    if mark.ndim and shape and mark.size == mark.shape[0] == shape[0]:
        # One number for each partition.
        return np.broadcast_to(mark.reshape((shape[0],) + (1,) * (len(shape) - 1)), shape)
    try:
        return np.broadcast_to(mark, shape)
    except ValueError:
        return None


def _by_partition(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    result = np.zeros(shape, np.int32)
    for mark in marks.values():
        if mark.shape[0] != shape[0]:
            return None
        column = mark.reshape(mark.shape[0], -1).max(axis=1)
        np.maximum(result, column.reshape((shape[0],) + (1,) * (len(shape) - 1)), out=result)
    return result


def _running(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    """What comes before an element in its partition, or is one number for all of it."""
    result = np.zeros(shape, np.int32)
    for mark in marks.values():
        placed = _placed(mark, shape)
        if placed is None:
            return None
        rows = np.maximum.accumulate(placed.reshape(shape[0], -1), axis=1)
        np.maximum(result, rows.reshape(shape), out=result)
    return result


def _selected(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    """Elements of `on_true_tile` where the pattern compares to 0 as asked ("affine_select.pred")."""
    result = _elementwise(operation, shape, marks)
    compare = _COMPARE.get(getattr(operation.attributes.get("cmp_op"), "name", ""))
    pattern = operation.attributes.get("pattern")
    if result is None or compare is None or not is_sequence(pattern):
        return None
    total = np.zeros((1,), np.int64)
    for step, count in pattern:
        total = (total[:, None] + np.arange(int(count), dtype=np.int64) * int(step)).ravel()
    rows = np.arange(shape[0], dtype=np.int64) * int(operation.attributes.get("channel_multiplier", 0))
    values = int(operation.attributes.get("offset", 0)) + rows[:, None] + total[None, :]
    if values.size != result.size:
        return None
    return np.where(compare(values, 0).reshape(shape), result, 0).astype(np.int32)


def _shuffled(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    """In each quadrant, partition i takes what is in partition mask[i], or stays ("shuffle.quadrant")."""
    source, lanes = marks.get("src"), operation.attributes.get("shuffle_mask")
    if source is None or not is_sequence(lanes) or source.shape[0] != shape[0] or source.size != int(np.prod(shape)):
        return None
    result = marks["dst"].reshape(shape).copy() if "dst" in marks else np.zeros(shape, np.int32)
    taken = source.reshape(shape)
    for start in range(0, shape[0], len(lanes)):
        for at, lane in enumerate(lanes[: shape[0] - start]):
            if lane != LANE_STAYS and start + int(lane) < shape[0]:
                result[start + at] = taken[start + int(lane)]
    return result


def _matmul(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    first, second = ("x", "y") if operation.name == "nl.matmul" else ("stationary", "moving")
    left, right = (marks[name].reshape(marks[name].shape[0], -1) for name in (first, second))
    rows = left.max(axis=0) if operation.attributes.get("transpose_x", True) else left.max(axis=1)
    columns = right.max(axis=0)
    if rows.size * columns.size != int(np.prod(shape)):
        return None
    result: Marks = np.maximum(rows[:, None], columns[None, :]).reshape(shape)
    if "dst" in marks:
        np.maximum(result, marks["dst"].reshape(shape), out=result)
    return result


def _transpose(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    (mark,) = marks.values()
    if operation.name == "nisa.dma_transpose" and mark.ndim != 2:
        return None
    turned = mark.reshape(mark.shape[0], -1).T
    return turned.reshape(shape) if turned.size == int(np.prod(shape)) else None


def _over_partitions(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    row: Marks = marks["data"].reshape(marks["data"].shape[0], -1).max(axis=0)
    return row.reshape(shape) if row.size == int(np.prod(shape)) else None


def _reduction(operation: Operation, shape: tuple[int, ...], marks: dict[str, Marks]) -> Marks | None:
    (mark,) = marks.values()
    axis: Any = operation.attributes["axis"]
    axes = tuple(int(part) for part in (axis if is_sequence(axis) else (axis,)))
    row: Marks = mark.max(axis=axes)
    return row.reshape(shape) if row.size == int(np.prod(shape)) else None
