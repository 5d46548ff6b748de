"""Activation functions on the Scalar Engine, and the exponential on the Vector Engine (reference section c.3).

SH shared API page, RN-x.y release notes, L:op docstring of that legacy operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    FLOAT_NAMES,
    bfloat16,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, resolved, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops.arithmetic import applied
from nkiverify.model.ops.operands import (
    claim_column,
    claim_generation,
    claim_on_chip,
    claim_same_layout,
    claim_scalar_operand,
    claim_scattered_by_scalar_engine,
    destination,
    generation,
    is_number,
    member,
    tile,
)
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor

if TYPE_CHECKING:
    from nkiverify.model.meaning import Array, Step


# --- activation, activation_reduce ------------------------------------------------------------------------------------

ACTIVATION = operation(
    "nisa.activation", dependence=Dependence(Link.ROWS), engine="scalar", behaviour=OVERWRITES.but(registers="scalar")
)
ACTIVATION_REDUCE = operation(
    "nisa.activation_reduce",
    dependence=Dependence(Link.ROWS),
    engine="scalar",
    behaviour=OVERWRITES.but(registers="scalar"),
)

define("activation.op", "op must be an activation function of the table.", "activation; SH")
define("activation.shape", "dst and data must have the same partitions and elements per partition.", "activation")
define(
    "activation.scale",
    "scale must be a compile-time scalar or a float32 (P, 1) tile.",
    "activation:Data types; Layout",
    takes={"scale": ("float32",)},
)
define(
    "activation.bias",
    "bias must be a (P, 1) tile, not tfloat32; from gen3 on it may be a constant.",
    "activation:Layout; RN-2.28",
)
define("activation.reduce_op", "reduce_op of an activation must be add.", "activation", takes={"reduce_op": ("add",)})
define("activation.reduce_res", "reduce_res must be a (P, 1) tile in SBUF or PSUM.", "activation")
define(
    "activation.reduce_cmd",
    "reduce_cmd of an activation must be idle, reset, reduce or reset_reduce.",
    "activation",
    api=("nki",),
)
define(
    "act.recip_bias_gen2",
    "activation(op=reciprocal) must not be given a bias on gen2.",
    "SH engine selection",
    api=("nki",),
    hardware=("gen2",),
)
define(
    "leg.activation.bias",
    "The bias of an activation must be float32, float16 or bfloat16.",
    "L:activation",
    api=("neuronxcc",),
    takes={"bias": ("float32", "float16", "bfloat16")},
)

#: The generation from which on a bias may be a constant; none in the legacy API.
_CONSTANT_BIAS = 3
_NEVER = 99


@ACTIVATION.current
def _(
    dst: object,
    op: Operator,
    data: object,
    bias: object = None,
    scale: object = 1.0,
    reduce_op: Operator | None = None,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    name: object = None,
) -> None:
    """dst = op(data * scale + bias) on the Scalar Engine."""
    _activation(dst, op, data, bias, scale, reduce_op, reduce_res, reduce_cmd)


@ACTIVATION.legacy
def _(
    op: Operator,
    data: object,
    *,
    bias: object = None,
    scale: object = 1.0,
    reduce_op: Operator | None = None,
    reduce_res: object = None,
    reduce_cmd: object = legacy_enums.reduce_cmd.idle,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> LegacyTensor:
    """op(data * scale + bias) on the Scalar Engine; a bias is a tile on every generation."""
    return _legacy_activation(op, data, bias, scale, reduce_op, reduce_res, reduce_cmd, dtype, mask)


@ACTIVATION_REDUCE.current
def _(
    dst: object,
    op: Operator,
    data: object,
    reduce_op: Operator,
    reduce_res: object,
    bias: object = None,
    scale: object = 1.0,
    name: object = None,
) -> None:
    """dst = op(data * scale + bias), and its sum over the free axes in `reduce_res`."""
    _activation(dst, op, data, bias, scale, reduce_op, reduce_res, isa.reduce_cmd.reset_reduce)


@ACTIVATION_REDUCE.legacy
def _(
    op: Operator,
    data: object,
    *,
    reduce_op: Operator,
    reduce_res: object,
    bias: object = None,
    scale: object = 1.0,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> LegacyTensor:
    """op(data * scale + bias), and its sum over the free axes in `reduce_res`."""
    command = legacy_enums.reduce_cmd.reset_reduce
    return _legacy_activation(op, data, bias, scale, reduce_op, reduce_res, command, dtype, mask)


def _activation(
    dst: object,
    op: Operator,
    data: object,
    bias: object,
    scale: object,
    reduce_op: Operator | None,
    reduce_res: object,
    reduce_cmd: object,
) -> None:
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    _claim_activation(result, op, source, bias, scale, reduce_op, reduce_res, _CONSTANT_BIAS)
    require("activation.reduce_cmd", command is not isa.reduce_cmd.load_reduce, reduce_cmd=command)


def _legacy_activation(
    op: Operator,
    data: object,
    bias: object,
    scale: object,
    reduce_op: Operator | None,
    reduce_res: object,
    reduce_cmd: object,
    dtype: object,
    mask: Mask | None,
) -> LegacyTensor:
    if isinstance(reduce_cmd, int):
        reduce_cmd = legacy_enums.reduce_cmd(reduce_cmd)
    member(reduce_cmd, legacy_enums.reduce_cmd, "reduce_cmd")
    source = operand(data, mask, "data")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    shift = resolved(bias, mask, "bias")
    if isinstance(shift, Tensor):
        require("leg.activation.bias", shift.dtype in (float32, float16, bfloat16), bias=shift.dtype)
    column = None if reduce_res is None else operand(reduce_res, mask, "reduce_res")
    factor = resolved(scale, mask, "scale")
    _claim_activation(result, op, source, shift, factor, reduce_op, column, _NEVER)
    return result


def _claim_activation(
    result: Tensor,
    op: Operator,
    source: Tensor,
    bias: object,
    scale: object,
    reduce_op: Operator | None,
    reduce_res: object,
    constant_bias_from: int,
) -> None:
    require("activation.op", op.activation, op=op)
    claim_on_chip(dst=result, data=source)
    claim_same_layout("activation.shape", dst=result, data=source)
    claim_scattered_by_scalar_engine(result)
    claim_scalar_operand("activation.scale", scale, source, "scale")
    if isinstance(scale, Tensor):
        require("activation.scale", scale.dtype == float32, scale=scale.dtype)
    if bias is not None:
        _claim_bias(bias, source, op, constant_bias_from)
    if reduce_op is not None:
        require("activation.reduce_op", reduce_op.name == "add", reduce_op=reduce_op)
    if reduce_res is not None:
        claim_column("activation.reduce_res", reduce_res, source, "reduce_res")


def _claim_bias(bias: object, source: Tensor, op: Operator, constant_bias_from: int) -> None:
    if is_number(bias):
        require("activation.bias", generation() >= constant_bias_from, bias=bias, generation=generation())
    else:
        claim_scalar_operand("activation.bias", bias, source, "bias")
    if isinstance(bias, Tensor):
        require("activation.bias", bias.dtype != tfloat32, dtype=bias.dtype)
    if op.name == "reciprocal":
        require("act.recip_bias_gen2", generation() >= 3, op=op, generation=generation())


@ACTIVATION.meaning
@ACTIVATION_REDUCE.meaning
def _(step: Step) -> None:
    """op(data * scale + bias) on the Scalar Engine, and its sum over the free axes if asked."""
    value = step.rows("data")
    scale, bias = step.column("scale"), step.column("bias")
    if scale is not None and not step.is_number("scale", 1):
        value = step.n.binary("multiply", value, scale)
    if bias is not None and not step.is_number("bias", 0):
        value = step.n.binary("add", value, bias)
    _activate(step, value)


for _declared in (ACTIVATION, ACTIVATION_REDUCE):
    _declared.bounded_by_meaning()


def _activate(step: Step, argument: Array, slope: Array | None = None) -> None:
    op = step.operator("op")
    if op.name == "prelu":
        if slope is None:
            step.refuse("the value of the activation function prelu: its slope is not documented")
        zero = step.n.constant(0.0, argument.ndim)
        negative = step.n.binary("multiply", slope, argument)
        result = step.n.choose(step.n.binary("greater", argument, zero), argument, negative)
        step.write("dst", result)
        step.accumulate("scalar", result)
        return
    outside = step.n.out_of_range(op.name, argument)
    result = step.n.unary(op.name, argument)
    step.write("dst", result, undefined=outside, because=f"{op.name} outside its documented range")
    step.accumulate("scalar", result, undefined=outside)


# --- activate2 --------------------------------------------------------------------------------------------------------

ACTIVATE2 = operation(
    "nisa.activate2", dependence=Dependence(Link.ROWS), engine="scalar", behaviour=OVERWRITES.but(registers="scalar")
)

define("activate2.gen4", "activate2 must run on gen4 or later.", "activate2", api=("nki",), hardware=("gen2", "gen3"))
define(
    "activate2.combos",
    "(op0, op1) must be (multiply, add), (multiply, subtract), or multiply, add, subtract or bypass with bypass.",
    "activate2",
    api=("nki",),
)
define(
    "activate2.imm",
    "imm0 and imm1 must be scalars or (P, 1) tiles; two tiles must have the same dtype.",
    "activate2",
    api=("nki",),
    takes={"imm1": "imm0"},
)
define("activate2.relu_param", "relu_param must be a scalar or a (P, 1) tile.", "activate2", api=("nki",))
define(
    "activate2.reduce_op",
    "reduce_op of activate2 must be add, maximum, minimum, abs_max or abs_min.",
    "activate2",
    api=("nki",),
    takes={"reduce_op": ("add", "maximum", "minimum", "abs_max", "abs_min")},
)
define(
    "activate2.reduce_res", "reduce_res of activate2 must be a (P, 1) tile in SBUF or PSUM.", "activate2", api=("nki",)
)
define(
    "activate2.reduce_cmd",
    "reduce_cmd of activate2 must be idle, reset, reduce or reset_reduce.",
    "activate2",
    api=("nki",),
)
define("activate2.shape", "dst must have the partitions and elements per partition of data.", "activate2", api=("nki",))

#: Pairs of operators activate2 computes before the activation function.
_PAIRS = (
    ("multiply", "add"), ("multiply", "subtract"), ("multiply", "bypass"), ("add", "bypass"), ("subtract", "bypass"),
    ("bypass", "bypass"),
)  # fmt: skip
_REDUCERS = ("add", "maximum", "minimum", "abs_max", "abs_min")


@ACTIVATE2.current
def _(
    dst: object,
    op: Operator,
    data: object,
    imm0: object,
    imm1: object,
    op0: Operator,
    op1: Operator,
    relu_param: object = 0.0,
    reverse0: object = False,
    reverse1: object = False,
    reduce_op: Operator | None = None,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    name: object = None,
) -> None:
    """dst = op((data op0 imm0) op1 imm1) on the Scalar Engine of gen4, reduced over the free axes if asked."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    claim_generation("activate2.gen4", 4)
    require("activation.op", op.activation, op=op)
    require("activate2.combos", (op0.name, op1.name) in _PAIRS, op0=op0, op1=op1)
    claim_on_chip(dst=result, data=source)
    claim_same_layout("activate2.shape", dst=result, data=source)
    claim_scattered_by_scalar_engine(result)
    for argument, value, operator in (("imm0", imm0, op0), ("imm1", imm1, op1)):
        if value is not None or operator.name != "bypass":
            claim_scalar_operand("activate2.imm", value, source, argument)
    if isinstance(imm0, Tensor) and isinstance(imm1, Tensor):
        require("activate2.imm", imm0.dtype == imm1.dtype, imm0=imm0.dtype, imm1=imm1.dtype)
    claim_scalar_operand("activate2.relu_param", relu_param, source, "relu_param")
    if reduce_op is not None:
        require("activate2.reduce_op", reduce_op.name in _REDUCERS, reduce_op=reduce_op)
    if reduce_res is not None:
        claim_column("activate2.reduce_res", reduce_res, source, "reduce_res")
    require("activate2.reduce_cmd", command is not isa.reduce_cmd.load_reduce, reduce_cmd=command)


@ACTIVATE2.meaning
def _(step: Step) -> None:
    """op((data op0 imm0) op1 imm1)."""
    value = step.rows("data")
    for number in ("0", "1"):
        op = step.operator(f"op{number}")
        value = applied(step.n, op, value, step.column(f"imm{number}"), step.flag(f"reverse{number}"))
    _activate(step, value, step.column("relu_param"))


# --- exponential ------------------------------------------------------------------------------------------------------

EXPONENTIAL = operation(
    "nisa.exponential",
    dependence=Dependence(Link.ROWS),
    engine="any",
    behaviour=OVERWRITES.but(registers="vector", clobbers_when_idle=True),
)

define(
    "exponential.gen4", "exponential must run on gen4 or later.", "exponential", api=("nki",), hardware=("gen2", "gen3")
)
define(
    "exponential.shape", "dst must have the partitions and elements per partition of src.", "exponential", api=("nki",)
)
define("exponential.rank", "The operands of exponential must have at most 4 dimensions.", "exponential", api=("nki",))
define(
    "exponential.max",
    "max_value must be a float32 scalar or (P, 1) tile.",
    "exponential",
    api=("nki",),
    takes={"max_value": ("float32",)},
)
define(
    "exponential.dtypes",
    "dst must be a float, or an integer other than uint32; src a float other than tfloat32, or an integer.",
    "exponential",
    api=("nki",),
    takes={
        "dst": (
            "float32",
            "bfloat16",
            "float16",
            "float8_e4m3",
            "float8_e5m2",
            "int8",
            "int16",
            "uint8",
            "uint16",
            "int32",
        ),
        "src": ("float32", "bfloat16", "float16"),
    },
)
define(
    "exponential.reduce_res",
    "reduce_res of exponential must be a (P, 1) float tile in SBUF or PSUM.",
    "exponential",
    api=("nki",),
    takes={"": FLOAT_NAMES},
)
define("exponential.init", "reduce_init must be 0.0 unless reduce_cmd is load_reduce.", "exponential", api=("nki",))

_FLOATS = (float8_e4m3, float8_e5m2, float16, bfloat16, float32)
_INTEGERS = (int8, int16, uint8, uint16, int32)


@EXPONENTIAL.current
def _(
    dst: object,
    src: object,
    max_value: object = 0.0,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    reduce_init: object = 0.0,
    name: object = None,
) -> None:
    """dst = exp(src - max_value) on the Vector Engine of gen4, and its sum over the free axes if asked."""
    result, source = destination(dst, gathers=True), tile(src, "src", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    claim_generation("exponential.gen4", 4)
    claim_on_chip(dst=result, src=source)
    claim_same_layout("exponential.shape", dst=result, src=source)
    require("exponential.rank", source.ndim <= 4 and result.ndim <= 4, dst=result.shape, src=source.shape)
    claim_scalar_operand("exponential.max", max_value, source, "max_value")
    if isinstance(max_value, Tensor):
        require("exponential.max", max_value.dtype == float32, max_value=max_value.dtype)
    require(
        "exponential.dtypes",
        result.dtype in (*_FLOATS, tfloat32, *_INTEGERS) and source.dtype in (*_FLOATS, *_INTEGERS, uint32),
        dst=result.dtype,
        src=source.dtype,
    )
    if reduce_res is not None:
        column = claim_column("exponential.reduce_res", reduce_res, source, "reduce_res")
        require("exponential.reduce_res", column.dtype.is_float, reduce_res=column.dtype)
    starts_at_zero = is_number(reduce_init) and reduce_init == 0
    legal = command is isa.reduce_cmd.load_reduce or starts_at_zero
    require("exponential.init", legal, reduce_cmd=command, reduce_init=reduce_init)


@EXPONENTIAL.meaning
def _(step: Step) -> None:
    """exp(src - max_value) on the Vector Engine."""
    shifted = step.n.binary("subtract", step.rows("src"), step.required_column("max_value"))
    result = step.n.unary("exp", shifted)
    step.write("dst", result)
    step.accumulate("vector", result, operator="add")
