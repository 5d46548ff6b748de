"""The legacy language: index tensors, masks, functions that return tiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model import launch as _launch
from nkiverify.model.directives import KeptOrder as _KeptOrder
from nkiverify.model.documented import legacy_documented, renamed
from nkiverify.model.dtypes import (
    bfloat16,
    bool_,
    float8_e4m3,
    float8_e5m2,
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
from nkiverify.model.extents import as_extent
from nkiverify.model.indexing import SizedSlice
from nkiverify.model.indices import IndexTensor
from nkiverify.model.indices import arange as _arange
from nkiverify.model.indices import mgrid as _mgrid
from nkiverify.model.legacy_tensor import LegacyTensor, PartitionExtent
from nkiverify.model.legacy_tensor import allocate as _allocate
from nkiverify.model.memory import PRIVATE_HBM, PSUM, SBUF, SHARED_HBM
from nkiverify.model.operators import token as _token
from nkiverify.model.tile_size import TileSize as _TileSize
from nkiverify.symbolic.execution import unsupported

from ._declared import (
    abs,
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
    loop_reduce,
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
    static_cast,
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
    "abs",
    "add",
    "affine_range",
    "all",
    "all_reduce",
    "arange",
    "arctan",
    "atomic_rmw",
    "bfloat16",
    "bfp16",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bool_",
    "broadcast_to",
    "ceil",
    "copy",
    "cos",
    "device_print",
    "divide",
    "dropout",
    "ds",
    "empty_like",
    "equal",
    "erf",
    "erf_dx",
    "exp",
    "expand_dims",
    "finfo",
    "float8_e4m3",
    "float8_e5m2",
    "float16",
    "float32",
    "floor",
    "fmod",
    "fp32",
    "full",
    "gather_flattened",
    "gelu",
    "gelu_apprx_sigmoid",
    "gelu_apprx_tanh",
    "gelu_dx",
    "gemm_grid",
    "gemm_stationary_grid",
    "greater",
    "greater_equal",
    "hbm",
    "int8",
    "int16",
    "int32",
    "invert",
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
    "loop_reduce",
    "matmul",
    "max",
    "maximum",
    "mean",
    "mgrid",
    "min",
    "minimum",
    "mish",
    "mod",
    "multiply",
    "nc",
    "ndarray",
    "negative",
    "not_equal",
    "num_programs",
    "ones",
    "par_dim",
    "power",
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
    "spmd_dim",
    "sqrt",
    "square",
    "static_cast",
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
    "zeros",
    "zeros_like",
]


sbuf = SBUF
psum = PSUM
hbm = PRIVATE_HBM
private_hbm = PRIVATE_HBM
shared_hbm = SHARED_HBM
tile_size = _TileSize()

par_dim = PartitionExtent
nc = _launch.Cores
spmd_dim = _launch.spmd_dimension


class _IndexGrid:
    """`nl.mgrid[a:b, c:d]`."""

    def __getitem__(self, slices: Any) -> Any:
        return _mgrid(slices)


mgrid = _IndexGrid()


class fp32:
    """Limits of float32."""

    min = -3.4028234663852886e38


class bfp16:
    """Limits of bfloat16: bits 0xff80."""

    min = float("-inf")


# Indices, loops, programs.


@legacy_documented
def arange(*args: Any) -> IndexTensor:
    """`start, …, stop - 1` along one axis."""
    bounds = [as_extent(value) for value in args]
    known_bounds = [value for value in bounds if value is not None]
    if len(known_bounds) != len(args) or not 1 <= len(args) <= 3:
        raise TypeError("nl.arange takes one to three integers")
    return _arange(*known_bounds)


@legacy_documented
def ds(start: Any, size: Any) -> SizedSlice:
    """The slice `start : start + size`."""
    return SizedSlice(start, size)


def _range(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        # What orders or names instructions changes nothing about the elements they touch. A published kernel gives
        # directives=nki.compiler.no_reorder().
        known = {"precise_schedule", "name"}
        if isinstance(kwargs.get("directives"), _KeptOrder):
            known.add("directives")
        unknown = sorted(set(kwargs) - known)
        if unknown:
            raise unsupported(f"the undocumented argument {unknown[0]} of {name}")
        bounds: tuple[Any, ...] = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        return current_execution().loop_range(*bounds, parallel=name == "affine_range")

    return renamed(function, name, "The integers of `range`, as a loop of the kernel.")


affine_range = _range("affine_range")
sequential_range = _range("sequential_range")


@legacy_documented
def static_range(*args: Any) -> Any:
    """`range`, unrolled while the kernel is traced."""
    bounds: tuple[Any, ...] = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return current_execution().loop_range(*bounds)


@legacy_documented
def program_id(axis: Any) -> Any:
    """Coordinate of the running program along an axis of the launch grid."""
    return _launch.program_id(axis)


@legacy_documented
def num_programs(axes: Any = None) -> Any:
    """Programs along axes of the launch grid; all of them for None."""
    return _launch.num_programs(axes)


@legacy_documented
def program_ndim() -> int:
    """Dimensions of the launch grid."""
    return _launch.program_ndim()


# Creation.


@legacy_documented
def ndarray(shape: Any, dtype: Any, *, buffer: Any = None, name: Any = "", **kwargs: Any) -> LegacyTensor:
    """An uninitialised tensor."""
    return _allocate(shape, dtype, buffer, name)


@legacy_documented
def device_print(prefix: Any, x: Any, *, mask: Any = None, **kwargs: Any) -> None:
    """Prints at run time: nothing to check."""


# Random numbers, constants.


for _function, _operator in ((sum, "add"), (max, "maximum"), (min, "minimum"), (prod, "multiply")):
    _token(_function, _operator)


from . import _unmodelled  # noqa: E402 (they need what is above)
from ._normalisation import (  # noqa: E402
    dropout,
    rand,
)

_DOCUMENTED = frozenset(_unmodelled.__all__)


def __getattr__(name: str) -> Any:
    if name in _DOCUMENTED:
        return getattr(_unmodelled, name)
    raise AttributeError(f"module 'neuronxcc.nki.language' has no attribute {name!r}")
