"""The place of a view in the coordinates of its storage: where it begins, and its axes along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nkiverify.analysis.sets.coordinates import Apart, Coordinates, Jumps, as_term
from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.sets.products import Products
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.extents import is_one, is_zero
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.terms import add, constant, make, multiply, scale

#: Positions of an axis whose stride is not a plain number that are told apart; there is no map of one with more.
_FEW = 4


@dataclass(frozen=True, slots=True)
class Axis:
    """Positions that are `step` apart along one coordinate.

    `number` is the axis of the view; None for a part of one, or several together.
    """

    number: int | None
    extent: Extent
    coordinate: int
    step: Extent
    #: Whether it goes along other coordinates too.
    slanted: bool = False


class Places:
    """The coordinates of storages, each made once, and what places of views in them depend on.

    `jumps` are, by allocation, products at which finer coordinates begin, `apart` the dimensions that are told apart
    from the next one.
    """

    def __init__(self, products: Products, jumps: Mapping[Key, Jumps], apart: Mapping[Key, Apart]) -> None:
        self._products = products
        self._jumps = jumps
        self._apart = apart
        self._known: dict[Storage, Coordinates] = {}

    def coordinates(self, storage: Storage) -> Coordinates:
        """The coordinates of a storage."""
        found = self._known.get(storage)
        if found is None:
            key = key_of(storage)
            found = Coordinates.of(storage, self._jumps.get(key), self._products, self._apart.get(key))
            self._known[storage] = found
        return found

    def form(self, view: Tensor) -> tuple[object, ...]:
        """All that the elements of a view and their names depend on: its place in coordinates of its storage."""
        coordinates, starts = self.coordinates(view.storage), view.offset_terms
        numbers = (coordinates.extents, coordinates.strides, indices_of(view.storage), view.shape, view.strides)
        return (
            *(tuple(as_term(each).uid for each in one) for one in numbers),
            tuple((as_term(start).uid, as_term(stride).uid) for start, stride in starts),
            (coordinates.finer, view.dtype.itemsize, view.storage.dtype.itemsize, view.indirect_by is None),
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """A view in elements of its storage: where it begins, and its axes with the number each has in the view.

    An axis without a number runs through the elements of the storage that one of the view consists of; `joined` is one
    of which several positions are in one element of the storage.
    """

    offset_terms: tuple[tuple[Extent, Extent], ...]
    axes: tuple[tuple[int | None, Extent, Extent], ...]
    joined: int | None = None


def layout_of(view: Tensor) -> Layout | None:
    """The layout of a view; None where it begins or ends within an element of the storage."""
    axes = list(zip(range(view.ndim), view.shape, view.strides, strict=True))
    new, old = view.dtype.itemsize, view.storage.dtype.itemsize
    if new == old:
        return Layout(tuple(view.offset_terms), tuple(axes))
    if new > old:
        ratio = new // old
        moved = tuple((start, stride * ratio) for start, stride in view.offset_terms)
        wider = [(number, extent, stride * ratio) for number, extent, stride in axes]
        return Layout(moved, (*wider, (None, ratio, 1)))
    ratio = old // new
    if not axes or constant_value(axes[-1][2]) != 1:
        return None
    number, extent, _ = axes.pop()
    starts = [_divided(multiply(as_term(start), as_term(stride)), ratio) for start, stride in view.offset_terms]
    strides = [_divided(as_term(stride), ratio) for _, _, stride in axes]
    count = _divided(as_term(extent), ratio)
    if count is None or None in starts or None in strides:
        return None
    outer = [(at, extent, stride) for (at, extent, _), stride in zip(axes, strides, strict=True)]
    return Layout(tuple((start, 1) for start in starts), (*outer, (number, count, 1)), number)  # type: ignore[arg-type, misc]


def _divided(term: Term, divisor: int) -> Term | None:
    """A term divided by a number; None where a rest may be left."""
    if any(coefficient % divisor for coefficient in term.monomials.values()):
        return None
    return make({monomial: coefficient // divisor for monomial, coefficient in term.monomials.items()})


def start_of(layout: Layout, coordinates: Coordinates) -> list[Term] | None:
    """The coordinates of the first element; None where they are not known."""
    places = [constant(0) for _ in coordinates.strides]
    for start, stride in layout.offset_terms:
        whole = multiply(as_term(start), as_term(stride))
        # With finer coordinates than dimensions, and of a number of elements, only the product tells how far it goes in
        # each.
        parts, times = coordinates.decomposed(whole), constant(1)
        # Column F + 3 of rows of F + 8 is not in the next row, 5 columns ahead of it, nor column n - 8 * i of rows of 8
        # in an earlier one.
        backwards = any(part.monomials and max(part.monomials.values()) < 0 for part in map(as_term, parts or ()))
        if parts is None or backwards or not (coordinates.finer or is_one(stride)):
            other = coordinates.decomposed(stride)
            if other is not None:
                parts, times = other, as_term(start)
        if parts is None:
            return None
        for at, part in enumerate(parts):
            if not is_zero(part):
                places[at] = add(places[at], multiply(times, as_term(part)))
    return places


def axes_of(layout: Layout, coordinates: Coordinates, products: Products) -> tuple[list[Axis], set[int]] | None:
    """The axes of a view along the coordinates of its storage, and which had to be split; None where one has none.

    An axis that goes nowhere (the same elements again) is left out. All extents are at least 1.
    """
    found: list[Axis] = []
    split: set[int] = set() if layout.joined is None else {layout.joined}
    # The innermost first: what an axis cannot be placed without goes on at its end.
    pending = [axis for axis in reversed(layout.axes) if not products.is_at_most_one(axis[1])]
    inner: tuple[set[int], Term, Extent, list[Axis]] | None = None
    for number, extent, stride in pending:
        numbers = set() if number is None else {number}
        placed = _placed_axis(number, extent, stride, coordinates)
        if placed is None and inner is not None and multiply(inner[1], as_term(inner[2])) is as_term(stride):
            # Both are one axis that has as many positions as they have together.
            numbers, extent, stride = numbers | inner[0], multiply(as_term(extent), inner[1]), inner[2]  # type: ignore[assignment]
            found = [axis for axis in found if axis not in inner[3]]
            placed = _placed_axis(None, extent, stride, coordinates)
            split |= numbers
        if placed is None:
            return None
        axes, is_split = placed
        split |= numbers if is_split else set()
        found += axes
        inner = (numbers, as_term(extent), stride, axes)
    # Those of the view in its order.
    kept = [replace(axis, number=None) if axis.number in split else axis for axis in reversed(found)]
    return kept, split


def _placed_axis(
    number: int | None, extent: Extent, stride: Extent, coordinates: Coordinates
) -> tuple[list[Axis], bool] | None:
    """An axis along the coordinates, and whether it had to be split; None where it has no place there."""
    digits = coordinates.digits(extent, stride)
    found: list[Axis] = []
    for part, step in digits or [(extent, stride)]:
        along = coordinates.decomposed(step)
        if along is not None and any((constant_value(each) or 0) < 0 for each in along[1:]):
            along = coordinates.along_one(step)
        steps = [(at, each) for at, each in enumerate(along or ()) if not is_zero(each)]
        if along is None:
            return None
        count = constant_value(part)
        if any(constant_value(each) is None for _, each in steps) and (count is None or count > _FEW):
            return None
        slanted = len(steps) > 1
        found += [Axis(None if digits else number, part, at, each, slanted) for at, each in steps]
    return found, bool(digits)


def joined_axes(axes: Sequence[Axis], places: Sequence[Term]) -> tuple[list[Axis], list[Term]]:
    """Fewer axes that reach the same elements, and where they start.

    Two axes along one coordinate are one where the second goes on, without a gap, where the first ends. All extents
    are at least 1.
    """
    starts = list(places)
    found: list[Axis] = []
    for at in range(len(places)):
        here = [axis for axis in axes if axis.coordinate == at]
        fixed: list[tuple[int, Term]] = []
        for axis in here:
            step = constant_value(axis.step)
            if step is None:
                found.append(axis)
                continue
            extent = as_term(axis.extent)
            if step < 0:
                starts[at] = add(starts[at], scale(add(extent, constant(-1)), step))
            fixed.append((abs(step), extent))
        merged: list[tuple[int, Term]] = []
        for step, extent in sorted(fixed, key=lambda pair: (pair[0], pair[1].constant is None)):
            if merged:
                before, count = merged[-1]
                times, rest = divmod(step, before)
                if rest == 0 and (times == 1 or (count.constant is not None and count.constant >= times)):
                    merged[-1] = (before, add(count, scale(add(extent, constant(-1)), times)))
                    continue
            merged.append((step, extent))
        found += [Axis(None, extent, at, step) for step, extent in merged]  # type: ignore[arg-type]
    return found, starts
