"""Searches in the elements of each partition: the greatest ones, places of values, bounds of segments (section c.3).

A source `op` is the page of that operation, `L:op` the docstring of the legacy one, A2 the architecture of gen2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import RESULTS, Dependence, Link
from nkiverify.model.dtypes import bfloat16, float32, int32, uint16, uint32
from nkiverify.model.extents import as_extent
from nkiverify.model.indices import Mask
from nkiverify.model.known_numbers import UNKNOWN, Interval, NumberOrigin, Value
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, operand, resolved, result_tile
from nkiverify.model.ops.operands import (
    claim_columns,
    claim_generation,
    claim_in_sbuf,
    claim_on_chip,
    claim_partitions,
    claim_same_layout,
    destination,
    is_number,
    tile,
)
from nkiverify.model.registry import OVERWRITES, operation
from nkiverify.symbolic import Extent, all_of, ceil_div, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Array, Step


NKI = ("nki",)

#: Elements per partition that max8 and its companions search.
_SEARCHED = (8, 16384)
#: How many values they look for.
_FOUND = 8

# --- max8 -------------------------------------------------------------------------------------------------------------

MAX8 = operation(
    "nisa.max8", dependence=Dependence(Link.PARTITION, summaries=RESULTS), engine="any", behaviour=OVERWRITES
)

define("max8.n", "src of max8 must have 8 to 16384 elements per partition.", "max8", limit=True, two_sided=True)
define("max8.rank", "src of max8 must have at most 3 dimensions (legacy: 5).", "max8; L:max8")
define("max8.dst", "dst of max8 must be (P, 8).", "max8", api=NKI)


@MAX8.current
def max8(dst: object, src: object, name: object = None) -> None:
    """The 8 greatest elements of each partition, descending: dst (P, 8)."""
    result, source = destination(dst), tile(src, "src")
    claim_on_chip(dst=result, src=source)
    low, high = _SEARCHED
    require("max8.n", all_of(source.free_size >= low, source.free_size <= high), src=source.shape)
    require("max8.rank", source.ndim <= (5 if source.legacy else 3), src=source.shape)
    claim_columns("max8.dst", result, source, 8)


@MAX8.legacy
def _(*, src: object, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile (P, 8): the 8 greatest elements of each partition, descending."""
    source = operand(src, mask, "src")
    result = result_tile((source.shape[0], _FOUND), named_dtype(dtype, source.dtype), mask=mask)
    max8(result, source)
    return result


@MAX8.meaning
def _(step: Step) -> None:
    """The 8 greatest elements of each partition, descending ("max8.n")."""
    step.n.wants("max8")
    data = step.rows("src")
    step.write_rows("dst", -np.sort(-step.actual("src", data), axis=-1)[..., :_FOUND], undefined_from=("src",))


@MAX8.bounds
def _(bounds: Bounds) -> None:
    """Elements of the source."""
    known = UNKNOWN if bounds.undetermined("src") else replace(bounds.numbers("src"), exact=False, term=None)
    bounds.write(known)
    bounds.takes("dst", "src")


# --- nc_find_index8 ---------------------------------------------------------------------------------------------------

NC_FIND_INDEX8 = operation(
    "nisa.nc_find_index8", dependence=Dependence(Link.PARTITION, summaries=RESULTS), engine="any", behaviour=OVERWRITES
)

define(
    "find8.n",
    "data of nc_find_index8 must have 8 to 16384 elements per partition.",
    "nc_find_index8",
    limit=True,
    two_sided=True,
)
define("find8.rank", "data and vals of nc_find_index8 must have at most 3 dimensions (legacy: 5).", "nc_find_index8")
define("find8.vals", "vals of nc_find_index8 must have 8 elements per partition.", "nc_find_index8")
define("find8.dst", "dst of nc_find_index8 must be (P, 8).", "nc_find_index8", api=NKI)
define(
    "find8.dst_dtype",
    "dst of nc_find_index8 must be uint16 or uint32.",
    "nc_find_index8",
    api=NKI,
    takes={"": ("uint16", "uint32")},
)


@NC_FIND_INDEX8.current
def nc_find_index8(dst: object, data: object, vals: object, name: object = None) -> None:
    """Positions of the 8 values of each partition in its data: dst (P, 8)."""
    result, source, wanted = destination(dst), tile(data, "data"), tile(vals, "vals")
    claim_on_chip(dst=result, data=source, vals=wanted)
    low, high = _SEARCHED
    require("find8.n", all_of(source.free_size >= low, source.free_size <= high), data=source.shape)
    rank = 5 if source.legacy else 3
    require("find8.rank", source.ndim <= rank and wanted.ndim <= rank, data=source.shape, vals=wanted.shape)
    claim_columns("find8.vals", wanted, source, 8)
    claim_columns("find8.dst", result, source, 8)
    require("find8.dst_dtype", result.dtype in (uint16, uint32), dst=result.dtype)


@NC_FIND_INDEX8.legacy
def _(*, data: object, vals: object, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile (P, 8), of uint32 where no dtype is given: positions of the 8 values of each partition."""
    source = operand(data, mask, "data")
    result = result_tile((source.shape[0], _FOUND), named_dtype(dtype, uint32), mask=mask)
    nc_find_index8(result, source, operand(vals, mask, "vals"))
    return result


@NC_FIND_INDEX8.meaning
def _(step: Step) -> None:
    """The first position of each of 8 values; all ones for an absent one. Equal values find successive ones."""
    step.n.wants("nc_find_index8")
    data, wanted = step.actual("data", step.rows("data")), step.actual("vals", step.rows("vals"))
    absent = float(2 ** (8 * step.dtype("dst").itemsize) - 1)
    places, _ = _matched(data[0], wanted[0], range(_FOUND))
    found = np.where(places < 0, absent, places).astype(np.int64)
    step.write_integers("dst", found)


@NC_FIND_INDEX8.bounds
def _(bounds: Bounds) -> None:
    """Positions, or all ones for a value that is absent."""
    for name in ("dst", "result"):
        _write_places(bounds, name, bounds.count("data"))


def _write_places(bounds: Bounds, name: str, count: Extent) -> None:
    target = bounds.tensor(name)
    if target is not None:
        absent = 2 ** (8 * target.dtype.itemsize) - 1
        # What was taken from the data is found there (AUDIT.md, "How the documents are read": no NaN).
        found = bounds.has_taken("vals", "data")
        places = (Interval(0, count - 1), *(() if found else (Interval(absent, absent),)))
        bounds.write(Value(places, exact=False, origin=NumberOrigin.COMPUTED), name)


def _matched(data: Array, wanted: Array, order: range) -> tuple[Array, Array]:
    """Where each wanted value of a row is first, among elements not taken by one before it; and what is taken."""
    taken = np.zeros(data.shape, dtype=bool)
    places = np.full(wanted.shape, -1, dtype=np.int64)
    rows = np.arange(data.shape[0])
    for column in order:
        free = (data == wanted[:, column : column + 1]) & ~taken
        first = free.argmax(axis=1)
        present = free[rows, first]
        places[present, column] = first[present]
        taken[rows[present], first[present]] = True
    return places, taken


# --- nc_match_replace8 ------------------------------------------------------------------------------------------------

NC_MATCH_REPLACE8 = operation(
    "nisa.nc_match_replace8",
    dependence=Dependence(Link.PARTITION, chosen=frozenset(("data", "vals")), summaries=frozenset(("dst_idx",))),
    engine="any",
    behaviour=OVERWRITES,
)

define(
    "match8.n",
    "data of nc_match_replace8 must have at most 16384 elements per partition.",
    "L:nc_match_replace8",
    takes={"elements": 16384},
    limit=True,
)
define("match8.vals", "vals of nc_match_replace8 must have 8 elements per partition.", "nc_match_replace8")
define("match8.shape", "dst must have the partitions and elements per partition of data.", "nc_match_replace8", api=NKI)
define("match8.imm", "imm of nc_match_replace8 must be a constant.", "nc_match_replace8")
define("match8.dst_idx", "dst_idx of nc_match_replace8 must be (P, 8).", "nc_match_replace8")


@NC_MATCH_REPLACE8.current
def nc_match_replace8(
    dst: object, data: object, vals: object, imm: object, dst_idx: object = None, name: object = None
) -> None:
    """data with the 8 values of each partition replaced by `imm`, and where they were in dst_idx."""
    result, source, wanted = destination(dst), tile(data, "data"), tile(vals, "vals")
    claim_on_chip(dst=result, data=source, vals=wanted)
    claim_same_layout("match8.shape", dst=result, data=source)
    require("match8.n", source.free_size <= _SEARCHED[1], elements=source.free_size)
    claim_columns("match8.vals", wanted, source, 8)
    require("match8.imm", is_number(imm), imm=type(imm).__name__)
    if dst_idx is not None:
        places = destination(dst_idx, "dst_idx")
        claim_on_chip(dst_idx=places)
        claim_columns("match8.dst_idx", places, source, 8)


@NC_MATCH_REPLACE8.legacy
def _(
    *,
    data: object,
    vals: object,
    imm: object,
    dst_idx: object = None,
    mask: Mask | None = None,
    dtype: object = None,
    **kwargs: object,
) -> LegacyTensor:
    """A new SBUF tile: data with the 8 values of each partition replaced by `imm`; where they were in dst_idx."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, named_dtype(dtype, source.dtype), mask=mask)
    places = resolved(dst_idx, mask, "dst_idx")
    nc_match_replace8(result, source, operand(vals, mask, "vals"), imm, places)
    return result


@NC_MATCH_REPLACE8.meaning
def _(step: Step) -> None:
    """data with each of 8 values, from the last one down, replaced where it is first ("match8.vals")."""
    step.n.wants("nc_match_replace8")
    data, wanted = step.actual("data", step.rows("data")), step.actual("vals", step.rows("vals"))
    places, taken = _matched(data[0], wanted[0], range(_FOUND - 1, -1, -1))
    replaced = np.where(taken, np.float32(step.attribute("imm")), data[0])[None]
    step.write_rows("dst", replaced, undefined_from=("data", "vals"))
    if step.writes("dst_idx"):
        absent = 2 ** (8 * step.dtype("dst_idx").itemsize) - 1
        step.write_integers("dst_idx", np.where(places < 0, absent, places).astype(np.int64))


@NC_MATCH_REPLACE8.bounds
def _(bounds: Bounds) -> None:
    """Elements of data and the constant; positions, or all ones for a value that is absent."""
    _write_places(bounds, "dst_idx", bounds.count("data"))
    if not bounds.undetermined("data"):
        value = bounds.numbers("data").joined(bounds.numbers("imm"))
        bounds.write(value, "dst")
        bounds.write(value, "result")


# --- topk -------------------------------------------------------------------------------------------------------------

TOPK = operation("nisa.topk", dependence=Dependence(Link.EVERYTHING), engine="any", behaviour=OVERWRITES)

define("topk.sbuf", "The operands of topk must be in SBUF.", "topk", api=NKI, takes={"": ("sbuf",)})
define(
    "topk.dtypes",
    "src and val_dst of topk must be bfloat16, idx_dst must be uint32.",
    "topk",
    api=NKI,
    takes={"src": ("bfloat16",), "val_dst": ("bfloat16",), "idx_dst": ("uint32",)},
)
define(
    "topk.shape",
    "src of topk must have a multiple of 16 partitions and at least ceil(n / 16) elements in each.",
    "topk",
    api=NKI,
)
define("topk.dst", "val_dst and idx_dst of topk must be (P, k).", "topk", api=NKI)
define(
    "topk.n",
    "topk must have 8 <= n < 65536 and 1 <= k < 32768 with k <= n.",
    "topk",
    api=NKI,
    limit=True,
    two_sided=True,
)


@TOPK.current
def _(val_dst: object, idx_dst: object, src: object, n: object, name: object = None) -> None:
    """The k greatest of n elements laid out over 16 partitions each, with their positions."""
    values, places = destination(val_dst, "val_dst"), destination(idx_dst, "idx_dst")
    source = tile(src, "src")
    claim_in_sbuf("topk.sbuf", val_dst=values, idx_dst=places, src=source)
    typed = source.dtype == bfloat16 and values.dtype == bfloat16 and places.dtype == uint32
    require("topk.dtypes", typed, src=source.dtype, val_dst=values.dtype, idx_dst=places.dtype)
    count = as_extent(n)
    if count is None:
        raise unsupported(f"topk with n of type {type(n).__name__}")
    k = values.free_size
    require(
        "topk.shape",
        all_of(equal(source.shape[0] % 16, 0), source.free_size >= ceil_div(count, 16)),
        src=source.shape,
        n=count,
    )
    claim_partitions("topk.dst", src=source, val_dst=values, idx_dst=places)
    require("topk.dst", equal(places.free_size, k), val_dst=values.shape, idx_dst=places.shape)
    require("topk.n", all_of(count >= 8, count < 65536, k >= 1, k < 32768, k <= count), n=count, k=k)


@TOPK.meaning
def _(step: Step) -> None:
    """Refused: the documentation contradicts itself on the layout ("topk.shape")."""
    step.refuse("the values of topk: its documentation contradicts itself on the layout of the elements")


@TOPK.bounds
def _(bounds: Bounds) -> None:
    """Positions of the n elements."""
    count = as_extent(bounds.attribute("n"))
    if count is not None:
        bounds.write(Value((Interval(0, count - 1),), exact=False, origin=NumberOrigin.COMPUTED), "idx_dst")


# --- nonzero_with_count -----------------------------------------------------------------------------------------------

NONZERO_WITH_COUNT = operation(
    "nisa.nonzero_with_count",
    dependence=Dependence(Link.PARTITION),
    engine="any",
    behaviour=OVERWRITES.but(keeps=True, rows={"dst": (16, 1), "src": (16, 1)}),
)

define("nzc.gen3", "nonzero_with_count must run on gen3 or later.", "nonzero_with_count", api=NKI, hardware=("gen2",))
define(
    "nzc.sbuf",
    "The operands of nonzero_with_count must be in SBUF.",
    "nonzero_with_count",
    api=NKI,
    takes={"": ("sbuf",)},
)
define(
    "nzc.dtypes",
    "src must be float32 or int32, dst int32.",
    "nonzero_with_count",
    api=NKI,
    takes={"src": ("float32", "int32"), "dst": ("int32",)},
)
define("nzc.shape", "dst must have the partitions of src and one element more in each.", "nonzero_with_count", api=NKI)
define("nzc.constants", "index_offset and padding_val must be constants.", "nonzero_with_count", api=NKI)


@NONZERO_WITH_COUNT.current
def _(dst: object, src: object, index_offset: object = 0, padding_val: object = -1, name: object = None) -> None:
    """Positions of the non-zero elements of each partition, padded, and their count last: dst (P, F + 1)."""
    result, source = destination(dst), tile(src, "src")
    claim_generation("nzc.gen3", 3)
    claim_in_sbuf("nzc.sbuf", dst=result, src=source)
    typed = source.dtype in (float32, int32) and result.dtype == int32
    require("nzc.dtypes", typed, src=source.dtype, dst=result.dtype)
    shaped = all_of(equal(result.shape[0], source.shape[0]), equal(result.free_size, source.free_size + 1))
    require("nzc.shape", shaped, dst=result.shape, src=source.shape)
    plain = is_number(index_offset) and is_number(padding_val)
    require("nzc.constants", plain, index_offset=type(index_offset).__name__, padding_val=type(padding_val).__name__)


@NONZERO_WITH_COUNT.meaning
def _(step: Step) -> None:
    """Positions of the elements that are not 0, padding, and their count last; only of partitions 0, 16, …, 112."""
    step.n.wants("nonzero_with_count")
    data = step.actual("src", step.rows("src"))[0]
    shift, padding = step.integer("index_offset"), step.integer("padding_val")
    result = step.indices("dst", previous=True).reshape(data.shape[0], -1).copy()
    for row in range(0, data.shape[0], 16):
        found = np.flatnonzero(data[row])
        result[row] = padding
        result[row, : len(found)] = found + shift
        result[row, -1] = len(found)
    if not step.tracking:
        step.write_integers("dst", result)
        return
    marks = step.rows("dst", previous=True).copy()
    marks[:, ::16] = step.rows("src")[:, ::16].max(axis=2, keepdims=True)
    step.write("dst", marks)


@NONZERO_WITH_COUNT.bounds
def _(bounds: Bounds) -> None:
    """Positions and padding, and a count last; other partitions keep what they have."""
    shift, padding = as_extent(bounds.attribute("index_offset", 0)), as_extent(bounds.attribute("padding_val", -1))
    count = bounds.count("src")
    if shift is None or padding is None:
        return
    places = (Interval(shift, shift + count - 1), Interval(padding, padding))
    found = Value(places, exact=False, uniform=False, origin=NumberOrigin.COMPUTED)
    counted = replace(found, intervals=(Interval(0, count),))
    bounds.write_columns((0, count - 1, found), (count, count, counted), partly=True)


# --- sequence_bounds --------------------------------------------------------------------------------------------------

SEQUENCE_BOUNDS = operation(
    "nisa.sequence_bounds",
    dependence=Dependence(Link.EVERYTHING),
    engine="any",
    behaviour=OVERWRITES.but(side_effect=True),
)

define(
    "seqb.sbuf",
    "sequence_bounds runs on GpSimd: its operands must be in SBUF.",
    "sequence_bounds; A2",
    takes={"": ("sbuf",)},
)
define("seqb.p1", "segment_ids must have one partition.", "sequence_bounds")
define(
    "seqb.dtype", "segment_ids and dst must be float32 or int32.", "sequence_bounds", takes={"": ("float32", "int32")}
)
define("seqb.dst", "dst of sequence_bounds must be (1, 2, N).", "sequence_bounds", api=NKI)


@SEQUENCE_BOUNDS.current
def sequence_bounds(dst: object, segment_ids: object, name: object = None) -> None:
    """First and last position of each position's segment: dst (1, 2, N) of ids (1, N)."""
    result, source = destination(dst), tile(segment_ids, "segment_ids")
    claim_in_sbuf("seqb.sbuf", dst=result, segment_ids=source)
    require("seqb.p1", equal(source.shape[0], 1), segment_ids=source.shape)
    dtypes = (float32, int32)
    require("seqb.dtype", source.dtype in dtypes and result.dtype in dtypes, ids=source.dtype, dst=result.dtype)
    shaped = all_of(
        result.ndim == 3,
        equal(result.shape[0], 1),
        equal(result.shape[1], 2),
        equal(result.size, 2 * source.free_size),
    )
    require("seqb.dst", shaped, dst=result.shape, segment_ids=source.shape)


@SEQUENCE_BOUNDS.legacy
def _(*, segment_ids: object, dtype: object = None) -> LegacyTensor:
    """A new SBUF tile (1, 2, N): first and last position of each position's segment."""
    source = operand(segment_ids, None, "segment_ids")
    result = result_tile((1, 2, source.free_size), named_dtype(dtype, source.dtype))
    sequence_bounds(result, source)
    return result


@SEQUENCE_BOUNDS.meaning
def _(step: Step) -> None:
    """First position and one past the last of each position's segment; padding (id 0) gives (n, -1)."""
    ids = step.indices("segment_ids").ravel()
    count = len(ids)
    starts, ends = np.full(count, count, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    for identity in set(ids.tolist()) - {0}:
        inside = np.flatnonzero(ids == identity)
        starts[inside], ends[inside] = inside[0], inside[-1] + 1
    step.write_integers("dst", np.stack([starts, ends]))


@SEQUENCE_BOUNDS.bounds
def _(bounds: Bounds) -> None:
    """Positions in the row, one past it, and -1."""
    count = bounds.count("segment_ids")
    bounds.write(Value((Interval(-1, count),), exact=False, origin=NumberOrigin.COMPUTED))
