"""Recurrences along the free axes: tensor_tensor_scan, tensor_scalar_cumulative (reference section c.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    bfloat16,
    float8_e4m3,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    int8,
    int16,
    uint8,
    uint16,
)
from nkiverify.model.indices import Mask
from nkiverify.model.interval_arithmetic import exactly, is_between, number, plus, summed
from nkiverify.model.legacy_tensor import LegacyTensor, given_destination, named_dtype, operand, resolved, result_tile
from nkiverify.model.operators import Operator
from nkiverify.model.ops.arithmetic import applied
from nkiverify.model.ops.operands import (
    as_reduce_cmd,
    claim_available,
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
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Array, Step


# --- tensor_tensor_scan -----------------------------------------------------------------------------------------------

TENSOR_TENSOR_SCAN = operation(
    "nisa.tensor_tensor_scan", dependence=Dependence(Link.BEFORE), engine="any", behaviour=OVERWRITES
)

define("scan.ops", "The operators of tensor_tensor_scan must be binary and arithmetic.", "tensor_tensor_scan")
define("scan.psum", "data0 and data1 must not both be in PSUM.", "tensor_tensor_scan", takes={"": ("sbuf",)})
define(
    "scan.shape", "data0, data1 and dst must have the same partitions and elements per partition.", "tensor_tensor_scan"
)
define(
    "scan.initial",
    "initial must be a constant or a float32 (P, 1) tile in SBUF or PSUM.",
    "tensor_tensor_scan",
    takes={"initial": ("float32",)},
)


@TENSOR_TENSOR_SCAN.current
def _(
    dst: object,
    data0: object,
    data1: object,
    initial: object,
    op0: Operator,
    op1: Operator,
    reverse0: object = False,
    reverse1: object = False,
    name: object = None,
) -> None:
    """dst[:, i] = (data0[:, i] op0 dst[:, i - 1]) op1 data1[:, i], from `initial` on."""
    result, left, right = destination(dst), tile(data0, "data0"), tile(data1, "data1")
    _claim_scan(result, left, right, initial, op0, op1)


@TENSOR_TENSOR_SCAN.legacy
def _(
    data0: object,
    data1: object,
    initial: object,
    op0: Operator,
    op1: Operator,
    reverse0: object = False,
    reverse1: object = False,
    *,
    dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> LegacyTensor:
    """r[:, i] = (data0[:, i] op0 r[:, i - 1]) op1 data1[:, i], from `initial` on."""
    left, right = operand(data0, mask, "data0"), operand(data1, mask, "data1")
    result = result_tile(left.shape, named_dtype(dtype, promoted(left.dtype, right.dtype)), mask=mask)
    _claim_scan(result, left, right, resolved(initial, mask, "initial"), op0, op1)
    return result


def _claim_scan(result: Tensor, left: Tensor, right: Tensor, initial: object, op0: Operator, op1: Operator) -> None:
    binary = op0.arity == op1.arity == 2
    require("scan.ops", op0.arithmetic and op1.arithmetic and binary, op0=op0, op1=op1)
    claim_on_chip(dst=result, data0=left, data1=right)
    claim_one_psum("scan.psum", data0=left, data1=right)
    claim_same_layout("scan.shape", dst=result, data0=left, data1=right)
    claim_scalar_operand("scan.initial", initial, result, "initial")
    if isinstance(initial, Tensor):
        require("scan.initial", initial.dtype == float32, initial=initial.dtype)


@TENSOR_TENSOR_SCAN.meaning
def _(step: Step) -> None:
    """r[i] = (data0[i] op0 r[i - 1]) op1 data1[i] ("scan.def"); reversed operators exchange their operands."""
    op0, op1 = step.operator("op0"), step.operator("op1")
    step.first_of_rows("data0")
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


@TENSOR_TENSOR_SCAN.bounds
def _(bounds: Bounds) -> None:
    """Sums of the elements so far, where that is what the operators make; the greatest or the least of them."""
    op0, op1 = bounds.operator("op0"), bounds.operator("op1")
    if op0 is None or op1 is None or bounds.undetermined("data0", "data1", "initial"):
        return
    start, ones, others = bounds.numbers("initial"), bounds.numbers("data0"), bounds.numbers("data1")
    if {op0.name, op1.name} <= {"maximum", "minimum"}:
        bounds.write(start.joined(ones).joined(others))
    elif op0.name == op1.name == "add":
        bounds.write(exactly(plus(start, summed(plus(ones, others), bounds.count("data0")))))
    elif (op0.name, op1.name) == ("multiply", "add") and is_between(ones, 0, 1):
        # What has been summed so far is kept, or begun again.
        kept = start.joined(number(0))
        bounds.write(exactly(plus(kept, summed(others.joined(number(0)), bounds.count("data0")))))


# --- tensor_scalar_cumulative -----------------------------------------------------------------------------------------

TENSOR_SCALAR_CUMULATIVE = operation(
    "nisa.tensor_scalar_cumulative",
    dependence=Dependence(Link.BEFORE),
    engine="any",
    behaviour=OVERWRITES.but(registers="vector"),
)

define(
    "tsc.ops",
    "op0 must be arithmetic; op1 must be add, subtract, multiply, maximum or minimum.",
    "tensor_scalar_cumulative",
)
define("tsc.shape", "dst must have the partitions and elements per partition of src.", "tensor_scalar_cumulative")
define(
    "tsc.dtypes",
    "Operands of tensor_scalar_cumulative must be floats other than tfloat32, or integers of 8 or 16 bits.",
    "tensor_scalar_cumulative",
)
define(
    "tsc.imm",
    "imm0 and imm1 must be float32 scalars or (P, 1) tiles.",
    "tensor_scalar_cumulative",
    takes={"dtype": ("float32",)},
)
define("tsc.load", "load_reduce must be given imm1.", "tensor_scalar_cumulative")

_DTYPES = (
    float8_e4m3, float8_e5m2, float16, bfloat16, float32, float8_e4m3fn, int8, int16, uint8, uint16,
)  # fmt: skip


@TENSOR_SCALAR_CUMULATIVE.current
def _(
    dst: object,
    src: object,
    op0: Operator,
    op1: Operator,
    imm0: object,
    imm1: object = None,
    reduce_cmd: object = isa.reduce_cmd.reset_reduce,
    name: object = None,
) -> None:
    """dst[i] = (src[i] op0 imm0) op1 dst[i - 1] along the free axis."""
    result, source = destination(dst, gathers=True), tile(src, "src", gathers=True)
    _claim_cumulative(result, source, op0, op1, imm0, imm1, member(reduce_cmd, isa.reduce_cmd, "reduce_cmd"))


@TENSOR_SCALAR_CUMULATIVE.legacy
def _(
    dst: object,
    src: object,
    op0: Operator,
    op1: Operator,
    imm0: object,
    imm1: object = None,
    reduce_cmd: object = legacy_enums.reduce_cmd.reset_reduce,
    *,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> None:
    """dst[i] = (src[i] op0 imm0) op1 dst[i - 1] along the free axis. No legacy page has it: as in the current API."""
    result, source = given_destination(dst, dtype, mask), operand(src, mask, "src")
    command = as_reduce_cmd(reduce_cmd)
    first, second = resolved(imm0, mask, "imm0"), resolved(imm1, mask, "imm1")
    _claim_cumulative(result, source, op0, op1, first, second, member(command, isa.reduce_cmd, "reduce_cmd"))


def _claim_cumulative(
    result: Tensor,
    source: Tensor,
    op0: Operator,
    op1: Operator,
    imm0: object,
    imm1: object,
    command: isa.reduce_cmd,
) -> None:
    accumulates = op1.name in ("add", "subtract", "multiply", "maximum", "minimum")
    require("tsc.ops", op0.arithmetic and accumulates, op0=op0, op1=op1)
    claim_available(op0)
    claim_on_chip(dst=result, src=source)
    claim_same_layout("tsc.shape", dst=result, src=source)
    require("tsc.dtypes", result.dtype in _DTYPES and source.dtype in _DTYPES, dst=result.dtype, src=source.dtype)
    for argument, value in (("imm0", imm0), ("imm1", imm1)):
        if value is None and argument == "imm1":
            continue
        claim_scalar_operand("tsc.imm", value, source, argument)
        if isinstance(value, Tensor):
            require("tsc.imm", value.dtype == float32, argument=argument, dtype=value.dtype)
    require("tsc.load", command is not isa.reduce_cmd.load_reduce or imm1 is not None, reduce_cmd=command)


@TENSOR_SCALAR_CUMULATIVE.meaning
def _(step: Step) -> None:
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


@TENSOR_SCALAR_CUMULATIVE.bounds
def _(bounds: Bounds) -> None:
    """Sums of the elements so far, the greatest or the least of them; from nothing on."""
    op0, op1 = bounds.operator("op0"), bounds.operator("op1")
    command = getattr(bounds.attribute("reduce_cmd"), "name", "")
    if op1 is None or command not in ("", "reset_reduce"):
        return
    value = bounds.operated(op0, "src", "imm0")
    if op1.name == "add":
        bounds.write(summed(value, bounds.count("src")))
    elif op1.name in ("maximum", "minimum"):
        bounds.write(replace(value, exact=False, term=None))
