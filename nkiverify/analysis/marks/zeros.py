"""Zeros that a concrete run has stored: what they are multiplied with need not be defined, but for NaN and infinity."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from nkiverify.analysis.effects import Effect
from nkiverify.analysis.marks.storages import Shadow
from nkiverify.foundation.late import numpy as np
from nkiverify.model.dependence import Link
from nkiverify.model.operation import Operation

if TYPE_CHECKING:
    import numpy.typing as npt

Rows: TypeAlias = "npt.NDArray[np.bool_]"

_FACTORS = {Link.STATIONARY: Link.MOVING, Link.MOVING: Link.STATIONARY}
#: A scale is that of this many partitions; those of a quadrant are in its first partitions.
_GROUP, _QUADRANT = 8, 32


def writes_zeros(operation: Operation) -> bool:
    """True if all that it writes is 0."""
    filled = operation.declared.behaviour.fills
    value = operation.attributes.get(filled) if isinstance(filled, str) else filled
    return isinstance(value, int | float) and value == 0


def factors(operation: Operation) -> dict[str, str]:
    """For each operand of a product that sums over the rows of its operands, scales of rows included: the one whose
    zeros make its rows count for nothing."""
    behaviour, dependence = operation.declared.behaviour, operation.declared.dependence
    if dependence is None or not behaviour.product or operation.attributes.get("is_transpose"):
        return {}
    linked = dependence.operands
    whole = {link: name for name, link in linked.items() if name not in behaviour.rows}
    return {name: whole[_FACTORS[link]] for name, link in linked.items() if link in _FACTORS}


def rows_of_zeros(shadow: Shadow, effect: Effect) -> Rows | None:
    """The rows of what is read that hold nothing but zeros, for sure; None where none does."""
    if shadow.zeros is None or effect.view.indirect_by is not None:
        return None
    region = shadow.touched(effect)
    if not (region.in_range and region.exact):
        return None
    there = region.spread(region.read(shadow.zeros), 0) != 0
    rows: Rows = there.reshape(there.shape[0], -1).all(axis=1)
    return rows if rows.any() else None


def rows_of_scales(rows: Rows) -> Rows:
    """The rows of a tile of scales that are those of `rows` of the data alone; what is outside them counts for none."""
    found = np.zeros_like(rows)
    for start in range(0, len(rows), _QUADRANT):
        for number in range(_QUADRANT // _GROUP):
            group = rows[start + number * _GROUP : start + (number + 1) * _GROUP]
            if start + number < len(found):
                found[start + number] = bool(len(group)) and bool(group.all())
    return found
