"""Running two kernels on the same inputs, in any kind of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from nkiverify.analysis.values.asked_kernel import (
    Asked,
    Execution,
    Filling,
    argument_range,
    called,
    execute,
    random_array,
)
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.formats import Array
from nkiverify.analysis.values.run import ValueExecution
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct, UsageError, described
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, innermost_kernel_site
from nkiverify.frontend.target import OutsideDomain
from nkiverify.frontend.tracebacks import in_simulator
from nkiverify.model.hardware import Hardware
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Tensor
from nkiverify.phases import MEMORY
from nkiverify.verify.references import Reference

#: Between what random floats are.
_UNIT = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two kernels, with the dimensions it is run on; the second one may be a reference."""

    label: str
    asked: Asked | Reference
    dimensions: Mapping[str, int]
    #: Between what the random floats of an argument are, where that is not -1 and 1.
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Illegal(Exception):
    """A kernel that does not run to its end, and why."""

    side: Side
    text: str


class PairedRuns:
    """Both kernels, run as often as it is asked for; `seed` chooses the inputs."""

    def __init__(self, first: Side, second: Side, hardware: Hardware, seed: int, stop_at_first: bool) -> None:
        """With `stop_at_first` a contract that is broken ends a run."""
        self.sides = (first, second)
        self._ranges = {**second.ranges, **first.ranges}
        #: That the second side is a reference, which knows of no dtypes and no contracts.
        self.reference = isinstance(second.asked, Reference)
        self.seed = seed
        self._hardware = hardware
        self._stop_at_first = stop_at_first

    def run(
        self, numbers: Callable[[], Numbers], filling: Callable[[Numbers], Filling], watch: bool = False
    ) -> tuple[Execution, Execution]:
        shared = numbers()
        executions: list[Execution] = []
        for side in self.sides:
            # A broken contract is no reason not to ask the other questions, as far as the kernel goes on.
            run = ValueExecution(self._hardware, shared, stop_at_first=self._stop_at_first)
            if watch:
                run.keep_history()
            executions.append(guarded(side, run, partial(_executed, run, side, executions, filling(shared))))
        return executions[0], executions[1]

    def _generators(self) -> Callable[[Tensor], np.random.Generator]:
        """One generator for the i-th tensor argument of either kernel."""
        position = 0

        def next_generator(tensor: Tensor) -> np.random.Generator:
            nonlocal position
            position += 1
            return np.random.default_rng((self.seed, position))

        return next_generator

    def random_floats(self, numbers: Numbers) -> Filling:
        integers = self._integers(numbers)
        generator = self._generators()

        def fill(name: str, tensor: Tensor) -> Array:
            random, known = generator(tensor), integers(tensor)
            shape = tuple(map(int, tensor.shape))
            if known is not None:
                return known
            return numbers.entered(
                random_array(random, shape, tensor.dtype, *self._ranges.get(name, _UNIT)), tensor.dtype
            )

        return fill

    def random_residues(self, numbers: Numbers) -> Filling:
        assert isinstance(numbers, Fields)
        integers = self._integers(numbers)
        generator = self._generators()

        def fill(name: str, tensor: Tensor) -> Array:
            random, known = generator(tensor), integers(tensor)
            shape = tuple(map(int, tensor.shape))
            return numbers.random_elements(random, shape, tensor.dtype) if known is None else known

        return fill

    def variables(self, numbers: Numbers) -> Filling:
        assert isinstance(numbers, Degrees)
        known = self._integers(numbers)

        def fill(name: str, tensor: Tensor) -> Array:
            found = known(tensor)
            return numbers.variables(tuple(map(int, tensor.shape))) if found is None else found

        return fill

    def _integers(self, numbers: Numbers) -> Callable[[Tensor], Array | None]:
        """For arguments that were given a range: the same integers in every kind of numbers."""
        generator = self._generators()

        def integers(tensor: Tensor) -> Array | None:
            random, given = generator(tensor), argument_range(tensor)
            if given is None:
                return None
            shape = tuple(map(int, tensor.shape))
            return numbers.entered(random.integers(given[0], given[1] + 1, shape), tensor.dtype)

        return integers


def _executed(
    run: ValueExecution, side: Side, before: Sequence[Execution], fill: Filling, asked: Asked | Reference
) -> Execution:
    if isinstance(asked, Reference):
        return asked.execute(run, before[0], fill)
    return execute(asked, run, side.dimensions, fill)


def guarded(side: Side, run: ValueExecution, executed: Callable[[Asked | Reference], Execution]) -> Execution:
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
        raise UnsupportedConstruct(f"running {side.label} on numbers at these shapes: {error}") from None
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
        raise UnsupportedConstruct(f"{type(error).__name__} in a run without values: {error}") from None
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
