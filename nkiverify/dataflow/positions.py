"""Which elements of a result are well defined where operands are so in part: `dependence`, on isl's sets."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from nkiverify.dataflow.dependence import depends_on_partition, is_elementwise, is_reduced, matters
from nkiverify.dataflow.regions import Region, same_extent
from nkiverify.model.operation import Operation


@dataclass(frozen=True, slots=True)
class Partly:
    """Positions of an operand that are read, and those of them at which it is well defined."""

    touched: isl.Set
    defined: isl.Set


def defined_elements(
    operation: Operation, argument: str, region: Region, operands: dict[str, Partly | None]
) -> isl.Set | None:
    """The elements written that are well defined, given the operands that may not be; None where none surely is."""
    good = region.map.domain()
    rank = good.dim(isl.dim_type.set)
    by_element = is_elementwise(operation) and not is_reduced(argument)
    for name, operand in operands.items():
        if not matters(operation, argument, name):
            continue
        if operand is None:
            return None
        view = operation.reads[name]
        if by_element and view.ndim == rank and all(map(same_extent, operation.writes[argument].shape, view.shape)):
            good = good.subtract(operand.touched.subtract(operand.defined))
        elif by_element or is_reduced(argument) or depends_on_partition(operation):
            # A partition that has anything undefined gives nothing that is defined.
            bad = operand.touched.subtract(operand.defined)
            lanes = bad.project_out(isl.dim_type.set, 1, view.ndim - 1)
            good = good.subtract(lanes.insert_dims(isl.dim_type.set, 1, rank - 1))
        else:
            return None
    return region.map.intersect_domain(good).range()
