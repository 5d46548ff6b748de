"""Views that an index moves, put where they are once the numbers of the index are known.

A view that one number moves is a view like any other. Of one whose rows are chosen, each row has its place; what a DMA
skips, as its index is out of bounds, is left out of the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from nkiverify.foundation.late import numpy as np
from nkiverify.model.dependence import Link
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Indirection, IndirectionKind, Register, Tensor

if TYPE_CHECKING:
    import numpy.typing as npt

Numbers: TypeAlias = "npt.NDArray[np.int64]"
#: The numbers of an index, one after the other; None where they are not known.
Known: TypeAlias = "Callable[[Tensor | Register], Numbers | None]"


def resolved(operation: Operation, known: Known) -> Operation:
    """The operation with those views put where they are whose indices are `known`."""
    operands = {**operation.reads, **operation.writes}
    moved = [name for name, view in operands.items() if view.indirect_by is not None]
    if not moved:
        return operation
    skips = getattr(operation.attributes.get("oob_mode"), "name", "") == "skip"
    kept = _kept_rows(operation, operands, moved, known) if skips else None
    found: dict[str, Tensor] = {}
    for name in moved:
        view = _placed(operands[name], known, kept, skips)
        if view is not None:
            found[name] = view
    if kept is not None:
        if len(found) < len(moved):
            return operation
        moves = operands[moved[0]].indirect_by
        assert moves is not None
        for name in ("src", "dst"):
            found.setdefault(name, _rows_of(operands[name], kept, moves))
    return replace(
        operation,
        reads={name: found.get(name, view) for name, view in operation.reads.items()},
        writes={name: found.get(name, view) for name, view in operation.writes.items()},
    )


def origins(view: Tensor, rows: Numbers) -> Numbers:
    """Where in the storage each row of a view begins, given the number that moves it."""
    moves = view.indirect_by
    assert moves is not None
    lines = np.arange(len(rows), dtype=np.int64)
    return int(view.offset) + lines * int(view.strides[0]) + (rows - lines) * int(moves.stride)


def _placed(view: Tensor, known: Known, kept: Numbers | None, skips: bool) -> Tensor | None:
    """The view where it is, with the rows that are `kept` if not with all; None where that is not known."""
    moves = view.indirect_by
    assert moves is not None
    numbers = known(moves.index)
    if numbers is None or moves.kind is IndirectionKind.ELEMENTS:
        return None
    inside = _inside(view, numbers, skips)
    if moves.kind is IndirectionKind.SCALAR and kept is None:
        if not inside.all():
            return None
        found = view.with_layout(view.shape, view.strides, moved_by=((int(numbers[0]), int(moves.stride)),))
        found.indirect_by = None
        return found
    if moves.kind is IndirectionKind.SCALAR:
        return None
    numbers = numbers[: int(view.shape[0])]
    if kept is None:
        if not inside.all():
            return None
        kept = np.arange(len(numbers))
    found = view.with_layout((len(kept), *view.shape[1:]), view.strides)
    found.indirect_by = replace(moves, elements=origins(view, numbers)[kept])
    return found


def _inside(view: Tensor, numbers: Numbers, skips: bool) -> npt.NDArray[np.bool_]:
    """Where the index stays within the tensor, and is not below 0 if such a row is skipped."""
    moves = view.indirect_by
    assert moves is not None
    rows = numbers[:1] if moves.kind is IndirectionKind.SCALAR else numbers[: int(view.shape[0])]
    inside = rows >= 0 if skips else np.ones(len(rows), bool)
    reach = moves.reach
    if reach is not None:
        inside &= (int(reach.first) + rows * int(reach.unit) >= 0) & (
            int(reach.last) + rows * int(reach.unit) < int(reach.size)
        )
    return inside


def _kept_rows(operation: Operation, operands: Mapping[str, Tensor], moved: list[str], known: Known) -> Numbers | None:
    """The rows of both operands that a copy does not skip; None where it skips none, or which is not known."""
    stated = operation.declared.dependence
    copies = operation.declared.behaviour.moves and stated is not None and stated.others is Link.ROW_MAJOR
    if not copies or not {"src", "dst"} <= operands.keys() or not set(moved) <= {"src", "dst"}:
        return None
    counts = {int(operands[name].shape[0]) for name in ("src", "dst")}
    if len(counts) > 1 or any(operands[name].block_dims for name in ("src", "dst")):
        return None
    inside = np.ones(counts.pop(), bool)
    for name in moved:
        view = operands[name]
        assert view.indirect_by is not None
        numbers = known(view.indirect_by.index)
        if numbers is None or view.indirect_by.kind is not IndirectionKind.ROWS:
            return None
        inside &= _inside(view, numbers, True)
    return None if inside.all() else np.flatnonzero(inside)


def _rows_of(view: Tensor, kept: Numbers, moves: Indirection) -> Tensor:
    """Some rows of a view that no index moves."""
    found = view.with_layout((len(kept), *view.shape[1:]), view.strides)
    places = int(view.offset) + kept * int(view.strides[0])
    found.indirect_by = replace(moves, kind=IndirectionKind.ROWS, reach=None, elements=places)
    return found
