"""Microscaled (MX) instructions of gen4: quantize_mx and nc_matmul_mx (reference section c.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    bfloat16,
    float4_e2m1fn_x4,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float8_e8m0fnu,
    float16,
    float32,
    uint8,
)
from nkiverify.model.execution import current_execution
from nkiverify.model.ops.operands import destination, generation, in_sbuf, moved_elements, tile
from nkiverify.model.ops.tensor_engine import claim_matmul_buffers
from nkiverify.model.registry import Updates, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, equal

NC_MATMUL_MX = operation(
    "nisa.nc_matmul_mx",
    dependence=Dependence(Link.EVERYTHING),
    engine="tensor",
    product=True,
    updates=Updates.ACCUMULATING,
    rows={"stationary_scale": (32, 4), "moving_scale": (32, 4)},
)
QUANTIZE_MX = operation(
    "nisa.quantize_mx", dependence=Dependence(Link.EVERYTHING), keeps=True, rows={"dst_scale": (32, 4)}
)


_DATA = (float8_e5m2_x4, float8_e4m3fn_x4, float4_e2m1fn_x4)
_QUANTIZED = (float8_e5m2_x4, float8_e4m3fn_x4)
_SCALES = (float8_e8m0fnu, uint8)


def scales_fit(scale: Tensor, data: Tensor) -> Any:
    """Whether `scale` holds one scale per 8 partitions and packed column of `data` (P, F).

    The scales of each quadrant of 32 partitions are in its first 4 rows, so the last one needed is row P - 29; for one
    quadrant that is a (P / 8, F) tile. A slice of a tile that packs several scales has fewer rows than data
    ("matmul_mx.scale_slice").
    """
    rows = scale.shape[0]
    return all_of(
        rows >= data.shape[0] - 28,
        rows <= data.shape[0],
        equal(scale.free_size, data.free_size),
    )


def _moved_alike(data: Tensor, scale: Tensor) -> Any:
    """Whether two operands are moved by the same indices, or neither is."""
    moved = moved_elements(data, scale)
    if len(moved) != 2:
        return not moved
    one, two = (operand.indirect_by.index for operand in moved if operand.indirect_by is not None)
    if not isinstance(one, Tensor) or not isinstance(two, Tensor) or one.ndim != two.ndim:
        return one is two
    extents = (equal(a, b) for a, b in zip(one.shape, two.shape, strict=True))
    return all_of(one.storage is two.storage, equal(one.offset, two.offset), *extents)


def nc_matmul_mx(
    dst: object,
    stationary: object,
    moving: object,
    stationary_scale: object,
    moving_scale: object,
    tile_position: Sequence[Extent] | None = None,
    tile_size: Sequence[Extent] | None = None,
) -> None:
    """dst (M, N) = stationary (K, M) transposed, times moving (K, N), in packed elements: a contraction of 4 K."""
    result = destination(dst, gathers=True)
    left, right = tile(stationary, "stationary", gathers=True), tile(moving, "moving", gathers=True)
    left_scale = tile(stationary_scale, "stationary_scale", gathers=True)
    right_scale = tile(moving_scale, "moving_scale", gathers=True)
    require("matmul_mx.gen4", generation() >= 4, generation=generation())
    claim_matmul_buffers(result, left, right, left_scale, right_scale, contract="matmul_mx.buffers")
    require(
        "matmul_mx.dtypes",
        left.dtype in _DATA
        and right.dtype in _DATA
        and left_scale.dtype in _SCALES
        and right_scale.dtype in _SCALES
        and result.dtype in (float32, bfloat16),
        stationary=left.dtype,
        moving=right.dtype,
        scales=(left_scale.dtype, right_scale.dtype),
        dst=result.dtype,
    )
    for data, scale in ((left, left_scale), (right, right_scale)):
        require("matmul_mx.ti_pairs", _moved_alike(data, scale), data=data.shape, scale=scale.shape)
    k, m, n = left.partitions, left.free_size, right.free_size
    require(
        "matmul_mx.k",
        all_of(equal(k, right.partitions), k % 32 == 0, k <= 128),
        stationary=left.shape,
        moving=right.shape,
    )
    require("matmul_mx.m_even", all_of(m % 2 == 0, m <= 128), M=m)
    limit = current_execution().hardware.moving_fmax(result.dtype.itemsize)
    require("matmul_mx.n", n <= limit, N=n, limit=limit)
    require(
        "matmul_mx.out",
        all_of(equal(result.partitions, m), equal(result.free_size, n)),
        dst=result.shape,
        M=m,
        N=n,
    )
    for scale, data, argument in ((left_scale, left, "stationary_scale"), (right_scale, right, "moving_scale")):
        require("matmul_mx.scale_shape", scales_fit(scale, data), argument=argument, scale=scale.shape, data=data.shape)
    _claim_row_tiling(tile_position, tile_size)


def _claim_row_tiling(position: Sequence[Extent] | None, size: Sequence[Extent] | None) -> None:
    if not position and not size:
        return
    well_formed = bool(position) and bool(size) and len(position or ()) == len(size or ()) == 2
    legal = False
    if well_formed and position is not None and size is not None:
        rows, columns = size
        start, column = position
        legal = rows in (32, 64, 128) and columns == 128 and column == 0 and 0 <= start < 128 and start % rows == 0
    require("matmul_mx.row_tiling", legal, tile_position=position, tile_size=size)


def quantize_mx(dst: object, src: object, dst_scale: object) -> None:
    """Quantise src (P, F) to dst (P, F / 4) packed elements, and one scale per 8 partitions and packed column."""
    result, source, scale = destination(dst), tile(src, "src"), destination(dst_scale, "dst_scale")
    require("quantize_mx.gen4", generation() >= 4, generation=generation())
    require(
        "quantize_mx.sbuf",
        in_sbuf(result, source, scale),
        dst=result.buffer,
        src=source.buffer,
        dst_scale=scale.buffer,
    )
    require(
        "quantize_mx.dtypes",
        source.dtype in (float16, bfloat16) and result.dtype in _QUANTIZED and scale.dtype in _SCALES,
        src=source.dtype,
        dst=result.dtype,
        dst_scale=scale.dtype,
    )
    p, f = source.shape[0], source.free_size
    require(
        "quantize_mx.shape",
        all_of(p % 32 == 0, p <= 128, f % 4 == 0, equal(result.shape[0], p), equal(result.free_size * 4, f)),
        src=source.shape,
        dst=result.shape,
    )
    require("matmul_mx.scale_shape", scales_fit(scale, result), scale=scale.shape, data=result.shape)
