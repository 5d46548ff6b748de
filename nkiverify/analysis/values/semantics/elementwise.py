"""Reductions (reference section c.3)."""

from __future__ import annotations

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Step
from nkiverify.model.ops.arithmetic import multiplied


@meaning("nisa.tensor_reduce")
def tensor_reduce(step: Step) -> None:
    """data reduced over some of its axes ("tensor_reduce.axis_last"), negated if asked."""
    op = step.operator("op")
    reduced = step.reduced("data", op.name, step.axes("axis", "data"), exact=op.bitvec)
    step.write("dst", step.n.unary("negative", reduced) if step.flag("negate") else reduced)


@meaning("nisa.tensor_partition_reduce")
def partition_reduce(step: Step) -> None:
    """data (P, F) reduced over the partitions to (1, F)."""
    op = step.operator("op")
    data = step.rows("data", exact=op.bitvec)
    across = data.transpose(0, 2, 1)
    name = {"average": "add", "max": "maximum"}.get(op.name, op.name)
    result = step.n.reduce(name, across)
    if op.name == "average":
        result = multiplied(step.n, result, 1.0 / data.shape[1])
    step.write("dst", result)
