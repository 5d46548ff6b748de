"""Element-wise instructions that do more than one thing: two operators on two tiles, an operator and a reduction
(reference section c.3).

Shapes are (P, F), all free axes as one. L:op is the docstring of that legacy operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, resolved, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops.arithmetic import applied
from nkiverify.model.ops.elementwise import unused
from nkiverify.model.ops.operands import (
    claim_available,
    claim_column,
    claim_on_chip,
    claim_one_psum,
    claim_same_layout,
    claim_scalar_operand,
    destination,
    member,
    tile,
)
from nkiverify.model.promotion import promoted
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


# --- scalar_tensor_tensor ---------------------------------------------------------------------------------------------

SCALAR_TENSOR_TENSOR = operation(
    "nisa.scalar_tensor_tensor", dependence=Dependence(Link.ROWS), engine="any", behaviour=OVERWRITES
)

define("stt.arith_only", "The operators of scalar_tensor_tensor must be arithmetic.", "scalar_tensor_tensor")
define("stt.psum", "data and operand1 must not both be in PSUM.", "scalar_tensor_tensor", takes={"": ("sbuf",)})
define(
    "stt.shape",
    "data, operand1 and dst must have the same partitions and elements per partition; operand0 must be a scalar"
    " or (P, 1).",
    "scalar_tensor_tensor",
)


@SCALAR_TENSOR_TENSOR.current
def _(
    dst: object,
    data: object,
    op0: Operator,
    operand0: object,
    op1: Operator,
    operand1: object,
    reverse0: object = False,
    reverse1: object = False,
    name: object = None,
) -> None:
    """dst = (data op0 operand0) op1 operand1; operand0 a constant or (P, 1), operand1 a tile like data."""
    result, source, other = destination(dst), tile(data, "data"), tile(operand1, "operand1")
    _claim_scalar_tensor_tensor(result, source, op0, operand0, op1, other)


@SCALAR_TENSOR_TENSOR.legacy
def _(
    *,
    data: object,
    op0: Operator,
    operand0: object,
    op1: Operator,
    operand1: object,
    reverse0: object = False,
    reverse1: object = False,
    dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """(data op0 operand0) op1 operand1; operand0 a constant or (P, 1), operand1 a tile like data."""
    source, other = operand(data, mask, "data"), operand(operand1, mask, "operand1")
    result = result_tile(source.shape, named_dtype(dtype, promoted(source.dtype, other.dtype)), mask=mask)
    _claim_scalar_tensor_tensor(result, source, op0, resolved(operand0, mask, "operand0"), op1, other)
    return result


def _claim_scalar_tensor_tensor(
    result: Tensor, source: Tensor, op0: Operator, operand0: object, op1: Operator, other: Tensor
) -> None:
    require("stt.arith_only", op0.arithmetic and op1.arithmetic, op0=op0, op1=op1)
    claim_available(op0)
    claim_available(op1)
    claim_on_chip(dst=result, data=source, operand1=other)
    claim_one_psum("stt.psum", data=source, operand1=other)
    claim_same_layout("stt.shape", dst=result, data=source, operand1=other)
    claim_scalar_operand("stt.shape", operand0, source, "operand0")


@SCALAR_TENSOR_TENSOR.meaning
def _(step: Step) -> None:
    """(data op0 operand0) op1 operand1, operand1 a tile."""
    value = applied(step.n, step.operator("op0"), step.rows("data"), step.column("operand0"), step.flag("reverse0"))
    value = applied(step.n, step.operator("op1"), value, step.rows("operand1"), step.flag("reverse1"))
    step.write("dst", value)


SCALAR_TENSOR_TENSOR.bounded_by_meaning()


# --- tensor_scalar_reduce ---------------------------------------------------------------------------------------------

TENSOR_SCALAR_REDUCE = operation(
    "nisa.tensor_scalar_reduce",
    dependence=Dependence(Link.ROWS),
    engine="any",
    behaviour=OVERWRITES.but(registers="vector"),
)

define("tsr.arith", "op0 of tensor_scalar_reduce must be arithmetic.", "tensor_scalar_reduce")
define(
    "tsr.reduce_op",
    "reduce_op must be add, multiply, maximum or minimum (legacy: subtract too).",
    "tensor_scalar_reduce; L:tensor_scalar_reduce",
    takes={"reduce_op": ("add", "multiply", "maximum", "minimum")},
)
define("tsr.shape", "dst must have the partitions and elements per partition of data.", "tensor_scalar_reduce")
define("tsr.operand", "operand0 must be a compile-time scalar or a (P, 1) tile.", "tensor_scalar_reduce")
define("tsr.reduce_res", "reduce_res must be a (P, 1) tile in SBUF or PSUM.", "tensor_scalar_reduce")
define(
    "tsr.reduce_cmd",
    "reduce_cmd must be reset_reduce, reduce or load_reduce; reduce_init must be given with load_reduce only.",
    "tensor_scalar_reduce",
    api=("nki",),
)
define("tsr.reverse0", "reverse0 must not be set: it is not supported yet.", "tensor_scalar_reduce", api=("nki",))
define("tsr.unary", "The operand of a unary operator must be None or 0.", "tensor_scalar_reduce")

_REDUCERS = ("add", "multiply", "maximum", "minimum")
_LEGACY_REDUCERS = (*_REDUCERS, "subtract")


@TENSOR_SCALAR_REDUCE.current
def _(
    dst: object,
    data: object,
    op0: Operator,
    operand0: object,
    reduce_op: Operator,
    reduce_res: object = None,
    reverse0: object = False,
    reduce_cmd: object = isa.reduce_cmd.reset_reduce,
    reduce_init: object = None,
    reduce_res_negate: object = False,
    name: object = None,
) -> None:
    """dst = data op0 operand0, and its reduction over all free axes in `reduce_res` (P, 1)."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    command = member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    _claim_tensor_scalar_reduce(result, source, op0, operand0, reduce_op, reduce_res, _REDUCERS)
    commands = (isa.reduce_cmd.reset_reduce, isa.reduce_cmd.reduce, isa.reduce_cmd.load_reduce)
    loads = command is isa.reduce_cmd.load_reduce
    require("tsr.reduce_cmd", command in commands and loads == (reduce_init is not None), reduce_cmd=command)
    require("tsr.reverse0", reverse0 is False, reverse0=reverse0)


@TENSOR_SCALAR_REDUCE.legacy
def _(
    *,
    data: object,
    op0: Operator,
    operand0: object,
    reduce_op: Operator,
    reduce_res: object,
    reverse0: object = False,
    dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """data op0 operand0, and its reduction over all free axes in `reduce_res` (P, 1)."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    shift, column = resolved(operand0, mask, "operand0"), operand(reduce_res, mask, "reduce_res")
    _claim_tensor_scalar_reduce(result, source, op0, shift, reduce_op, column, _LEGACY_REDUCERS)
    return result


def _claim_tensor_scalar_reduce(
    result: Tensor,
    source: Tensor,
    op0: Operator,
    operand0: object,
    reduce_op: Operator,
    reduce_res: object,
    reducers: tuple[str, ...],
) -> None:
    require("tsr.arith", op0.arithmetic, op0=op0)
    claim_available(op0)
    require("tsr.reduce_op", reduce_op.name in reducers, reduce_op=reduce_op)
    claim_on_chip(dst=result, data=source)
    claim_same_layout("tsr.shape", dst=result, data=source)
    if op0.arity == 1:
        require("tsr.unary", unused(operand0), op0=op0)
    else:
        claim_scalar_operand("tsr.operand", operand0, source, "operand0")
    if reduce_res is not None:
        claim_column("tsr.reduce_res", reduce_res, source, "reduce_res")


@TENSOR_SCALAR_REDUCE.meaning
def _(step: Step) -> None:
    """data op0 operand0, and its reduction over all free axes."""
    value = applied(step.n, step.operator("op0"), step.rows("data"), step.column("operand0"), step.flag("reverse0"))
    step.write("dst", value)
    step.accumulate("vector", value, negate=step.flag("reduce_res_negate"))


TENSOR_SCALAR_REDUCE.bounded_by_meaning()
