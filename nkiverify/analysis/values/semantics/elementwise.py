"""Element-wise operations of the Vector, GpSimd and Scalar Engine (reference section c.3)."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values.semantics.arithmetic import applied, multiplied
from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Array, Step
from nkiverify.model.operators import Operator


def _exact(step: Step, *ops: Operator | None) -> bool:
    """Whether the operation is on integers as such: bit-wise operators ("isa.bitvec_int")."""
    return any(op is not None and op.bitvec for op in ops)


@meaning("nisa.tensor_tensor")
def tensor_tensor(step: Step) -> None:
    """data1 op data2; exactly on 32-bit integers, unless Vector is asked for ("tensor_tensor.int32_dispatch")."""
    op = step.operator("op")
    exact = _exact(step, op) or step.integers_on_gpsimd("dst", "data1", "data2")
    left, right = step.rows("data1", exact=exact), step.rows("data2", exact=exact)
    step.write("dst", step.n.binary(op.name, left, right))


@meaning("nisa.tensor_scalar")
def tensor_scalar(step: Step) -> None:
    """(data op0 operand0) op1 operand1, each with its operands exchanged if reversed."""
    op0, op1 = step.operator("op0"), step.optional_operator("op1")
    exact = _exact(step, op0, op1)
    value = step.rows("data", exact=exact)
    value = applied(step.n, op0, value, step.column("operand0", exact=exact), step.flag("reverse0"))
    if op1 is not None:
        value = applied(step.n, op1, value, step.column("operand1", exact=exact), step.flag("reverse1"))
    step.write("dst", value)


@meaning("nisa.scalar_tensor_tensor")
def scalar_tensor_tensor(step: Step) -> None:
    """(data op0 operand0) op1 operand1, operand1 a tile."""
    value = applied(step.n, step.operator("op0"), step.rows("data"), step.column("operand0"), step.flag("reverse0"))
    value = applied(step.n, step.operator("op1"), value, step.rows("operand1"), step.flag("reverse1"))
    step.write("dst", value)


@meaning("nisa.tensor_scalar_reduce")
def tensor_scalar_reduce(step: Step) -> None:
    """data op0 operand0, and its reduction over all free axes."""
    value = applied(step.n, step.operator("op0"), step.rows("data"), step.column("operand0"), step.flag("reverse0"))
    step.write("dst", value)
    step.accumulate("vector", value, negate=step.flag("reduce_res_negate"))


@meaning("nisa.tensor_tensor_scan")
def scan(step: Step) -> None:
    """r[i] = (data0[i] op0 r[i - 1]) op1 data1[i] ("scan.def"); reversed operators exchange their operands."""
    op0, op1 = step.operator("op0"), step.operator("op1")
    left, right = step.rows("data0"), step.rows("data1")
    initial = np.broadcast_to(step.required_column("initial"), (step.n.lanes, left.shape[1], 1))
    if not (step.flag("reverse0") or step.flag("reverse1")):
        step.write("dst", step.n.scan(op0.name, op1.name, left, right, initial))
        return
    columns: list[Array] = []
    state = initial
    for at in range(left.shape[2]):
        state = applied(step.n, op0, left[..., at : at + 1], state, step.flag("reverse0"))
        state = applied(step.n, op1, state, right[..., at : at + 1], step.flag("reverse1"))
        columns.append(state)
    step.write("dst", np.concatenate(columns, axis=2))


@meaning("nisa.activation", "nisa.activation_reduce")
def activation(step: Step) -> None:
    """op(data * scale + bias) on the Scalar Engine, and its sum over the free axes if asked."""
    value = step.rows("data")
    scale, bias = step.column("scale"), step.column("bias")
    if scale is not None and not step.is_number("scale", 1):
        value = step.n.binary("multiply", value, scale)
    if bias is not None and not step.is_number("bias", 0):
        value = step.n.binary("add", value, bias)
    _activate(step, value)


@meaning("nisa.activate2")
def activate2(step: Step) -> None:
    """op((data op0 imm0) op1 imm1)."""
    value = step.rows("data")
    for number in ("0", "1"):
        op = step.operator(f"op{number}")
        value = applied(step.n, op, value, step.column(f"imm{number}"), step.flag(f"reverse{number}"))
    _activate(step, value)


def _activate(step: Step, argument: Array) -> None:
    op = step.operator("op")
    if op.name == "prelu":
        step.refuse("the value of the activation function prelu: its slope is not documented")
    outside = step.n.out_of_range(op.name, argument)
    result = step.n.unary(op.name, argument)
    step.write("dst", result, undefined=outside, because=f"{op.name} outside its documented range")
    step.accumulate("scalar", result, undefined=outside)


@meaning("nisa.exponential")
def exponential(step: Step) -> None:
    """exp(src - max_value) on the Vector Engine."""
    shifted = step.n.binary("subtract", step.rows("src"), step.required_column("max_value"))
    result = step.n.unary("exp", shifted)
    step.write("dst", result)
    step.accumulate("vector", result, operator="add")


@meaning("nisa.reciprocal")
def reciprocal(step: Step) -> None:
    """1 / data."""
    step.write("dst", step.n.unary("reciprocal", step.rows("data")))


@meaning("nisa.tensor_scalar_cumulative")
def cumulative(step: Step) -> None:
    """r[i] = (src[i] op0 imm0) op1 r[i - 1] along the free axes."""
    op1 = step.operator("op1")
    values = applied(step.n, step.operator("op0"), step.rows("src"), step.required_column("imm0"))
    columns: list[Array] = []
    state = step.cumulative_start(values[..., :1])
    for at in range(values.shape[2]):
        part = values[..., at : at + 1]
        state = part if state is None else step.n.binary(op1.name, part, state)
        columns.append(state)
    step.write("dst", np.concatenate(columns, axis=2))
    step.keep("vector", columns[-1])


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
