"""Definedness of results whose operands are well defined in part: `dependence`, on isl's sets.

An operation states how the positions of its result are linked with those of an operand. Here that is a relation of
positions, or where whole partitions are enough, of partitions. It is built from the shapes of the call: where they are
not shown to fit for all dimensions, there is none, and every element of the result counts as undefined.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from nkiverify.analysis.element_marks import link_of, matters, reduced_axes
from nkiverify.analysis.sets.affine import Sets
from nkiverify.analysis.sets.coordinates import as_term
from nkiverify.analysis.sets.regions import OperandRegion, same_extent
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.dependence import CORE_PARTITIONS, PERMUTATIONS, Link
from nkiverify.model.extents import is_one, is_sequence
from nkiverify.model.operation import LANE_STAYS, Operation
from nkiverify.symbolic import Extent, constant_value
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.terms import constant, multiply

Shape = tuple[Extent, ...]
#: Axes by number, with their extents.
Axes = Sequence[tuple[int, Extent]]
#: Equations between positions `e0, e1, …` of an operand and `r0, r1, …` of a result.
Equations = list[str]


@dataclass(frozen=True, slots=True)
class Partly:
    """The elements that an operand reads, and the elements of its storage that are well defined, where `context`
    holds."""

    region: OperandRegion
    defined: isl.Set
    context: isl.Set


def defined_elements(
    sets: Sets, operation: Operation, argument: str, region: OperandRegion, operands: dict[str, Partly | None]
) -> isl.Set | None:
    """The elements written that are surely well defined, given the operands that may not be: too few.

    None where none surely is.
    """
    good = region.elements
    for name, operand in operands.items():
        if not matters(operation, argument, name):
            continue
        bad = None if operand is None else _reached(sets, operation, argument, region, name, operand)
        if bad is None:
            return None
        # What several elements of the result are written to is not defined if one of them is not.
        good = sets.less(good, bad)
    return good


def _reached(
    sets: Sets, operation: Operation, argument: str, region: OperandRegion, name: str, operand: Partly
) -> isl.Set | None:
    """The elements written that may depend on what is undefined in an operand: too many; None for all of them."""
    result, read = operation.writes[argument].shape, operation.reads[name].shape
    link = link_of(operation, argument, name)
    # Where the context cannot hold is left in: taking it out again would make sets of many parts.
    bad = sets.less(operand.region.elements, operand.defined)
    by_partition = _partitions(operation, link, read, result)
    hit: isl.Set | None = None
    if by_partition is not None and operand.region.lanes is not None and region.lanes is not None:
        partitions = sets.once(_partitions_in, operand.region.lanes, bad)
        hit = sets.once(_followed, region.lanes, partitions, sets.map(by_partition))
        touched = sets.once(_at, operand.region.lanes, partitions)
        if sets.once(_all_undefined, touched, operand.defined, operand.context):
            # Telling positions apart would find no more.
            return hit
    by_position = _positions(operation, link, read, result)
    if by_position is None or operand.region.map is None or region.map is None:
        return hit
    positions = sets.once(_positions_in, operand.region.map, bad)
    return sets.once(_followed, region.map, positions, sets.map(by_position))


def _positions_in(view: isl.Map, elements: isl.Set) -> isl.Set:
    """The positions of a view that are in `elements`."""
    return view.intersect_range(elements).domain()


def _partitions_in(lanes: isl.Map, elements: isl.Set) -> isl.Set:
    """The partitions that hold some of `elements`."""
    return _positions_in(lanes, elements).coalesce()


def _at(view: isl.Map, positions: isl.Set) -> isl.Set:
    """The elements at positions of a view."""
    return view.intersect_domain(positions).range()


def _followed(view: isl.Map, positions: isl.Set, link: isl.Map) -> isl.Set:
    """The elements of a view at the positions that `link` leads to from some others."""
    return _at(view, positions.apply(link))


def _all_undefined(elements: isl.Set, defined: isl.Set, context: isl.Set) -> bool:
    """True if none of these elements is surely well defined."""
    return bool(elements.intersect(defined).intersect_params(context).is_empty())


# --- relations --------------------------------------------------------------------------------------------------------


def _partitions(operation: Operation, link: Link, read: Shape, result: Shape) -> str | None:
    """From partitions of an operand to those of the result that may depend on them, as the text of a map."""
    if not read or not result:
        return None
    same = same_extent(read[0], result[0])
    if link in (Link.SHUFFLED, Link.LEFT_ALONE) and same and _product(read) is _product(result):
        return _shuffled(operation, link)
    if link is Link.CORE and same:
        first = f"{CORE_PARTITIONS}c <= e0, r0 < {CORE_PARTITIONS}c + {CORE_PARTITIONS}"
        return f"{{ [e0] -> [r0] : exists c : {first} }}"
    if not _fits_by_partition(operation, link, read, result, same):
        return None
    return "{ [e0] -> [r0] : e0 = r0 }" if same else "{ [e0] -> [r0] }"


def _fits_by_partition(operation: Operation, link: Link, read: Shape, result: Shape, same: bool) -> bool:
    """True if a partition of the result depends on one of the operand alone, on that of its number if these are the
    `same`."""
    if link is Link.ROW_MAJOR:
        return same and _product(read) is _product(result)
    if link in (Link.ALONG, Link.REDUCED):
        return same and 0 not in (reduced_axes(operation, len(read)) or (0,))
    if link is Link.STATISTICS:
        return same
    if not (same or is_one(read[0])):
        return False
    if link is Link.BROADCAST:
        return len(read) == len(result) and _axes_broadcast(read, result) is not None
    if link in (Link.ROWS, Link.SELECTED):
        return _rows(read, result) is not None
    return link in (Link.BEFORE, Link.PARTITION, Link.AGGREGATED)


def _shuffled(operation: Operation, link: Link) -> str | None:
    """The text of a map from partitions to those that take them, or that are left alone; None where these are in many
    pieces, or an index of the kernel says which they are."""
    lanes = operation.attributes.get("shuffle_mask")
    if not is_sequence(lanes) or any(constant_value(lane) is None for lane in lanes):
        return None
    stays = link is Link.LEFT_ALONE
    # Runs of lanes, first and last, that all take one lane (step 0), or one after the other (step 1).
    runs: list[tuple[int, int, int, int]] = []
    for at, given in enumerate(lanes):
        if (given == LANE_STAYS) is not stays:
            continue
        lane = at if stays else int(given)
        if runs and runs[-1][1] == at - 1:
            first, last, taken, step = runs[-1]
            before = taken + step * (last - first)
            if (lane - before) in ((0, 1) if first == last else (step,)):
                runs[-1] = (first, at, taken, lane - before)
                continue
        runs.append((at, at, lane, 0))
    if len(runs) > SetsBudget.PIECES:
        return None
    size = len(lanes)
    each = [
        f"(exists q : {size}q + {first} <= r0 <= {size}q + {last} and "
        + (f"e0 = {size}q + {taken})" if step == 0 else f"e0 = r0 + {taken - first})")
        for first, last, taken, step in runs
    ]
    return f"{{ [e0] -> [r0] : {' or '.join(each) or '0 = 1'} }}"


def _positions(operation: Operation, link: Link, read: Shape, result: Shape) -> str | None:
    """From positions of an operand to those of the result that may depend on them, as the text of a map."""
    equations = _equations(operation, link, read, result)
    if equations is None:
        return None
    left = ", ".join(f"e{at}" for at in range(len(read)))
    right = ", ".join(f"r{at}" for at in range(len(result)))
    return f"{{ [{left}] -> [{right}] : {' and '.join(equations) or '0 = 0'} }}"


def _equations(operation: Operation, link: Link, read: Shape, result: Shape) -> Equations | None:
    if link is Link.ROW_MAJOR:
        return row_major(_axes(read), _axes(result))
    if link is Link.BROADCAST:
        return _axes_broadcast(read, result)
    if link in (Link.ROWS, Link.SELECTED):
        return _rows(read, result)
    if link is Link.REDUCED:
        axes = reduced_axes(operation, len(read))
        return None if axes is None else row_major([axis for axis in _axes(read) if axis[0] not in axes], _axes(result))
    if link is Link.ALONG:
        axes = reduced_axes(operation, len(read))
        uniform = len(read) == len(result) and all(map(same_extent, read, result))
        return [f"e{at} = r{at}" for at in range(len(read)) if at not in axes] if uniform and axes is not None else None
    if link is Link.TRANSPOSED:
        return row_major([*_axes(read)[1:], *_axes(read)[:1]], _axes(result))
    if link is Link.PERMUTED:
        order = PERMUTATIONS.get(len(read))
        return None if order is None else row_major([(axis, read[axis]) for axis in order], _axes(result))
    if link is Link.STATIONARY:
        turned = operation.attributes.get("transpose_x", True)
        return row_major(_axes(read)[1:] if turned else _axes(read)[:1], _axes(result)[:1])
    if link is Link.MOVING:
        return row_major(_axes(read)[1:], _axes(result)[1:])
    return None


def _axes(shape: Shape) -> list[tuple[int, Extent]]:
    return list(enumerate(shape))


def _axes_broadcast(read: Shape, result: Shape) -> Equations | None:
    """Shapes aligned at the last axis, extents of 1 repeated; or as many elements in row-major order."""
    if _product(read) is _product(result):
        return row_major(_axes(read), _axes(result))
    if len(read) > len(result):
        return None
    shift = len(result) - len(read)
    found: Equations = []
    for axis, extent in enumerate(read):
        if is_one(extent):
            continue
        if not same_extent(extent, result[shift + axis]):
            return None
        found.append(f"e{axis} = r{shift + axis}")
    return found


def _rows(read: Shape, result: Shape) -> Equations | None:
    """Both as (partitions, free axes as one), extents of 1 repeated; or as many elements in row-major order."""
    if _product(read) is _product(result):
        return row_major(_axes(read), _axes(result))
    if not read or not result:
        return None
    found: Equations = []
    if not is_one(read[0]):
        if not same_extent(read[0], result[0]):
            return None
        found.append("e0 = r0")
    if not all(map(is_one, read[1:])):
        free = row_major(_axes(read)[1:], _axes(result)[1:])
        if free is None:
            return None
        found += free
    return found


def row_major(read: Axes, result: Axes) -> Equations | None:
    """That two elements are at the same place in row-major order, each over its axes; None where that is not affine.

    Where both have as many elements behind some axis, what is before and what is behind is equal by itself. Between two
    such cuts all extents but the first one have to be plain numbers.
    """
    one, two = _behind(read), _behind(result)
    if one[0] is not two[0]:
        return None
    cuts = [(at, other) for at, size in enumerate(one) for other, each in enumerate(two) if size is each]
    found: Equations = []
    before, before_result = 0, 0
    for at, other in cuts:
        # Of equal sizes, which extents of 1 make, the first ones are taken.
        if at <= before and other <= before_result:
            continue
        if at < before or other < before_result:
            continue
        left = _distance("e", read[before:at])
        right = _distance("r", result[before_result:other])
        if left is None or right is None:
            return None
        found.append(f"{left} = {right}")
        before, before_result = at, other
    return found


def _distance(letter: str, axes: Axes) -> str | None:
    """The number in row-major order of an element over these axes; None where it is not affine."""
    parts, step = [], 1
    for at, (number, extent) in reversed(list(enumerate(axes))):
        if is_one(extent):
            continue
        parts.append(f"{step}*{letter}{number}")
        if all(is_one(other) for _, other in axes[:at]):
            break
        size = constant_value(extent)
        if size is None:
            return None
        step *= size
    return " + ".join(parts) or "0"


def _behind(axes: Axes) -> list[Term]:
    """The elements behind each axis, from all of them to one."""
    found = [constant(1)]
    for _, extent in reversed(axes):
        found.append(multiply(found[-1], as_term(extent)))
    return found[::-1]


def _product(shape: Shape) -> Term:
    return _behind(list(enumerate(shape)))[0]
