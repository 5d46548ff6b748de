"""Affine patterns of integers over a tile: iota makes them, affine_select compares them (reference sections c.3, f.4).

The current API states a pattern by steps and counts, the legacy one by an expression of index tensors. A source `op` is
the page of that operation, `L:op` the docstring of the legacy one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import int8, int16, uint8, uint16
from nkiverify.model.extents import as_extent, is_sequence
from nkiverify.model.indices import IndexTensor, Mask, as_mask
from nkiverify.model.known_numbers import UNKNOWN, Interval, Value
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, new_tile, operand, result_tile
from nkiverify.model.operators import OPERATORS, Operator
from nkiverify.model.ops.operands import claim_in_sbuf, claim_same_layout, destination, is_number, on_chip, tile
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, any_of, equal, maximum, minimum, product

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Step


NKI = ("nki",)
LEGACY = ("neuronxcc",)

_PATTERN_PAIRS = 4


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


# --- iota -------------------------------------------------------------------------------------------------------------

IOTA = operation(
    "nisa.iota", dependence=Dependence(Link.NOTHING), engine="gpsimd", behaviour=OVERWRITES, index_expression="expr"
)

define("iota.sbuf", "dst of iota must be in SBUF.", "iota", api=NKI, takes={"": ("sbuf",)})
define(
    "iota.count",
    "The counts of the pattern (1 to 4 pairs) must multiply to the elements per partition of dst.",
    "iota",
    api=NKI,
)
define("iota.integers", "offset and channel_multiplier of iota must be compile-time integers.", "iota", api=NKI)
define("leg.iota.expr", "iota must be given an affine expression of index tensors.", "L:iota", api=LEGACY)


@IOTA.current
def _(dst: object, pattern: object, offset: object = 0, channel_multiplier: object = 0, name: object = None) -> None:
    """dst = offset + partition * channel_multiplier + pattern, as 32-bit integers."""
    result = tile(dst, "dst")
    claim_in_sbuf("iota.sbuf", dst=result)
    _claim_pattern("iota.count", pattern, result)
    _claim_integers("iota.integers", channel_multiplier=channel_multiplier, offset=offset)


@IOTA.legacy
def _(expr: object, dtype: object, *, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile of the values of an index expression, of the shape of its grid."""
    if not isinstance(expr, IndexTensor):
        require("leg.iota.expr", False, expr=type(expr).__name__)
        raise TypeError(f"iota takes an expression of index tensors, not a {type(expr).__name__}")
    return new_tile(expr.shape, named_dtype(dtype), mask=mask)


@IOTA.meaning
def _(step: Step) -> None:
    """Integers of 32 bits, converted to the dtype of dst ("iota.i32")."""
    step.write_integers("dst", step.affine("dst"))


@IOTA.bounds
def _(bounds: Bounds) -> None:
    """The first number, and for each step with its count the multiples of the step."""
    expr, result = bounds.attribute("expr"), bounds.tensor("dst")
    if isinstance(expr, IndexTensor):
        bounds.write(_pattern(expr.base, zip(expr.coefficients, expr.shape, strict=True)))
    elif result is not None:
        steps = [tuple(pair) for pair in bounds.attribute("pattern")]
        lanes = (bounds.attribute("channel_multiplier", 0), result.shape[0])
        bounds.write(_pattern(bounds.attribute("offset", 0), [*steps, lanes]))


def _pattern(base: object, steps: Iterable[tuple[object, object]]) -> Value:
    start = as_extent(base)
    if start is None:
        return UNKNOWN
    low = high = start
    for step, count in steps:
        stride, extent = as_extent(step), as_extent(count)
        if stride is None or extent is None:
            return UNKNOWN
        reach = stride * (extent - 1)
        low, high = low + minimum(reach, 0), high + maximum(reach, 0)
    return Value((Interval(low, high),), uniform=equal(low, high) is True)


# --- affine_select ----------------------------------------------------------------------------------------------------

AFFINE_SELECT = operation(
    "nisa.affine_select",
    dependence=Dependence(Link.ROWS, {"on_true_tile": Link.SELECTED}),
    engine="any",
    behaviour=OVERWRITES,
    index_expression="pred",
)

define(
    "affine_select.sbuf",
    "dst and on_true_tile of affine_select must be in SBUF.",
    "affine_select",
    api=NKI,
    takes={"": ("sbuf",)},
)
define(
    "affine_select.count",
    "The counts of the pattern (1 to 4 pairs) must multiply to the elements per partition of dst and on_true_tile.",
    "affine_select",
    api=NKI,
)
define(
    "affine_select.integers", "offset and channel_multiplier must be compile-time integers.", "affine_select", api=NKI
)
define("affine_select.false_fp32", "on_false_value must be a float32 constant.", "affine_select")
define(
    "affine_select.cmp",
    "cmp_op of affine_select must be a comparison.",
    "affine_select",
    api=NKI,
    takes={"cmp_op": ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")},
)
define(
    "leg.affine_select.pred",
    "The predicate of affine_select must be one comparison of index tensors over the axes of the tile.",
    "L:affine_select",
    api=LEGACY,
)
define(
    "leg.affine_select.dtype",
    "on_true_tile of affine_select must hold floats or integers of 8 or 16 bits.",
    "L:affine_select",
    api=LEGACY,
)

_COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))


@AFFINE_SELECT.current
def _(
    dst: object,
    pattern: object,
    channel_multiplier: object,
    on_true_tile: object,
    on_false_value: object,
    cmp_op: Operator = OPERATORS["equal"],
    offset: object = 0,
    name: object = None,
) -> None:
    """dst = on_true_tile where cmp_op(offset + partition * channel_multiplier + pattern, 0), else on_false_value."""
    result, source = destination(dst), tile(on_true_tile, "on_true_tile")
    claim_in_sbuf("affine_select.sbuf", dst=result, on_true_tile=source)
    claim_same_layout("affine_select.count", dst=result, on_true_tile=source)
    _claim_pattern("affine_select.count", pattern, result)
    _claim_integers("affine_select.integers", channel_multiplier=channel_multiplier, offset=offset)
    require("affine_select.false_fp32", is_number(on_false_value), on_false_value=type(on_false_value).__name__)
    require("affine_select.cmp", cmp_op.name in _COMPARISONS, cmp_op=cmp_op)


@AFFINE_SELECT.legacy
def _(
    pred: object,
    on_true_tile: object,
    on_false_value: object,
    *,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile: on_true_tile where the comparison of index tensors holds, else the constant."""
    source = operand(on_true_tile, mask, "on_true_tile")
    test = as_mask(pred)
    compared = test.terms[0].difference if test is not None and len(test.terms) == 1 and test.host is True else None
    fits = False if compared is None or compared.ndim > source.ndim else _fits(compared, source)
    require("leg.affine_select.pred", fits, pred=type(pred).__name__, on_true_tile=source.shape)
    narrow = source.dtype.is_float or source.dtype in (int8, uint8, int16, uint16)
    require("leg.affine_select.dtype", narrow, on_true_tile=source.dtype)
    require("affine_select.false_fp32", is_number(on_false_value), on_false_value=type(on_false_value).__name__)
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    require("isa.on_chip", on_chip(source), on_true_tile=source.buffer)
    return result


def _fits(index: IndexTensor, source: Tensor) -> object:
    """True if every axis of an index tensor is one of the tile's, or of extent 1."""
    extents = source.shape[source.ndim - index.ndim :]
    return all_of(
        *(any_of(equal(part, 1), equal(part, extent)) for part, extent in zip(index.shape, extents, strict=True))
    )


@AFFINE_SELECT.meaning
def _(step: Step) -> None:
    """on_true_tile where the pattern compares to 0, else a constant ("affine_select.pred")."""
    data = step.rows("on_true_tile")
    step.write("dst", step.where_affine(step.operator("cmp_op").name, data, step.fill("on_false_value", data)))


AFFINE_SELECT.bounded_by_meaning()
