"""Element-wise instructions of the Vector, GpSimd and Scalar Engine (reference section c.3)."""

from __future__ import annotations

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import float32, tfloat32
from nkiverify.model.operators import Operator
from nkiverify.model.ops.operands import (
    any_in_psum,
    claim_available,
    claim_column,
    claim_integers,
    claim_on_chip,
    claim_one_psum,
    claim_same_layout,
    claim_scalar_operand,
    claim_scattered_by_scalar_engine,
    destination,
    generation,
    is_number,
    member,
    tile,
)
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor

TENSOR_TENSOR = operation("nisa.tensor_tensor", dependence=Dependence(Link.ROWS))
TENSOR_SCALAR = operation("nisa.tensor_scalar", dependence=Dependence(Link.ROWS))
SCALAR_TENSOR_TENSOR = operation("nisa.scalar_tensor_tensor", dependence=Dependence(Link.ROWS))
RECIPROCAL = operation("nisa.reciprocal", dependence=Dependence(Link.ROWS))
ACTIVATION = operation("nisa.activation", dependence=Dependence(Link.ROWS), engine="scalar", registers="scalar")
ACTIVATION_REDUCE = operation(
    "nisa.activation_reduce", dependence=Dependence(Link.ROWS), engine="scalar", registers="scalar"
)
ACTIVATE2 = operation("nisa.activate2", dependence=Dependence(Link.ROWS), engine="scalar", registers="scalar")
EXPONENTIAL = operation(
    "nisa.exponential", dependence=Dependence(Link.ROWS), registers="vector", clobbers_when_idle=True
)
TENSOR_SCALAR_REDUCE = operation("nisa.tensor_scalar_reduce", dependence=Dependence(Link.ROWS), registers="vector")
TENSOR_TENSOR_SCAN = operation("nisa.tensor_tensor_scan", dependence=Dependence(Link.BEFORE))
TENSOR_SCALAR_CUMULATIVE = operation(
    "nisa.tensor_scalar_cumulative", dependence=Dependence(Link.BEFORE), registers="vector"
)


_VECTOR_GPSIMD = (isa.engine.vector, isa.engine.gpsimd)
#: Operator pairs of tensor_scalar the Scalar Engine of trn2 computes.
_SCALAR_ENGINE_PAIRS = (("multiply", "add"), ("multiply", None), ("add", None))


def tensor_tensor(dst: object, data1: object, data2: object, op: Operator, engine: object = isa.engine.unknown) -> None:
    """dst = data1 op data2, element by element."""
    result, left = destination(dst, gathers=True), tile(data1, "data1", gathers=True)
    right = tile(data2, "data2")
    runs_on = member(engine, isa.engine, "engine")
    require("tensor_tensor.op", op.arity == 2, op=op)
    claim_available(op)
    claim_integers(op, result, left, right)
    claim_on_chip(dst=result, data1=left, data2=right)
    claim_one_psum("tensor_tensor.psum_pair", data1=left, data2=right)
    claim_same_layout("tensor_tensor.shape", dst=result, data1=left, data2=right)
    if op.name == "power":
        require("tensor_tensor.power_gpsimd", not any_in_psum(result, left, right), dst=result.buffer)
    if runs_on is not isa.engine.unknown:
        require("tensor_tensor.engine", runs_on in _VECTOR_GPSIMD, engine=runs_on)
    if runs_on is isa.engine.gpsimd:
        require("mem.gpsimd_no_psum", not any_in_psum(result, left, right), dst=result.buffer, data1=left.buffer)


def _claim_alu_operand(op: Operator, value: object, data: Tensor, argument: str) -> None:
    """The operand rules of tensor_scalar for one of its two operators."""
    if op.arity == 1:
        unused = value is None or (is_number(value) and value == 0)
        require("tensor_scalar.unary_operand", unused, op=op, argument=argument)
        return
    if value is None:
        require("tensor_scalar.operands", False, argument=argument, value=None)
        raise TypeError(f"{argument} is missing")
    claim_scalar_operand("tensor_scalar.operands", value, data, argument)
    if isinstance(value, Tensor) and op.arithmetic:
        require("tensor_scalar.operand_fp32", value.dtype == float32, argument=argument, dtype=value.dtype)


def tensor_scalar(
    dst: object,
    data: object,
    op0: Operator,
    operand0: object,
    op1: Operator | None = None,
    operand1: object = None,
    engine: object = isa.engine.unknown,
) -> None:
    """dst = (data op0 operand0) op1 operand1; operands are constants or one element per partition."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    runs_on = member(engine, isa.engine, "engine")
    used = (op0,) if op1 is None else (op0, op1)
    require("isa.alu_op", all(op.arity > 0 for op in used), op0=op0, op1=op1)
    for op in used:
        claim_available(op)
        claim_integers(op, result, source)
    require("tensor_scalar.same_class", len({op.bitvec for op in used}) == 1, op0=op0, op1=op1)
    require("tensor_scalar.unused_none", op1 is not None or operand1 is None, op1=op1)
    claim_on_chip(dst=result, data=source)
    claim_same_layout("tensor_scalar.shape", dst=result, data=source)
    _claim_alu_operand(op0, operand0, source, "operand0")
    if op1 is not None:
        _claim_alu_operand(op1, operand1, source, "operand1")
    _claim_tensor_scalar_engine(runs_on, used, (result, source, operand0, operand1))
    if runs_on is isa.engine.scalar:
        claim_scattered_by_scalar_engine(result)


def _claim_tensor_scalar_engine(runs_on: isa.engine, used: tuple[Operator, ...], operands: tuple[object, ...]) -> None:
    if runs_on is isa.engine.unknown:
        return
    require(
        "tensor_scalar.engine",
        runs_on in (isa.engine.vector, isa.engine.scalar, isa.engine.gpsimd)
        and (runs_on is isa.engine.vector or not any(op.bitvec for op in used)),
        engine=runs_on,
        op0=used[0],
    )
    if runs_on is isa.engine.gpsimd:
        tensors = [operand for operand in operands if isinstance(operand, Tensor)]
        require("mem.gpsimd_no_psum", not any_in_psum(*tensors), buffers=tuple(tensor.buffer for tensor in tensors))
    if runs_on is isa.engine.scalar and generation() < 4:
        pair = (used[0].name, used[1].name if len(used) > 1 else None)
        require(
            "tensor_scalar.scalar_engine_trn2",
            generation() == 3 and pair in _SCALAR_ENGINE_PAIRS,
            ops=pair,
            generation=generation(),
        )


def scalar_tensor_tensor(
    dst: object, data: object, op0: Operator, operand0: object, op1: Operator, operand1: object
) -> None:
    """dst = (data op0 operand0) op1 operand1; operand0 a constant or (P, 1), operand1 a tile like data."""
    result, source, other = destination(dst), tile(data, "data"), tile(operand1, "operand1")
    require("stt.arith_only", op0.arithmetic and op1.arithmetic, op0=op0, op1=op1)
    claim_available(op0)
    claim_available(op1)
    claim_on_chip(dst=result, data=source, operand1=other)
    claim_one_psum("stt.psum", data=source, operand1=other)
    claim_same_layout("stt.shape", dst=result, data=source, operand1=other)
    claim_scalar_operand("stt.shape", operand0, source, "operand0")


def tensor_tensor_scan(
    dst: object, data0: object, data1: object, initial: object, op0: Operator, op1: Operator
) -> None:
    """dst[:, i] = (data0[:, i] op0 dst[:, i - 1]) op1 data1[:, i], from `initial` on."""
    result, left, right = destination(dst), tile(data0, "data0"), tile(data1, "data1")
    require(
        "scan.ops",
        op0.arithmetic and op1.arithmetic and op0.arity == op1.arity == 2,
        op0=op0,
        op1=op1,
    )
    claim_on_chip(dst=result, data0=left, data1=right)
    claim_one_psum("scan.psum", data0=left, data1=right)
    claim_same_layout("scan.shape", dst=result, data0=left, data1=right)
    claim_scalar_operand("scan.initial", initial, result, "initial")
    if isinstance(initial, Tensor):
        require("scan.initial", initial.dtype == float32, dtype=initial.dtype)


def activation(
    dst: object,
    op: Operator,
    data: object,
    bias: object = None,
    scale: object = 1.0,
    reduce_op: Operator | None = None,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    *,
    constant_bias_from: int = 3,
) -> None:
    """dst = op(data * scale + bias) on the Scalar Engine; `constant_bias_from`: the first generation that has it."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    require("activation.op", op.activation, op=op)
    claim_on_chip(dst=result, data=source)
    claim_same_layout("activation.shape", dst=result, data=source)
    claim_scattered_by_scalar_engine(result)
    claim_scalar_operand("activation.scale", scale, source, "scale")
    if isinstance(scale, Tensor):
        require("activation.scale", scale.dtype == float32, dtype=scale.dtype)
    if bias is not None:
        _claim_bias(bias, source, op, constant_bias_from)
    if reduce_op is not None:
        require("activation.reduce_op", reduce_op.name == "add", reduce_op=reduce_op)
    if reduce_res is not None:
        claim_column("activation.reduce_res", reduce_res, source, "reduce_res")
    require("activation.reduce_cmd", command is not isa.reduce_cmd.load_reduce, reduce_cmd=command)


def _claim_bias(bias: object, source: Tensor, op: Operator, constant_bias_from: int) -> None:
    if is_number(bias):
        require("activation.bias", generation() >= constant_bias_from, bias=bias, generation=generation())
    else:
        claim_scalar_operand("activation.bias", bias, source, "bias")
    if isinstance(bias, Tensor):
        require("activation.bias", bias.dtype != tfloat32, dtype=bias.dtype)
    if op.name == "reciprocal":
        require("act.recip_bias_gen2", generation() >= 3, op=op, generation=generation())


def activation_reduce(
    dst: object,
    op: Operator,
    data: object,
    reduce_op: Operator,
    reduce_res: object,
    bias: object = None,
    scale: object = 1.0,
    *,
    constant_bias_from: int = 3,
) -> None:
    """`activation`, and the sum over the free axes in `reduce_res`."""
    activation(
        dst,
        op,
        data,
        bias,
        scale,
        reduce_op,
        reduce_res,
        isa.reduce_cmd.reset_reduce,
        constant_bias_from=constant_bias_from,
    )


def reciprocal(dst: object, data: object) -> None:
    """dst = 1 / data."""
    result, source = destination(dst), tile(data, "data")
    claim_on_chip(dst=result, data=source)
    claim_same_layout("reciprocal.shape", dst=result, data=source)


def tensor_scalar_reduce(
    dst: object,
    data: object,
    op0: Operator,
    operand0: object,
    reduce_op: Operator,
    reduce_res: object = None,
    reverse0: object = False,
    reduce_cmd: object = isa.reduce_cmd.reset_reduce,
    reduce_init: object = None,
    *,
    reducers: tuple[str, ...] = ("add", "multiply", "maximum", "minimum"),
) -> None:
    """dst = data op0 operand0, and its reduction over all free axes in `reduce_res` (P, 1)."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    require("tsr.arith", op0.arithmetic, op0=op0)
    claim_available(op0)
    require("tsr.reduce_op", reduce_op.name in reducers, reduce_op=reduce_op)
    claim_on_chip(dst=result, data=source)
    claim_same_layout("tsr.shape", dst=result, data=source)
    if op0.arity == 1:
        require("tsr.unary", operand0 is None or (is_number(operand0) and operand0 == 0), op0=op0)
    else:
        claim_scalar_operand("tsr.operand", operand0, source, "operand0")
    if reduce_res is not None:
        claim_column("tsr.reduce_res", reduce_res, source, "reduce_res")
    commands = (isa.reduce_cmd.reset_reduce, isa.reduce_cmd.reduce, isa.reduce_cmd.load_reduce)
    loads = command is isa.reduce_cmd.load_reduce
    require("tsr.reduce_cmd", command in commands and loads == (reduce_init is not None), reduce_cmd=command)
    require("tsr.reverse0", reverse0 is False, reverse0=reverse0)
