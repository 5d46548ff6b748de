"""Which elements of a result are well defined where operands are so in part: `dependence`, on isl's sets."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from nkiverify.dataflow.dependence import depends_on_partition, is_elementwise, is_reduced, matters
from nkiverify.dataflow.regions import Region, same_extent
from nkiverify.model.operation import Operation


@dataclass(frozen=True, slots=True)
class Partly:
    """What an operand reads, and the elements of its storage that are well defined, where `context` holds."""

    region: Region
    defined: isl.Set
    context: isl.Set

    def undefined(self) -> isl.Set:
        """The elements read that may not be well defined.

        Where the context cannot hold is left in: taking it out again would make sets of many parts.
        """
        return self.region.elements.subtract(self.defined)

    def all_undefined(self, elements: isl.Set) -> bool:
        """Whether none of these elements is surely well defined."""
        return bool(elements.intersect(self.defined).intersect_params(self.context).is_empty())


def defined_elements(
    operation: Operation, argument: str, region: Region, operands: dict[str, Partly | None]
) -> isl.Set | None:
    """The elements written that are well defined, given the operands that may not be; None where none surely is."""
    rank = operation.writes[argument].ndim
    by_element = is_elementwise(operation) and not is_reduced(argument)
    lanes: isl.Set | None = None
    apart: list[isl.Set] = []
    for name, operand in operands.items():
        if not matters(operation, argument, name):
            continue
        view = operation.reads[name]
        if operand is None or operand.region.lanes is None:
            return None
        reached = operand.region.lanes
        bad = operand.undefined()
        partitions = reached.intersect_range(bad).domain().coalesce()
        same = view.ndim == rank and all(map(same_extent, operation.writes[argument].shape, view.shape))
        if by_element and same and not operand.all_undefined(reached.intersect_domain(partitions).range()):
            if operand.region.map is None:
                return None
            apart.append(operand.region.map.intersect_range(bad).domain())
        elif by_element or is_reduced(argument) or depends_on_partition(operation):
            # A partition that has anything undefined gives nothing that is defined.
            lanes = partitions if lanes is None else lanes.union(partitions)
        else:
            return None
    if not apart:
        return None if region.lanes is None else _without_lanes(region.lanes, lanes).range()
    if region.map is None:
        return None
    good = region.map.domain()
    for bad in apart:
        good = good.subtract(bad)
    if lanes is not None:
        good = good.subtract(lanes.insert_dims(isl.dim_type.set, 1, rank - 1))
    return region.map.intersect_domain(good).range()


def _without_lanes(found: isl.Map, lanes: isl.Set | None) -> isl.Map:
    return found if lanes is None else found.intersect_domain(found.domain().subtract(lanes))
