"""Element-wise instructions of the Vector, GpSimd and Scalar Engine (reference section c.3).

Shapes are (P, F), all free axes as one. SH shared API page, LSH the legacy one, L:op docstring of that legacy
operation, RN-x.y release notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums
from nkiverify.model.contracts import define, require, require_if_open
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import float32
from nkiverify.model.extents import is_one
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, resolved, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops.arithmetic import operated
from nkiverify.model.ops.operands import (
    any_in_psum,
    as_engine,
    claim_available,
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
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import all_of, any_of, equal, negate

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


# --- tensor_tensor ----------------------------------------------------------------------------------------------------

TENSOR_TENSOR = operation(
    "nisa.tensor_tensor", dependence=Dependence(Link.ROWS), engine="any", behaviour=OVERWRITES.but(exchangeable=True)
)

define(
    "tensor_tensor.shape",
    "data1, data2 and dst must have the same partitions and elements per partition; a broadcast operand has one"
    " element.",
    "tensor_tensor",
)
define(
    "tensor_tensor.broadcast",
    "No operand of tensor_tensor may be broadcast.",
    "tensor_tensor",
    contested="published kernels combine (P, F) with (P, 1), whose one element is repeated along the free dimensions, "
    "and pass their tests on hardware and in the vendor's simulator",
)
define("tensor_tensor.psum_pair", "data1 and data2 must not both be in PSUM.", "tensor_tensor", takes={"": ("sbuf",)})
define(
    "tensor_tensor.power_gpsimd",
    "power runs on GpSimd: no operand may be in PSUM.",
    "tensor_tensor",
    takes={"": ("sbuf",)},
)
define("tensor_tensor.op", "op must be a binary operator of the ALU table.", "tensor_tensor; SH")
define(
    "tensor_tensor.engine",
    "tensor_tensor must run on vector or gpsimd.",
    "tensor_tensor",
    takes={"engine": ("vector", "gpsimd")},
)


@TENSOR_TENSOR.current
def _(
    dst: object, data1: object, data2: object, op: Operator, engine: object = isa.engine.unknown, name: object = None
) -> None:
    """dst = data1 op data2, element by element."""
    result, left = destination(dst, gathers=True), tile(data1, "data1", gathers=True)
    right = tile(data2, "data2")
    _claim_tensor_tensor(result, left, right, op, member(engine, isa.engine, "engine"))


@TENSOR_TENSOR.legacy
def _(
    data1: object,
    data2: object,
    op: Operator,
    *,
    dtype: object = None,
    mask: Mask | None = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> LegacyTensor:
    """data1 op data2, element by element."""
    from nkiverify.model.promotion import promoted  # as late as this: of the legacy API

    left, right = operand(data1, mask, "data1"), operand(data2, mask, "data2")
    larger = right if is_one(left.free_size) else left
    result = result_tile(larger.shape, named_dtype(dtype, promoted(left.dtype, right.dtype)), mask=mask)
    _claim_tensor_tensor(result, left, right, op, as_engine(engine))
    return result


def _claim_tensor_tensor(result: Tensor, left: Tensor, right: Tensor, op: Operator, runs_on: isa.engine) -> None:
    require("tensor_tensor.op", op.arity == 2, op=op)
    claim_available(op)
    claim_integers(op, result, left, right)
    claim_on_chip(dst=result, data1=left, data2=right)
    claim_one_psum("tensor_tensor.psum_pair", data1=left, data2=right)
    shapes = {"dst": result.shape, "data1": left.shape, "data2": right.shape}
    uniform = [equal(part.free_size, result.free_size) for part in (left, right)]
    single = [equal(part.free_size, 1) for part in (left, right)]
    require(
        "tensor_tensor.shape",
        all_of(
            *(equal(part.shape[0], result.shape[0]) for part in (left, right)),
            *(any_of(same, one) for same, one in zip(uniform, single, strict=True)),
            any_of(*uniform),
        ),
        **shapes,
    )
    # Where the partitions or elements do not fit, that is what is wrong.
    require_if_open(
        "tensor_tensor.broadcast",
        all_of(*(any_of(same, negate(one)) for same, one in zip(uniform, single, strict=True))),
        **shapes,
    )
    if op.name == "power":
        require("tensor_tensor.power_gpsimd", not any_in_psum(result, left, right), dst=result.buffer)
    if runs_on is not isa.engine.unknown:
        require("tensor_tensor.engine", runs_on in (isa.engine.vector, isa.engine.gpsimd), engine=runs_on)
    if runs_on is isa.engine.gpsimd:
        require("mem.gpsimd_no_psum", not any_in_psum(result, left, right), dst=result.buffer, data1=left.buffer)


@TENSOR_TENSOR.meaning
def _(step: Step) -> None:
    """data1 op data2; exactly on 32-bit integers, unless Vector is asked for ("tensor_tensor.int32_dispatch")."""
    op = step.operator("op")
    exact = op.bitvec or step.integers_on_gpsimd("dst", "data1", "data2")
    left, right = step.rows("data1", exact=exact), step.rows("data2", exact=exact)
    dtypes = (step.dtype("data1"), step.dtype("data2"))
    step.write("dst", operated(step, op, left, right, dtypes), bits=op.bitvec)


TENSOR_TENSOR.bounded_by_meaning()


# --- tensor_scalar ----------------------------------------------------------------------------------------------------

TENSOR_SCALAR = operation("nisa.tensor_scalar", dependence=Dependence(Link.ROWS), engine="any", behaviour=OVERWRITES)

define(
    "tensor_scalar.operands",
    "operand0 and operand1 must be compile-time scalars or (P, 1) tiles in SBUF or PSUM.",
    "tensor_scalar",
)
define(
    "tensor_scalar.operand_fp32",
    "The operand tiles of an arithmetic operator must be float32.",
    "tensor_scalar",
    takes={"dtype": ("float32",)},
)
define("tensor_scalar.same_class", "op0 and op1 must be both bit-wise or both arithmetic.", "tensor_scalar")
define("tensor_scalar.unused_none", "operand1 must be None where op1 is.", "tensor_scalar")
define("tensor_scalar.unary_operand", "The operand of a unary operator must be None or 0.", "tensor_scalar")
define("tensor_scalar.shape", "dst must have the partitions and elements per partition of data.", "tensor_scalar")
define(
    "tensor_scalar.engine",
    "tensor_scalar must run on vector, scalar or gpsimd; with bit-wise operators on vector.",
    "tensor_scalar",
    takes={"engine": ("vector",)},
)
define(
    "tensor_scalar.scalar_engine_trn2",
    "On the Scalar Engine of gen3 the operators must be (multiply, add), multiply or add; gen2 has none.",
    "tensor_scalar; LSH",
    hardware=("gen2", "gen3"),
)

#: Operator pairs of tensor_scalar the Scalar Engine of trn2 computes.
_SCALAR_ENGINE_PAIRS = (("multiply", "add"), ("multiply", None), ("add", None))


@TENSOR_SCALAR.current
def _(
    dst: object,
    data: object,
    op0: Operator,
    operand0: object,
    reverse0: object = False,
    op1: Operator | None = None,
    operand1: object = None,
    reverse1: object = False,
    engine: object = isa.engine.unknown,
    name: object = None,
) -> None:
    """dst = (data op0 operand0) op1 operand1; operands are constants or one element per partition."""
    result, source = destination(dst, gathers=True), tile(data, "data", gathers=True)
    _claim_tensor_scalar(result, source, op0, operand0, op1, operand1, member(engine, isa.engine, "engine"))


@TENSOR_SCALAR.legacy
def _(
    data: object,
    op0: Operator,
    operand0: object,
    reverse0: object = False,
    op1: Operator | None = None,
    operand1: object = None,
    reverse1: object = False,
    *,
    dtype: object = None,
    mask: Mask | None = None,
    engine: object = legacy_enums.engine.unknown,
    **kwargs: object,
) -> LegacyTensor:
    """(data op0 operand0) op1 operand1; operands are constants or one element per partition."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    first, second = resolved(operand0, mask, "operand0"), resolved(operand1, mask, "operand1")
    _claim_tensor_scalar(result, source, op0, first, op1, second, as_engine(engine))
    return result


def _claim_tensor_scalar(
    result: Tensor,
    source: Tensor,
    op0: Operator,
    operand0: object,
    op1: Operator | None,
    operand1: object,
    runs_on: isa.engine,
) -> None:
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
    if runs_on is not isa.engine.unknown:
        _claim_tensor_scalar_engine(runs_on, used, (result, source, operand0, operand1))
    if runs_on is isa.engine.scalar:
        claim_scattered_by_scalar_engine(result)


def _claim_alu_operand(op: Operator, value: object, data: Tensor, argument: str) -> None:
    """Claim what one of the two operators demands of its operand."""
    if op.arity == 1:
        require("tensor_scalar.unary_operand", unused(value), op=op, argument=argument)
        return
    if value is None:
        require("tensor_scalar.operands", False, argument=argument, value=None)
        raise TypeError(f"{argument} is missing")
    claim_scalar_operand("tensor_scalar.operands", value, data, argument)
    if isinstance(value, Tensor) and op.arithmetic:
        require("tensor_scalar.operand_fp32", value.dtype == float32, argument=argument, dtype=value.dtype)


def unused(value: object) -> object:
    """True if a value may be given as the operand of a unary operator."""
    return value is None or (is_number(value) and value == 0)


def _claim_tensor_scalar_engine(runs_on: isa.engine, used: tuple[Operator, ...], operands: tuple[object, ...]) -> None:
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


@TENSOR_SCALAR.meaning
def _(step: Step) -> None:
    """(data op0 operand0) op1 operand1, each with its operands exchanged if reversed."""
    op0, op1 = step.operator("op0"), step.optional_operator("op1")
    exact = op0.bitvec or (op1 is not None and op1.bitvec)
    value, dtype = step.rows("data", exact=exact), step.dtype("data")
    for number, op in (("0", op0), ("1", op1)):
        if op is None:
            continue
        name = f"operand{number}"
        other = step.column(name, exact=exact)
        dtypes = (dtype, step.dtype(name) if step.has(name) else dtype)
        value = operated(step, op, value, other, dtypes, step.flag(f"reverse{number}"))
        if op.bitvec and not step.tracking:
            # Between the two operators as well there are as many bits as the data have.
            value = step.n.exact(step.n.low_bits(value, dtype), dtype)
    step.write("dst", value, bits=exact)


TENSOR_SCALAR.bounded_by_meaning()


# --- reciprocal -------------------------------------------------------------------------------------------------------

RECIPROCAL = operation("nisa.reciprocal", dependence=Dependence(Link.ROWS), engine="any", behaviour=OVERWRITES)

define("reciprocal.shape", "dst must have the partitions and elements per partition of data.", "reciprocal")


@RECIPROCAL.current
def _(dst: object, data: object, name: object = None) -> None:
    """dst = 1 / data."""
    _claim_reciprocal(destination(dst), tile(data, "data"))


@RECIPROCAL.legacy
def _(data: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """1 / data."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    _claim_reciprocal(result, source)
    return result


def _claim_reciprocal(result: Tensor, source: Tensor) -> None:
    claim_on_chip(dst=result, data=source)
    claim_same_layout("reciprocal.shape", dst=result, data=source)


@RECIPROCAL.meaning
def _(step: Step) -> None:
    """1 / data."""
    step.write("dst", step.n.unary("reciprocal", step.rows("data")))
