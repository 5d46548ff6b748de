"""Operations that choose between values, element by element: selects and predicated copies (reference section c.3).

A source `op` is the page of that operation, `L:op` the docstring of the legacy one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model import isa_enums as isa
from nkiverify.model import legacy_enums
from nkiverify.model.access import Access
from nkiverify.model.allocation import result_tile as new_tile
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import FLOAT_NAMES, bool_, float32, int8, int16, int32, tfloat32, uint8, uint16, uint32
from nkiverify.model.extents import as_extent
from nkiverify.model.indices import Mask, broadcast_shapes
from nkiverify.model.legacy_tensor import (
    LegacyTensor,
    given_destination,
    named_dtype,
    operand,
    resolved,
    result_tile,
)
from nkiverify.model.operators import OPERATORS, Operator
from nkiverify.model.ops.operands import (
    as_reduce_cmd,
    claim_column,
    claim_generation,
    claim_on_chip,
    claim_one_psum,
    claim_same_layout,
    claim_scalar_operand,
    destination,
    is_number,
    member,
    on_chip,
    same_shape,
    tile,
)
from nkiverify.model.promotion import promoted
from nkiverify.model.registry import OVERWRITES, Updates, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import all_of

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Step


#: The least finite float32, which range_select fills with.
FLOAT32_MIN = -3.4028234663852886e38
_COMPARISONS = ("equal", "less", "less_equal", "greater", "greater_equal")

# --- range_select -----------------------------------------------------------------------------------------------------

RANGE_SELECT = operation(
    "nisa.range_select",
    dependence=Dependence(Link.ROWS, chosen=frozenset(("on_true_tile", "on_false_value"))),
    engine="any",
    behaviour=OVERWRITES.but(registers="vector"),
)

define("range_select.gen3", "range_select must run on gen3 or later.", "range_select", hardware=("gen2",))
define("range_select.shape", "dst must have the partitions and elements per partition of on_true_tile.", "range_select")
define(
    "range_select.ops",
    "The comparisons of range_select must be equal, less, less_equal, greater or greater_equal.",
    "range_select",
)
define(
    "range_select.bounds",
    "The bounds of range_select must be float32 (P, 1) tiles with the partitions of on_true_tile.",
    "range_select",
    takes={"dtype": ("float32",)},
)
define(
    "range_select.dtype",
    "on_true_tile of range_select must have a float dtype.",
    "range_select",
    takes={"": FLOAT_NAMES},
)
define("range_select.false", "on_false_value of range_select must be the least float32.", "range_select")
define(
    "range_select.reduce_op",
    "reduce_op of range_select must be maximum.",
    "range_select",
    takes={"reduce_op": ("maximum",)},
)
define(
    "range_select.start",
    "range_start must be a compile-time integer, and no position compared in float32 may reach 2**24.",
    "range_select",
)
define("range_select.reduce_res", "reduce_res of range_select must be a (P, 1) tile in SBUF or PSUM.", "range_select")
define(
    "range_select.nan",
    "reduce_res must be float32 where dst is narrower: the fill value becomes -inf there.",
    "range_select",
    contested="reported of tests written for the vendor's simulator: they reduce results of 8 and 16 bits into columns "
    "of their dtype, and pass: where nothing is in the range, the column is -inf",
    takes={"reduce_res": ("float32",)},
)


@RANGE_SELECT.current
def range_select(
    dst: object,
    on_true_tile: object,
    comp_op0: Operator,
    comp_op1: Operator,
    bound0: object,
    bound1: object,
    reduce_cmd: object = isa.reduce_cmd.reset_reduce,
    reduce_res: object = None,
    reduce_op: Operator = OPERATORS["maximum"],
    range_start: object = 0,
    on_false_value: object = ...,
    name: object = None,
) -> None:
    """dst = on_true_tile where the free position is in the range two bounds per partition give."""
    result, source = destination(dst), tile(on_true_tile, "on_true_tile")
    member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    claim_generation("range_select.gen3", 3)
    claim_on_chip(dst=result, on_true_tile=source)
    claim_same_layout("range_select.shape", dst=result, on_true_tile=source)
    legal = comp_op0.name in _COMPARISONS and comp_op1.name in _COMPARISONS
    require("range_select.ops", legal, comp_op0=comp_op0, comp_op1=comp_op1)
    for argument, bound in (("bound0", bound0), ("bound1", bound1)):
        limit = tile(bound, argument)
        claim_scalar_operand("range_select.bounds", limit, source, argument)
        require("range_select.bounds", limit.dtype == float32, argument=argument, dtype=limit.dtype)
    require("range_select.dtype", source.dtype.is_float, on_true_tile=source.dtype)
    fill = on_false_value is Ellipsis or (is_number(on_false_value) and _is_least(on_false_value))
    require("range_select.false", fill, on_false_value=on_false_value)
    require("range_select.reduce_op", reduce_op.name == "maximum", reduce_op=reduce_op)
    start = as_extent(range_start)
    require(
        "range_select.start",
        False if start is None else start + source.free_size <= 2**24,
        range_start=range_start,
        elements=source.free_size,
    )
    if reduce_res is not None:
        column = claim_column("range_select.reduce_res", reduce_res, source, "reduce_res")
        narrow = result.dtype.itemsize < 4
        require("range_select.nan", column.dtype == float32 or not narrow, reduce_res=column.dtype, dst=result.dtype)


def _is_least(value: object) -> bool:
    return abs(float(value) / FLOAT32_MIN - 1) < 1e-7  # type: ignore[arg-type]


@RANGE_SELECT.legacy
def _(
    *,
    on_true_tile: object,
    comp_op0: Operator,
    comp_op1: Operator,
    bound0: object,
    bound1: object,
    reduce_cmd: object = legacy_enums.reduce_cmd.idle,
    reduce_res: object = None,
    reduce_op: Operator = OPERATORS["maximum"],
    range_start: object = 0,
    on_false_value: object = FLOAT32_MIN,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile: on_true_tile where the free position is in the range two bounds per partition give."""
    source = operand(on_true_tile, mask, "on_true_tile")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    range_select(
        result,
        source,
        comp_op0,
        comp_op1,
        operand(bound0, mask, "bound0"),
        operand(bound1, mask, "bound1"),
        as_reduce_cmd(reduce_cmd),
        resolved(reduce_res, mask, "reduce_res"),
        reduce_op,
        range_start,
        on_false_value,
    )
    return result


@RANGE_SELECT.meaning
def _(step: Step) -> None:
    """on_true_tile where range_start + position compares to both bounds, else the least float32."""
    data = step.rows("on_true_tile")
    numbers = step.n
    positions = step.counted("range_start", data.shape[2])
    first = numbers.binary(step.operator("comp_op0").name, positions, step.required_column("bound0"))
    second = numbers.binary(step.operator("comp_op1").name, positions, step.required_column("bound1"))
    inside = numbers.binary("logical_and", first, second)
    result = numbers.choose(inside, data, numbers.fill(FLOAT32_MIN, data, step.dtype("dst")))
    step.write("dst", result)
    step.accumulate("vector", result, operator="maximum")


# --- select_reduce ----------------------------------------------------------------------------------------------------

SELECT_REDUCE = operation(
    "nisa.select_reduce",
    dependence=Dependence(Link.ROWS, chosen=frozenset(("on_true", "on_false"))),
    engine="any",
    behaviour=OVERWRITES.but(registers="vector", clobbers_when_idle=True),
)

define("select_reduce.psum", "on_true and predicate must not both be in PSUM.", "select_reduce", takes={"": ("sbuf",)})
define(
    "select_reduce.shape",
    "dst, on_true and predicate must have the same partitions and elements per partition.",
    "select_reduce; simulator of 0.6",
)
define("select_reduce.on_false", "on_false must be a scalar or a (P, 1) tile.", "select_reduce")
define(
    "select_reduce.dtypes",
    "on_true must not be tfloat32, int32 or uint32; predicate must be an integer of 8 or 16 bits; a bool is "
    "stored as uint8.",
    "select_reduce; SH",
    takes={
        "on_true": (
            "float32",
            "bfloat16",
            "float16",
            "float8_e4m3",
            "float8_e4m3fn",
            "float8_e5m2",
            "int16",
            "int8",
            "uint16",
            "uint8",
            "bool_",
        ),
        "predicate": ("uint8", "uint16", "int8", "int16", "bool_"),
    },
)
define(
    "select_reduce.reduce_op",
    "reduce_op of select_reduce must be maximum.",
    "select_reduce",
    takes={"reduce_op": ("maximum",)},
)
define(
    "select_reduce.reduce_res",
    "reduce_res of select_reduce must be a (P, 1) float tile in SBUF or PSUM.",
    "select_reduce",
    takes={"": FLOAT_NAMES},
)


@SELECT_REDUCE.current
def select_reduce(
    dst: object,
    predicate: object,
    on_true: object,
    on_false: object,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    reduce_op: Operator | None = OPERATORS["maximum"],
    reverse_pred: object = False,
    name: object = None,
) -> None:
    """dst = on_true where the predicate holds, else on_false; its maximum over the free axes in reduce_res."""
    result = destination(dst)
    test, source = tile(predicate, "predicate"), tile(on_true, "on_true")
    member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    claim_on_chip(dst=result, predicate=test, on_true=source)
    claim_one_psum("select_reduce.psum", on_true=source, predicate=test)
    claim_same_layout("select_reduce.shape", dst=result, predicate=test, on_true=source)
    claim_scalar_operand("select_reduce.on_false", on_false, source, "on_false")
    require(
        "select_reduce.dtypes",
        source.dtype not in (tfloat32, int32, uint32) and test.dtype in (int8, uint8, int16, uint16, bool_),
        on_true=source.dtype,
        predicate=test.dtype,
    )
    if reduce_op is not None:
        require("select_reduce.reduce_op", reduce_op.name == "maximum", reduce_op=reduce_op)
    if reduce_res is not None:
        column = claim_column("select_reduce.reduce_res", reduce_res, source, "reduce_res")
        require("select_reduce.reduce_res", column.dtype.is_float, reduce_res=column.dtype)


@SELECT_REDUCE.legacy
def _(
    *,
    dst: object,
    predicate: object,
    on_true: object,
    on_false: object,
    reduce_res: object = None,
    reduce_cmd: object = legacy_enums.reduce_cmd.idle,
    reduce_op: Operator = OPERATORS["maximum"],
    reverse_pred: object = False,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> None:
    """dst = on_true where the predicate holds, else on_false; its maximum over the free axes in reduce_res."""
    select_reduce(
        given_destination(dst, dtype, mask),
        operand(predicate, mask, "predicate"),
        operand(on_true, mask, "on_true"),
        resolved(on_false, mask, "on_false"),
        resolved(reduce_res, mask, "reduce_res"),
        as_reduce_cmd(reduce_cmd),
        reduce_op,
    )


@SELECT_REDUCE.meaning
def _(step: Step) -> None:
    """on_true where the predicate is not 0 (0 if reversed), else on_false; and its maximum."""
    condition = step.rows("predicate")
    chosen = step.rows("on_true")
    other = step.rows("on_false") if step.has("on_false") else step.fill("on_false", chosen)
    if step.flag("reverse_pred"):
        chosen, other = np.broadcast_arrays(other, chosen)
    result = step.choose("dst", "predicate", condition, chosen, other)
    step.accumulate("vector", result, operator="maximum")


@SELECT_REDUCE.bounds
def _(bounds: Bounds) -> None:
    """Those of both operands; the maximum is not followed."""
    if not bounds.undetermined("on_true", "on_false"):
        bounds.write(bounds.numbers("on_true").joined(bounds.numbers("on_false")), "dst")


# --- tensor_copy_predicated -------------------------------------------------------------------------------------------

TENSOR_COPY_PREDICATED = operation(
    "nisa.tensor_copy_predicated",
    dependence=Dependence(Link.ROWS, chosen=frozenset(("src", "dst"))),
    engine="any",
    behaviour=OVERWRITES.but(updates=Updates.ALWAYS, keeps=True),
)

define(
    "tcp.shape",
    "src (where it is a tile), dst and predicate must have the same partitions and elements per partition.",
    "tensor_copy_predicated",
)
define(
    "tcp.pred_dtype",
    "The predicate must be uint8, uint16 or uint32; a bool is stored as uint8.",
    "tensor_copy_predicated; SH",
    takes={"": ("uint8", "uint16", "uint32", "bool_")},
)
define("tcp.same_dtype", "src and dst must have the same dtype.", "tensor_copy_predicated", takes={"dst": "src"})
define("tcp.psum", "src and predicate must not both be in PSUM.", "tensor_copy_predicated", takes={"": ("sbuf",)})


@TENSOR_COPY_PREDICATED.current
def tensor_copy_predicated(
    dst: object, src: object, predicate: object, reverse_pred: object = False, name: object = None
) -> None:
    """dst = src where the predicate holds; the other elements of dst stay."""
    result = destination(dst, gathers=True)
    test = tile(predicate, "predicate", gathers=True)
    require("tcp.pred_dtype", test.dtype in (uint8, uint16, uint32, bool_), predicate=test.dtype)
    if is_number(src):
        claim_on_chip(dst=result, predicate=test)
        claim_same_layout("tcp.shape", dst=result, predicate=test)
        return
    source = tile(src, "src")
    claim_on_chip(dst=result, src=source, predicate=test)
    claim_same_layout("tcp.shape", dst=result, src=source, predicate=test)
    require("tcp.same_dtype", source.dtype == result.dtype, src=source.dtype, dst=result.dtype)
    claim_one_psum("tcp.psum", src=source, predicate=test)


@TENSOR_COPY_PREDICATED.legacy
def _(
    *,
    src: object,
    dst: object,
    predicate: object,
    reverse_pred: object = False,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> None:
    """dst = src where the predicate holds; the other elements of dst stay."""
    tensor_copy_predicated(
        given_destination(dst, dtype, mask), resolved(src, mask, "src"), operand(predicate, mask, "predicate")
    )


@TENSOR_COPY_PREDICATED.meaning
def _(step: Step) -> None:
    """dst where the predicate is 0 (not 0 if reversed), else src."""
    condition = step.rows("predicate")
    kept = step.rows("dst", previous=True)
    source = step.rows("src") if step.has("src") else step.fill("src", kept)
    first, second = (kept, source) if step.flag("reverse_pred") else (source, kept)
    step.choose("dst", "predicate", condition, first, second)


TENSOR_COPY_PREDICATED.bounded_by_meaning()


# --- nl.where ---------------------------------------------------------------------------------------------------------

WHERE = operation(
    "nl.where", dependence=Dependence(Link.BROADCAST, chosen=frozenset(("x", "y"))), engine="any", behaviour=OVERWRITES
)

define(
    "nl.where.shape",
    "Condition and tile operands of nl.where must have the same shape.",
    "nl.where (implied)",
    api=("nki",),
)


@WHERE.current
def _(condition: object, x: object, y: object, dtype: object = None) -> Tensor:
    """A new SBUF tile: `x` where the condition is 1, else `y`; one of them may be a number."""
    test = tile(condition, "condition")
    tiles = [value for value in (x, y) if isinstance(value, Tensor)]
    require("isa.on_chip", on_chip(test, *tiles), condition=test.buffer)
    require(
        "nl.where.shape",
        all_of(*(same_shape(test, value) for value in tiles)),
        condition=test.shape,
        operands=tuple(value.shape for value in tiles),
    )
    return new_tile(test.shape, declared_dtype(dtype, tiles[0].dtype if tiles else float32))


@WHERE.legacy
def _(
    condition: object, x: object, y: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object
) -> LegacyTensor:
    """A new SBUF tile: `x` where the condition holds, else `y`, which may be a number."""
    test = operand(condition, mask, "condition")
    tiles = [operand(value, mask, "operand") for value in (x, y) if isinstance(value, Tensor | Access)]
    require("isa.on_chip", on_chip(test, *tiles), condition=test.buffer)
    shape = broadcast_shapes("leg.binary.broadcast", test.shape, *(value.shape for value in tiles))
    natural = promoted(tiles[0].dtype, tiles[-1].dtype) if tiles else float32
    return result_tile(shape, named_dtype(dtype, natural), mask=mask)


@WHERE.meaning
def _(step: Step) -> None:
    """x where the condition holds, else y."""
    (target,) = step.written
    rank = len(step.shape(target)) + 1
    condition = step.aligned("condition", rank)
    first, second = (step.aligned(name, rank) if step.has(name) else step.fill(name, condition) for name in ("x", "y"))
    step.choose(target, "condition", condition, first, second)


WHERE.bounded_by_meaning()
