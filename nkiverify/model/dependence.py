"""The elements of an operand that an element of a result depends on, as each operation states it.

One statement an operation, read by the sets for all shapes (`nkiverify.analysis.sets.definedness`) and by the marks of
a concrete run (`nkiverify.analysis.element_marks`). It errs on the side of too much: an element may be said to depend
on more than it is computed from. There is no default: an operation that is not here depends on everything and defines
nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field

from nkiverify.foundation.dataclass import dataclass


class Link(enum.Enum):
    """How the elements of a result are linked with those of an operand. Every link is tested on the shapes of a call:
    where they do not fit, an element depends on the whole operand."""

    #: On none: only the shape or the dtype of the operand counts.
    NOTHING = "nothing"
    #: On the element at the same place in row-major order; both have as many elements.
    ROW_MAJOR = "row-major"
    #: The same, or NumPy's broadcasting: shapes aligned at the last axis, extents of 1 repeated.
    BROADCAST = "broadcast"
    #: The same, both taken as (partitions, all free axes as one): a row, a column or one element are repeated.
    ROWS = "rows"
    #: On all elements of the same partition, or of the only one.
    PARTITION = "partition"
    #: On all elements of the 16 partitions of the same GpSimd core.
    CORE = "core"
    #: On those of the same partition, counts, means and variances in turns: a mean on no variance.
    AGGREGATED = "aggregated"
    #: On those that differ from the one at the same place along the axes in the attribute `axis` only.
    ALONG = "along"
    #: On the elements of the same partition at even places, or at odd ones, as bn_stats has them; counts on none.
    STATISTICS = "statistics"
    #: As ROWS, and on what comes before in the partition.
    BEFORE = "before"
    #: As ROWS, where an affine pattern selects the element.
    SELECTED = "selected"
    #: On what is reduced to it, along the axes in the attribute `axis`.
    REDUCED = "reduced"
    #: On the column of all partitions.
    OVER_PARTITIONS = "over partitions"
    #: (P, F) to (F, P), free axes as one.
    TRANSPOSED = "transposed"
    #: The axes in the order that `dma_transpose` has for the rank.
    PERMUTED = "permuted"
    #: A row of a product depends on a column of the stationary operand (P, F), or on a row if it is not transposed.
    STATIONARY = "stationary"
    #: A column of a product depends on a column of the moving operand.
    MOVING = "moving"
    #: In each quadrant, a partition depends on the one that `shuffle_mask` names for it.
    SHUFFLED = "shuffled"
    #: On the elements that share its scale: 8 partitions of four columns, packed as one.
    QUANTISED = "quantised"
    #: As ROW_MAJOR, in the partitions that `shuffle_mask` leaves alone.
    LEFT_ALONE = "left alone"
    #: On all elements.
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Dependence:
    """The statement of an operation: how its results depend on operands, by parameter, or `others` for those not
    named."""

    others: Link
    operands: Mapping[str, Link] = field(default_factory=dict)
    #: Operands of which data choose what is used: elements of one, or one of several (a constant may be among them).
    chosen: frozenset[str] = frozenset()
    #: Whether what is written comes from the operands of another program of the launch.
    exchanges: bool = False
    #: Results that sum a partition up: under a mask they are written where it leaves anything of the partition.
    summaries: frozenset[str] = frozenset()

    def on(self, operand: str) -> Link:
        """How the results depend on an operand; on one in a list ("srcs[1]") as on the list."""
        if operand.endswith(".index"):
            # What moves an operand moves all of it.
            return Link.EVERYTHING
        return self.operands.get(operand.partition("[")[0], self.others)


#: Partitions of a GpSimd core ("nki.isa.local_gather").
CORE_PARTITIONS = 16

#: What is written for each partition of what is read.
REDUCTION_RESULT = "reduce_res"
#: The scales of a microscaled result, which are in the first rows of each quadrant.
SCALES = "dst_scale"
#: The results of an operation.
RESULTS = frozenset(("dst", "result"))

#: The order of axes of dma_transpose by rank ("dma_transpose.axes").
PERMUTATIONS: Mapping[int, tuple[int, ...]] = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
