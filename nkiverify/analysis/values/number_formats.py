"""How elements are stored, and conversions between a storage and the engines' float32.

Rounding is to nearest, ties to even. Between floats, what is too great becomes an infinity, or NaN where the format has
none ("range_select.nan": the least float32 becomes -inf in 16 and 8 bits). The documentation does not say how floats
become integers; here they are rounded to the nearest one and saturate, and NaN becomes 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    bool_,
    float4_e2m1fn_x4,
    float8_e4m3,
    float8_e4m3fn,
    float8_e4m3fn_x4,
    float8_e5m2,
    float8_e5m2_x4,
    float8_e8m0fnu,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)

Array = npt.NDArray[Any]

#: The NumPy type that holds the elements of each dtype. A bool is stored as uint8 ("tensor.dtypes"); packed elements
#: as their bits.
STORED: dict[DType, np.dtype[Any]] = {
    bool_: np.dtype(np.uint8),
    int8: np.dtype(np.int8),
    int16: np.dtype(np.int16),
    int32: np.dtype(np.int32),
    uint8: np.dtype(np.uint8),
    uint16: np.dtype(np.uint16),
    uint32: np.dtype(np.uint32),
    float16: np.dtype(np.float16),
    bfloat16: np.dtype(ml_dtypes.bfloat16),
    float32: np.dtype(np.float32),
    tfloat32: np.dtype(np.float32),
    float8_e4m3: np.dtype(ml_dtypes.float8_e4m3),
    float8_e4m3fn: np.dtype(ml_dtypes.float8_e4m3fn),
    float8_e5m2: np.dtype(ml_dtypes.float8_e5m2),
    float8_e8m0fnu: np.dtype(ml_dtypes.float8_e8m0fnu),
    float8_e5m2_x4: np.dtype(np.uint32),
    float8_e4m3fn_x4: np.dtype(np.uint32),
    float4_e2m1fn_x4: np.dtype(np.uint16),
}

#: The type of each of the four values of a packed element.
UNPACKED: dict[DType, np.dtype[Any]] = {
    float8_e5m2_x4: np.dtype(ml_dtypes.float8_e5m2),
    float8_e4m3fn_x4: np.dtype(ml_dtypes.float8_e4m3fn),
    float4_e2m1fn_x4: np.dtype(ml_dtypes.float4_e2m1fn),
}

#: Bits of the mantissa that a float32 has and a tfloat32 has not.
_TFLOAT32_DROPPED = 13


def widened(stored: Array, dtype: DType) -> Array:
    """Stored elements as float32, as an engine reads them ("isa.fp32_internal")."""
    if dtype.is_packed:
        raise UnsupportedConstruct(f"arithmetic on {dtype} elements", "unpack them with a matmul")
    return stored if stored.dtype == np.float32 else stored.astype(np.float32)


def stored(values: Array, dtype: DType) -> Array:
    """float32 values (or exact integers) as elements of `dtype`, rounded and, for integers, saturated."""
    kind = STORED[dtype]
    if dtype.is_packed:
        if not values.any():
            return np.zeros(values.shape, dtype=kind)
        raise UnsupportedConstruct(f"converting to {dtype}", "quantise with nisa.quantize_mx")
    if dtype.is_integer:
        return _integers(values, dtype, kind)
    if dtype == tfloat32:
        return tfloat32_rounded(values.astype(np.float32))
    if values.dtype == kind:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        # Integers of 32 bits go through float32 as well ("dma_copy.int_precision").
        return values.astype(np.float32, copy=False).astype(kind)


def _integers(values: Array, dtype: DType, kind: np.dtype[Any]) -> Array:
    if values.dtype == kind and dtype != bool_:
        return values
    if dtype == bool_:
        return (values != 0).astype(np.uint8)
    limits = np.iinfo(kind)
    if values.dtype.kind in "iub":
        return np.clip(values.astype(np.int64), limits.min, limits.max).astype(kind)
    exact = np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=limits.max, neginf=limits.min)
    return np.clip(np.rint(exact), limits.min, limits.max).astype(kind)


def tfloat32_rounded(values: Array) -> Array:
    """float32 values rounded to the 10 bits of mantissa of tfloat32."""
    bits = values.view(np.uint32)
    half = np.uint32((1 << (_TFLOAT32_DROPPED - 1)) - 1)
    odd = (bits >> np.uint32(_TFLOAT32_DROPPED)) & np.uint32(1)
    rounded = (bits + half + odd) & ~np.uint32((1 << _TFLOAT32_DROPPED) - 1)
    return np.where(np.isfinite(values), rounded.view(np.float32), values)


def unpacked(packed: Array, dtype: DType) -> Array:
    """Packed elements (…, F) as float32 values (…, F, 4), the first one in the least significant bits."""
    part = UNPACKED[dtype]
    if dtype == float4_e2m1fn_x4:
        shifts = np.arange(4, dtype=np.uint16) * np.uint16(4)
        nibbles = (packed[..., None] >> shifts) & np.uint16(15)
        return nibbles.astype(np.uint8).view(part).astype(np.float32)
    return np.ascontiguousarray(packed)[..., None].view(np.uint8).view(part).astype(np.float32)


def repacked(values: Array, dtype: DType) -> Array:
    """float32 values (…, F, 4) as packed elements (…, F); the inverse of `unpacked` on values of the format."""
    part = UNPACKED[dtype]
    if dtype == float4_e2m1fn_x4:
        nibbles = values.astype(part).view(np.uint8).astype(np.uint16)
        shifts = np.arange(4, dtype=np.uint16) * np.uint16(4)
        return np.asarray(np.bitwise_or.reduce(nibbles << shifts, axis=-1))
    narrow = np.ascontiguousarray(values.astype(part))
    return narrow.view(np.uint8).view(STORED[dtype])[..., 0]


def unit_roundoff(dtype: DType) -> float:
    """The greatest relative error of rounding to a float dtype, in its normal range; 0 for integers."""
    if not dtype.is_float:
        return 0.0
    if dtype == tfloat32:
        return 2.0**-11
    return float(ml_dtypes.finfo(STORED[dtype]).eps) / 2  # type: ignore[no-untyped-call]


def finite_range(dtype: DType) -> tuple[float, float]:
    """The least and the greatest finite number of a float dtype. Raises for others, packed ones for example."""
    if not dtype.is_float:
        raise UnsupportedConstruct(f"ranges of {dtype} elements")
    most = float(ml_dtypes.finfo(np.float32 if dtype == tfloat32 else STORED[dtype]).max)  # type: ignore[no-untyped-call]
    if dtype == tfloat32:
        most = float(tfloat32_rounded(np.array([most * (1 - 2.0**-11)], np.float32))[0])
    return -most, most


def smallest_normal(dtype: DType) -> float:
    """The smallest positive normal number of a float dtype."""
    return float(ml_dtypes.finfo(STORED[dtype]).smallest_normal)  # type: ignore[no-untyped-call]


#: Roundings that a tolerance allows for: of the coarsest dtype, and of the engines' float32.
_COARSE_ROUNDINGS, _SINGLE_ROUNDINGS = 4, 128


def tolerance(dtypes: Iterable[DType]) -> float:
    """How far results may be apart that are computed in these dtypes, relative to the greatest magnitude."""
    coarsest = max((unit_roundoff(dtype) for dtype in dtypes), default=0.0)
    return _COARSE_ROUNDINGS * coarsest + _SINGLE_ROUNDINGS * 2.0**-24
