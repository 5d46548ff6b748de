"""Executing a kernel that was asked for on the command line, on elements that the caller chooses."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from nkiverify.analysis.values import cells as storage
from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.located import elements_as
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.value_run import ComputedElements, elements_of
from nkiverify.execute.runner import Source, start
from nkiverify.foundation.dataclass import dataclass
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.target import Verification
from nkiverify.model.dtypes import DType, DTypeKind
from nkiverify.model.meaning import Numbers
from nkiverify.model.returned import named_tensors, tensors_in
from nkiverify.model.tensor import Tensor

#: The stored elements (lanes, *shape) of an argument, given its name and the tensor.
Filling = Callable[[str, Tensor], Array]
#: The least and the greatest number in an argument.
Ends = tuple[float, float]
#: Those of random floats where nothing is declared.
_UNIT = (-1.0, 1.0)


class KernelWithArguments(Protocol):
    """A kernel with its arguments, `nkiverify.project.request.Request` for one: `path::function` next to `base`."""

    @property
    def reference(self) -> str:
        """`path::function`."""

    @property
    def base(self) -> Path:
        """The folder that its path is relative to."""

    def call(self, v: Verification, prepare: Callable[[Mapping[str, Any]], None] = lambda values: None) -> Any:
        """Call the kernel, after `prepare` has seen its arguments; what it returns."""


@dataclass(frozen=True, slots=True)
class AskedKernel:
    """A kernel that has run, or is only given its arguments: the tensors by name, the other ones, and what it
    returned."""

    run: ConcreteExecution
    arguments: dict[str, Tensor]
    others: dict[str, Any]
    result: Any

    @property
    def elements(self) -> ComputedElements:
        """The contents of its tensors."""
        return elements_of(self.run)

    def given(self, values: Mapping[str, Any]) -> None:
        """Note the arguments, by parameter."""
        for name, value in values.items():
            tensors = dict(named_tensors(name, value))
            self.arguments.update(tensors)
            if not tensors:
                self.others[name] = value

    def outputs(self) -> list[tuple[str, Tensor]]:
        """The tensors it returned, then the arguments that it wrote and did not return."""
        return self.results() + self.changed()

    def results(self) -> list[tuple[str, Tensor]]:
        """The tensors it returned. Raises `UnsupportedConstruct` where they cannot be seen, or distinguished."""
        return named_tensors("result", self.result)

    def changed(self, others: Collection[int] = ()) -> list[tuple[str, Tensor]]:
        """The arguments that it wrote and did not return, and those at `others`."""
        wanted = (self.written - self.given_back()) | set(others)
        return [pair for position, pair in enumerate(self.arguments.items()) if position in wanted]

    @property
    def written(self) -> set[int]:
        """The positions of the tensor arguments that it wrote."""
        return {
            position for position, tensor in enumerate(self.arguments.values()) if self.elements.cells(tensor).changed
        }

    def given_back(self) -> set[int]:
        """The positions of the tensor arguments that it returned."""
        returned = {id(tensor.storage) for tensor in tensors_in(self.result)}
        return {position for position, tensor in enumerate(self.arguments.values()) if id(tensor.storage) in returned}


def execute(
    asked: KernelWithArguments, run: ConcreteExecution, dimensions: Mapping[str, int], fill: Filling
) -> AskedKernel:
    """Run the kernel on one choice of dimensions, its arguments filled. Raises what the kernel and the stubs raise."""
    execution = AskedKernel(run, {}, {}, None)

    def prepare(values: Mapping[str, Any]) -> None:
        execution.given(values)
        for name, tensor in execution.arguments.items():
            elements = execution.elements
            elements.arguments[tensor.storage.identity] = _filled(elements.numbers, fill(name, tensor), tensor)

    return replace(execution, result=called(asked, run, dimensions, prepare))


class _Collected(Exception):
    """The arguments of a kernel are known."""


def arguments_of(asked: KernelWithArguments, run: ConcreteExecution, dimensions: Mapping[str, int]) -> AskedKernel:
    """The arguments that a kernel is called with; it is not run."""
    execution = AskedKernel(run, {}, {}, None)

    def prepare(values: Mapping[str, Any]) -> None:
        execution.given(values)
        raise _Collected

    with contextlib.suppress(_Collected):
        called(asked, run, dimensions, prepare)
    return execution


def called(
    asked: KernelWithArguments,
    run: ConcreteExecution,
    dimensions: Mapping[str, int],
    prepare: Callable[[Mapping[str, Any]], None] = lambda values: None,
) -> Any:
    """The result of the kernel in a run on one choice of dimensions; `prepare` sees its arguments."""
    source = Source(asked.reference, asked.base)
    return start(source, dimensions, run, lambda v: asked.call(v, prepare), Verification)


def _filled(numbers: Numbers, elements: Array, tensor: Tensor) -> Cells:
    cells = Cells(numbers, int(tensor.size), tensor.dtype, written=True)
    numbers.flat(cells.buffer, tensor.dtype, tensor.dtype)[...] = elements.reshape(numbers.lanes, -1)
    return cells


def contents(elements: ComputedElements, tensor: Tensor) -> tuple[Array, Array | None]:
    """The stored elements (lanes, *shape) of a tensor, and its marks (*shape), None where all is defined."""
    where = storage.region(tensor.shape, tensor.strides, tensor.offset, tensor.dtype, elements_as(tensor))
    cells = elements.cells(tensor)
    marks = storage.read_marks(cells, where)
    return storage.read(elements.numbers, cells, where), None if marks is None else marks[0]


def random_array(random: np.random.Generator, shape: tuple[int, ...], dtype: DType, ends: Ends | None) -> Array:
    """Random elements of a dtype, between the `ends` that are declared; else floats from -1 to 1, and any integers."""
    kind = number_formats.STORED[dtype]
    if dtype.is_integer and ends is not None:
        return random.integers(int(ends[0]), int(ends[1]) + 1, shape)
    low, high = ends or _UNIT
    if dtype.is_float:
        return number_formats.stored(random.uniform(low, high, shape).astype(np.float32), dtype)
    if dtype.kind is DTypeKind.PACKED:
        part = number_formats.UNPACKED[dtype]
        values = random.uniform(low, high, (*shape, 4)).astype(part).astype(np.float32)
        return number_formats.repacked(values, dtype)
    if dtype.kind is DTypeKind.SCALE:
        return np.exp2(random.integers(-4, 5, shape)).astype(kind)
    if dtype.kind is DTypeKind.BOOL:
        return random.integers(0, 2, shape).astype(kind)
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def declared_range(tensor: Tensor) -> Ends | None:
    """The range that is declared for an argument (`i32[8] in 0..7`, `f32[8] in -4..4`), where it is narrower than that
    of its dtype."""
    given = tensor.storage.content_range
    if given is None or not tensor.dtype.is_integer:
        return tensor.storage.float_range
    low, high = int(given.low), int(given.high)
    limits = np.iinfo(number_formats.STORED[tensor.dtype])
    return None if (low, high) == (limits.min, limits.max) else (low, high)
