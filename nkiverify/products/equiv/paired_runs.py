"""Running two kernels on the same inputs, in any kind of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import count
from typing import TypeVar

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.asked_kernel import (
    AskedKernel,
    Ends,
    Filling,
    KernelWithArguments,
    arguments_of,
    called,
    declared_range,
    execute,
    random_array,
)
from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.number_formats import Array, widened
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements, elements_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct, UsageError, described, text_of
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, innermost_kernel_site
from nkiverify.frontend.target import OutsideDomain
from nkiverify.frontend.tracebacks import in_simulator
from nkiverify.model.hardware import Hardware
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Tensor
from nkiverify.phases import MEMORY
from nkiverify.products.equiv.references import Reference


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two kernels, with the dimensions it is run on; the second one may be a reference."""

    label: str
    asked: KernelWithArguments | Reference
    dimensions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Illegal(Exception):
    """A kernel that does not run to its end, and why."""

    side: Side
    text: str


_Result = TypeVar("_Result")


def if_they_end(work: Callable[[], _Result]) -> _Result | None:
    """The result of runs of both kernels; None where one does not run to its end, and nothing follows from them."""
    try:
        return work()
    except (Illegal, UnsupportedConstruct):
        return None


class PairedRuns:
    """Both kernels, run as often as it is asked for; `seed` chooses the inputs."""

    def __init__(self, first: Side, second: Side, hardware: Hardware, seed: int, stop_at_first: bool) -> None:
        """With `stop_at_first` a contract that is broken ends a run."""
        self.sides = (first, second)
        #: The ranges of the tensor arguments, by position, once they are known.
        self._ranges: dict[int, Ends | None] = {}
        #: The contents of those that have some, from a file, by position.
        self._contents: dict[int, Array] = {}
        #: Ranges and contents that only one kernel declares, and that hold for both, as text.
        self.one_sided: list[str] = []
        #: That the second side is a reference, which knows of no dtypes and no contracts.
        self.reference = isinstance(second.asked, Reference)
        self.seed = seed
        self._hardware = hardware
        self._stop_at_first = stop_at_first

    def run(
        self, numbers: Callable[[], Numbers], filling: Callable[[Numbers], Filling], watch: bool = False
    ) -> tuple[AskedKernel, AskedKernel]:
        if not self._ranges:
            self._find_ranges()
        shared = numbers()
        executions: list[AskedKernel] = []
        for side in self.sides:
            # A broken contract is no reason not to ask the other questions, as far as the kernel continues.
            run = ComputedElements(shared).execution(self._hardware, stop_at_first=self._stop_at_first)
            if watch:
                elements_of(run).keep_history()
            executions.append(guarded(side, run, partial(_executed, run, side, executions, filling(shared))))
        return executions[0], executions[1]

    def redrawn(self) -> PairedRuns:
        """The same runs on inputs that another seed chooses."""
        found = copy(self)
        found.seed = self.seed + 1
        return found

    def integers_drawn(self, execution: AskedKernel) -> list[str]:
        """The arguments that are the same integers in every kind of numbers."""
        named = enumerate(execution.arguments.items())
        return [
            name
            for position, (name, tensor) in named
            if tensor.dtype.is_integer and self._ranges.get(position) and position not in self._contents
        ]

    def has_contents(self, position: int) -> bool:
        """True if the contents of the tensor argument at a position are given."""
        return position in self._contents

    def with_contents(self, execution: AskedKernel) -> list[str]:
        """The arguments whose contents are given, and the same in every kind of numbers."""
        return [name for position, name in enumerate(execution.arguments) if position in self._contents]

    def _find_ranges(self) -> None:
        given = []
        for side in self.sides:
            if not isinstance(side.asked, Reference):
                run = ComputedElements(Floats()).execution(self._hardware)
                given.append(list(guarded(side, run, partial(_collected, run, side)).arguments.items()))
        # Where one kernel has more of them, neither is compared.
        for place, pair in enumerate(zip(given[0], given[-1], strict=False)):
            contents = common_contents(*pair, self.one_sided)
            if contents is not None:
                self._contents[place] = contents
            self._ranges[place] = common_range(*pair, self.one_sided) if contents is None else None

    def _generator(self, position: int) -> np.random.Generator:
        """The generator of the tensor argument of either kernel at a position."""
        return np.random.default_rng((self.seed, position + 1))

    def random_floats(self, numbers: Numbers) -> Filling:
        return self._filling(numbers, lambda position, tensor: self._numbers(numbers, position, tensor))

    def random_residues(self, numbers: Numbers) -> Filling:
        assert isinstance(numbers, Fields)
        elements = numbers.random_elements
        return self._filling(numbers, lambda at, tensor: elements(self._generator(at), _shape(tensor), tensor.dtype))

    def random_pieces(self, magnitude: float, numbers: Numbers) -> Filling:
        """Fills arguments with residues and floats; floats without a range are of this magnitude."""
        assert isinstance(numbers, Pieces) and isinstance(numbers.exactly, Fields)
        fields = numbers.exactly

        def drawn(position: int, tensor: Tensor) -> Array:
            if tensor.dtype.is_integer:
                return self._numbers(numbers, position, tensor)
            random, ends = self._generator(position), self._ranges.get(position)
            floats = widened(random_array(random, _shape(tensor), tensor.dtype, ends), tensor.dtype).astype(np.float64)
            residues = fields.random_elements(self._generator(position), _shape(tensor), tensor.dtype)
            return numbers.joined(residues, (floats if ends is not None else floats * magnitude)[None])

        return self._filling(numbers, drawn)

    def variables(self, numbers: Numbers) -> Filling:
        assert isinstance(numbers, Degrees)
        variables = numbers.variables
        return self._filling(numbers, lambda _, tensor: variables(_shape(tensor)))

    def _filling(self, numbers: Numbers, drawn: Callable[[int, Tensor], Array]) -> Filling:
        """Fills arguments whose contents are given, and integers of a range, with the same in every kind of numbers,
        others as `drawn`."""
        positions = count()

        def fill(name: str, tensor: Tensor) -> Array:
            position = next(positions)
            if position in self._contents:
                return entered_contents(numbers, self._contents[position], tensor)
            integers = tensor.dtype.is_integer and self._ranges.get(position) is not None
            return self._numbers(numbers, position, tensor) if integers else drawn(position, tensor)

        return fill

    def _numbers(self, numbers: Numbers, position: int, tensor: Tensor) -> Array:
        random, ends = self._generator(position), self._ranges.get(position)
        return numbers.entered(random_array(random, _shape(tensor), tensor.dtype, ends), tensor.dtype)


def times_within(work: int, both: tuple[AskedKernel, AskedKernel]) -> int:
    """How often both kernels may be run within so much work, in elements of operands, if each time is as these."""
    return work // max(1, sum(execution.elements.work for execution in both))


def common_range(first: tuple[str, Tensor], second: tuple[str, Tensor], reported: list[str]) -> Ends | None:
    """The range of an argument of both kernels: the one that is declared. Where only one kernel declares it, that is
    `reported`. Raises `UsageError` where they declare two."""
    one, other = declared_range(first[1]), declared_range(second[1])
    texts = [f"{name} is in {_text(ends)}" for (name, _), ends in ((first, one), (second, other)) if ends is not None]
    if len(texts) == 2 and one != other:
        raise UsageError(f"{' for the first kernel, and '.join(texts)} for the second: they are given the same numbers")
    if len(texts) == 1:
        reported.append(f"{texts[0]} in both kernels, as one of them declares")
    return one or other


def common_contents(first: tuple[str, Tensor], second: tuple[str, Tensor], reported: list[str]) -> Array | None:
    """The contents of an argument of both kernels: those that are given. Where they are for one kernel only, that is
    `reported`. Raises `UsageError` where there are two."""
    given = [(name, tensor.storage.elements) for name, tensor in (first, second)]
    held = [(name, elements) for name, elements in given if elements is not None]
    if len(held) == 2 and not np.array_equal(held[0][1].ravel(), held[1][1].ravel()):
        raise UsageError(f"{held[0][0]} and {held[1][0]} have other contents: both kernels are given the same numbers")
    if len(held) == 1 and first[1] is not second[1]:
        reported.append(f"{held[0][0]} has the contents of its file in both kernels, as they are given for one of them")
    return held[0][1] if held else None


def drawn_text(integers: Sequence[str], contents: Sequence[str]) -> str:
    """The subject of an answer besides shapes: integers that were drawn, and contents that were given."""
    drawn = f" and for the integers drawn for {', '.join(integers)}" if integers else ""
    return f"{drawn} and for the contents of {', '.join(contents)}" if contents else drawn


def entered_contents(numbers: Numbers, contents: Array, tensor: Tensor) -> Array:
    """The stored elements (lanes, *shape) of an argument that is given its contents. Raises `UnsupportedConstruct`
    where they are no numbers of this kind."""
    array = np.asarray(contents).reshape(_shape(tensor))
    if tensor.dtype.is_integer:
        return numbers.entered(array.astype(np.int64), tensor.dtype)
    wide = widened(number_formats.stored(array.astype(np.float32), tensor.dtype), tensor.dtype).astype(np.float64)
    if not isinstance(numbers, Floats) and not np.isfinite(wide).all():
        raise UnsupportedConstruct("contents that are not finite, over the reals")
    return numbers.entered(wide, tensor.dtype)


def _text(ends: Ends) -> str:
    return "..".join(str(end).removesuffix(".0") for end in ends)


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(map(int, tensor.shape))


def _collected(run: ConcreteExecution, side: Side, asked: KernelWithArguments | Reference) -> AskedKernel:
    assert not isinstance(asked, Reference)
    return arguments_of(asked, run, side.dimensions)


def _executed(
    run: ConcreteExecution,
    side: Side,
    before: Sequence[AskedKernel],
    fill: Filling,
    asked: KernelWithArguments | Reference,
) -> AskedKernel:
    if isinstance(asked, Reference):
        return asked.execute(run, before[0], fill)
    return execute(asked, run, side.dimensions, fill)


def guarded(
    side: Side, run: ConcreteExecution, executed: Callable[[KernelWithArguments | Reference], AskedKernel]
) -> AskedKernel:
    """A kernel executed in a run; what ends it early is `Illegal` where the kernel is to blame."""
    try:
        return executed(side.asked)
    except (UsageError, OutsideDomain):
        raise
    except ContractViolation as violation:
        where = f" at {violation.site}" if violation.site is not None else ""
        raise Illegal(side, broken_text(run.broken) or f"{violation}{where}") from None
    except UnsupportedConstruct:
        if run.broken:
            raise Illegal(side, broken_text(run.broken)) from None
        raise
    except MemoryError as error:
        # That is no fault of the kernel.
        raise UnsupportedConstruct(f"running {side.label} on numbers at these shapes: {text_of(error)}") from None
    except (Exception, SystemExit) as error:
        if in_simulator(error) and not run.broken:
            raise
        site = innermost_kernel_site(error)
        where = f" at {site}" if site is not None else ""
        raise Illegal(side, broken_text(run.broken) or f"{described(error)}{where}") from None


def broken_in_memory(side: Side, hardware: Hardware) -> list[BrokenContract]:
    """The contracts that a kernel breaks with those of memory, on a run without values."""
    if isinstance(side.asked, Reference):
        return []
    run = ConcreteExecution(hardware, stop_at_first=False, phases=frozenset({MEMORY.number}))
    try:
        called(side.asked, run, side.dimensions)
    except (Exception, SystemExit) as error:
        # The kernel does run on values, which decided something here.
        raise UnsupportedConstruct(f"{described(error)} in a run without values") from None
    for one in MEMORY.broken_at_end(run, hardware):
        run.note(one)
    return run.broken


def broken_text(broken: Sequence[BrokenContract]) -> str:
    """The first contract that was broken, with the numbers and the place; empty if none was."""
    if not broken:
        return ""
    first = broken[0]
    shown = ", ".join(f"{name} = {value}" for name, value in first.quantities)
    where = f" at {first.site}" if first.site is not None else ""
    return f"{first.contract.id}: {first.contract.statement} {shown}".strip() + where
