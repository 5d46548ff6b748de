"""Names of the documented modules that are no operations: dtypes, memories, enumerations, classes, entry points.

One class for each module: its docstring is the module's, its public attributes are the module's names. The stubs have
them from here (`python -m lab.stubs`), and the operations of a module from the registry.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from nkiverify.foundation.errors import NkiValidationError
from nkiverify.model import (
    dtypes,
    indices,
    isa_enums,
    launch,
    legacy_enums,
    legacy_tensor,
    memory,
    nki_tensor,
    operation,
    register_contents,
    tile_size,
    vendor_helpers,
)
from nkiverify.model.kernel_objects import KernelObject, shown_as
from nkiverify.model.operators import OPERATORS

# --- classes ----------------------------------------------------------------------------------------------------------


class NKIObject(KernelObject):
    """Base of classes that kernels use ("lang.classes")."""

    @shown_as(lambda self, **kwargs: None)
    def __init__(self, *values: Any, **kwargs: Any) -> None:
        # Documented with keywords alone; the fields of a class without `__init__` can be given by position as well.
        self._set_fields(values, kwargs)


@dataclass
class ReplicaGroup(NKIObject):
    """Ranks that communicate: lists of ranks without overlap."""

    groups: Any = None


class _TensorAnnotation:
    """`nt.tensor`, with or without a shape in brackets, or one of a union."""

    def __or__(self, other: object) -> _TensorAnnotation:
        return self

    __ror__ = __or__

    def __getitem__(self, shape: object) -> _TensorAnnotation:
        return self


class _IndexGrid:
    """`nl.mgrid[a:b, c:d]`."""

    def __getitem__(self, slices: Any) -> Any:
        return indices.mgrid(slices)


class fp32:  # noqa: N801
    """Limits of float32."""

    min = -3.4028234663852886e38


class bfp16:  # noqa: N801
    """Limits of bfloat16: bits 0xff80."""

    min = float("-inf")


for _class, _module in (
    (NKIObject, "nki.language"),
    (ReplicaGroup, "nki.collectives"),
    (fp32, "neuronxcc.nki.language"),
    (bfp16, "neuronxcc.nki.language"),
):
    _class.__module__ = _module

# --- entry points -----------------------------------------------------------------------------------------------------


def _jit(fn: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """A kernel made of `fn`; with keyword arguments only, a decorator that makes one."""
    if fn is None:
        return lambda function: launch.jit_kernel(function, legacy=False, options=kwargs)
    return launch.jit_kernel(fn, legacy=False, options=kwargs)


def _legacy_jit(func: Callable[..., Any] | None = None, mode: str = "auto", **kwargs: Any) -> Any:
    """A kernel made of `func`; with keyword arguments only, a decorator that makes one."""
    options = {"mode": mode, **kwargs}
    view = legacy_tensor.legacy_view
    if func is None:
        return lambda function: launch.jit_kernel(function, legacy=True, options=options, argument_view=view)
    return launch.jit_kernel(func, legacy=True, options=options, argument_view=view)


def framework_jit(func: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """`torch_neuronx.nki_jit` and the like, of the first releases: as `jit`, the outputs may be among the arguments."""
    if func is None:
        return lambda function: framework_jit(function, **kwargs)
    options, view = {"mode": "auto", **kwargs}, legacy_tensor.legacy_view
    return launch.jit_kernel(func, legacy=True, options=options, argument_view=view, by_parameter=True)


def _baremetal(kernel: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same."""
    return _legacy_jit(kernel, mode="baremetal")


def _benchmark(kernel: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same."""
    return _legacy_jit(kernel, mode="benchmark")


def _profile(func: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same."""
    return _legacy_jit(func, mode="profile")


def _current_baremetal(kernel: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same. Not documented; tests of kernels import it."""
    return _jit(kernel, mode="baremetal")


def _current_benchmark(kernel: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same. Not documented; tests of kernels import it."""
    return _jit(kernel, mode="benchmark")


def _current_profile(func: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Runs on hardware; the kernel it decorates is the same. Not documented; tests of kernels import it."""
    return _jit(func, mode="profile")


def _trace(func: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """A kernel made of `func`. The documentation does not mention it; published kernels are decorated with it."""
    return _jit(func, **kwargs)


def _legacy_trace(func: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """A kernel made of `func`. The documentation does not mention it; published kernels are decorated with it."""
    return _legacy_jit(func, mode="trace")


for _function in (
    _jit,
    _legacy_jit,
    _trace,
    _legacy_trace,
    _baremetal,
    _benchmark,
    _profile,
    _current_baremetal,
    _current_benchmark,
    _current_profile,
):
    _name = _function.__name__.removeprefix("_legacy").removeprefix("_current").removeprefix("_")
    _function.__name__ = _function.__qualname__ = _name

# --- the current API --------------------------------------------------------------------------------------------------


class Nki:
    """The current NKI API (`nki.*`), as a model: signatures as documented, meaning in `nkiverify.model`."""

    jit = _jit
    baremetal = _current_baremetal
    benchmark = _current_benchmark
    profile = _current_profile
    trace = _trace
    tensor = nki_tensor.NkiTensor


class Dtypes:
    """The dtypes, which `nki.language` has as well. The documentation does not mention it; published kernels do."""

    DType = str


class Typing:
    """Annotations of kernel parameters, `nt.tensor[128, 512]`. They are not read: shapes come from the domain."""

    tensor: ClassVar = _TensorAnnotation()


class Language:
    """The language of the current API: tensors, memories, dtypes, functions over instructions."""

    DType = str
    MemoryRegion = memory.MemoryRegion
    NKIObject = NKIObject
    NkiTensor = nki_tensor.NkiTensor

    bfloat16 = dtypes.bfloat16
    bool_ = dtypes.bool_
    float4_e2m1fn_x4 = dtypes.float4_e2m1fn_x4
    float8_e4m3 = dtypes.float8_e4m3
    float8_e4m3fn = dtypes.float8_e4m3fn
    float8_e4m3fn_x4 = dtypes.float8_e4m3fn_x4
    float8_e5m2 = dtypes.float8_e5m2
    float8_e5m2_x4 = dtypes.float8_e5m2_x4
    float8_e8m0fnu = dtypes.float8_e8m0fnu
    float16 = dtypes.float16
    float32 = dtypes.float32
    int8 = dtypes.int8
    int16 = dtypes.int16
    int32 = dtypes.int32
    tfloat32 = dtypes.tfloat32
    uint8 = dtypes.uint8
    uint16 = dtypes.uint16
    uint32 = dtypes.uint32

    sbuf = memory.SBUF
    psum = memory.PSUM
    hbm = memory.PRIVATE_HBM
    private_hbm = memory.PRIVATE_HBM
    shared_hbm = memory.SHARED_HBM
    tile_size = tile_size.TileSize()

    # Operators that are no functions.
    average = OPERATORS["average"]
    prelu = OPERATORS["prelu"]
    bypass = OPERATORS["bypass"]


class Isa:
    """Instructions of the current API: every one writes its explicit destination ("isa.dst_first")."""

    NKIObject = NKIObject
    NkiInstruction = operation.NkiInstruction
    NkiTensor = nki_tensor.NkiTensor
    NkiValidationError = NkiValidationError
    VirtualRegister = register_contents.VirtualRegister

    dge_mode = isa_enums.dge_mode
    dma_engine = isa_enums.dma_engine
    engine = isa_enums.engine
    matmul_perf_mode = isa_enums.matmul_perf_mode
    nc_version = isa_enums.nc_version
    oob_mode = isa_enums.oob_mode
    reduce_cmd = isa_enums.reduce_cmd

    tensor_engine = isa_enums.engine.tensor
    vector_engine = isa_enums.engine.vector
    scalar_engine = isa_enums.engine.scalar
    gpsimd_engine = isa_enums.engine.gpsimd
    unknown_engine = isa_enums.engine.unknown


class IsaConstants:
    """The enumerations, which `nki.isa` has as well. The documentation does not mention it; published kernels do."""


class Collectives:
    """Collective communication of the current API."""

    NKIObject = NKIObject
    NkiTensor = nki_tensor.NkiTensor
    ReplicaGroup = ReplicaGroup


# --- the legacy API ---------------------------------------------------------------------------------------------------


class Neuronxcc:
    """The legacy distribution package: `neuronxcc.nki` is all of it that kernels use."""


class LegacyNki:
    """The legacy NKI API (`neuronxcc.nki.*`), as a model: signatures as documented, meaning in `nkiverify.model`."""

    tensor = legacy_tensor.LegacyTensor
    jit = _legacy_jit
    baremetal = _baremetal
    benchmark = _benchmark
    profile = _profile
    trace = _legacy_trace


class LegacyTyping:
    """Annotations of kernel parameters. Shapes come from the domain; annotations are not read."""

    tensor: ClassVar = _TensorAnnotation()
    mutable_tensor: ClassVar = _TensorAnnotation()


class LegacyLanguage:
    """The legacy language: index tensors, masks, functions that return tiles."""

    bfloat16 = dtypes.bfloat16
    bool_ = dtypes.bool_
    float8_e4m3 = dtypes.float8_e4m3
    float8_e5m2 = dtypes.float8_e5m2
    float16 = dtypes.float16
    float32 = dtypes.float32
    int8 = dtypes.int8
    int16 = dtypes.int16
    int32 = dtypes.int32
    tfloat32 = dtypes.tfloat32
    uint8 = dtypes.uint8
    uint16 = dtypes.uint16
    uint32 = dtypes.uint32
    fp32 = fp32
    bfp16 = bfp16

    sbuf = memory.SBUF
    psum = memory.PSUM
    hbm = memory.PRIVATE_HBM
    private_hbm = memory.PRIVATE_HBM
    shared_hbm = memory.SHARED_HBM
    tile_size = tile_size.TileSize()

    par_dim = legacy_tensor.PartitionExtent
    nc = launch.Cores
    mgrid: ClassVar = _IndexGrid()


class LegacyIsa:
    """Instructions of the legacy API: they return the tile they write."""

    fp32 = fp32

    dge_mode = legacy_enums.dge_mode
    engine = legacy_enums.engine
    nc_version = legacy_enums.nc_version
    oob_mode = legacy_enums.oob_mode
    reduce_cmd = legacy_enums.reduce_cmd

    tensor_engine = legacy_enums.engine.tensor
    vector_engine = legacy_enums.engine.vector
    scalar_engine = legacy_enums.engine.scalar
    gpsimd_engine = legacy_enums.engine.gpsimd
    unknown_engine = legacy_enums.engine.unknown


class LegacyIsaConstants:
    """The enumerations, which `neuronxcc.nki.isa` has as well."""


class LegacyCompiler:
    """Direct allocation and compiler options of the legacy API."""


class LegacySbuf:
    """Placing tensors in SBUF."""


class LegacyPsum:
    """Placing tensors in PSUM."""


# --- beyond NKI -------------------------------------------------------------------------------------------------------


class Starfish:
    """A package of the legacy distribution: `support` is all of it that tests of kernels use."""


class StarfishSupport:
    """Helpers that published tests of kernels import."""


class StarfishUtil:
    """Comparing arrays. The documentation does not mention it; published tests do."""

    allclose = vendor_helpers.allclose


class StarfishDtype:
    """Dtypes, and arrays of them. The documentation does not mention it; published tests do."""

    static_cast = vendor_helpers.static_cast
    sizeinbytes = vendor_helpers.sizeinbytes


class NeuronDtypes:
    """Dtypes, and arrays of them. The documentation does not mention it; published tests do."""

    static_cast = vendor_helpers.static_cast
    sizeinbytes = vendor_helpers.sizeinbytes
    finfo = vendor_helpers.finfo


def _repeat(names: type, kind: type, within: type) -> None:
    """Give `names` every name of `within` that is of this kind, or a class of it."""
    for name, value in vars(within).items():
        if isinstance(value, kind) or (isinstance(value, type) and issubclass(value, kind)):
            setattr(names, name, value)


_repeat(Dtypes, dtypes.DType, Language)
_repeat(StarfishDtype, dtypes.DType, LegacyLanguage)
_repeat(NeuronDtypes, dtypes.DType, Language)
_repeat(IsaConstants, enum.Enum, Isa)
_repeat(LegacyIsaConstants, enum.Enum, LegacyIsa)

#: The modules that kernels import, by name.
MODULES: Mapping[str, type] = {
    "nki": Nki,
    "nki.collectives": Collectives,
    "nki.dtype": Dtypes,
    "nki.isa": Isa,
    "nki.isa.constants": IsaConstants,
    "nki.language": Language,
    "nki.typing": Typing,
    "neuronxcc": Neuronxcc,
    "neuronxcc.nki": LegacyNki,
    "neuronxcc.nki.compiler": LegacyCompiler,
    "neuronxcc.nki.compiler.psum": LegacyPsum,
    "neuronxcc.nki.compiler.sbuf": LegacySbuf,
    "neuronxcc.nki.isa": LegacyIsa,
    "neuronxcc.nki.isa.constants": LegacyIsaConstants,
    "neuronxcc.nki.language": LegacyLanguage,
    "neuronxcc.nki.typing": LegacyTyping,
    "neuronxcc.starfish": Starfish,
    "neuronxcc.starfish.support": StarfishSupport,
    "neuronxcc.starfish.support.dtype": StarfishDtype,
    "neuronxcc.starfish.support.util": StarfishUtil,
    "neuron_dtypes": NeuronDtypes,
}

#: Operations of `nki.language` that `nki.isa` has as well: operators by default.
OPERATORS_OF_ISA = ("equal", "maximum")

#: Names of the legacy language that migrated kernels still use, and `nki.language` does not have.
REMOVED = frozenset(("arange", "mgrid", "par_dim", "nc", "spmd_dim", "loop_reduce", "all_reduce", "atomic_rmw"))


def removed(name: str) -> Any:
    """Raises `AttributeError` for a name that `nki.language` does not have, or no longer has."""
    if name in REMOVED:
        raise AttributeError(f"nki.language has no {name}: it was part of neuronxcc.nki (lang.no_arange_mask)")
    raise AttributeError(f"module 'nki.language' has no attribute {name!r}")
