"""Microscaled operations of gen4 (section c.2, MX): four values in an element, one scale for 8 x 4 of them."""

from __future__ import annotations

import numpy as np

from nkiverify.analysis.values import formats
from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.dtypes import float8_e8m0fnu
from nkiverify.model.meaning import Array, Step

_QUADRANT, _GROUP, _PER_QUADRANT = 32, 8, 4
_BIAS = 127
#: Greatest exponent and greatest magnitude of the quantised formats ("quantize_mx.scale").
_LIMITS = {"float8_e5m2_x4": (15, 57344.0), "float8_e4m3fn_x4": (8, 448.0)}


@meaning("nisa.nc_matmul_mx")
def matmul_mx(step: Step) -> None:
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
    dtype = step.dtype(name)
    values = formats.unpacked(step.rows(name, stored=True)[0], dtype)
    scales = step.rows(f"{name}_scale", stored=True)[0]
    exponents = scales.view(np.uint8).astype(np.int64) if scales.dtype.itemsize == 1 else scales.astype(np.int64)
    rows = scale_rows(values.shape[0])
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(values, (exponents[rows] - _BIAS)[:, :, None]).astype(np.float32))


def scale_rows(partitions: int) -> Array:
    """The row of the scale tile for each partition: the first 4 of its quadrant ("matmul_mx.scale_shape")."""
    partition = np.arange(partitions)
    return partition // _QUADRANT * _QUADRANT + partition % _QUADRANT // _GROUP


@meaning("nisa.quantize_mx")
def quantize_mx(step: Step) -> None:
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
    top, limit = _LIMITS[str(dtype)]
    _, exponents = np.frexp(greatest)
    # frexp gives a fraction below 1, so the exponent of a float is one less.
    scale = np.where(greatest > 0, np.clip(exponents - 1 - (top - 1), -_BIAS, _BIAS), -_BIAS)
    scaled = np.ldexp(grouped, -scale[:, None, :, None])
    clipped = np.clip(scaled, -limit, limit).reshape(partitions, columns, 4)
    step.write("dst", formats.repacked(clipped, dtype)[None], stored=True)
    _write_scales(step, scale + _BIAS)


def _write_scales(step: Step, scales: Array) -> None:
    """Put the scales of each quadrant into its first rows; the other rows of the tile stay as they are."""
    kept = step.rows("dst_scale", stored=True, previous=True).copy()
    words = scales.astype(np.uint8)
    if step.dtype("dst_scale") == float8_e8m0fnu:
        words = words.view(formats.STORED[float8_e8m0fnu])
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
