"""Operations that move elements across partitions or gather them by index (reference section c.1).

A source `op` is the page of that operation, `L:op` the docstring of the legacy one, RN-x.y release notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model.allocation import result_tile as new_result
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import CORE_PARTITIONS, Dependence, Link
from nkiverify.model.dtypes import uint16, uint32
from nkiverify.model.extents import as_extent, is_one, is_sequence, same
from nkiverify.model.indices import Mask
from nkiverify.model.indirection import claim_numbers, indices_in
from nkiverify.model.known_numbers import Interval
from nkiverify.model.legacy_tensor import (
    LegacyTensor,
    given_destination,
    named_dtype,
    new_tile,
    operand,
    result_tile,
)
from nkiverify.model.operation import LANE_STAYS, LANES
from nkiverify.model.ops.operands import (
    claim_in_sbuf,
    claim_on_chip,
    claim_partitions,
    destination,
    on_chip,
    tile,
)
from nkiverify.model.registry import OVERWRITES, Updates, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.symbolic import all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Step


NKI = ("nki",)

# --- nc_stream_shuffle ------------------------------------------------------------------------------------------------

NC_STREAM_SHUFFLE = operation(
    "nisa.nc_stream_shuffle",
    dependence=Dependence(Link.EVERYTHING, {"src": Link.SHUFFLED, "dst": Link.LEFT_ALONE}),
    engine="any",
    behaviour=OVERWRITES.but(updates=Updates.SHUFFLING, keeps=True),
)

define(
    "shuffle.mask_len",
    "A shuffle mask must have 32 entries: partitions 0 to 31 of a quadrant, or 255 to leave one alone.",
    "nc_stream_shuffle",
)
define(
    "shuffle.dtype",
    "dst and src of a shuffle must have the same dtype and elements per partition.",
    "nc_stream_shuffle",
    takes={"dst_dtype": "src_dtype"},
)


@NC_STREAM_SHUFFLE.current
def nc_stream_shuffle(dst: object, src: object, shuffle_mask: object, name: object = None) -> None:
    """In each quadrant of 32 partitions, partition i of dst is partition shuffle_mask[i] of src."""
    result, source = tile(dst, "dst"), tile(src, "src")
    claim_on_chip(dst=result, src=source)
    entries = [as_extent(entry) for entry in shuffle_mask] if is_sequence(shuffle_mask) else []
    lanes = [lane for lane in entries if lane is not None]
    well_formed = len(lanes) == len(entries) == LANES
    require(
        "shuffle.mask_len",
        all_of(*(any_of(all_of(lane >= 0, lane < LANES), equal(lane, LANE_STAYS)) for lane in lanes))
        if well_formed
        else False,
        entries=len(entries),
    )
    require(
        "shuffle.dtype",
        all_of(result.dtype == source.dtype, equal(result.free_size, source.free_size)),
        dst=result.shape,
        src=source.shape,
        dst_dtype=result.dtype,
        src_dtype=source.dtype,
    )


@NC_STREAM_SHUFFLE.legacy
def _(
    src: object,
    dst: object,
    shuffle_mask: object,
    *,
    dtype: object = None,
    mask: Mask | None = None,
    **kwargs: object,
) -> None:
    """In each quadrant of 32 partitions, partition i of dst is partition shuffle_mask[i] of src."""
    nc_stream_shuffle(given_destination(dst, dtype, mask), operand(src, mask, "src"), shuffle_mask)


@NC_STREAM_SHUFFLE.meaning
def _(step: Step) -> None:
    """In each quadrant, partition i takes what is in partition mask[i] ("shuffle.quadrant")."""
    same = step.dtype("src") == step.dtype("dst")
    source = step.rows("src", stored=same)
    result = step.rows("dst", stored=same, previous=True).copy()
    lanes = [int(lane) for lane in step.attribute("shuffle_mask")]
    for start in range(0, result.shape[1], LANES):
        for lane, taken in enumerate(lanes):
            at, origin = start + lane, start + taken
            if taken != LANE_STAYS and at < result.shape[1] and origin < source.shape[1]:
                result[:, at] = source[:, origin]
    step.write("dst", result, stored=same)


@NC_STREAM_SHUFFLE.bounds
def _(bounds: Bounds) -> None:
    """Those of the source in each column, besides what is there in partitions that are left alone."""
    lanes = bounds.attribute("shuffle_mask")
    leaves = not is_sequence(lanes) or len(lanes) != LANES or any(as_extent(lane) == LANE_STAYS for lane in lanes)
    bounds.copy_partitions("src", partly=leaves)


# --- local_gather -----------------------------------------------------------------------------------------------------

LOCAL_GATHER = operation(
    "nisa.local_gather",
    dependence=Dependence(Link.CORE, {"src_buffer": Link.PARTITION}, chosen=frozenset(("src_buffer", "index"))),
    engine="gpsimd",
    behaviour=OVERWRITES.but(keeps=True, indices="index", out_of_bounds="local_gather.oob"),
)

define(
    "local_gather.sbuf",
    "local_gather runs on GpSimd: its operands must be in SBUF.",
    "local_gather; A2",
    takes={"": ("sbuf",)},
)
define(
    "local_gather.partitions", "src_buffer and index must have the same partitions, a multiple of 16.", "local_gather"
)
define("local_gather.nelem", "num_elem_per_idx must be 1, 2, 4, 8, 16 or 32.", "local_gather")
define(
    "local_gather.count",
    "There must be at most 4096 indices for each core, and num_valid_indices must be no more than there are.",
    "local_gather",
    limit=True,
)
define(
    "local_gather.index_dtype",
    "The index of local_gather must be uint16.",
    "local_gather",
    takes={"index": ("uint16",)},
)
define(
    "local_gather.same_dtype",
    "dst of local_gather must have the dtype of src_buffer.",
    "local_gather",
    api=NKI,
    takes={"dst": "src_buffer"},
)
define(
    "local_gather.known_060",
    "num_valid_indices times num_elem_per_idx must be the elements per partition of dst, else the latter is ignored.",
    "RN-0.6",
    api=NKI,
)
define(
    "local_gather.oob",
    "An index of local_gather says where num_elem_per_idx elements of a partition of src_buffer start: all must"
    " be inside it.",
    "local_gather",
)


@LOCAL_GATHER.current
def local_gather(
    dst: object,
    src_buffer: object,
    index: object,
    num_elem_per_idx: object = 1,
    num_valid_indices: object = None,
    name: object = None,
) -> None:
    """Each GpSimd core gathers from its 16 partitions: `num_elem_per_idx` elements from each index on."""
    result, source, places = destination(dst), tile(src_buffer, "src_buffer"), tile(index, "index")
    claim_in_sbuf("local_gather.sbuf", dst=result, src_buffer=source, index=places)
    require(
        "local_gather.partitions",
        all_of(equal(source.shape[0], places.shape[0]), equal(source.shape[0] % CORE_PARTITIONS, 0)),
        src_buffer=source.shape,
        index=places.shape,
    )
    per_index = as_extent(num_elem_per_idx)
    if per_index is None:
        raise unsupported(f"local_gather with num_elem_per_idx of type {type(num_elem_per_idx).__name__}")
    legal = any_of(*(equal(per_index, size) for size in (1, 2, 4, 8, 16, 32)))
    require("local_gather.nelem", legal, num_elem_per_idx=per_index)
    per_core = places.free_size * CORE_PARTITIONS
    valid = per_core if num_valid_indices is None else as_extent(num_valid_indices)
    if valid is None:
        raise unsupported(f"local_gather with num_valid_indices of type {type(num_valid_indices).__name__}")
    require("local_gather.count", all_of(valid >= 1, valid <= 4096, valid <= per_core), indices=valid, given=per_core)
    require("local_gather.index_dtype", places.dtype == uint16, index=places.dtype)
    require("local_gather.same_dtype", result.dtype == source.dtype, dst=result.dtype, src_buffer=source.dtype)
    require(
        "local_gather.known_060",
        equal(valid * per_index, result.free_size),
        num_valid_indices=valid,
        num_elem_per_idx=per_index,
        dst=result.shape,
    )

    # Beyond num_valid_indices there may be anything.
    if same(valid, per_core):
        claim_numbers(
            "local_gather.oob",
            indices_in(places),
            lambda low, high: all_of(low >= 0, high + per_index <= source.free_size),
            Interval(0, source.free_size - per_index),
            src_buffer=source.shape,
            num_elem_per_idx=per_index,
        )


@LOCAL_GATHER.legacy
def _(
    src_buffer: object,
    index: object,
    num_elem_per_idx: object = 1,
    num_valid_indices: object = None,
    *,
    mask: Mask | None = None,
) -> LegacyTensor:
    """A new SBUF tile (P, indices), or (P, indices, elements), of what each GpSimd core gathers from 16 partitions."""
    source, places = operand(src_buffer, mask, "src_buffer"), operand(index, mask, "index")
    per_index = as_extent(num_elem_per_idx)
    valid = places.free_size * CORE_PARTITIONS if num_valid_indices is None else as_extent(num_valid_indices)
    if per_index is None or valid is None:
        raise TypeError("num_elem_per_idx and num_valid_indices are integers")
    shape = (source.shape[0], valid) if is_one(per_index) else (source.shape[0], valid, per_index)
    result = new_tile(shape, source.dtype, mask=mask)
    local_gather(result, source, places, per_index, valid)
    return result


@LOCAL_GATHER.meaning
def _(step: Step) -> None:
    """Elements of each partition from where an index says; 16 partitions share their indices, column by column."""
    same = step.dtype("src_buffer") == step.dtype("dst")
    data, indices = step.rows("src_buffer", stored=same), step.indices("index")
    size = int(step.attribute("num_elem_per_idx", 1) or 1)
    target = step.shape("dst")
    elements = int(np.prod(target[1:]))
    valid = step.attribute("num_valid_indices", None)
    result = np.zeros((data.shape[0], data.shape[1], elements), dtype=data.dtype)
    for start in range(0, data.shape[1], CORE_PARTITIONS):
        order = indices[start : start + CORE_PARTITIONS].T.ravel()
        order = order[: elements // size if valid is None else int(valid)]
        places = (order[:, None] + np.arange(size)).ravel()[:elements]
        step.check_places("index", places, data.shape[2])
        result[:, start : start + CORE_PARTITIONS, : len(places)] = data[:, start : start + CORE_PARTITIONS, places]
        if step.tracking:
            chosen_by = step.rows("index")[0, start : start + CORE_PARTITIONS].T.ravel()[: len(order)]
            marks = np.repeat(chosen_by, size)[: len(places)]
            taken = result[:, start : start + CORE_PARTITIONS, : len(places)]
            np.maximum(taken, marks, out=taken)
    step.write("dst", result, stored=same)


@LOCAL_GATHER.bounds
def _(bounds: Bounds) -> None:
    """Elements of the source."""
    bounds.copy("src_buffer", partly=True, some=True)


# --- nc_n_gather and nl.gather_flattened ------------------------------------------------------------------------------

NC_N_GATHER = operation(
    "nisa.nc_n_gather",
    dependence=Dependence(Link.PARTITION, {"indices": Link.ROWS}, chosen=frozenset(("data",))),
    engine="gpsimd",
    behaviour=OVERWRITES.but(indices="indices", out_of_bounds="n_gather.range"),
)

define("n_gather.sbuf", "The operands of nc_n_gather must be in SBUF.", "nc_n_gather", api=NKI, takes={"": ("sbuf",)})
define(
    "n_gather.dtype",
    "dst must have the dtype of data, indices must be uint32.",
    "nc_n_gather",
    api=NKI,
    takes={"dst": "data", "indices": ("uint32",)},
)
define(
    "n_gather.shape",
    "dst, data and indices must have the same partitions; dst must have the elements per partition of indices.",
    "nc_n_gather",
    api=NKI,
)
define(
    "n_gather.range",
    "Index values must be at least 0 and below the elements per partition of data.",
    "nc_n_gather",
    api=NKI,
)


@NC_N_GATHER.current
def _(dst: object, data: object, indices: object, name: object = None) -> None:
    """dst[p, i] = data[p, indices[p, i]], on GpSimd."""
    result, source, places = destination(dst), tile(data, "data"), tile(indices, "indices")
    claim_in_sbuf("n_gather.sbuf", dst=result, data=source, indices=places)
    typed = result.dtype == source.dtype and places.dtype == uint32
    require("n_gather.dtype", typed, dst=result.dtype, data=source.dtype, indices=places.dtype)
    claim_partitions("n_gather.shape", dst=result, data=source, indices=places)
    require("n_gather.shape", equal(result.free_size, places.free_size), dst=result.shape, indices=places.shape)
    claim_numbers(
        "n_gather.range",
        indices_in(places),
        lambda low, high: all_of(low >= 0, high < source.free_size),
        Interval(0, source.free_size - 1),
        data=source.shape,
    )


@NC_N_GATHER.meaning
def gathered(step: Step) -> None:
    """Elements of each partition by an index of its own for each."""
    target = step.only_write
    same = step.dtype("data") == step.dtype(target)
    step.write(target, step.gathered("data", "indices", stored=same), stored=same)


@NC_N_GATHER.bounds
def _gathered_numbers(bounds: Bounds) -> None:
    """Elements of the source."""
    bounds.copy("data", some=True)


GATHER_FLATTENED = operation(
    "nl.gather_flattened",
    dependence=Dependence(Link.PARTITION, {"indices": Link.ROWS}, chosen=frozenset(("data",))),
    engine="any",
    behaviour=OVERWRITES.but(indices="indices", out_of_bounds="n_gather.range"),
)

define(
    "nl.gather_flattened",
    "data and indices of gather_flattened must have the same partitions; indices must be uint32.",
    "nl.gather_flattened; L:gather_flattened",
    api=NKI,
    takes={"indices": ("uint32",)},
)
define(
    "leg.gather_flattened",
    "Data and indices must have 2 to 4 dimensions and the same partitions; the indices must be uint32.",
    "L:gather_flattened",
    api=("neuronxcc",),
    takes={"indices_dtype": ("uint32",)},
)


@GATHER_FLATTENED.current
def _(data: object, indices: object, axis: object = 0, dtype: object = None) -> Tensor:
    """A new SBUF tile of the shape of `indices`: elements of the flattened free axes of `data`."""
    source, places = tile(data, "data"), tile(indices, "indices")
    if axis != 0:
        raise unsupported("nl.gather_flattened along an axis", "its meaning is not documented")
    require("isa.on_chip", on_chip(source, places), data=source.buffer, indices=places.buffer)
    require("nl.gather_flattened", equal(source.shape[0], places.shape[0]), data=source.shape, indices=places.shape)
    require("nl.gather_flattened", places.dtype == uint32, indices=places.dtype)
    return new_result(places.shape, declared_dtype(dtype, source.dtype))


@GATHER_FLATTENED.legacy
def _(
    data: object, indices: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object
) -> LegacyTensor:
    """A new SBUF tile of the shape of `indices`: elements of the flattened free axes of `data`."""
    source, places = operand(data, mask, "data"), operand(indices, mask, "indices")
    require("isa.on_chip", on_chip(source, places), data=source.buffer, indices=places.buffer)
    ranked = 2 <= source.ndim <= 4 and 2 <= places.ndim <= 4
    require(
        "leg.gather_flattened",
        all_of(ranked, places.dtype == uint32, equal(source.shape[0], places.shape[0])),
        data=source.shape,
        indices=places.shape,
        indices_dtype=places.dtype,
    )
    return result_tile(places.shape, named_dtype(dtype, source.dtype), mask=mask)


GATHER_FLATTENED.meaning(gathered)
GATHER_FLATTENED.bounds(_gathered_numbers)
