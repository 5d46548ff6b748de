"""Functions that touch no element: allocation, indices, loops, programs, questions about memories and hardware.

Compiler options of the legacy API change nothing about the elements a kernel touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nkiverify.model import isa_enums, launch, legacy_enums, legacy_tensor
from nkiverify.model.allocation import allocate
from nkiverify.model.current_execution import current_execution
from nkiverify.model.extents import as_extent
from nkiverify.model.hardware import REVISION_UNKNOWN
from nkiverify.model.indexing import SizedSlice
from nkiverify.model.indices import IndexTensor
from nkiverify.model.indices import arange as index_range
from nkiverify.model.legacy_tensor import Allocator, LegacyTensor
from nkiverify.model.memory import PRIVATE_HBM, PSUM, SBUF, SHARED_HBM, MemoryRegion
from nkiverify.model.registry import host
from nkiverify.model.tensor import Tensor
from nkiverify.model.vendor_helpers import finfo
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model import dynamic_loops


class KeptOrder:
    """A directive of the legacy compiler, which says how instructions are scheduled and nothing about what they touch:
    `compiler.no_reorder()`: instructions keep their order, in a `with` block or as `directives=` of a loop."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


# --- allocation ---------------------------------------------------------------------------------------------

NDARRAY = host("nl.ndarray")


@NDARRAY.current
def _(shape: object, dtype: object, buffer: object = SBUF, name: object = "", address: object = None) -> Tensor:
    """An uninitialised tensor."""
    return allocate(shape, dtype, buffer, name, address)


@NDARRAY.legacy
def _(shape: object, dtype: object, *, buffer: object = None, name: object = "", **kwargs: object) -> LegacyTensor:
    """An uninitialised tensor."""
    return legacy_tensor.allocate(shape, dtype, buffer, name)


# --- limits of dtypes -------------------------------------------------------------------------------------------------

FINFO = host("nl.finfo")


@FINFO.legacy
def _(dtype: object) -> Any:
    """The limits of a float dtype, as NumPy's function of that name has them: the page says nothing of it."""
    return finfo(dtype)


# --- indices ----------------------------------------------------------------------------------------------------------

DS = host("nl.ds")
ARANGE = host("nl.arange")


@DS.current
@DS.legacy
def _(start: Any, size: Any) -> SizedSlice:
    """The slice `start : start + size`."""
    return SizedSlice(start, size)


@ARANGE.legacy
def _(*args: object) -> IndexTensor:
    """`start, …, stop - 1` along one axis."""
    bounds = [bound for bound in map(as_extent, args) if bound is not None]
    if len(bounds) != len(args) or not 1 <= len(args) <= 3:
        raise TypeError("nl.arange takes one to three integers")
    return index_range(*bounds)


# --- loops on the host ------------------------------------------------------------------------------------------------

# What orders or names instructions changes nothing about the elements they touch. A published kernel gives
# directives=nki.compiler.no_reorder().
_SCHEDULE = frozenset(("precise_schedule", "name", "directives"))

AFFINE_RANGE = host("nl.affine_range", tolerates=_SCHEDULE)
SEQUENTIAL_RANGE = host("nl.sequential_range", tolerates=_SCHEDULE)
STATIC_RANGE = host("nl.static_range")
#: No page names it, and published kernels loop over it.
RANGE = host("nl.range")


@AFFINE_RANGE.current
@SEQUENTIAL_RANGE.current
@STATIC_RANGE.current
@RANGE.current
def _(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`range`: every loop is unrolled ("loop.range")."""
    execution = current_execution()
    return execution.loop_range(0, start, step) if stop is None else execution.loop_range(start, stop, step)


@AFFINE_RANGE.legacy
def _(*args: Any, **kwargs: object) -> Any:
    """The integers of `range`, as a loop of the kernel whose iterations have no order."""
    return _scheduled("affine_range", args, kwargs, parallel=True)


@SEQUENTIAL_RANGE.legacy
def _(*args: Any, **kwargs: object) -> Any:
    """The integers of `range`, as a loop of the kernel."""
    return _scheduled("sequential_range", args, kwargs, parallel=False)


@STATIC_RANGE.legacy
def _(*args: Any) -> Any:
    """`range`, unrolled while the kernel is traced."""
    return current_execution().loop_range(*_bounds(args))


def _scheduled(name: str, args: tuple[Any, ...], options: dict[str, object], *, parallel: bool) -> Any:
    if not isinstance(options.get("directives", KeptOrder()), KeptOrder):
        raise unsupported(f"the undocumented argument directives of {name}")
    start, stop, step = _bounds(args)
    execution = current_execution()
    return execution.traced_once(execution.loop_range(start, stop, step, parallel=parallel))


def _bounds(args: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    bounds: tuple[Any, ...] = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    start, stop, step = bounds
    return start, stop, step


# --- loops on the device ----------------------------------------------------------------------------------------------

DYNAMIC_RANGE = host("nl.dynamic_range")
FORI_LOOP = host("nl.fori_loop", since="0.6")
WHILE_LOOP = host("nl.while_loop")
NO_REORDER = host("nl.no_reorder")


@DYNAMIC_RANGE.current
def _(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """The iterations of a loop on the device."""
    from nkiverify.model import dynamic_loops

    return dynamic_loops.dynamic_range(start, stop, step)


@FORI_LOOP.current
def _(lower: Any, upper: Any, body_fun: Any, step: Any = 1) -> None:
    """A counting loop on the device."""
    from nkiverify.model import dynamic_loops

    dynamic_loops.fori_loop(lower, upper, body_fun, step)


@WHILE_LOOP.current
def _(init: Any, body_fun: Any) -> None:
    """A conditional loop on the device."""
    from nkiverify.model import dynamic_loops

    dynamic_loops.while_loop(init, body_fun)


@NO_REORDER.current
def _() -> dynamic_loops.FixedOrder:
    """A block whose instructions keep their order."""
    from nkiverify.model import dynamic_loops

    return dynamic_loops.FixedOrder()


# --- programs and hardware --------------------------------------------------------------------------------------------

PROGRAM_ID = host("nl.program_id")
NUM_PROGRAMS = host("nl.num_programs")
PROGRAM_NDIM = host("nl.program_ndim")
SPMD_DIM = host("nl.spmd_dim")
GET_NC_VERSION = host("nisa.get_nc_version")
GET_NC_SUB_VERSION = host("nisa.get_nc_sub_version")


@PROGRAM_ID.current
def _(axis: Any = 0) -> Any:
    """Coordinate of the running program along an axis of the launch grid."""
    return launch.program_id(axis)


@PROGRAM_ID.legacy
def _(axis: Any) -> Any:
    """Coordinate of the running program along an axis of the launch grid."""
    return launch.program_id(axis)


@NUM_PROGRAMS.current
def _(axes: Any = 0) -> Any:
    """Programs along axes of the launch grid."""
    return launch.num_programs(axes)


@NUM_PROGRAMS.legacy
def _(axes: Any = None) -> Any:
    """Programs along axes of the launch grid; all of them for None."""
    return launch.num_programs(axes)


@PROGRAM_NDIM.current
@PROGRAM_NDIM.legacy
def _() -> int:
    """Dimensions of the launch grid."""
    return launch.program_ndim()


@SPMD_DIM.legacy
def _(*parts: object) -> launch.SpmdDimension:
    """A grid extent that is the product of its parts."""
    return launch.spmd_dimension(*parts)


@GET_NC_VERSION.current
def _() -> isa_enums.nc_version:
    """The generation of the hardware the kernel is checked for."""
    return isa_enums.nc_version(current_execution().hardware.generation)


@GET_NC_VERSION.legacy
def _() -> legacy_enums.nc_version:
    """The generation of the hardware the kernel is checked for."""
    return legacy_enums.nc_version(current_execution().hardware.generation)


@GET_NC_SUB_VERSION.current
def _() -> Any:
    """The silicon revision, 0 or 1."""
    revision = current_execution().revision
    if revision is None:
        raise unsupported(REVISION_UNKNOWN)
    return revision()


# --- memories ---------------------------------------------------------------------------------------------------------

IS_HBM = host("nl.is_hbm")
IS_SBUF = host("nl.is_sbuf")
IS_PSUM = host("nl.is_psum")
IS_ON_CHIP = host("nl.is_on_chip")


@IS_HBM.current
def _(buffer: object) -> bool:
    """True if a memory is HBM."""
    return buffer in (PRIVATE_HBM, SHARED_HBM)


@IS_SBUF.current
def _(buffer: object) -> bool:
    """True if a memory is SBUF."""
    return buffer is SBUF


@IS_PSUM.current
def _(buffer: object) -> bool:
    """True if a memory is PSUM."""
    return buffer is PSUM


@IS_ON_CHIP.current
def _(buffer: object) -> bool:
    """True if a memory is SBUF or PSUM."""
    return buffer is SBUF or buffer is PSUM


# --- placing by hand --------------------------------------------------------------------------------------------------

SBUF_ALLOC = host("compiler.sbuf.alloc")
SBUF_MOD_ALLOC = host("compiler.sbuf.mod_alloc")
SBUF_AUTO_ALLOC = host("compiler.sbuf.auto_alloc")
PSUM_ALLOC = host("compiler.psum.alloc")
PSUM_MOD_ALLOC = host("compiler.psum.mod_alloc")
PSUM_AUTO_ALLOC = host("compiler.psum.auto_alloc")


@SBUF_ALLOC.legacy
def _(func: Any) -> Allocator:
    """Place by `func(idx, pdim_size, fdim_size)`: (start partition, byte address)."""
    return Allocator(SBUF, func)


@SBUF_MOD_ALLOC.legacy
def _(*, base_addr: Any, base_partition: Any = 0, num_par_tiles: Any = (), num_free_tiles: Any = ()) -> Allocator:
    """Place blocks round robin in a number of physical tiles."""
    tiles = {"num_par_tiles": tuple(num_par_tiles), "num_free_tiles": tuple(num_free_tiles)}
    return Allocator(SBUF, (base_partition, base_addr), tiles)


@SBUF_AUTO_ALLOC.legacy
def _() -> MemoryRegion:
    """The compiler places."""
    return SBUF


@PSUM_ALLOC.legacy
def _(func: Any) -> Allocator:
    """Place by `func(idx, pdim_size, fdim_size)`: (bank, start partition, byte address)."""
    return Allocator(PSUM, func)


@PSUM_MOD_ALLOC.legacy
def _(
    *,
    base_bank: Any,
    base_addr: Any = 0,
    base_partition: Any = 0,
    num_bank_tiles: Any = (),
    num_par_tiles: Any = (),
    num_free_tiles: Any = (),
) -> Allocator:
    """Place blocks round robin in a number of banks."""
    tiles = {
        "num_bank_tiles": tuple(num_bank_tiles),
        "num_par_tiles": tuple(num_par_tiles),
        "num_free_tiles": tuple(num_free_tiles),
    }
    return Allocator(PSUM, (base_bank, base_partition, base_addr), tiles)


@PSUM_AUTO_ALLOC.legacy
def _() -> MemoryRegion:
    """The compiler places."""
    return PSUM


# --- compiler options -------------------------------------------------------------------------------------------------

ENABLE_STACK_ALLOCATOR = host("compiler.enable_stack_allocator")
FORCE_AUTO_ALLOC = host("compiler.force_auto_alloc")
SKIP_MIDDLE_END_TRANSFORMATIONS = host("compiler.skip_middle_end_transformations")
ALLOCATION_SCOPE = host("compiler.allocation_scope")
MULTI_BUFFER = host("compiler.multi_buffer")
COMPILER_NO_REORDER = host("compiler.no_reorder")


@ENABLE_STACK_ALLOCATOR.legacy
def _(func: Callable[..., Any] | None = None, log_level: int = 50) -> Any:
    """Place tensors by a stack."""
    return _decorated(func)


@FORCE_AUTO_ALLOC.legacy
def _(func: Callable[..., Any] | None = None) -> Any:
    """Ignore manual placement."""
    return _decorated(func)


@SKIP_MIDDLE_END_TRANSFORMATIONS.legacy
def _(func: Callable[..., Any] | None = None) -> Any:
    """Skip compiler passes."""
    return _decorated(func)


def _decorated(func: Callable[..., Any] | None) -> Any:
    return (lambda function: function) if func is None else func


@ALLOCATION_SCOPE.legacy
@contextmanager
def _() -> Iterator[None]:
    """Listed without a description."""
    yield


@MULTI_BUFFER.legacy
@contextmanager
def _(factor: int = 2) -> Iterator[None]:
    """Listed without a description."""
    yield


@COMPILER_NO_REORDER.legacy
def _() -> KeptOrder:
    """Instructions inside keep their order: nothing to check."""
    return KeptOrder()
