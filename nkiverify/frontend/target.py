"""A target: a function of dimensions that calls a kernel, and what it is given to describe the domain with.

The function is executed symbolically, where `dim` gives a symbolic integer, and concretely, where it gives an ordinary
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import RaisedByKernel, UsageError
from nkiverify.foundation.kernel_text import kernel_output
from nkiverify.foundation.records import Kind, Verdict
from nkiverify.foundation.source import is_exception_of_kernel
from nkiverify.frontend.guard import temporary_files
from nkiverify.frontend.refused import refuse_class
from nkiverify.frontend.tracebacks import limit_of_machine
from nkiverify.ir.program import DomainDimension
from nkiverify.model.allocation import argument
from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dtypes import DType, DTypeKind, int32
from nkiverify.model.hardware import REVISION
from nkiverify.model.known_numbers import Interval, whole_range
from nkiverify.model.launch import Kernel
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.policy import applied_policy
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.returned import tensors_in
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent, constant_value, known, maximum, minimum, terms
from nkiverify.symbolic.atoms import Dimension, Term
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.terms import INT32_MAX


@dataclass(frozen=True, slots=True)
class Target:
    """One row of the manifest. `expect` holds the expected verdict of each phase that is run by default."""

    name: str
    kernel: str
    family: str
    kind: Kind
    expect: Mapping[int, Verdict]
    flags: str
    tags: tuple[str, ...]
    description: str
    hardware: str
    root: Path
    module: str
    file: str
    line: int
    function: Callable[[Verification], None] = field(repr=False)
    #: Settings that the target makes itself, rather than the repository or the default: "hardware", "unwind".
    own: frozenset[str] = frozenset()
    #: Verdicts short of a proof that it accepts, by name.
    accept: tuple[str, ...] = ()


class OutsideDomain(Exception):
    """A concrete run was asked for values that the target excludes."""


class Binding(Protocol):
    """Where the values of a target's dimensions come from: symbolic, or one concrete choice."""

    def dimension(self, described: DomainDimension) -> Extent:
        """The value of a dimension."""

    def choose(self, described: DomainDimension) -> int:
        """The value of a dimension with a few values, one path for each in a symbolic run."""

    def revision(self, described: DomainDimension) -> Extent:
        """The silicon revision, as a dimension of which a run has no value unless it is given one."""

    def assume(self, condition: object, text: str = "") -> None:
        """Restrict the domain; `text` is what is reported of an assumption of every domain."""

    def assume_asserts(self, lines: Mapping[tuple[str, int], str]) -> None:
        """Take the kernel's asserts at these lines, each with its text, for assumptions."""

    def possible(self) -> bool:
        """True if the present path may be one of some values."""

    def number(self, value: Extent) -> Extent:
        """An integer as kernel code is to see it, so that its arithmetic with it can be checked."""

    def integers(self, name: str, low: Extent, high: Extent) -> int | None:
        """The integer of its declared range that all elements of an argument are; None where they may be any of it."""


class Verification:
    """The object that a target function works with."""

    def __init__(self, binding: Binding, kernel: Callable[..., Any], fixed: Mapping[str, int] | None = None) -> None:
        self._binding = binding
        #: Values that dimensions are assumed to have, by name, and those of them that no dimension has had so far.
        self._fixed = fixed or {}
        self.unknown = set(self._fixed)
        #: The kernel, as the kernel's module defines it.
        self.kernel = kernel
        #: Whether the kernel has been called.
        self.called = False
        #: A class in the kernel's modules that is refused in a launch, if there is one and the run is symbolic.
        self.refused: type | None = None

    def dim(self, name: str, low: int = 1, high: int | None = None, *, multiple_of: int = 1) -> Any:
        """An integer of the domain: `low` to `high` (None: the largest 32-bit integer), in steps of `multiple_of`."""
        if not isinstance(name, str) or not name.isidentifier():
            raise UsageError(f"a dimension has a name like K or seq_len, not {name!r}")
        if not isinstance(low, int) or not (high is None or isinstance(high, int)) or multiple_of < 1:
            raise UsageError(f"dimension {name}: low, high and multiple_of are ordinary integers")
        if (high if high is not None else INT32_MAX) < low:
            raise UsageError(f"dimension {name}: no integer is at least {low} and at most {high}")
        (atom,) = terms.dimension(name).atoms
        assert isinstance(atom, Dimension)
        value = self._binding.dimension(DomainDimension(atom, low, high, multiple_of))
        if name in self._fixed:
            self.unknown.discard(name)
            self._binding.assume(value == self._fixed[name])
        return value

    def choice(self, name: str, options: Sequence[Any]) -> Any:
        """One of a few values; the target is verified for each."""
        if not options:
            raise UsageError(f"choice {name}: there is nothing to choose from")
        (atom,) = terms.dimension(name).atoms
        assert isinstance(atom, Dimension)
        names = tuple(str(option) for option in options)
        return options[self._binding.choose(DomainDimension(atom, 0, len(options) - 1, choices=names))]

    def assume(self, condition: object) -> None:
        """Restrict the domain to the values for which `condition` holds."""
        self._binding.assume(condition)

    def assume_asserts(self, lines: Mapping[tuple[str, int], str]) -> None:
        """Restrict the domain to what the kernel's asserts at these lines check: file and line, with what to report."""
        self._binding.assume_asserts(lines)

    def possible(self) -> bool:
        """True if what has been assumed and decided so far holds for some values of the dimensions; True if unsure."""
        return self._binding.possible()

    def tensor(
        self,
        name: str,
        shape: Sequence[Extent],
        dtype: DType,
        buffer: MemoryRegion = MemoryRegion.shared_hbm,
        *,
        values: tuple[Extent, Extent] | tuple[float, float] | None = None,
        elements: Any = None,
    ) -> Tensor:
        """A tensor argument of the kernel. Its extents are assumed to be 32-bit integers of at least 1, and the whole,
        in HBM, to fit the memory of a device.

        `values` are the least and the greatest integer in a tensor of indices, loop bounds or other integers, or two
        plain numbers that the floats of a tensor are between, which is what phase 5 goes by; without them it may hold
        any finite number of its dtype. That there is an integer in between is assumed. `elements` is an array of all
        of them, of the dtype; that the shape is that of the array is assumed.
        """
        if not isinstance(dtype, DType):
            raise UsageError(f"tensor {name}: {dtype!r} is not a dtype of nkiverify.model.dtypes")
        if not isinstance(shape, tuple | list) or not shape:
            raise UsageError(f"tensor {name}: a shape is a tuple of at least one integer, not {shape!r}")
        for extent in shape:
            if not _is_integer(extent):
                raise UsageError(f"tensor {name}: {extent!r} is not an integer")
            self._binding.assume(extent >= 1)
            self._binding.assume(extent <= INT32_MAX)
        floats = None if values is None or not dtype.is_float else _float_range(name, dtype, values)
        contents = None if values is None or dtype.is_float else self._contents(name, dtype, values)
        if elements is not None:
            if len(shape) != elements.ndim:
                raise UsageError(f"tensor {name}: {len(shape)} dimensions, and elements of {elements.ndim}")
            for extent, count in zip(shape, elements.shape, strict=True):
                self._binding.assume(extent == count)
        if not buffer.on_chip and applied_policy().policy.device_memory:
            self._fits_device(shape, dtype)
        extents = tuple(self._binding.number(extent) for extent in shape)
        if contents is not None and elements is None:
            elements = _all_one(self._binding.integers(name, *contents), extents, dtype)
        return argument(name, extents, dtype, buffer, contents, elements, floats)

    def _fits_device(self, shape: Sequence[Extent], dtype: DType) -> None:
        """Assume that a tensor of this shape is no larger than the memory of a device."""
        hardware = current_execution().hardware
        size = hardware.device_memory_bytes
        text = f"each argument in HBM fits the {size // 2**30} GiB of a {hardware} device"
        self._binding.assume(math.prod(shape) <= size // dtype.itemsize, text)

    def register(self, name: str, low: Extent, high: Extent) -> VirtualRegister:
        """A register that holds an integer from `low` to `high`, for a helper function that takes one."""
        found = self._contents(name, int32, (low, high))
        number = self._binding.integers(name, *found)
        return VirtualRegister.holding(Interval(*found) if number is None else Interval(number, number))

    def _contents(self, name: str, dtype: DType, values: object) -> tuple[Extent, Extent]:
        """The range of the integers in an argument, those of them that its dtype has."""
        whole = whole_range(dtype)
        if whole is None:
            raise UsageError(f"{name}: only integers and floats have a range of values, not {dtype}")
        if not isinstance(values, tuple) or len(values) != 2 or any(not _is_integer(end) for end in values):
            raise UsageError(f"{name}: values are two integers, the least and the greatest, not {values!r}")
        low = values[0] if known(values[0] >= whole.low) else maximum(values[0], whole.low)
        high = values[1] if known(values[1] <= whole.high) else minimum(values[1], whole.high)
        if constant_value(low) is not None and constant_value(high) is not None and low > high:
            raise UsageError(f"{name}: no {dtype} is at least {values[0]} and at most {values[1]}")
        self._binding.assume(low <= high)
        return low, high

    def call(self, *arguments: Any, grid: Any = None, **options: Any) -> Any:
        """Call the kernel, launched on `grid` if one is given."""
        kernel: Any = self.kernel if grid is None else self.kernel[grid]  # type: ignore[index]
        with self.calling():
            result = kernel(*arguments, **options)
        if not isinstance(self.kernel, Kernel):
            # A kernel says itself what it returns.
            current_execution().returned(tuple(tensors_in(result)), by_parameter=True)
        return result

    def calling(self, launch_grid: tuple[Extent, ...] = ()) -> AbstractContextManager[None]:
        """A call of the kernel: what it raises is an `Exception`, unless it is a signal. Launches in it that name no
        grid are on `launch_grid`."""
        self.called = True
        current_execution().model.launch_grid = launch_grid
        if self.refused is not None:
            refuse_class(self.refused)
        current_execution().revision = self._revision
        return ordinary_exceptions()

    def _revision(self) -> Extent:
        """The silicon revision, which a kernel asks for: a dimension, so that it is verified for both."""
        (atom,) = terms.dimension(REVISION).atoms
        assert isinstance(atom, Dimension)
        return self._binding.revision(DomainDimension(atom, 0, 1))

    def returns(self, value: object, *, shape: Sequence[Extent], dtype: DType | None = None) -> None:
        """The output contract: `value` is a tensor of this shape and dtype."""
        if not isinstance(value, Tensor):
            require("target.output_shape", False, got=type(value).__name__, expected=tuple(shape))
            return
        same_rank = len(value.shape) == len(shape)
        require("target.output_shape", same_rank, got=value.shape, expected=tuple(shape))
        if same_rank:
            for got, expected in zip(value.shape, shape, strict=True):
                require("target.output_shape", got == expected, got=value.shape, expected=tuple(shape))
        if dtype is not None:
            require("target.output_dtype", value.dtype is dtype, got=value.dtype, expected=dtype)

    def no_spills(self) -> None:
        """Claim, in phase 3, that all tensors live at one time fit SBUF and PSUM, in the order of the program."""
        current_execution().no_spills = True

    def claim(self, condition: object, text: str) -> None:
        """Anything else that must hold."""
        require("target.claim", condition, claim=text)


@contextmanager
def ordinary_exceptions() -> Iterator[None]:
    """A call of a kernel: what it raises is an `Exception`, unless it is a signal; its temporary files are its own."""
    try:
        with temporary_files(), kernel_output():
            yield
    except BaseException as error:
        if is_exception_of_kernel(error):
            raise RaisedByKernel(error) from None
        limit = limit_of_machine(error)
        if limit is not None:
            raise unsupported(*limit) from None
        raise


def _float_range(name: str, dtype: DType, values: object) -> tuple[float, float]:
    """The range of the floats in an argument."""
    ends = values if isinstance(values, tuple) and len(values) == 2 else ()
    if not ends or any(isinstance(end, bool) or not isinstance(end, int | float) for end in ends):
        raise UsageError(f"{name}: values of {dtype} are two numbers, the least and the greatest, not {values!r}")
    low, high = (float(end) for end in ends)
    if not math.isfinite(low) or not math.isfinite(high) or low > high:
        raise UsageError(f"{name}: no finite {dtype} is at least {low} and at most {high}")
    return low, high


def _all_one(number: int | None, shape: tuple[Extent, ...], dtype: DType) -> Any:
    """The elements of a tensor that are all one number; None where no number is given."""
    if number is None or dtype.kind is DTypeKind.BOOL:
        return None
    import numpy as np  # as late as this: nothing else of a run needs it

    return np.broadcast_to(np.array(number, dtype=str(dtype)), tuple(map(int, shape)))


def _is_integer(value: object) -> bool:
    return isinstance(value, Term) or constant_value(value) is not None
