"""Instructions that choose between values or make index patterns: selects, predicated copies, iota (reference c.3)."""

from __future__ import annotations

from nkiverify.model import contents
from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import float32, int8, int16, int32, tfloat32, uint8, uint16, uint32
from nkiverify.model.extents import as_extent, is_sequence, is_zero
from nkiverify.model.operators import Operator
from nkiverify.model.ops.operands import (
    claim_column,
    claim_generation,
    claim_in_sbuf,
    claim_on_chip,
    claim_one_psum,
    claim_same_layout,
    claim_scalar_operand,
    destination,
    is_number,
    member,
    tile,
)
from nkiverify.model.registry import Updates, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, constant_value, equal, product

TENSOR_COPY_PREDICATED = operation(
    "nisa.tensor_copy_predicated",
    dependence=Dependence(Link.ROWS, chosen=frozenset(("src", "dst"))),
    updates=Updates.ALWAYS,
    keeps=True,
)
SELECT_REDUCE = operation(
    "nisa.select_reduce",
    dependence=Dependence(Link.ROWS, chosen=frozenset(("on_true", "on_false"))),
    registers="vector",
    clobbers_when_idle=True,
)
RANGE_SELECT = operation(
    "nisa.range_select",
    dependence=Dependence(Link.ROWS, chosen=frozenset(("on_true_tile", "on_false_value"))),
    registers="vector",
)
AFFINE_SELECT = operation(
    "nisa.affine_select", dependence=Dependence(Link.ROWS, {"on_true_tile": Link.SELECTED}), index_expression="pred"
)
IOTA = operation("nisa.iota", dependence=Dependence(Link.NOTHING), engine="gpsimd", index_expression="expr")
NC_STREAM_SHUFFLE = operation(
    "nisa.nc_stream_shuffle",
    dependence=Dependence(Link.EVERYTHING, {"src": Link.SHUFFLED, "dst": Link.LEFT_ALONE}),
    updates=Updates.SHUFFLING,
    keeps=True,
)
LANGUAGE_WHERE = operation("nl.where", dependence=Dependence(Link.BROADCAST, chosen=frozenset(("x", "y"))))


#: The least finite float32, which range_select fills with.
FLOAT32_MIN = -3.4028234663852886e38
_PATTERN_PAIRS = 4
_COMPARISONS = ("equal", "less", "less_equal", "greater", "greater_equal")


def affine_select(
    dst: object,
    pattern: object,
    channel_multiplier: object,
    on_true_tile: object,
    on_false_value: object,
    cmp_op: Operator,
    offset: object = 0,
) -> None:
    """dst = on_true_tile where cmp_op(offset + partition * channel_multiplier + pattern, 0), else on_false_value."""
    result, source = destination(dst), tile(on_true_tile, "on_true_tile")
    claim_in_sbuf("affine_select.sbuf", dst=result, on_true_tile=source)
    claim_same_layout("affine_select.count", dst=result, on_true_tile=source)
    _claim_pattern("affine_select.count", pattern, result)
    _claim_integers("affine_select.integers", channel_multiplier=channel_multiplier, offset=offset)
    require("affine_select.false_fp32", is_number(on_false_value), on_false_value=type(on_false_value).__name__)
    require("affine_select.cmp", cmp_op.name in (*_COMPARISONS, "not_equal"), cmp_op=cmp_op)


def iota(dst: object, pattern: object, offset: object = 0, channel_multiplier: object = 0) -> None:
    """dst = offset + partition * channel_multiplier + pattern, as 32-bit integers."""
    result = tile(dst, "dst")
    claim_in_sbuf("iota.sbuf", dst=result)
    pairs = _claim_pattern("iota.count", pattern, result)
    _claim_integers("iota.integers", channel_multiplier=channel_multiplier, offset=offset)
    low = high = constant_value(offset)
    factor = constant_value(channel_multiplier)
    ranges = [*pairs, (factor, 128)] if factor is None or is_zero(factor) else [*pairs, (factor, result.shape[0])]
    for step, count in ranges:
        stride, extent = constant_value(step), constant_value(count)
        if low is None or high is None or stride is None or extent is None:
            low = high = None
            break
        reach = stride * (extent - 1)
        low, high = low + min(0, reach), high + max(0, reach)
    contents.filled(result, low, high)


def _claim_pattern(contract: str, pattern: object, data: Tensor) -> list[tuple[Extent, Extent]]:
    """Claim that a pattern of [step, count] pairs has one position for each free element of `data`."""
    pairs: list[tuple[Extent, Extent]] = []
    for pair in pattern if is_sequence(pattern) else ():
        parts = [as_extent(part) for part in pair] if is_sequence(pair) else []
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            pairs = []
            break
        pairs.append((parts[0], parts[1]))
    require(
        contract,
        all_of(1 <= len(pairs) <= _PATTERN_PAIRS, equal(product(count for _, count in pairs), data.free_size)),
        pattern=pattern,
        dst=data.shape,
    )
    if not pairs:
        raise TypeError(f"a pattern is a list of [step, count] pairs of integers, not {pattern!r}")
    return pairs


def _claim_integers(contract: str, **values: object) -> None:
    for name, value in values.items():
        require(contract, as_extent(value) is not None, argument=name, value=value)


def range_select(
    dst: object,
    on_true_tile: object,
    comp_op0: Operator,
    comp_op1: Operator,
    bound0: object,
    bound1: object,
    reduce_cmd: object,
    reduce_res: object,
    reduce_op: Operator,
    range_start: object,
    on_false_value: object,
) -> None:
    """dst = on_true_tile where the free position is in the range two bounds per partition give."""
    result, source = destination(dst), tile(on_true_tile, "on_true_tile")
    member(reduce_cmd, isa.reduce_cmd, "reduce_cmd")
    claim_generation("range_select.gen3", 3)
    claim_on_chip(dst=result, on_true_tile=source)
    claim_same_layout("range_select.shape", dst=result, on_true_tile=source)
    legal = comp_op0.name in _COMPARISONS and comp_op1.name in _COMPARISONS
    require("range_select.ops", legal, comp_op0=comp_op0, comp_op1=comp_op1)
    for name, bound in (("bound0", bound0), ("bound1", bound1)):
        limit = tile(bound, name)
        claim_scalar_operand("range_select.bounds", limit, source, name)
        require("range_select.bounds", limit.dtype == float32, argument=name, dtype=limit.dtype)
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


def select_reduce(
    dst: object,
    predicate: object,
    on_true: object,
    on_false: object,
    reduce_res: object = None,
    reduce_cmd: object = isa.reduce_cmd.idle,
    reduce_op: Operator | None = None,
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
        source.dtype not in (tfloat32, int32, uint32) and test.dtype in (int8, uint8, int16, uint16),
        on_true=source.dtype,
        predicate=test.dtype,
    )
    if reduce_op is not None:
        require("select_reduce.reduce_op", reduce_op.name == "maximum", reduce_op=reduce_op)
    if reduce_res is not None:
        column = claim_column("select_reduce.reduce_res", reduce_res, source, "reduce_res")
        require("select_reduce.reduce_res", column.dtype.is_float, reduce_res=column.dtype)


def tensor_copy_predicated(dst: object, src: object, predicate: object) -> None:
    """dst = src where the predicate holds; the other elements of dst stay."""
    result = destination(dst, gathers=True)
    test = tile(predicate, "predicate", gathers=True)
    require("tcp.pred_dtype", test.dtype in (uint8, uint16, uint32), predicate=test.dtype)
    if is_number(src):
        claim_on_chip(dst=result, predicate=test)
        claim_same_layout("tcp.shape", dst=result, predicate=test)
        return
    source = tile(src, "src")
    claim_on_chip(dst=result, src=source, predicate=test)
    claim_same_layout("tcp.shape", dst=result, src=source, predicate=test)
    require("tcp.same_dtype", source.dtype == result.dtype, src=source.dtype, dst=result.dtype)
    claim_one_psum("tcp.psum", src=source, predicate=test)
