"""Kernels called with NumPy arrays: what `nki.simulate` and `nki.simulate_kernel` do."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from nkiverify.analysis.element_marks import distinct
from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values.cells import UNWRITTEN, Cells
from nkiverify.analysis.values.located import elements_as
from nkiverify.analysis.values.number_formats import STORED, Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements, ValueAllocation
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct, UsageError
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.foundation.threads import one_thread
from nkiverify.model.dtypes import DTYPES, DType, DTypeKind, bool_, numpy_name
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.model.launch import Kernel
from nkiverify.model.memory import SBUF, SHARED_HBM, MemoryRegion
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.policy import Acceptance, Policy, applied
from nkiverify.model.returned import converted, named_tensors
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic.execution import running

#: Which hardware the simulator stands for ("sim.targets"), and the names it goes by.
TARGET_VARIABLE = "NEURON_PLATFORM_TARGET_OVERRIDE"
_GENERATIONS = {
    "trn1": "trn1", "inf2": "trn1", "gen2": "trn1", "trn2": "trn2", "gen3": "trn2", "trn3": "trn3", "gen4": "trn3",
}  # fmt: skip
#: What undefined integers show up as, as in AWS's simulator ("sim.uninit"); undefined floats are NaN.
_UNDEFINED_INTEGER = 4


#: Contracts about what does not compile, and yet simulates ("sim.gap.divmod"; "RN-0.4 known issues").
_COMPILED_ONLY = ("nl.divide.unsupported", "nl.mod.unsupported", "nl.fmod.unsupported", "nl.matmul.transpose_x")
#: The same of tiles that a kernel returns: reported of AWS's own tests of instructions.
_ON_CHIP_RESULTS = "mem.io_hbm"
_SIMULATED = Policy(
    accepted=(
        *(Acceptance(id, "it simulates", "RN-0.4 known issues") for id in _COMPILED_ONLY),
        Acceptance(_ON_CHIP_RESULTS, "it simulates", "tests of instructions"),
    )
)
#: Contracts about an index outside of what it chooses from.
_OUTSIDE = frozenset(
    (
        "idx.oob",
        "ap.in_bounds",
        "ap.dynamic_oob",
        "dma_copy.oob",
        "leg.oob_static",
        "leg.oob_dynamic",
        "local_gather.oob",
    )
)


class OutsideError(ContractViolation, IndexError):
    """An index leaves what it chooses from: an `IndexError` as well, as of NumPy's arrays, for whoever expects that."""


class NotOnHardwareWarning(UserWarning):
    """A kernel computes what the compiler does not accept: replace it before it goes to a device."""


class UndefinedResultWarning(UserWarning):
    """A kernel returns elements that nothing has written, or that were computed from such: see the text for where."""


@dataclass(frozen=True, slots=True)
class UndefinedElements:
    """Undefined elements of a result: how many, the first one, and the read it came from, as text."""

    result: str
    count: int
    first: tuple[int, ...]
    origin: str

    def __str__(self) -> str:
        place = ", ".join(map(str, self.first))
        return f"{self.result}[{place}] and {self.count - 1} more elements are undefined: {self.origin}"


def simulated_hardware(legacy: bool) -> Hardware:
    """The hardware a simulation is for: what the environment says, else trn3, and trn2 for the legacy API."""
    named = os.environ.get(TARGET_VARIABLE, "")
    if named and named.lower() not in _GENERATIONS:
        raise UsageError(f"{TARGET_VARIABLE} is {named!r}, not one of {', '.join(_GENERATIONS)}")
    return hardware_named(_GENERATIONS[named.lower()] if named else "trn2" if legacy else "trn3")


def simulate(kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call `kernel` with NumPy arrays for tensors; arrays for the tensors it returns.

    Arguments that the kernel writes are updated in place ("sim.args"). Raises `ContractViolation` where a contract is
    broken, and `NotImplementedError` for what has no values here. Warns of undefined elements in results.
    """
    with applied(_SIMULATED):
        elements = ComputedElements(Floats())
        run = elements.execution(simulated_hardware(kernel.legacy))
    run.isolated = False  # its caller's program continues as it would without us
    elements.random = np.random.default_rng(0)
    entered: list[tuple[Array, Tensor]] = []

    frameworks = []

    def enter(value: Any, name: str) -> Any:
        array = given_array(value)
        if array is not None:
            tensor = array_argument(elements, name, array, SBUF if kernel.helper else SHARED_HBM)
            entered.append((array, tensor))
            frameworks.append(value)
            return tensor
        if type(value) in (tuple, list):
            return type(value)(enter(part, f"{name}_{position}") for position, part in enumerate(value))
        return value

    names = kernel.parameters
    positional = [
        enter(value, names[position] if position < len(names) else f"argument{position}")
        for position, value in enumerate(args)
    ]
    named = {name: enter(value, name) for name, value in kwargs.items()}
    try:
        with one_thread(), running(run), _as_kernel_code(kernel.function):
            result = kernel(*positional, **named)
            returned = named_tensors("result", result)
            made = _as_torch if any(map(_is_torch, frameworks)) else _as_numpy
            arrays = converted(result, lambda tensor: made(array_of(elements, tensor), tensor.dtype))
    except ContractViolation as broken:
        if broken.contract not in _OUTSIDE:
            raise
        raise OutsideError(broken.contract, broken.message, broken.site).with_traceback(broken.__traceback__) from None
    except UnsupportedConstruct as limit:
        where = f" at {limit.site}" if limit.site is not None else ""
        raise NotImplementedError(f"{limit.construct}{where}: not simulated") from None
    for array, tensor in entered:
        if elements.cells(tensor).changed and array.flags.writeable:
            array[...] = array_of(elements, tensor).astype(array.dtype)
    for found in run.tolerated:
        if found.contract.id in (*_COMPILED_ONLY, _ON_CHIP_RESULTS):
            warnings.warn(f"{found.contract.statement} At {found.site}", NotOnHardwareWarning, stacklevel=3)
    for name, tensor in returned:
        for undefined in undefined_parts(elements, tensor, name):
            warnings.warn(str(undefined), UndefinedResultWarning, stacklevel=3)
    return arrays


@contextmanager
def _as_kernel_code(function: object) -> Iterator[None]:
    """Have the module of a function count as kernel code, for as long as the function is executed: it may be one of
    ours, as where a function of nki.language is given arrays, whose frames are otherwise never a kernel's."""
    scope = getattr(function, "__globals__", {})
    marks = KERNEL_MARKER not in scope
    if marks:
        scope[KERNEL_MARKER] = True
    try:
        yield
    finally:
        if marks:
            del scope[KERNEL_MARKER]


def given_array(value: Any) -> Array | None:
    """The elements of an array or tensor of another library, sharing them where it can; None for what is neither."""
    if isinstance(value, np.ndarray):
        return value
    if _is_torch(value):
        held = value.detach().cpu()
        known = DTYPES.get(str(held.dtype).removeprefix("torch."))
        if known is None or STORED[known].isbuiltin == 1:
            return np.asarray(held.numpy())
        # NumPy knows the formats of ml_dtypes, and torch does not hand them over: their bits.
        torch = sys.modules["torch"]
        bits = held.view(torch.int16 if known.itemsize == 2 else torch.uint8)
        return np.asarray(bits.numpy()).view(STORED[known])
    if hasattr(type(value), "__array__") and not isinstance(value, np.generic | Tensor):
        return np.asarray(value)
    return None


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _as_numpy(array: Array, dtype: DType) -> Array:
    """An array of a result as NumPy has its dtype: truth values are stored in bytes."""
    return array.astype(np.bool_) if dtype is bool_ else array


def _as_torch(array: Array, dtype: DType) -> Any:
    """The same as a tensor of torch."""
    torch = sys.modules["torch"]
    array = _as_numpy(array, dtype)
    if array.dtype.isbuiltin == 1:
        return torch.from_numpy(np.ascontiguousarray(array))
    kind = getattr(torch, str(dtype), None)
    if kind is None:
        raise UsageError(f"torch has no {dtype}: give the kernel NumPy arrays")
    bits = np.ascontiguousarray(array).view(np.int16 if dtype.itemsize == 2 else np.uint8)
    return torch.from_numpy(bits).view(kind)


def dtype_of(array: Array) -> DType:
    """The NKI dtype of an array's elements. Raises `UsageError` where there is none."""
    name = numpy_name(array.dtype)
    found = DTYPES.get(name or "")
    if found is None:
        raise UsageError(f"arrays of {array.dtype} have no NKI dtype: convert them, for example to float32")
    return found


def array_argument(elements: ComputedElements, name: str, array: Array, buffer: MemoryRegion = SHARED_HBM) -> Tensor:
    """A tensor argument with the elements of an array."""
    dtype = dtype_of(array)
    shape = tuple(int(extent) for extent in array.shape) or (1,)
    made = Storage(ValueAllocation(), shape, dtype, buffer, name)
    numbers = elements.numbers
    cells = Cells(numbers, array.size, dtype, written=True)
    numbers.flat(cells.buffer, dtype, dtype)[...] = numbers.entered(array, dtype).reshape(numbers.lanes, -1)
    identity = made.identity
    assert isinstance(identity, ValueAllocation)
    identity.cells = cells
    return NkiTensor.whole(made)


def array_of(elements: ComputedElements, tensor: Tensor) -> Array:
    """The elements of a tensor as a NumPy array of its dtype; undefined ones are NaN, or 4 where they are integers, but
    for those that a function beyond its documented range has given."""
    where = storage.region(tensor.shape, tensor.strides, tensor.offset, tensor.dtype, elements_as(tensor))
    cells = elements.cells(tensor)
    found = np.array(storage.read(elements.numbers, cells, where)[0])
    marks = storage.read_marks(cells, where)
    if marks is not None:
        kind = STORED[tensor.dtype]
        undefined = tensor.dtype.kind in (DTypeKind.FLOAT, DTypeKind.SCALE)
        hidden = [mark for mark in distinct(marks).tolist() if mark and not _is_shown(elements, mark)]
        found[np.isin(marks[0], hidden)] = kind.type(np.nan if undefined else _UNDEFINED_INTEGER)
    return found


def _is_shown(elements: ComputedElements, mark: int) -> bool:
    origin = elements.origin(mark)
    return origin is not None and origin.shown


def undefined_parts(elements: ComputedElements, tensor: Tensor, name: str) -> list[UndefinedElements]:
    """The undefined elements of a tensor, by where it came from; `name` is what it is called."""
    where = storage.region(tensor.shape, tensor.strides, tensor.offset, tensor.dtype, elements_as(tensor))
    marks = storage.read_marks(elements.cells(tensor), where)
    if marks is None:
        return []
    found = []
    for mark in distinct(marks[marks != 0]).tolist():
        places = marks[0] == mark
        origin = elements.origin(mark)
        first = np.unravel_index(int(places.argmax()), places.shape)
        text = "nothing writes them" if mark == UNWRITTEN else str(origin)
        found.append(UndefinedElements(name, int(places.sum()), tuple(int(part) for part in first), text))
    return found


def undefined_elements(elements: ComputedElements, tensor: Tensor) -> npt.NDArray[np.bool_]:
    """The elements of a tensor that are undefined."""
    where = storage.region(tensor.shape, tensor.strides, tensor.offset, tensor.dtype, elements_as(tensor))
    marks = storage.read_marks(elements.cells(tensor), where)
    return np.zeros(where.shape, bool) if marks is None else np.asarray(marks[0] != 0)


def simulator_of(kernel: Any, as_kernel: Callable[[Callable[..., Any]], Kernel]) -> Callable[..., Any]:
    """`nki.simulate(kernel)`: a function of arrays. `kernel` may be launched on a grid, or not yet be decorated."""
    decorated = kernel if isinstance(kernel, Kernel) else as_kernel(kernel)
    return lambda *args, **kwargs: simulate(decorated, args, kwargs)
