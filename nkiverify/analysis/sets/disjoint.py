"""Views of one storage compared without sets: the same elements, some in common, none from one iteration to the next.

An axis of a view is what has one stride: where it starts, and how many positions it has. Views that have a position in
common on each axis have an element in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.analysis.sets.keys import indices_of, key_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Loop
from nkiverify.model.tensor import Storage, Tensor, row_major
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Index, Min, Term
from nkiverify.symbolic.facts import Facts


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """The positions from `start` on, this many of them. Equal terms are the same object."""

    start: Term
    extent: Term

    def is_same(self, other: _Axis) -> bool:
        """True if they have the same positions."""
        return self.start is other.start and self.extent is other.extent


#: Axes by the numbers of the terms that are their strides.
_Axes = Mapping[int, _Axis]


def _along(axes: _Axes, stride: int) -> _Axis:
    """The axis with this stride: the first position alone where there is none."""
    return axes.get(stride) or _Axis(terms.constant(0), terms.constant(1))


def same_elements(one: Tensor, other: Tensor) -> bool:
    """True if two views of one iteration have the same elements."""
    if not _same_storage(one, other):
        return False
    first, second = _axes(one), _axes(other)
    if first is None or second is None:
        return False
    strides = first.keys() | second.keys()
    return all(_along(first, stride).is_same(_along(second, stride)) for stride in strides)


def meets(
    written: Tensor, read: Tensor, inner: Sequence[Loop], others: Sequence[Loop], facts: tuple[Facts, Facts]
) -> bool:
    """True if, wherever the loops `others` around the view `read` are, some iteration of those `inner` around the view
    `written` writes an element of it. The `facts` hold where it is written, and where it is read."""
    if key_of(written.storage) != key_of(read.storage) or written.dtype != read.dtype:
        return False
    first, second = _axes(written), _axes(read)
    if first is None or second is None:
        return False
    pairs = list(zip(indices_of(written.storage), indices_of(read.storage), strict=False))
    mapping = _alike(inner, others, pairs)
    if any(terms.substitute(one, mapping) is not other for one, other in pairs):
        return False
    if any(loop.index in terms.all_atoms(one) for one, _ in pairs for loop in inner if loop.index not in mapping):
        return False
    whole = _dimensions(written.storage)
    if len(whole) < len(written.storage.shape):
        return False
    if any(all(_is_all(_along(axes, stride), whole[stride]) for stride in whole) for axes in (first, second)):
        return True
    for stride in first.keys() | second.keys():
        one, two = _along(first, stride), _along(second, stride)
        extent = whole.get(stride)
        if terms.substitute(one.start, mapping) is two.start:
            continue
        if extent is None or not (
            (_is_all(one, extent) and _is_inside(two, extent, facts[1]))
            or (_is_all(two, extent) and _is_inside(one, extent, facts[0]))
        ):
            return False
    return True


def _is_all(axis: _Axis, extent: Term) -> bool:
    """True if an axis is all of a dimension."""
    return axis.start.constant == 0 and axis.extent is extent


def _alike(inner: Sequence[Loop], others: Sequence[Loop], pairs: Sequence[tuple[Term, Term]]) -> Mapping[Atom, Term]:
    """The iteration of loops that has the same number as one of others: of two that go round as often, those first
    whose indices are a pair."""
    mapping: dict[Atom, Term] = {}
    left = list(others)

    def pair(loop: Loop, other: Loop | None) -> None:
        if other is not None and loop.index not in mapping:
            left.remove(other)
            mapping[loop.index] = terms.of_atom(other.index)

    for one, two in pairs:
        for loop in inner:
            if one is terms.of_atom(loop.index):
                uniform = (it for it in left if it.extent is loop.extent and two is terms.of_atom(it.index))
                pair(loop, next(uniform, None))
    for loop in inner:
        pair(loop, next((it for it in left if it.extent is loop.extent), None))
    return mapping


def disjoint(
    view: Tensor, others: Sequence[Tensor], attached: Sequence[Tensor], loops: Sequence[Loop], facts: Facts
) -> bool:
    """True if no element of `view` is one of it, or of `others`, in another iteration of the `loops` around them all;
    nor of those `attached` it in the same one. The `facts` hold there."""
    together = (view, *others)
    dimensions = _dimensions(view.storage)
    if not all(_same_storage(view, one) for one in (*others, *attached)) or len(dimensions) < len(view.storage.shape):
        return False
    every: dict[int, _Axes] = {}
    for one in together:
        axes = _axes(one)
        if axes is None or not dimensions.keys() >= axes.keys():
            return False
        every[id(one)] = axes
    moved: set[Index] = set()
    for stride, extent in dimensions.items():
        along = [_along(every[id(one)], stride) for one in together]
        found = _moved(along, loops, facts)
        if found is not None:
            moved |= found.indices
        fits = (
            found is not None
            and _at_most(terms.constant(0), found.first, facts)
            and all(_at_most(end, extent, facts) for end in found.ends)
        )
        if not fits and not all(_is_inside(axis, extent, facts) for axis in along):
            return False
    if not moved.issuperset(loop.index for loop in loops):
        return False
    return all(
        any(_apart(_along(every[id(view)], stride), _along(every[id(one)], stride), facts) for stride in dimensions)
        for one in attached
    )


def _apart(one: _Axis, other: _Axis, facts: Facts) -> bool:
    """True if two axes have no position in common."""
    distance = terms.add(other.start, one.start, -1).constant
    if distance is None:
        return False
    first = one if distance > 0 else other
    return _at_most(first.extent, terms.constant(abs(distance)), facts)


def _is_inside(axis: _Axis, extent: Term, facts: Facts) -> bool:
    """True if all positions are between 0 and the extent of a dimension."""
    ends = [terms.add(axis.start, size) for size in (axis.extent, *_not_below(axis.extent))]
    return _at_most(terms.constant(0), axis.start, facts) and any(_at_most(end, extent, facts) for end in ends)


def _not_below(extent: Term) -> Iterator[Term]:
    """Terms that are at least an extent, as for the last of several tiles."""
    for atom in extent.atoms:
        if isinstance(atom, Min) and terms.of_atom(atom) is extent:
            yield from atom.terms


@dataclass(frozen=True, slots=True)
class _Moved:
    """The indices of loops each of which moves an axis so far that no other iteration comes to the positions of this
    one, wherever the loops are that move it less; the first of all positions, and where those of each view end.
    """

    indices: set[Index]
    first: Term
    ends: list[Term]


def _moved(axes: Sequence[_Axis], loops: Sequence[Loop], facts: Facts) -> _Moved | None:
    """How loops move an axis of several views; None if one may come to the same positions again."""
    indices: set[Atom] = {loop.index for loop in loops}
    offsets = [terms.add(axis.start, axes[0].start, -1).constant for axis in axes]
    least = min((offset for offset in offsets if offset is not None), default=0)
    most = max((offset for offset in offsets if offset is not None), default=0)
    rest, moving = axes[0].start, list[tuple[Term, Loop]]()
    for loop in loops:
        parts = terms.coefficient_of(rest, loop.index)
        if parts is None:
            return None
        step, rest = parts
        if step.constant != 0:
            moving.append((step, loop))
    fixed = [rest, *(part for step, loop in moving for part in (step, loop.extent))]
    if None in offsets or any(indices & set(terms.all_atoms(part)) for part in fixed):
        return None
    found: set[Index] = set()
    # How many positions there are from the first to the last in one iteration.
    reach = [terms.add(axis.extent, terms.constant(most - least)) for axis in axes]
    while moving:
        # The one with the smallest step, which moves no less than there is before it.
        fits = next((one for one in moving if all(_at_most(one[0], other[0], facts) for other in moving)), None)
        if fits is None or not all(_at_most(each, fits[0], facts) for each in reach):
            return None
        moving = [one for one in moving if one is not fits]
        step, loop = fits
        further = terms.multiply(step, terms.add(loop.extent, terms.constant(1), -1))
        reach = [terms.add(each, further) for each in reach]
        found.add(loop.index)
    first = terms.add(rest, terms.constant(least))
    return _Moved(found, first, [terms.add(first, each) for each in reach])


def _dimensions(storage: Storage) -> dict[int, Term]:
    """The extents of the dimensions of a storage by their strides; one less where two have the same."""
    return {
        as_term(stride).uid: as_term(extent)
        for stride, extent in zip(row_major(storage.shape), storage.shape, strict=True)
    }


def _axes(view: Tensor) -> _Axes | None:
    """The axes of a view; None where two have the same stride, or indices move it."""
    if view.indirect_by is not None:
        return None
    starts: dict[int, Term] = {}
    for start, stride in view.offset_terms:
        step = as_term(stride).uid
        starts[step] = terms.add(starts.get(step, terms.constant(0)), as_term(start))
    found = {step: _Axis(start, terms.constant(1)) for step, start in starts.items() if start.constant != 0}
    several: set[int] = set()
    for extent, stride in zip(view.shape, view.strides, strict=True):
        step, count = as_term(stride).uid, as_term(extent)
        if count.constant == 1:
            continue
        if step in several or as_term(stride).constant == 0:
            return None
        several.add(step)
        found[step] = _Axis(starts.get(step, terms.constant(0)), count)
    return found


def _same_storage(one: Tensor, other: Tensor) -> bool:
    """True if two views are of one storage, in the same iteration, and have elements of one dtype."""
    first, second = one.storage, other.storage
    if one.dtype != other.dtype:
        return False
    if first is second:
        return True
    indices = indices_of(first), indices_of(second)
    return key_of(first) == key_of(second) and all(left is right for left, right in zip(*indices, strict=False))


def _at_most(one: Term, other: Term, facts: Facts) -> bool:
    difference = terms.add(one, other, -1)
    known = difference.constant
    return known <= 0 if known is not None else facts.range_of(difference)[1] <= 0
