"""The language of the current API: tensors, memories, dtypes, functions over instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model import dynamic_loops as _dynamic_loops
from nkiverify.model import launch as _launch
from nkiverify.model.allocation import allocate as _allocate
from nkiverify.model.documented import documented
from nkiverify.model.dtypes import (
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
from nkiverify.model.execution import current_execution
from nkiverify.model.indexing import SizedSlice
from nkiverify.model.kernel_objects import KernelObject as _KernelObject
from nkiverify.model.kernel_objects import shown_as as _shown_as
from nkiverify.model.memory import PRIVATE_HBM, PSUM, SBUF, SHARED_HBM, MemoryRegion
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.operators import OPERATORS, Operator
from nkiverify.model.ops import language as _language
from nkiverify.model.tile_size import TileSize as _TileSize

from ._declared import (
    abs,
    abs_max,
    abs_min,
    add,
    all,
    arctan,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    broadcast_to,
    ceil,
    copy,
    cos,
    divide,
    empty_like,
    equal,
    erf,
    erf_dx,
    exp,
    expand_dims,
    floor,
    fmod,
    full,
    gather_flattened,
    gelu,
    gelu_apprx_sigmoid,
    gelu_apprx_sigmoid_dx,
    gelu_apprx_tanh,
    gelu_dx,
    greater,
    greater_equal,
    invert,
    left_shift,
    less,
    less_equal,
    load,
    load_transpose2d,
    log,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    mish,
    mod,
    multiply,
    negative,
    not_equal,
    ones,
    power,
    prod,
    reciprocal,
    relu,
    right_shift,
    rms_norm,
    rsqrt,
    shared_constant,
    shared_identity_matrix,
    sigmoid,
    sign,
    silu,
    silu_dx,
    sin,
    softmax,
    softplus,
    sqrt,
    square,
    store,
    subtract,
    sum,
    tan,
    tanh,
    transpose,
    trunc,
    var,
    where,
    zeros,
    zeros_like,
)

__all__ = [
    "DType",
    "MemoryRegion",
    "NKIObject",
    "NkiTensor",
    "abs",
    "abs_max",
    "abs_min",
    "add",
    "affine_range",
    "all",
    "arctan",
    "average",
    "bfloat16",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bool_",
    "broadcast_to",
    "bypass",
    "ceil",
    "copy",
    "cos",
    "device_print",
    "divide",
    "dropout",
    "ds",
    "dynamic_range",
    "empty_like",
    "equal",
    "erf",
    "erf_dx",
    "exp",
    "expand_dims",
    "float4_e2m1fn_x4",
    "float8_e4m3",
    "float8_e4m3fn",
    "float8_e4m3fn_x4",
    "float8_e5m2",
    "float8_e5m2_x4",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "floor",
    "fmod",
    "fori_loop",
    "full",
    "gather_flattened",
    "gelu",
    "gelu_apprx_sigmoid",
    "gelu_apprx_sigmoid_dx",
    "gelu_apprx_tanh",
    "gelu_dx",
    "greater",
    "greater_equal",
    "hbm",
    "int8",
    "int16",
    "int32",
    "invert",
    "is_hbm",
    "is_on_chip",
    "is_psum",
    "is_sbuf",
    "left_shift",
    "less",
    "less_equal",
    "load",
    "load_transpose2d",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mish",
    "mod",
    "multiply",
    "ndarray",
    "negative",
    "no_reorder",
    "not_equal",
    "num_programs",
    "ones",
    "power",
    "prelu",
    "private_hbm",
    "prod",
    "program_id",
    "program_ndim",
    "psum",
    "rand",
    "random_seed",
    "reciprocal",
    "relu",
    "right_shift",
    "rms_norm",
    "rsqrt",
    "sbuf",
    "sequential_range",
    "shared_constant",
    "shared_hbm",
    "shared_identity_matrix",
    "sigmoid",
    "sign",
    "silu",
    "silu_dx",
    "sin",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "static_range",
    "store",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "tfloat32",
    "tile_size",
    "transpose",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "var",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]

DType = str

sbuf = SBUF
psum = PSUM
hbm = PRIVATE_HBM
private_hbm = PRIVATE_HBM
shared_hbm = SHARED_HBM
tile_size = _TileSize()


class NKIObject(_KernelObject):
    """Base of classes that kernels use ("lang.classes")."""

    @_shown_as(lambda self, **kwargs: None)
    def __init__(self, *values: Any, **kwargs: Any) -> None:
        # Documented with keywords alone; the fields of a class without `__init__` can be given by position as well.
        self._set_fields(values, kwargs)


@documented
def ndarray(shape: Any, dtype: Any, buffer: Any = sbuf, name: Any = "", address: Any = None) -> NkiTensor:
    """An uninitialised tensor."""
    return _allocate(shape, dtype, buffer, name, address)


@documented
def ds(start: Any, size: Any) -> SizedSlice:
    """The slice `start : start + size`."""
    return SizedSlice(start, size)


@documented
def affine_range(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`range`: every loop is unrolled ("loop.range")."""
    return _range(start, stop, step)


@documented
def sequential_range(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`range`: every loop is unrolled ("loop.range")."""
    return _range(start, stop, step)


@documented
def static_range(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`range`: every loop is unrolled ("loop.range")."""
    return _range(start, stop, step)


def _range(start: Any, stop: Any, step: Any) -> Any:
    execution = current_execution()
    return execution.loop_range(0, start, step) if stop is None else execution.loop_range(start, stop, step)


@documented
def program_id(axis: Any = 0) -> Any:
    """Coordinate of the running program along an axis of the launch grid."""
    return _launch.program_id(axis)


@documented
def num_programs(axes: Any = 0) -> Any:
    """Programs along axes of the launch grid."""
    return _launch.num_programs(axes)


@documented
def program_ndim() -> int:
    """Dimensions of the launch grid."""
    return _launch.program_ndim()


@documented
def is_hbm(buffer: Any) -> bool:
    """Whether a memory is HBM."""
    return buffer in (PRIVATE_HBM, SHARED_HBM)


@documented
def is_sbuf(buffer: Any) -> bool:
    """Whether a memory is SBUF."""
    return buffer is SBUF


@documented
def is_psum(buffer: Any) -> bool:
    """Whether a memory is PSUM."""
    return buffer is PSUM


@documented
def is_on_chip(buffer: Any) -> bool:
    """Whether a memory is SBUF or PSUM."""
    return buffer is SBUF or buffer is PSUM


@documented
def device_print(print_prefix: Any, tensor: Any) -> None:
    """Prints at run time: nothing to check."""


#: Operators that are no functions.
average: Operator = OPERATORS["average"]
prelu: Operator = OPERATORS["prelu"]
bypass: Operator = OPERATORS["bypass"]


# Random numbers, constants.


@documented
def dropout(x: Any, rate: Any, dtype: Any = None) -> NkiTensor:
    """Elements set to 0 at a rate."""
    return _language.dropout(x, rate, dtype)


@documented
def rand(shape: Any, dtype: Any, buffer: Any = sbuf, name: Any = "") -> NkiTensor:
    """Random numbers from 0 to 1."""
    return _language.random(shape, dtype, buffer, name)


@documented
def random_seed(seed: Any) -> None:
    """Seed the generator."""
    _language.random_seed(seed)


# Loops on the device.


@documented
def dynamic_range(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """The iterations of a loop on the device."""
    return _dynamic_loops.dynamic_range(start, stop, step)


@documented
def fori_loop(lower: Any, upper: Any, body_fun: Any, step: Any = 1) -> None:
    """A counting loop on the device."""
    _dynamic_loops.fori_loop(lower, upper, body_fun, step)


@documented
def while_loop(init: Any, body_fun: Any) -> None:
    """A conditional loop on the device."""
    _dynamic_loops.while_loop(init, body_fun)


@documented
def no_reorder() -> Any:
    """A block whose instructions keep their order."""
    return _dynamic_loops.FixedOrder()


#: Documented functions without a model: none.
_DOCUMENTED: frozenset[str] = frozenset()
_REMOVED = frozenset(("arange", "mgrid", "par_dim", "nc", "spmd_dim", "loop_reduce", "all_reduce", "atomic_rmw"))


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _REMOVED:
        raise AttributeError(f"nki.language has no {name}: it was part of neuronxcc.nki (lang.no_arange_mask)")
    raise AttributeError(f"module 'nki.language' has no attribute {name!r}")
