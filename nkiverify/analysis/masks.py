"""Where a mask lies on an operand: which of its elements an operation touches (legacy API).

A mask is about the coordinates of a grid. An operand lies on the grid with its last axes; an axis of extent 1 stands
for all coordinates of that axis of the grid. A reduction has the grid of what it reduces. Where an operand fits no
grid, nothing is assumed: what is read may be all of it, and what is written is not known to be anything.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, TypeAlias

from nkiverify.analysis.element_marks import reduced_axes
from nkiverify.analysis.reduction_registers import REGISTERS
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.model.dependence import REDUCTION_RESULT, Link
from nkiverify.model.extents import is_zero
from nkiverify.model.indices import IndexTensor, Mask, MaskRelation
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, constant_value, equal

if TYPE_CHECKING:
    import numpy.typing as npt

Places: TypeAlias = "npt.NDArray[np.bool_]"

#: Operands of these kinds lie on the grid of the result.
_ON_THE_GRID = frozenset(
    (Link.NOTHING, Link.ROW_MAJOR, Link.BROADCAST, Link.ROWS, Link.PARTITION, Link.AGGREGATED, Link.ALONG,
     Link.STATISTICS, Link.BEFORE, Link.SELECTED, Link.REDUCED)
)  # fmt: skip


class Placing(enum.Enum):
    """How an operand lies on the grid of its operation's mask."""

    #: It is a tile of the grid, or a row or column next to one.
    GRID = "grid"
    #: It has one row for each partition of the grid.
    SUMMARY = "summary"
    #: It is what the axes reduced leave of the grid.
    REDUCED = "reduced"
    UNKNOWN = "unknown"


#: Operands that have the grid of a reduction, the first of these that there is.
_WITH_THE_GRID = ("data", "x", "src", "on_true_tile", "on_true")


def placing_of(operation: Operation, argument: str, *, writes: bool) -> Placing:
    """How an operand read or written lies on the grid of the mask."""
    stated = operation.declared.dependence
    if stated is None or not on_one_grid(operation):
        return Placing.UNKNOWN
    if not writes:
        return Placing.GRID
    if argument in (REDUCTION_RESULT, REGISTERS) or argument in stated.summaries:
        return Placing.SUMMARY
    return Placing.REDUCED if stated.others is Link.REDUCED else Placing.GRID


def on_one_grid(operation: Operation) -> bool:
    """True if operands and results share a grid, as they do not for a matmul or a transpose."""
    stated = operation.declared.dependence
    # Indices known at run time are a column of the grid, whatever the elements depend on.
    operands = [argument for argument in operation.reads if not argument.endswith(".index")]
    return stated is not None and {stated.others, *map(stated.on, operands)} <= _ON_THE_GRID


def masks_otherwise(operation: Operation) -> bool:
    """True if the operation has a mask over a grid that is not that of its operands and result, as for a matmul. A mask
    without a grid is about all of it."""
    mask = operation.mask
    return mask is not None and bool(mask.terms) and not on_one_grid(operation) and not masks_columns(operation)


def masks_columns(operation: Operation) -> bool:
    """True if the mask of a product is about its columns, which are the free elements of the moving operand, and about
    nothing else, whether its grid is that of the result or of an operand: the stationary one has another grid."""
    stated, mask = operation.declared.dependence, operation.mask
    if stated is None or mask is None:
        return False
    linked = {stated.on(argument): view for argument, view in operation.reads.items()}
    moving, stationary = linked.get(Link.MOVING), linked.get(Link.STATIONARY)
    if moving is None or stationary is None or any(view.ndim != moving.ndim for view in operation.writes.values()):
        return False
    return all(_about_columns(term.difference, moving, stationary) for term in mask.terms if term.difference.shape)


def masks_no_column_of(operation: Operation, argument: str) -> bool:
    """True if the mask of a product is about its columns, and the operand read is not the moving one, that has them."""
    stated = operation.declared.dependence
    return stated is not None and stated.on(argument) is not Link.MOVING and masks_columns(operation)


def _about_columns(difference: IndexTensor, moving: Tensor, stationary: Tensor) -> bool:
    """True if a term of a mask is about free axes of the moving operand alone."""
    if difference.ndim > moving.ndim:
        return False
    free = range(-difference.ndim, 0) if difference.ndim < moving.ndim else range(1 - difference.ndim, 0)
    fits = all(
        is_zero(difference.coefficients[axis]) or equal(difference.shape[axis], moving.shape[axis]) is True
        for axis in free
    )
    if not fits or (len(free) < difference.ndim and not is_zero(difference.coefficients[0])):
        return False
    if difference.ndim > stationary.ndim:
        return True
    # The last axis of a grid that may be that of the stationary operand as well.
    columns, others = constant_value(moving.shape[-1]), constant_value(stationary.shape[-1])
    return all(map(is_zero, difference.coefficients[:-1])) and None not in (columns, others) and columns != others


def leaves_out_earlier(operation: Operation) -> bool:
    """True if the mask of a scan may leave out an element before one that it computes, of which that depends: what the
    scan continues with then is not documented."""
    stated, mask = operation.declared.dependence, operation.mask
    if stated is None or stated.others is not Link.BEFORE or mask is None:
        return False
    rank = max(view.ndim for view in (*operation.reads.values(), *operation.writes.values()))
    for term in mask.terms:
        for from_end, coefficient in enumerate(reversed(term.difference.coefficients), 1):
            known = constant_value(coefficient)
            if from_end == rank or known == 0:
                continue
            # Along the outermost free axis it leaves the first elements, up to some bound.
            grows = known is not None and known > 0 and term.relation is MaskRelation.AT_MOST
            if not grows or from_end != rank - 1:
                return True
    return False


@dataclass(frozen=True, slots=True)
class Left:
    """The part of the grid of its mask that a reduction leaves: the operand that has the grid, and pairs of an axis of
    it and the axis of the result that this becomes."""

    of: Tensor
    to: tuple[tuple[int, int], ...]

    @property
    def grid(self) -> tuple[Extent, ...]:
        """The extents of the grid."""
        return self.of.shape


def left_by(operation: Operation, argument: str) -> Left | None:
    """The part of a written operand that is left of the grid of the operation's mask; None where it lies on the grid
    itself.

    Raises `LookupError` where that cannot be said.
    """
    placing = placing_of(operation, argument, writes=True)
    if placing in (Placing.GRID, Placing.UNKNOWN):
        return None
    view = next((operation.reads[name] for name in _WITH_THE_GRID if name in operation.reads), None)
    if view is None:
        raise LookupError(operation.name)
    if placing is Placing.SUMMARY:
        return Left(view, ((0, 0),))
    axes = reduced_axes(operation, view.ndim)
    rank = operation.writes[argument].ndim
    kept = [axis for axis in range(view.ndim) if axis not in (axes or ())]
    if axes is None or 0 in axes or len(kept) > rank:
        raise LookupError(operation.name)
    # Reduced axes stay with extent 1 or go; a tile that would have no free axis then has one of extent 1.
    to = kept if rank == view.ndim else range(len(kept))
    return Left(view, tuple(zip(kept, to, strict=True)))


@dataclass(frozen=True, slots=True)
class Touched:
    """The elements of an operand that may be touched, and those that surely are; None stands for all.

    Reads are taken from `may`, which is never too little, writes from `must`, which is never too much.
    """

    may: Places | None
    must: Places | None
    #: Of this many rows how many, the first ones of each group, where that is all that both say.
    rows: tuple[int, int] | None = None

    @property
    def exact(self) -> bool:
        """True if both are the same."""
        return self.may is self.must or (
            self.may is not None and self.must is not None and bool((self.may == self.must).all())
        )


#: All elements, for sure.
EVERYTHING = Touched(None, None)


def touched(operation: Operation, argument: str, *, writes: bool) -> Touched:
    """The elements of an operand that a concrete run touches, under the mask and in the rows that count."""
    mask, rows = operation.mask, operation.rows(argument)
    if mask is None and rows is None:
        return EVERYTHING
    view = (operation.writes if writes else operation.reads)[argument]
    shape = tuple(int(extent) for extent in view.shape)
    found = EVERYTHING if mask is None else _under(operation, argument, mask, shape, writes=writes)
    if rows is None:
        return found
    counted = _first_rows(shape, rows)
    if found is EVERYTHING:
        return Touched(counted, counted, rows)
    may, must = (counted if part is None else part & counted for part in (found.may, found.must))
    return Touched(may, must)


@functools.lru_cache(maxsize=256)
def _first_rows(shape: tuple[int, ...], rows: tuple[int, int]) -> Places:
    counted = np.zeros(shape, bool)
    counted[np.arange(shape[0]) % rows[0] < rows[1]] = True
    counted.setflags(write=False)
    return counted


def _under(operation: Operation, argument: str, mask: Mask, shape: tuple[int, ...], *, writes: bool) -> Touched:
    nothing = np.zeros(shape, bool)
    if not mask.terms:
        return EVERYTHING if mask.host else Touched(nothing, nothing)
    unknown = Touched(None, nothing)
    placing = placing_of(operation, argument, writes=writes)
    holds = held(mask)
    if holds is None:
        return unknown
    if placing is Placing.UNKNOWN:
        if not masks_columns(operation):
            return unknown
        if not writes and masks_no_column_of(operation, argument):
            return EVERYTHING if holds.any() else Touched(nothing, nothing)
        placing = Placing.GRID
        if holds.ndim == len(shape):
            # Of whatever partitions the grid has.
            holds = np.asarray(holds.any(axis=0, keepdims=True))
    if placing is Placing.GRID:
        may = _placed(holds, shape, some=True)
        # A written column next to a mask over rows: whether one coordinate is enough is not documented.
        must = _placed(holds, shape, some=False) if writes else may
        return unknown if may is None or must is None else Touched(may, must)
    try:
        left = left_by(operation, argument)
    except LookupError:
        return unknown
    assert left is not None
    grid, to = tuple(int(extent) for extent in left.grid), dict(left.to)
    if not _covers(holds, grid) or any(grid[axis] != shape[at] for axis, at in to.items()):
        return unknown
    some = np.broadcast_to(holds, grid).any(axis=tuple(axis for axis in range(len(grid)) if axis not in to))
    extents = [1] * len(shape)
    for at in to.values():
        extents[at] = shape[at]
    found = np.broadcast_to(some.reshape(extents), shape)
    return Touched(found, found)


def held(mask: Mask) -> Places | None:
    """Where a mask holds, over the grid of all its terms together; None where these fit no grid."""
    if isinstance(mask.host, bool) and not mask.host:
        return np.zeros((), bool)
    found: Places = np.asarray(bool(mask.host))
    for term in mask.terms:
        difference = term.difference
        values = np.asarray(int(difference.base), np.int64)
        for coefficient, extent in zip(difference.coefficients, difference.shape, strict=True):
            values = values[..., None] + int(coefficient) * np.arange(int(extent))
        holds = {
            MaskRelation.AT_MOST: values <= 0,
            MaskRelation.EQUAL: values == 0,
            MaskRelation.UNEQUAL: values != 0,
        }[term.relation]
        try:
            found = found & holds
        except ValueError:
            return None
    return found


def _covers(holds: Places, grid: tuple[int, ...]) -> bool:
    """True if no axis of the mask is longer than that of the grid."""
    return holds.ndim <= len(grid) and all(
        one in (1, extent) for one, extent in zip(holds.shape[::-1], grid[::-1], strict=False)
    )


def _placed(holds: Places, shape: tuple[int, ...], *, some: bool) -> Places | None:
    """A mask on an operand of `shape`: along an axis of extent 1, where it holds for `some` coordinate, or for all.

    None where an axis fits neither.
    """
    while holds.ndim > len(shape) and holds.shape[0] == 1:
        holds = holds[0]
    if holds.ndim > len(shape):
        return None
    for axis in range(-holds.ndim, 0):
        if holds.shape[axis] not in (1, shape[axis]):
            if shape[axis] != 1:
                return None
            holds = np.asarray((holds.any if some else holds.all)(axis=axis, keepdims=True))
    return np.broadcast_to(holds, shape)
