"""Element types: name, size and kind of every dtype the NKI documentation lists."""

from __future__ import annotations

import enum
from collections.abc import Callable

from nkiverify.foundation import late  # noqa: F401 (NumPy knows these types by name: `array.astype(nl.float8_e5m2)`)


class DTypeKind(enum.Enum):
    """The sort of number that an element is."""

    BOOL = "bool"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    #: Power-of-two scale of the microscaled formats: an exponent without sign and mantissa.
    SCALE = "scale"
    #: Four microscaled floats in one element.
    PACKED = "packed float"


class DType(str):
    """An element type.

    A string, as the documentation has it (`nki.language.DType = str`): it prints as its name, works as a dictionary
    key, and equals the NumPy type of that name, which the legacy API uses in its place.

    `itemsize` is the size of one element in bytes (of all four values where the type is packed). `packed` counts the
    values in one element.
    """

    __slots__ = ("is_float", "is_integer", "itemsize", "kind", "packed")

    itemsize: int
    kind: DTypeKind
    packed: int
    #: Whether bit-wise operators take it; a bool is stored as uint8.
    is_integer: bool
    #: Whether it is an unpacked floating-point type.
    is_float: bool

    def __new__(cls, name: str, itemsize: int, kind: DTypeKind, packed: int = 1) -> DType:
        self = super().__new__(cls, name)
        self.itemsize = itemsize
        self.kind = kind
        self.packed = packed
        self.is_integer = kind in (DTypeKind.SIGNED, DTypeKind.UNSIGNED, DTypeKind.BOOL)
        self.is_float = kind is DTypeKind.FLOAT
        return self

    @property
    def name(self) -> str:
        """The documented name."""
        return str(self)

    @property
    def is_packed(self) -> bool:
        """True if one element holds four values."""
        return self.kind is DTypeKind.PACKED

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other)
        return numpy_name(other) == str(self)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __str__(self) -> str:
        return str.__str__(self)

    def __repr__(self) -> str:
        return str.__str__(self)


bool_ = DType("bool_", 1, DTypeKind.BOOL)
int8 = DType("int8", 1, DTypeKind.SIGNED)
int16 = DType("int16", 2, DTypeKind.SIGNED)
int32 = DType("int32", 4, DTypeKind.SIGNED)
uint8 = DType("uint8", 1, DTypeKind.UNSIGNED)
uint16 = DType("uint16", 2, DTypeKind.UNSIGNED)
uint32 = DType("uint32", 4, DTypeKind.UNSIGNED)
float16 = DType("float16", 2, DTypeKind.FLOAT)
bfloat16 = DType("bfloat16", 2, DTypeKind.FLOAT)
float32 = DType("float32", 4, DTypeKind.FLOAT)
tfloat32 = DType("tfloat32", 4, DTypeKind.FLOAT)
float8_e4m3 = DType("float8_e4m3", 1, DTypeKind.FLOAT)
float8_e4m3fn = DType("float8_e4m3fn", 1, DTypeKind.FLOAT)
float8_e5m2 = DType("float8_e5m2", 1, DTypeKind.FLOAT)
float8_e8m0fnu = DType("float8_e8m0fnu", 1, DTypeKind.SCALE)
float8_e5m2_x4 = DType("float8_e5m2_x4", 4, DTypeKind.PACKED, packed=4)
float8_e4m3fn_x4 = DType("float8_e4m3fn_x4", 4, DTypeKind.PACKED, packed=4)
float4_e2m1fn_x4 = DType("float4_e2m1fn_x4", 2, DTypeKind.PACKED, packed=4)

#: Every documented dtype by name.
DTYPES: dict[str, DType] = {
    str(dtype): dtype
    for dtype in (
        bool_, int8, int16, int32, uint8, uint16, uint32, float16, bfloat16, float32, tfloat32, float8_e4m3,
        float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float8_e5m2_x4, float8_e4m3fn_x4, float4_e2m1fn_x4,
    )
}  # fmt: skip


def _names(usual: tuple[str, ...], are_meant: Callable[[DType], bool]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*usual, *(name for name, dtype in DTYPES.items() if are_meant(dtype))]))


#: The names of the integer dtypes, and of the unpacked floats, the usual ones first.
INTEGER_NAMES = _names(("int32", "uint32", "int16"), lambda dtype: dtype.is_integer)
FLOAT_NAMES = _names(("float32", "bfloat16", "float16"), lambda dtype: dtype.is_float and not dtype.is_packed)


def numpy_name(value: object) -> str | None:
    """The dtype name of a NumPy scalar type or `numpy.dtype`, or None for anything else.

    NumPy (and ml_dtypes, which extends it) is recognised by the shape of its objects, so that a run that does not use
    it need not import it.
    """
    if isinstance(value, type):
        if value.__module__ not in ("numpy", "ml_dtypes"):
            return None
        name = value.__name__
    elif type(value).__module__.split(".")[0] == "numpy" and isinstance(getattr(value, "itemsize", None), int):
        described = getattr(value, "name", None)
        if not isinstance(described, str):
            return None
        name = described
    else:
        return None
    return "bool_" if name == "bool" else name


def dtype_named(value: object) -> DType | None:
    """The dtype `value` denotes in the current API: a `DType` or its name; None where it denotes none."""
    if type(value) is DType:
        return value
    if isinstance(value, str):
        return DTYPES.get(value)
    return None


def legacy_dtype_named(value: object) -> DType | None:
    """The dtype `value` denotes in the legacy API, whose dtypes are NumPy's (comparisons default to `bool`)."""
    if value is bool:
        return bool_
    name = numpy_name(value)
    return dtype_named(value) if name is None else DTYPES.get(name)
