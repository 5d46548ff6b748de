"""The places of a view, as a condition in C that a place is one of them.

A view is a nest of steps, mostly, and says itself which places it has. Of others, and of what a mask leaves, the places
are put together to pieces that are such nests.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from nkiverify.analysis.element_marks import distinct
from nkiverify.analysis.marks.storage_cells import Chosen, Geometry
from nkiverify.foundation.budget import MarksBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

#: Elements of a view under a mask that are listed one by one, and pieces that places may make.
_MOST_PLACES = 1 << 20

Places: TypeAlias = "npt.NDArray[np.int64]"
Inside: TypeAlias = "npt.NDArray[np.bool_]"


class NotLowered(Exception):
    """The run cannot be said in such a program; the message says why."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Places `start + a*step + b*step' + …` with each number below the extent next to its step: steps fall, and each is
    larger than all that the ones after it reach."""

    start: int
    axes: tuple[tuple[int, int], ...]

    @property
    def condition(self) -> str:
        """The condition in C that `place` is one of them.

        Where what starts within a step ends within it, rows are separated from columns by dividing the place itself,
        which is then the same quotient for all pieces of such steps: a solver has it once."""
        rest, offset, parts = "place", self.start, []
        reach = sum(step * (extent - 1) for step, extent in self.axes)
        for step, extent in self.axes:
            reach -= step * (extent - 1)
            if offset % step + reach >= step:
                parts.append(f"{rest} >= {offset}u")
                rest, offset = f"({rest} - {offset}u)", 0
            row, first = f"{rest} / {step}u" if step > 1 else rest, offset // step
            parts += [f"{row} >= {first}u"] if first else []
            parts.append(f"{row} < {first + extent}u")
            rest, offset = f"({rest} % {step}u)", offset % step
        if not self.axes or self.axes[-1][0] > 1:
            parts.append(f"{rest} == {offset}u")
        return " && ".join(parts)


def pieces(geometry: Geometry, inside: Inside | None = None) -> list[Piece]:
    """The places of a view, or those of its elements that are `inside`. Raises `NotLowered` where they are too many."""
    if not geometry.count:
        return []
    if inside is not None and not isinstance(geometry, Chosen):
        box = _box(geometry, np.broadcast_to(inside, geometry.shape[:-1]))
        geometry, inside = (geometry, inside) if box is None else (box, None)
    if not geometry.count:
        return []
    if inside is None and not isinstance(geometry, Chosen):
        nest = _nest(geometry)
        if nest is not None:
            return [nest]
    if inside is None:
        starts, length = geometry.runs()
        return _grouped(starts, starts + length)
    if geometry.count > _MOST_PLACES:
        raise NotLowered("a mask on a view of too many elements")
    places = geometry.places()
    places = distinct(places[np.broadcast_to(inside, places.shape[:-1])].ravel())
    return _grouped(places, places + 1)


def _box(geometry: Geometry, inside: Inside) -> Geometry | None:
    """The part of a view that is inside, where that is a choice of coordinates at equal distances on each axis."""
    start, steps, shape = geometry.start, list(geometry.steps), list(geometry.shape)
    for axis in range(inside.ndim):
        kept = np.flatnonzero(inside.any(axis=tuple(other for other in range(inside.ndim) if other != axis))).tolist()
        distance = kept[1] - kept[0] if len(kept) > 1 else 1
        if kept != list(range(kept[0], kept[-1] + 1, distance) if kept else ()):
            return None
        start += steps[axis] * (kept[0] if kept else 0)
        steps[axis], shape[axis] = steps[axis] * distance, len(kept)
    if prod(shape[:-1]) != np.count_nonzero(inside):
        return None
    return Geometry(start, tuple(steps), tuple(shape))


def _nest(geometry: Geometry) -> Piece | None:
    """A view by its own steps; None where different elements of it may share a place."""
    pairs = zip(geometry.steps, geometry.shape, strict=True)
    axes = sorted(((step, extent) for step, extent in pairs if extent > 1 and step), key=lambda axis: -abs(axis[0]))
    start = geometry.start + sum(step * (extent - 1) for step, extent in axes if step < 0)
    merged: list[tuple[int, int]] = []
    for step, extent in ((abs(step), extent) for step, extent in axes):
        if merged and merged[-1][0] == step * extent:
            merged[-1] = (step, merged[-1][1] * extent)
        else:
            merged.append((step, extent))
    reach = 0
    for step, extent in reversed(merged):
        if step <= reach:
            return None
        reach += step * (extent - 1)
    return Piece(start, tuple(merged))


def _grouped(starts: Places, ends: Places) -> list[Piece]:
    """The places from ascending starts to their ends, as few pieces."""
    if not len(starts):
        return []
    reached = np.maximum.accumulate(ends)
    # What overlaps is one run; what touches may be, or not: the last places of a row touch the first ones of the next.
    ways = [
        _rows(starts[np.concatenate(([True], apart))], reached[np.concatenate((apart, [True]))])
        for apart in (starts[1:] > reached[:-1], starts[1:] >= reached[:-1])
    ]
    found = min(ways, key=len)
    if len(found) > MarksBudget.PIECES:
        raise NotLowered("a mask, or an index, that leaves elements in no order")
    return found


def _rows(starts: Places, ends: Places) -> list[Piece]:
    """Runs of places: those of one length at equal distances together, such groups at equal distances, and so on."""
    found = [
        Piece(start, ((1, end - start),) if end - start > 1 else ())
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    while (fewer := _in_rows(found)) != found:
        found = fewer
    return found


def _in_rows(found: list[Piece]) -> list[Piece]:
    """Pieces that are the same, one after the other at equal distances, as one."""
    rows: list[Piece] = []
    at = 0
    while at < len(found):
        end, step = at + 1, 0
        while end < len(found) and found[end].axes == found[at].axes:
            distance = found[end].start - found[end - 1].start
            if step not in (0, distance):
                break
            end, step = end + 1, distance
        axes = found[at].axes if end == at + 1 else ((step, end - at), *found[at].axes)
        rows.append(Piece(found[at].start, axes))
        at = end
    return rows


def condition_of(found: Sequence[Piece]) -> str:
    """The condition in C that `place` is in one of the pieces."""
    return " || ".join(f"({piece.condition})" for piece in found)
