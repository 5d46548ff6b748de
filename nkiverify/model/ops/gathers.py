"""Instructions that move elements across partitions or by index, and between cores (reference section c.1)."""

from __future__ import annotations

from nkiverify.model import contents
from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import uint16, uint32
from nkiverify.model.extents import as_extent, is_sequence, same
from nkiverify.model.indirection import claim_numbers
from nkiverify.model.launch import current_launch
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.ops.operands import (
    claim_in_sbuf,
    claim_on_chip,
    claim_partitions,
    destination,
    generation,
    member,
    tile,
)
from nkiverify.model.registry import operation
from nkiverify.symbolic import all_of, any_of, equal
from nkiverify.symbolic.execution import unsupported

NC_N_GATHER = operation(
    "nisa.nc_n_gather",
    dependence=Dependence(Link.PARTITION, {"indices": Link.ROWS}, chosen=frozenset(("data",))),
    engine="gpsimd",
    out_of_bounds="n_gather.range",
)
LANGUAGE_GATHER_FLATTENED = operation(
    "nl.gather_flattened",
    dependence=Dependence(Link.PARTITION, {"indices": Link.ROWS}, chosen=frozenset(("data",))),
    out_of_bounds="n_gather.range",
)
LOCAL_GATHER = operation(
    "nisa.local_gather",
    dependence=Dependence(Link.EVERYTHING),
    engine="gpsimd",
    keeps=True,
    out_of_bounds="local_gather.oob",
)
NONZERO_WITH_COUNT = operation(
    "nisa.nonzero_with_count", dependence=Dependence(Link.PARTITION), keeps=True, rows={"dst": (16, 1), "src": (16, 1)}
)
SEQUENCE_BOUNDS = operation("nisa.sequence_bounds", dependence=Dependence(Link.EVERYTHING), side_effect=True)


_LANES = 32
#: The entry of a shuffle mask that leaves its partition alone.
_UNTOUCHED = 255


def nc_stream_shuffle(dst: object, src: object, shuffle_mask: object) -> None:
    """In each quadrant of 32 partitions, partition i of dst is partition shuffle_mask[i] of src."""
    result, source = tile(dst, "dst"), tile(src, "src")
    claim_on_chip(dst=result, src=source)
    entries = [as_extent(entry) for entry in shuffle_mask] if is_sequence(shuffle_mask) else []
    lanes = [lane for lane in entries if lane is not None]
    well_formed = len(lanes) == len(entries) == _LANES
    require(
        "shuffle.mask_len",
        all_of(*(any_of(all_of(lane >= 0, lane < _LANES), equal(lane, _UNTOUCHED)) for lane in lanes))
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
    contents.copied(result, source, partly=any(lane is _UNTOUCHED for lane in lanes) or not well_formed)


def local_gather(
    dst: object, src_buffer: object, index: object, num_elem_per_idx: object = 1, num_valid_indices: object = None
) -> None:
    """Each GpSimd core gathers from its 16 partitions; `num_elem_per_idx` consecutive elements for each index."""
    result, source, places = destination(dst), tile(src_buffer, "src_buffer"), tile(index, "index")
    claim_in_sbuf("local_gather.sbuf", dst=result, src_buffer=source, index=places)
    require(
        "local_gather.partitions",
        all_of(equal(source.shape[0], places.shape[0]), equal(source.shape[0] % 16, 0)),
        src_buffer=source.shape,
        index=places.shape,
    )
    per_index = as_extent(num_elem_per_idx)
    if per_index is None:
        raise unsupported(f"local_gather with num_elem_per_idx of type {type(num_elem_per_idx).__name__}")
    legal = any_of(*(equal(per_index, size) for size in (1, 2, 4, 8, 16, 32)))
    require("local_gather.nelem", legal, num_elem_per_idx=per_index)
    per_core = places.free_size * 16
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
            contents.held(places),
            lambda low, high: all_of(low >= 0, (high + 1) * per_index <= source.free_size),
            src_buffer=source.shape,
            num_elem_per_idx=per_index,
        )


def nc_n_gather(dst: object, data: object, indices: object) -> None:
    """dst[p, i] = data[p, indices[p, i]], on GpSimd."""
    result, source, places = destination(dst), tile(data, "data"), tile(indices, "indices")
    claim_in_sbuf("n_gather.sbuf", dst=result, data=source, indices=places)
    typed = result.dtype == source.dtype and places.dtype == uint32
    require("n_gather.dtype", typed, dst=result.dtype, data=source.dtype, indices=places.dtype)
    claim_partitions("n_gather.shape", dst=result, data=source, indices=places)
    require("n_gather.shape", equal(result.free_size, places.free_size), dst=result.shape, indices=places.shape)
    # Indices computed on chip are taken on trust: what the hardware does out of range is not documented.
    value = contents.held(places)
    claim_numbers(
        "n_gather.range",
        value,
        lambda low, high: all_of(low >= 0, high < source.free_size),
        data=source.shape,
    )


def core_barrier(data: object, cores: object, engine: object = isa.engine.gpsimd) -> None:
    """Both cores wait for each other before they go on with `data`."""
    tensor = tile(data, "data")
    member(engine, isa.engine, "engine")
    both = tuple(map(as_extent, cores)) == (0, 1) if is_sequence(cores) else False
    require("core_barrier.cores", both, cores=cores)
    grid = current_launch().grid
    require(
        "core_barrier.scope",
        all_of(generation() >= 3, tensor.buffer is SHARED_HBM, equal(grid[0], 2) if grid else False),
        generation=generation(),
        data=tensor.buffer,
        grid=grid,
    )
