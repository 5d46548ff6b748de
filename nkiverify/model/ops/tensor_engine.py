"""The Tensor Engine: nc_matmul and nc_transpose."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    float8_e4m3,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    tfloat32,
)
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import as_extent
from nkiverify.model.memory import PSUM, SBUF
from nkiverify.model.ops.operands import destination, generation, member, moved_elements, on_chip, tile
from nkiverify.model.registry import Updates, operation
from nkiverify.model.tensor import Tensor, free_elements
from nkiverify.symbolic import Extent, all_of, equal

NC_MATMUL = operation(
    "nisa.nc_matmul",
    dependence=Dependence(
        Link.ROW_MAJOR, {"stationary": Link.STATIONARY, "moving": Link.MOVING, "dst": Link.ROW_MAJOR}
    ),
    engine="tensor",
    product=True,
    updates=Updates.ACCUMULATING,
)
NC_TRANSPOSE = operation("nisa.nc_transpose", dependence=Dependence(Link.TRANSPOSED), moves=True)
LANGUAGE_TRANSPOSE = operation("nl.transpose", dependence=Dependence(Link.TRANSPOSED), moves=True)
LANGUAGE_MATMUL = operation(
    "nl.matmul", dependence=Dependence(Link.ROW_MAJOR, {"x": Link.STATIONARY, "y": Link.MOVING}), engine="tensor"
)


# Sets, as types are looked for in them at every matmul: those of a tuple would be compared one by one.
_FLOAT8: frozenset[DType] = frozenset({float8_e4m3, float8_e5m2})
_FLOAT8_GEN4 = _FLOAT8 | {float8_e4m3fn}
_INPUTS: frozenset[DType] = _FLOAT8 | {bfloat16, float16, tfloat32, float32}
_INPUTS_GEN4 = _INPUTS | {float8_e4m3fn}
_WIDE: frozenset[DType] = frozenset({float32, tfloat32})


def nc_matmul(
    dst: object,
    stationary: object,
    moving: object,
    is_transpose: object = False,
    tile_position: Sequence[Extent] | None = (),
    tile_size: Sequence[Extent] | None = (),
    perf_mode: object = isa.matmul_perf_mode.none,
) -> None:
    """dst (M, N) = stationary (K, M) transposed, times moving (K, N); K and M are at most 128."""
    result = destination(dst, gathers=True)
    left, right = tile(stationary, "stationary", gathers=True), tile(moving, "moving", gathers=True)
    mode = member(perf_mode, isa.matmul_perf_mode, "perf_mode")
    claim_matmul_buffers(result, left, right)
    _claim_input_dtypes(left.dtype, right.dtype)
    _claim_result_dtype(result.dtype, transposes=bool(is_transpose))
    rows, columns = claim_tiling("nc_matmul", tile_position, tile_size)
    _claim_indirect(result, left, right, bool(is_transpose), tile_position)
    if mode is isa.matmul_perf_mode.double_row:
        m, n = _claim_double_row(left, right, bool(is_transpose), columns)
    else:
        m, n = left.free_size, right.free_size
    k = left.partitions
    require("nc_matmul.k_equal", equal(k, right.partitions), stationary=left.shape, moving=right.shape)
    require("nc_matmul.k_le_128", k <= rows, K=k, limit=rows)
    require("nc_matmul.m_le_128", m <= columns, M=m, limit=columns)
    hardware = current_execution().hardware
    limit = hardware.moving_fmax(result.dtype.itemsize)
    require("nc_matmul.n_gen4" if hardware.generation >= 4 else "nc_matmul.n_le_512", n <= limit, N=n, limit=limit)
    require(
        "nc_matmul.out_shape",
        all_of(equal(result.partitions, m), equal(result.free_size, n)),
        dst=result.shape,
        M=m,
        N=n,
    )


def _claim_indirect(
    result: Tensor, left: Tensor, right: Tensor, transposes: bool, position: Sequence[Extent] | None
) -> None:
    """Claim what a matmul of operands that indices move needs: narrow floats, the whole array, no transposed moving."""
    if not moved_elements(result, left, right):
        return
    require(
        "nc_matmul.ti",
        all(operand.dtype not in _WIDE for operand in moved_elements(left, right))
        and _pair(position) in (None, (0, 0))
        and not (transposes and moved_elements(right)),
        stationary=left.dtype,
        moving=right.dtype,
        tile_position=position,
    )


def claim_matmul_buffers(result: Tensor, *operands: Tensor, contract: str = "nc_matmul.buffers") -> None:
    """Claim that a matmul reads SBUF and writes PSUM."""
    require(
        contract,
        result.buffer is PSUM and all(operand.buffer is SBUF for operand in operands),
        dst=result.buffer,
        operands=tuple(operand.buffer for operand in operands),
    )


def _claim_input_dtypes(left: DType, right: DType) -> None:
    allowed = _INPUTS_GEN4 if generation() >= 4 else _INPUTS
    require("nc_matmul.in_dtype", left in allowed and right in allowed, stationary=left, moving=right)
    require("nc_matmul.fp32_pair", (left in _WIDE) == (right in _WIDE), stationary=left, moving=right)
    if float8_e4m3fn in {left, right}:
        require("nc_matmul.e4m3_mix", float8_e4m3 not in (left, right), stationary=left, moving=right)


def _claim_result_dtype(dtype: DType, transposes: bool) -> None:
    allowed: tuple[DType, ...] = (float32, bfloat16) if generation() >= 4 else (float32,)
    if transposes and generation() >= 3:
        # The Tensor Engine's transpose mode passes 16-bit data through (A3), which the page of nc_matmul leaves out.
        allowed = (float32, bfloat16, float16)
    require("nc_matmul.dst_dtype", dtype in allowed, dst=dtype, generation=generation())


def claim_tiling(op: str, position: Sequence[Extent] | None, size: Sequence[Extent] | None) -> tuple[Extent, Extent]:
    """Claim the tiling-mode rules; returns the rows and columns of the array the operation may use."""
    place, extent = _pair(position), _pair(size)
    require(f"{op}.tiling_both", (place is None) == (extent is None), tile_position=position, tile_size=size)
    if place is None or extent is None:
        return 128, 128
    sizes = (32, 64, 128) if generation() >= 3 else (64, 128)
    require(f"{op}.tiling_sizes", all(part in sizes for part in extent), tile_size=extent, generation=generation())
    inside = all(
        part > 0 and start >= 0 and start % part == 0 and start + part <= 128
        for start, part in zip(place, extent, strict=True)
    )
    require(f"{op}.tiling_pos", inside, tile_position=place, tile_size=extent)
    return extent


def _pair(value: Sequence[Extent] | None) -> tuple[Extent, Extent] | None:
    if value is None or len(value) == 0:
        return None
    parts = [as_extent(part) for part in value]
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        raise TypeError(f"a tile position or size is a pair of integers, not {value!r}")
    return parts[0], parts[1]


def _claim_double_row(left: Tensor, right: Tensor, transposes: bool, columns: Extent) -> tuple[Extent, Extent]:
    allowed = _FLOAT8_GEN4 if generation() >= 4 else _FLOAT8
    require(
        "nc_matmul.double_row_gen",
        generation() >= 3 and left.dtype in allowed and right.dtype in allowed,
        stationary=left.dtype,
        moving=right.dtype,
        generation=generation(),
    )
    shaped = left.ndim >= 3 and right.ndim >= 3
    require(
        "nc_matmul.double_row_shape",
        all_of(equal(left.shape[1], 2), equal(right.shape[1], 2), equal(columns, 128), not transposes)
        if shaped
        else False,
        stationary=left.shape,
        moving=right.shape,
    )
    return free_elements(left.shape[2:]), free_elements(right.shape[2:])


def nc_transpose(dst: object, data: object, engine: object = isa.engine.unknown) -> None:
    """dst (F, P) = data (P, F) transposed; free dimensions count as one."""
    result, source = destination(dst), tile(data, "data")
    runs_on = member(engine, isa.engine, "engine")
    if runs_on is isa.engine.unknown:
        # Only the Tensor Engine goes from SBUF to PSUM with up to 128 x 128; every other pair is the Vector Engine's.
        fits_tensor = source.buffer is SBUF and result.buffer is PSUM
        runs_on = isa.engine.tensor if fits_tensor else isa.engine.vector
    p, f = source.partitions, source.free_size
    if runs_on is isa.engine.tensor:
        placed, limit = source.buffer is SBUF and result.buffer is PSUM, 128
    else:
        placed, limit = on_chip(source, result), 32
        require("nc_transpose.engine", runs_on is isa.engine.vector, engine=runs_on)
    require(
        "nc_transpose.tensor" if runs_on is isa.engine.tensor else "nc_transpose.vector",
        all_of(placed, p <= limit, f <= limit),
        data=source.shape,
        data_buffer=source.buffer,
        dst_buffer=result.buffer,
    )
    require(
        "nc_transpose.shape",
        all_of(equal(result.partitions, f), equal(result.free_size, p)),
        dst=result.shape,
        data=source.shape,
    )
    require("nc_transpose.same_dtype", result.dtype == source.dtype, dst=result.dtype, data=source.dtype)
