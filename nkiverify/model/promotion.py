"""Result dtypes of operations on two dtypes: the legacy promotion table (reference section f.5, page LSH).

The current documentation does not say what mixed operands give; the same table is used there.
"""

from __future__ import annotations

from nkiverify.model.dtypes import (
    DTYPES,
    DType,
    DTypeKind,
    bfloat16,
    bool_,
    float32,
    int32,
    uint8,
)
from nkiverify.symbolic import SymInt

#: Significant bits of the mantissa and largest exponent: a float widens to one that holds both operands.
_FLOAT_RANGE = {
    "float8_e4m3": (3, 7), "float8_e4m3fn": (3, 8), "float8_e5m2": (2, 15), "float16": (10, 15), "bfloat16": (7, 127),
    "tfloat32": (10, 127), "float32": (23, 127),
}  # fmt: skip


def promoted(left: DType, right: DType) -> DType:
    """The dtype of an operation on `left` and `right`."""
    if left == right:
        return left
    if left is bool_:
        left = uint8
    if right is bool_:
        right = uint8
    if left.is_float and right.is_float:
        return _wider_float(left, right)
    if left.is_float or right.is_float:
        return left if left.is_float else right
    return _wider_integer(left, right)


def _wider_float(left: DType, right: DType) -> DType:
    first, second = _FLOAT_RANGE[left.name], _FLOAT_RANGE[right.name]
    if first[0] >= second[0] and first[1] >= second[1]:
        return left
    if second[0] >= first[0] and second[1] >= first[1]:
        return right
    return bfloat16 if left.itemsize == right.itemsize == 1 else float32


def _wider_integer(left: DType, right: DType) -> DType:
    if left == right:
        return left
    if left.kind is right.kind:
        return left if left.itemsize >= right.itemsize else right
    signed, unsigned = (left, right) if left.kind is DTypeKind.SIGNED else (right, left)
    if signed.itemsize > unsigned.itemsize:
        return signed
    wider = 2 * unsigned.itemsize
    return float32 if wider > 4 else DTYPES[f"int{8 * wider}"]


def scalar_dtype(value: object) -> DType:
    """The dtype a Python number counts as."""
    if isinstance(value, bool):
        return uint8
    if isinstance(value, int | SymInt):
        return int32
    return float32
