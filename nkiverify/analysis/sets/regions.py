"""Views as isl maps: from the positions of a view to the elements of its storage.

An element is named by the indices of the allocation (a tile allocated in a loop is another one in each iteration) and
by its coordinates in the storage. A view that leaves the box of its coordinates, or is not affine, has no map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import islpy as isl

from nkiverify.analysis.effects import Effect
from nkiverify.analysis.masks import Left, left_by, masks_no_column_of, masks_otherwise
from nkiverify.analysis.sets.affine import AffineText, Sets
from nkiverify.analysis.sets.coordinates import Apart, Coordinates, Jumps, apart_in, as_term
from nkiverify.analysis.sets.keys import Key, indices_of, key_of
from nkiverify.analysis.sets.products import Products
from nkiverify.analysis.sets.structure import views_of
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import identity
from nkiverify.ir.program import Program
from nkiverify.model.extents import is_one, is_zero
from nkiverify.model.indices import Mask, MaskRelation
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import add, constant, make, multiply, scale


@dataclass(frozen=True, slots=True)
class StridedPositions:
    """Positions that are `step` apart along one coordinate.

    `number` is the axis of the view; None for a part of one, or several together.
    """

    number: int | None
    extent: Extent
    coordinate: int
    step: Extent
    #: Whether it goes along other coordinates too.
    slanted: bool = False


@dataclass(slots=True)
class OperandRegion:
    """The elements an operand touches.

    `lanes` maps the positions of the first axis to them, the partitions of a tile. `map`, from all positions, is made
    when it is asked for. Both are None where an axis had to be taken apart. `outside` are the parameters for which it
    leaves its storage.
    """

    elements: isl.Set
    outside: isl.Set
    lanes: isl.Map | None
    _make_map: Callable[[], isl.Map] | None

    @property
    def map(self) -> isl.Map | None:
        """From the positions of the view to elements."""
        return None if self._make_map is None else self._make_map()


class Regions:
    """Makes maps of views, and remembers them.

    `jumps` are, by allocation, products at which finer coordinates begin, `apart` the dimensions that are distinguished
    from the next one.
    """

    def __init__(self, sets: Sets, jumps: Mapping[Key, Jumps], apart: Mapping[Key, Apart]) -> None:
        self.sets = sets
        self._jumps = jumps
        self._apart = apart
        self._known: dict[tuple[object, ...], OperandRegion | None] = {}
        self._keep: list[object] = []
        self._coordinates: dict[Storage, Coordinates] = {}
        self._wholes: dict[Storage, isl.Set] = {}
        #: By all that a map depends on: tiles of one shape, and the iterations of a loop that is unrolled, have views
        #: that differ in little but their identity.
        self._made: dict[tuple[object, ...], OperandRegion | None] = {}

    @staticmethod
    def of_program(program: Program) -> Regions:
        """Of the views of a program, with a coordinate for each dimension."""
        return Regions(Sets(Products(program.dimensions, program.domain)), {}, apart_in(views_of(program)))

    def finer(self, jumps: Mapping[Key, Jumps]) -> Regions:
        """The same with finer coordinates at `jumps`; of the same sets."""
        return Regions(self.sets, jumps, self._apart)

    def touched(self, effect: Effect, context: isl.Set) -> OperandRegion | None:
        """The elements that an effect touches: all that it may read, or what it writes where that is `certain`.

        None where they cannot be known: it may then be any of the storage.
        """
        operation = effect.operation
        if not effect.writes:
            # A mask over another grid leaves out nothing that is read for certain.
            others = masks_otherwise(operation) or masks_no_column_of(operation, effect.argument)
            mask = None if others else operation.mask
            return self.of(effect.view, mask, context, writes=False, rows=effect.rows)
        if masks_otherwise(operation):
            return None
        try:
            left = left_by(operation, effect.argument) if operation.mask is not None else None
        except LookupError:
            return None
        return self.of(effect.view, operation.mask, context, writes=True, rows=effect.rows, left=left)

    def of(
        self,
        view: Tensor,
        mask: Mask | None,
        context: isl.Set,
        *,
        writes: bool,
        rows: tuple[int, int] | None = None,
        left: Left | None = None,
    ) -> OperandRegion | None:
        """The elements of `view` under `mask`; None where they are not affine or may leave the storage.

        Of every `rows[0]` rows only the first `rows[1]` count. `left` says what of the grid of the mask a reduction
        leaves for the view. Where the grid of the mask does not fit the view, what is read may be more than the mask
        says, and what is written is not known.
        """
        key = (identity(view), identity(mask), writes, rows, left and (identity(left.of), left.to))
        if key not in self._known:
            self._keep.append((view, mask, left))
            form = (*self._form(view), rows, *((identity(mask), *key[2:]) if mask is not None else ()))
            if form not in self._made:
                self._made[form] = self._make(view, mask, writes, rows, left)
            self._known[key] = self._made[form]
        found = self._known[key]
        # A view used at several places may leave its storage at one of them only.
        if found is None or not self.sets.apart(found.outside, context):
            return None
        return found

    def _form(self, view: Tensor) -> tuple[object, ...]:
        """All that the elements of a view and their names depend on: its place in coordinates of its storage."""
        coordinates, starts = self._coordinates_of(view.storage), view.offset_terms
        numbers = (coordinates.extents, coordinates.strides, indices_of(view.storage), view.shape, view.strides)
        return (
            *(tuple(as_term(each).uid for each in one) for one in numbers),
            tuple((as_term(start).uid, as_term(stride).uid) for start, stride in starts),
            (coordinates.finer, view.dtype.itemsize, view.storage.dtype.itemsize, view.indirect_by is None),
        )

    def whole(self, storage: Storage) -> isl.Set:
        """All elements of a storage."""
        found = self._wholes.get(storage)
        if found is None:
            positions = self.sets.map(self._text_of_whole(storage))
            found = self._wholes[storage] = self.sets.once(isl.Map.range, positions)
        return found

    def _text_of_whole(self, storage: Storage) -> str:
        text = AffineText(self.sets.names)
        parts = [f"d{at} = {text.number(index)}" for at, index in enumerate(indices_of(storage))]
        extents = self._coordinates_of(storage).extents
        parts += [f"0 <= x{at} < {text.number(extent)}" for at, extent in enumerate(extents)]
        return f"{text.head()}{{ [] -> [{self._names(storage)}] : {' and '.join(parts) or '0 = 0'} }}"

    def _coordinates_of(self, storage: Storage) -> Coordinates:
        found = self._coordinates.get(storage)
        if found is None:
            key = key_of(storage)
            found = Coordinates.of(storage, self._jumps.get(key), self.sets.products, self._apart.get(key))
            self._coordinates[storage] = found
        return found

    def _names(self, storage: Storage) -> str:
        names = [f"d{at}" for at in range(len(indices_of(storage)))]
        return ", ".join(names + [f"x{at}" for at in range(len(self._coordinates_of(storage).extents))])

    def _make(
        self, view: Tensor, mask: Mask | None, writes: bool, rows: tuple[int, int] | None, left: Left | None
    ) -> OperandRegion | None:
        storage = view.storage
        layout = _layout(view) if view.indirect_by is None else None
        if layout is None:
            return None
        coordinates = self._coordinates_of(storage)
        places = _start(layout, coordinates)
        known = _axes(layout, coordinates, self.sets.products)
        if places is None or known is None:
            return None
        axes, split = known
        text = AffineText(self.sets.names)
        apart = set(range(view.ndim)) - split
        under: list[str] = []
        masked: set[int] = set()
        grid: dict[str, Extent] = {}
        if mask is not None:
            placed = _placed_on(view.shape, left, apart)
            stated = None if placed is None else _under(mask, placed, text, writes)
            if stated is None:
                return None
            under, masked, grid = stated
        conditions = [f"d{at} = {text.number(index)}" for at, index in enumerate(indices_of(storage))]
        conditions += [f"{text.number(extent)} >= 1" for extent in view.shape if (constant_value(extent) or 0) < 1]
        conditions += under
        if rows is not None:
            if 0 not in apart:
                return None
            conditions.append(f"e0 mod {rows[0]} < {rows[1]}")
        # A mask tells the positions of an axis apart; others are distinguished only by those who ask for the whole map.
        shown = [0] if 0 in apart else []
        kept = {*shown, *masked, *(axis.number for axis in axes if axis.slanted)}
        rest, moved = _joined([axis for axis in axes if axis.number not in kept], places)
        axes_left = [*(axis for axis in axes if axis.number in kept), *rest]
        summary = self._text(text, view, shown, masked, moved, axes_left, conditions, grid)
        found = self.sets.map(summary)
        reached = self.sets.once(isl.Map.range, found)
        outside = self.sets.once(isl.Set.params, self.sets.less(reached, self.whole(storage)))
        make_map: Callable[[], isl.Map] | None = None
        if apart.issuperset(range(view.ndim)):

            def make_map() -> isl.Map:
                return self.sets.map(self._text(text, view, range(view.ndim), (), places, axes, conditions, grid))

        return OperandRegion(reached, outside, found if shown else None, make_map)

    def _text(
        self,
        text: AffineText,
        view: Tensor,
        positions: Sequence[int],
        others: Iterable[int],
        places: Sequence[Term],
        axes: Sequence[StridedPositions],
        conditions: Sequence[str],
        grid: Mapping[str, Extent],
    ) -> str:
        """The map from `positions` to elements. All other axes are quantified over, also `others` that go nowhere, and
        those of the `grid` of a mask that the view has not got."""
        stated = list(conditions)
        sums = [[text.number(place)] for place in places]
        extents: dict[str, Extent] = {f"e{number}": view.shape[number] for number in (*positions, *others)}
        extents.update(grid)
        quantified = {f"e{number}": None for number in others if number not in positions} | dict.fromkeys(grid)
        for at, axis in enumerate(axes):
            name = f"e{axis.number}" if axis.number is not None else f"f{at}"
            if name not in extents:
                quantified[name] = None
                extents[name] = axis.extent
            step = constant_value(axis.step)
            if step is not None:
                sums[axis.coordinate].append(f"{step}*{name}")
                continue
            quantified[f"s{at}"] = None
            sums[axis.coordinate].append(f"s{at}")
            each = [text.number(scale(as_term(axis.step), n)) for n in range(constant_value(axis.extent) or 0)]
            either = " or ".join(f"({name} = {n} and s{at} = {value})" for n, value in enumerate(each))
            stated.append(f"({either})")
        stated += [f"0 <= {name} < {text.number(extent)}" for name, extent in extents.items()]
        stated += [f"x{at} = {' + '.join(parts)}" for at, parts in enumerate(sums)]
        body = " and ".join(stated) or "0 = 0"
        if quantified:
            body = f"exists {', '.join(quantified)} : {body}"
        positions_named = ", ".join(f"e{number}" for number in positions)
        return f"{text.head()}{{ [{positions_named}] -> [{self._names(view.storage)}] : {body} }}"


@dataclass(frozen=True, slots=True)
class _Layout:
    """A view in elements of its storage: where it begins, and its axes with the number each has in the view.

    An axis without a number runs through the elements of the storage that one of the view consists of; `joined` is one
    of which several positions are in one element of the storage.
    """

    offset_terms: tuple[tuple[Extent, Extent], ...]
    axes: tuple[tuple[int | None, Extent, Extent], ...]
    joined: int | None = None


def _layout(view: Tensor) -> _Layout | None:
    """The layout of a view; None where it begins or ends within an element of the storage."""
    axes = list(zip(range(view.ndim), view.shape, view.strides, strict=True))
    new, old = view.dtype.itemsize, view.storage.dtype.itemsize
    if new == old:
        return _Layout(tuple(view.offset_terms), tuple(axes))
    if new > old:
        ratio = new // old
        moved = tuple((start, stride * ratio) for start, stride in view.offset_terms)
        wider = [(number, extent, stride * ratio) for number, extent, stride in axes]
        return _Layout(moved, (*wider, (None, ratio, 1)))
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
    return _Layout(tuple((start, 1) for start in starts), (*outer, (number, count, 1)), number)  # type: ignore[arg-type, misc]


def _divided(term: Term, divisor: int) -> Term | None:
    """A term divided by a number; None where a rest may be left."""
    if any(coefficient % divisor for coefficient in term.monomials.values()):
        return None
    return make({monomial: coefficient // divisor for monomial, coefficient in term.monomials.items()})


def _start(layout: _Layout, coordinates: Coordinates) -> list[Term] | None:
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


def _axes(
    layout: _Layout, coordinates: Coordinates, products: Products
) -> tuple[list[StridedPositions], set[int]] | None:
    """The axes of a view along the coordinates of its storage, and which had to be split; None where one has none.

    An axis that goes nowhere (the same elements again) is left out. All extents are at least 1.
    """
    found: list[StridedPositions] = []
    split: set[int] = set() if layout.joined is None else {layout.joined}
    # The innermost first: what an axis cannot be placed without continues at its end.
    pending = [axis for axis in reversed(layout.axes) if not products.is_at_most_one(axis[1])]
    inner: tuple[set[int], Term, Extent, list[StridedPositions]] | None = None
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
) -> tuple[list[StridedPositions], bool] | None:
    """An axis along the coordinates, and whether it had to be split; None where it has no place there."""
    digits = coordinates.digits(extent, stride)
    found: list[StridedPositions] = []
    for part, step in digits or [(extent, stride)]:
        along = coordinates.decomposed(step)
        if along is not None and any((constant_value(each) or 0) < 0 for each in along[1:]):
            along = coordinates.along_one(step)
        steps = [(at, each) for at, each in enumerate(along or ()) if not is_zero(each)]
        if along is None:
            return None
        count = constant_value(part)
        if any(constant_value(each) is None for _, each in steps) and (count is None or count > SetsBudget.POSITIONS):
            return None
        slanted = len(steps) > 1
        found += [StridedPositions(None if digits else number, part, at, each, slanted) for at, each in steps]
    return found, bool(digits)


def _joined(axes: Sequence[StridedPositions], places: Sequence[Term]) -> tuple[list[StridedPositions], list[Term]]:
    """Fewer axes that reach the same elements, and where they start.

    Two axes along one coordinate are one where the second continues, without a gap, where the first ends. All extents
    are at least 1.
    """
    starts = list(places)
    found: list[StridedPositions] = []
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
        found += [StridedPositions(None, extent, at, step) for step, extent in merged]  # type: ignore[arg-type]
    return found, starts


@dataclass(frozen=True, slots=True)
class _Placed:
    """The axes of the grid of a mask, counted from the last one (1): the axis of a view that each one is, with the
    extent it has. None: the view has one position for all of them."""

    axes: Mapping[int, tuple[int | None, Extent | None]]
    #: Whether what a mask leaves of the axes that the view has not got is touched at all: so for a reduction.
    reduces: bool


def _placed_on(shape: tuple[Extent, ...], left: Left | None, apart: set[int]) -> _Placed | None:
    """How a view of `shape` lies on the grid of a mask; only axes in `apart` have positions. None if it does not."""
    rank = len(shape)
    if left is None:
        axes: dict[int, tuple[int | None, Extent | None]] = {
            rank - at: (None, None) if is_one(extent) else (at, extent)
            for at, extent in enumerate(shape)
            if is_one(extent) or at in apart
        }
        return _Placed(axes, reduces=False)
    to = dict(left.to)
    if not all(same_extent(left.grid[axis], shape[at]) and at in apart for axis, at in to.items()):
        return None
    return _Placed({len(left.grid) - axis: (to.get(axis), each) for axis, each in enumerate(left.grid)}, reduces=True)


def _under(
    mask: Mask, placed: _Placed, text: AffineText, writes: bool
) -> tuple[list[str], set[int], dict[str, Extent]] | None:
    """The mask as conditions on the positions of an operand, the axes these are about, and the axes of its grid that
    the operand has not got: of these it holds for some position.

    None where a write is not known. Of a read, a term that does not fit is left out: too much is read then.
    """
    host = mask.host
    found = [text.condition(host if isinstance(host, bool | Condition) else True)]
    about: set[int] = set()
    grid: dict[str, Extent] = {}
    for term in mask.terms:
        difference = term.difference
        parts = [text.number(difference.base)]
        places: set[int] = set()
        others: dict[str, Extent] = {}
        fits = True
        for axis, coefficient in zip(range(difference.ndim, 0, -1), difference.coefficients, strict=True):
            if is_zero(coefficient):
                continue
            factor, extent = constant_value(coefficient), difference.shape[-axis]
            place, size = placed.axes.get(axis, (-1, 0))
            # A written column next to a mask over rows: whether one position is enough is not documented.
            attached = place is None and (placed.reduces or not writes)
            one = same_extent(extent, grid.get(f"g{axis}", extent) if size is None else size)
            if factor is None or not one or not (attached or (place is not None and place >= 0)):
                fits = False
                break
            if place is None:
                others[f"g{axis}"] = extent
            else:
                places.add(place)
            parts.append(f"{factor}*{f'g{axis}' if place is None else f'e{place}'}")
        if not fits:
            if writes:
                return None
            continue
        about |= places
        grid |= others
        relation = {MaskRelation.AT_MOST: "<=", MaskRelation.EQUAL: "=", MaskRelation.UNEQUAL: "!="}[term.relation]
        found.append(f"{' + '.join(parts)} {relation} 0")
    return found, about, grid


def same_extent(one: Extent, two: Extent) -> bool:
    """True if two extents are equal whatever the dimensions are."""
    return as_term(one) is as_term(two)
