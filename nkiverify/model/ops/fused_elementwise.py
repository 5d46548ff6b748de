"""Element-wise instructions that also reduce or accumulate: activate2, exponential, tensor_scalar_cumulative."""

from __future__ import annotations

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import (
    bfloat16,
    float8_e4m3,
    float8_e4m3fn,
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
from nkiverify.model.operators import Operator
from nkiverify.model.ops.operands import (
    claim_available,
    claim_column,
    claim_generation,
    claim_on_chip,
    claim_same_layout,
    claim_scalar_operand,
    claim_scattered_by_scalar_engine,
    destination,
    is_number,
    member,
    tile,
)
from nkiverify.model.tensor import Tensor

#: Pairs of operators activate2 computes before the activation function.
_PAIRS = (
    ("multiply", "add"), ("multiply", "subtract"), ("multiply", "bypass"), ("add", "bypass"), ("subtract", "bypass"),
    ("bypass", "bypass"),
)  # fmt: skip
_REDUCERS = ("add", "maximum", "minimum", "abs_max", "abs_min")
_SMALL_INTEGERS = (int8, int16, uint8, uint16)
_FLOATS = (float8_e4m3, float8_e5m2, float16, bfloat16, float32)
_CUMULATED = (*_FLOATS, float8_e4m3fn, *_SMALL_INTEGERS)


def activate2(
    dst: object,
    op: Operator,
    data: object,
    imm0: object,
    imm1: object,
    op0: Operator,
    op1: Operator,
    relu_param: object = 0.0,
    reduce_op: Operator | None = None,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
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
    for name, value, operator in (("imm0", imm0, op0), ("imm1", imm1, op1)):
        if value is not None or operator.name != "bypass":
            claim_scalar_operand("activate2.imm", value, source, name)
    if isinstance(imm0, Tensor) and isinstance(imm1, Tensor):
        require("activate2.imm", imm0.dtype == imm1.dtype, imm0=imm0.dtype, imm1=imm1.dtype)
    claim_scalar_operand("activate2.relu_param", relu_param, source, "relu_param")
    if reduce_op is not None:
        require("activate2.reduce_op", reduce_op.name in _REDUCERS, reduce_op=reduce_op)
    if reduce_res is not None:
        claim_column("activate2.reduce_res", reduce_res, source, "reduce_res")
    require("activate2.reduce_cmd", command is not isa.reduce_cmd.load_reduce, reduce_cmd=command)


def exponential(
    dst: object,
    src: object,
    max_value: object = 0.0,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    reduce_init: object = 0.0,
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
        require("exponential.max", max_value.dtype == float32, dtype=max_value.dtype)
    integers = (*_SMALL_INTEGERS, int32)
    require(
        "exponential.dtypes",
        result.dtype in (*_FLOATS, tfloat32, *integers) and source.dtype in (*_FLOATS, *integers, uint32),
        dst=result.dtype,
        src=source.dtype,
    )
    if reduce_res is not None:
        column = claim_column("exponential.reduce_res", reduce_res, source, "reduce_res")
        require("exponential.reduce_res", column.dtype.is_float, reduce_res=column.dtype)
    starts_at_zero = is_number(reduce_init) and reduce_init == 0
    legal = command is isa.reduce_cmd.load_reduce or starts_at_zero
    require("exponential.init", legal, reduce_cmd=command, reduce_init=reduce_init)


def tensor_scalar_cumulative(
    dst: object,
    src: object,
    op0: Operator,
    op1: Operator,
    imm0: object,
    imm1: object = None,
    reduce_cmd: object = isa.reduce_cmd.reset_reduce,
) -> None:
    """dst[i] = (src[i] op0 imm0) op1 dst[i - 1] along the free axis."""
    result, source = destination(dst, gathers=True), tile(src, "src", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    accumulates = op1.name in ("add", "subtract", "multiply", "maximum", "minimum")
    require("tsc.ops", op0.arithmetic and accumulates, op0=op0, op1=op1)
    claim_available(op0)
    claim_on_chip(dst=result, src=source)
    claim_same_layout("tsc.shape", dst=result, src=source)
    legal = result.dtype in _CUMULATED and source.dtype in _CUMULATED
    require("tsc.dtypes", legal, dst=result.dtype, src=source.dtype)
    for name, value in (("imm0", imm0), ("imm1", imm1)):
        if value is None and name == "imm1":
            continue
        claim_scalar_operand("tsc.imm", value, source, name)
        if isinstance(value, Tensor):
            require("tsc.imm", value.dtype == float32, argument=name, dtype=value.dtype)
    require("tsc.load", command is not isa.reduce_cmd.load_reduce or imm1 is not None, reduce_cmd=command)
