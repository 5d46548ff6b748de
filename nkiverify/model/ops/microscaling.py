"""Microscaled (MX) instructions of gen4: quantize_mx and nc_matmul_mx (reference section c.2): four values in
an element, one scale for 8 x 4 of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.late import numpy as np
from nkiverify.model import contracts
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    float4_e2m1fn_x4,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float8_e8m0fnu,
    float16,
    float32,
    uint8,
)
from nkiverify.model.ops.operands import destination, generation, in_sbuf, moved_elements, tile
from nkiverify.model.ops.tensor_engine import claim_matmul_buffers
from nkiverify.model.registry import OVERWRITES, Updates, operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, all_of, equal

if TYPE_CHECKING:
    from nkiverify.model.meaning import Array, Step


define = partial(contracts.define, api=("nki",))

_DATA = (float8_e5m2_x4, float8_e4m3fn_x4, float4_e2m1fn_x4)
_QUANTIZED = (float8_e5m2_x4, float8_e4m3fn_x4)
_SCALES = (float8_e8m0fnu, uint8)
_QUADRANT, _GROUP, _PER_QUADRANT = 32, 8, 4
_BIAS = 127
#: Greatest exponent and greatest magnitude of the quantised formats ("quantize_mx.scale").
_LIMITS = {float8_e5m2_x4: (15, 57344.0), float8_e4m3fn_x4: (8, 448.0)}

# --- scales -----------------------------------------------------------------------------------------------------------

define(
    "matmul_mx.scale_shape",
    "A scale tile must hold one scale per 8 partitions and packed column, in the first 4 rows of each quadrant.",
    "MX Scale Tensor; quantize_mx",
)
define(
    "matmul_mx.scale_rows",
    "A scale tile must have no more rows than its operand has partitions.",
    "MX Scale Tensor; quantize_mx",
    contested="published kernels give the whole tile of scales, of 128 rows, with an operand of 32 partitions, and "
    "pass their tests: the rows behind those of the operand are not read",
)


def _scales_fit(scale: Tensor, data: Tensor) -> Any:
    """True if `scale` holds one scale per 8 partitions and packed column of `data` (P, F).

    The scales of each quadrant of 32 partitions are in its first 4 rows, so the last one needed is row P - 29; for one
    quadrant that is a (P / 8, F) tile. A slice of a tile that packs several scales has fewer rows than data
    ("matmul_mx.scale_slice").
    """
    return all_of(scale.shape[0] >= data.shape[0] - 28, equal(scale.free_size, data.free_size))


def scale_rows(partitions: int) -> Array:
    """The row of the scale tile for each partition: the first 4 of its quadrant ("matmul_mx.scale_shape")."""
    partition = np.arange(partitions)
    return partition // _QUADRANT * _QUADRANT + partition % _QUADRANT // _GROUP


def _claim_dtypes(contract: str, **operands: tuple[Tensor, tuple[DType, ...]]) -> None:
    """Claim of each operand that its dtype is one of those next to it."""
    for name, (operand, allowed) in operands.items():
        require(contract, operand.dtype in allowed, **{name: operand.dtype})


# --- nc_matmul_mx -----------------------------------------------------------------------------------------------------

NC_MATMUL_MX = operation(
    "nisa.nc_matmul_mx",
    dependence=Dependence(
        Link.ROW_MAJOR,
        {
            "stationary": Link.STATIONARY,
            "moving": Link.MOVING,
            "stationary_scale": Link.STATIONARY,
            "moving_scale": Link.MOVING,
        },
    ),
    engine="tensor",
    behaviour=OVERWRITES.but(
        product=True, updates=Updates.ACCUMULATING, rows={"stationary_scale": (32, 4), "moving_scale": (32, 4)}
    ),
)

define("matmul_mx.gen4", "nc_matmul_mx must run on gen4 or later.", "nc_matmul_mx")
define(
    "matmul_mx.buffers",
    "Inputs and scales must be in SBUF, dst in PSUM.",
    "nc_matmul_mx",
    takes={"": ("sbuf",), "dst": ("psum",)},
)
define(
    "matmul_mx.ti_pairs",
    "An operand and its scales must be moved by the same indices, or neither of them.",
    "nc_matmul_mx:TI",
)
define(
    "matmul_mx.dtypes",
    "Data must be a packed (x4) dtype, scales float8_e8m0fnu or uint8, dst float32 or bfloat16.",
    "nc_matmul_mx; A4",
    takes={
        "": ("float8_e4m3fn_x4", "float8_e5m2_x4", "float4_e2m1fn_x4"),
        "stationary_scale": ("uint8", "float8_e8m0fnu"),
        "moving_scale": ("uint8", "float8_e8m0fnu"),
        "dst": ("float32", "bfloat16"),
    },
)
define(
    "matmul_mx.k",
    "Both inputs must have the same partitions, a multiple of 32 and at most 128.",
    "nc_matmul_mx",
    limit=True,
)
define(
    "matmul_mx.m_even",
    "Stationary must have an even number of columns, at most 128.",
    "nc_matmul_mx",
    takes={"M": 128},
    limit=True,
)
define(
    "matmul_mx.n",
    "Moving must have at most 4096 columns (float32 dst) or 8192 (bfloat16 dst).",
    "nc_matmul_mx",
    takes={"N": "limit"},
    limit=True,
)
define("matmul_mx.out", "dst must have M partitions and N elements per partition.", "nc_matmul_mx")
define(
    "matmul_mx.row_tiling",
    "Tiling must split rows only: tile_size (32, 64 or 128, 128), tile_position (a multiple of the rows, 0).",
    "nc_matmul_mx:Tiling Mode",
)


@NC_MATMUL_MX.current
def _(
    dst: object,
    stationary: object,
    moving: object,
    stationary_scale: object,
    moving_scale: object,
    tile_position: Sequence[Extent] | None = None,
    tile_size: Sequence[Extent] | None = None,
    accumulate: object = None,
    name: object = None,
) -> None:
    """dst (M, N) = stationary (K, M) transposed, times moving (K, N), in packed elements: a contraction of 4 K."""
    result = destination(dst, gathers=True)
    left, right = tile(stationary, "stationary", gathers=True), tile(moving, "moving", gathers=True)
    left_scale = tile(stationary_scale, "stationary_scale", gathers=True)
    right_scale = tile(moving_scale, "moving_scale", gathers=True)
    require("matmul_mx.gen4", generation() >= 4, generation=generation())
    claim_matmul_buffers(result, left, right, left_scale, right_scale, contract="matmul_mx.buffers")
    _claim_dtypes(
        "matmul_mx.dtypes",
        stationary=(left, _DATA),
        moving=(right, _DATA),
        stationary_scale=(left_scale, _SCALES),
        moving_scale=(right_scale, _SCALES),
        dst=(result, (float32, bfloat16)),
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
        require(
            "matmul_mx.scale_shape", _scales_fit(scale, data), argument=argument, scale=scale.shape, data=data.shape
        )
        rows, partitions = scale.shape[0], data.shape[0]
        require("matmul_mx.scale_rows", rows <= partitions, argument=argument, scale=scale.shape, data=data.shape)
    _claim_row_tiling(tile_position, tile_size)


def _moved_alike(data: Tensor, scale: Tensor) -> Any:
    """True if two operands are moved by the same indices, or neither is."""
    moved = moved_elements(data, scale)
    if len(moved) != 2:
        return not moved
    one, two = (operand.indirect_by.index for operand in moved if operand.indirect_by is not None)
    if not isinstance(one, Tensor) or not isinstance(two, Tensor) or one.ndim != two.ndim:
        return one is two
    extents = (equal(a, b) for a, b in zip(one.shape, two.shape, strict=True))
    return all_of(one.storage is two.storage, equal(one.offset, two.offset), *extents)


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


@NC_MATMUL_MX.meaning
def _(step: Step) -> None:
    """The contraction over K rows and the 4 values of each element, both operands scaled ("matmul_mx.out")."""
    step.n.wants("nc_matmul_mx")
    if step.tracking:
        left, right = step.rows("stationary"), step.rows("moving")
        rows = scale_rows(left.shape[1])
        left = np.maximum(left, step.marks_of("stationary_scale", rows))
        right = np.maximum(right, step.marks_of("moving_scale", rows))
        step.accumulate_product(step.n.matmul(left, right))
        return
    parts = [_dequantised(step, name) for name in ("stationary", "moving")]
    left, right = (part.transpose(0, 2, 1).reshape(-1, part.shape[1]) for part in parts)
    step.accumulate_product(step.n.matmul(left[None], right[None]))


def _dequantised(step: Step, name: str) -> Array:
    """An operand as float32 (K, F, 4)."""
    values = step.n.unpacked(step.rows(name, stored=True)[0], step.dtype(name))
    scales = step.rows(f"{name}_scale", stored=True)[0]
    exponents = scales.view(np.uint8).astype(np.int64) if scales.dtype.itemsize == 1 else scales.astype(np.int64)
    rows = scale_rows(values.shape[0])
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(values, (exponents[rows] - _BIAS)[:, :, None]).astype(np.float32))


# --- quantize_mx ------------------------------------------------------------------------------------------------------

QUANTIZE_MX = operation(
    "nisa.quantize_mx",
    dependence=Dependence(Link.QUANTISED),
    engine="any",
    behaviour=OVERWRITES.but(keeps=True, rows={"dst_scale": (32, 4)}),
)

define("quantize_mx.gen4", "quantize_mx must run on gen4 or later.", "quantize_mx")
define("quantize_mx.sbuf", "All operands must be in SBUF.", "quantize_mx", takes={"": ("sbuf",)})
define(
    "quantize_mx.dtypes",
    "src must be float16 or bfloat16, dst float8_e5m2_x4 or float8_e4m3fn_x4, dst_scale float8_e8m0fnu or uint8.",
    "quantize_mx; MX",
    takes={
        "src": ("bfloat16", "float16"),
        "dst": ("float8_e4m3fn_x4", "float8_e5m2_x4"),
        "dst_scale": ("uint8", "float8_e8m0fnu"),
    },
)
define(
    "quantize_mx.shape",
    "src must be (P, F) with P a multiple of 32 of at most 128 and F a multiple of 4; dst must be (P, F / 4).",
    "quantize_mx",
    limit=True,
)


@QUANTIZE_MX.current
def _(dst: object, src: object, dst_scale: object, name: object = None) -> None:
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
    _claim_dtypes(
        "quantize_mx.dtypes",
        src=(source, (float16, bfloat16)),
        dst=(result, _QUANTIZED),
        dst_scale=(scale, _SCALES),
    )
    p, f = source.shape[0], source.free_size
    require(
        "quantize_mx.shape",
        all_of(p % 32 == 0, p <= 128, f % 4 == 0, equal(result.shape[0], p), equal(result.free_size * 4, f)),
        src=source.shape,
        dst=result.shape,
    )
    fits = all_of(_scales_fit(scale, result), scale.shape[0] <= p)
    require("matmul_mx.scale_shape", fits, scale=scale.shape, data=result.shape)


@QUANTIZE_MX.meaning
def _(step: Step) -> None:
    """Quantised values and their scales, a power of two for each 8 x 4 values ("quantize_mx.scale")."""
    step.n.wants("quantize_mx")
    if step.tracking:
        _quantised_marks(step)
        return
    values = step.rows("src")[0]
    partitions, columns = values.shape[0], values.shape[1] // 4
    grouped = values.reshape(partitions // _GROUP, _GROUP, columns, 4)
    greatest = np.abs(grouped).max(axis=(1, 3))
    dtype = step.dtype("dst")
    top, limit = _LIMITS[dtype]
    _, exponents = np.frexp(greatest)
    # frexp gives a fraction below 1, so the exponent of a float is one less.
    scale = np.where(greatest > 0, np.clip(exponents - 1 - (top - 1), -_BIAS, _BIAS), -_BIAS)
    scaled = np.ldexp(grouped, -scale[:, None, :, None])
    clipped = np.clip(scaled, -limit, limit).reshape(partitions, columns, 4)
    step.write("dst", step.n.packed(clipped, dtype)[None], stored=True)
    _write_scales(step, scale + _BIAS)


def _write_scales(step: Step, scales: Array) -> None:
    """Put the scales of each quadrant into its first rows; the other rows of the tile stay as they are."""
    kept = step.rows("dst_scale", stored=True, previous=True).copy()
    words = scales.astype(np.uint8).view(kept.dtype)
    for group in range(scales.shape[0]):
        row = group // _PER_QUADRANT * _QUADRANT + group % _PER_QUADRANT
        kept[0, row] = words[group]
    step.write("dst_scale", kept, stored=True)


def _quantised_marks(step: Step) -> None:
    marks = step.rows("src")
    partitions, columns = marks.shape[1], marks.shape[2] // 4
    worst = marks.reshape(1, partitions // _GROUP, _GROUP, columns, 4).max(axis=(2, 4))
    step.write("dst", np.repeat(worst, _GROUP, axis=1), stored=True)
    kept = step.rows("dst_scale", stored=True, previous=True).copy()
    for group in range(worst.shape[1]):
        kept[:, group // _PER_QUADRANT * _QUADRANT + group % _PER_QUADRANT] = worst[:, group]
    step.write("dst_scale", kept, stored=True)
