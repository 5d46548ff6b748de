"""Running the shapes of a target concretely: all of them, or a spread of them where there are too many."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from nkiverify.analysis.ranges import range_run as ranges
from nkiverify.foundation.errors import ContractViolation
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import KernelSpace, load_kernel
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.stated import rule_of
from nkiverify.frontend.target import OutsideDomain, Target
from nkiverify.ir.program import DomainDimension
from nkiverify.manifest import Verification
from nkiverify.model.contracts import contract
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import DATAFLOW, MEMORY, NUMERICS, PHASES
from nkiverify.phases.dataflow.trial import attempt
from nkiverify.products.numerics.numeric_trial import on_inputs
from nkiverify.products.numerics.search import inputs
from nkiverify.symbolic.execution import running
from nkiverify.verify.exploration import explore

#: Domains of more shapes than this are sampled in the suite; `--all-shapes` runs every one.
MOST_SHAPES = 1000

#: How many shapes of a larger domain the suite runs, beside those at the corners.
SAMPLED = 50


@dataclass(frozen=True, slots=True)
class Shapes:
    """The choices of values for the dimensions of a target. `complete`: all that the ranges allow."""

    choices: tuple[dict[str, int], ...]
    complete: bool


def shapes_of(target: Target, everything: bool) -> Shapes | None:
    """The shapes to run; None where a dimension has no upper bound."""
    dimensions = explore(target, hardware_named(target.hardware), Limits()).run.program.dimensions
    if any(dimension.high is None for dimension in dimensions):
        return None
    ranges = {dimension.atom.name: _values(dimension) for dimension in dimensions}
    if everything or math.prod(len(values) for values in ranges.values()) <= MOST_SHAPES:
        return Shapes(tuple(_combinations(ranges)), complete=True)
    corners = {name: sorted({*values[:2], values[-1]}) for name, values in ranges.items()}
    source = random.Random(target.name)
    sampled = [{name: source.choice(values) for name, values in ranges.items()} for _ in range(SAMPLED)]
    return Shapes((*_combinations(corners), *sampled), complete=False)


def _values(dimension: DomainDimension) -> range:
    assert dimension.high is not None
    step = dimension.multiple_of
    return range(-(-dimension.low // step) * step, dimension.high + 1, step)


def _combinations(ranges: dict[str, range] | dict[str, list[int]]) -> Iterator[dict[str, int]]:
    for values in itertools.product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


class Runner:
    """Concrete runs of one target: what `replay` does, but that the kernel is loaded once. Each is made once, for all
    phases that can share it."""

    def __init__(self, target: Target, contracts: float = float("inf")) -> None:
        self._target = target
        self._contracts = contracts
        self._hardware = hardware_named(target.hardware)
        self._loaded: dict[Rewriting, tuple[Callable[..., Any], KernelSpace]] = {}
        #: The contracts that runs break: those that stop at the first one, and those that do not.
        self._broken_on: dict[tuple[Rewriting, tuple[int, ...], bool], list[str]] = {}
        self._failing: dict[tuple[int, tuple[int, ...]], bool] = {}

    def fails(self, phase: int, values: dict[str, int]) -> bool:
        """True if the run on these values breaks a contract of the phase; False where they are no legal input."""
        key = (phase, tuple(values.values()))
        if key not in self._failing:
            self._failing[key] = self._fails(phase, values)
        return self._failing[key]

    def _fails(self, phase: int, values: dict[str, int]) -> bool:
        if phase == DATAFLOW.number:
            return bool(attempt(self._target, values, self._hardware, 60).findings.faults)
        if phase == NUMERICS.number:
            runs = (
                on_inputs(self._target, values, self._hardware, ranges.RangeLimits(60.0, 1 << 40), one.fill)
                for one in inputs(mixed=0)
            )
            return any(seen.findings for seen in runs)
        rewriting = Rewriting.ARITHMETIC if PHASES[phase].checks_arithmetic else Rewriting.NONE
        # Where the first one is of another phase, there may be one of this phase behind it.
        first = self._phases_broken(rewriting, values, True)
        return phase in first or (bool(first) and phase in self._phases_broken(rewriting, values, False))

    def _phases_broken(self, rewriting: Rewriting, values: dict[str, int], stop: bool) -> set[int]:
        key = (rewriting, tuple(values.values()), stop)
        if key not in self._broken_on:
            self._broken_on[key] = self._broken(rewriting, values, stop)
        # Division by zero and integers beyond 32 bits are claims of phase 2.
        return {2 if rule.startswith("host.") else contract(rule).phase for rule in self._broken_on[key]}

    def _broken(self, rewriting: Rewriting, values: dict[str, int], stop: bool) -> list[str]:
        """The contracts of phases 1 to 3 that the run breaks, or with `stop` the first one; none where the values are
        no legal input.

        Raises `UnsupportedConstruct` where it looks at more contracts than it may."""
        if rewriting not in self._loaded:
            self._loaded[rewriting] = load_kernel(self._target.kernel, self._target.root, rewriting)
        kernel, space = self._loaded[rewriting]
        phases = SHAPE_PHASES | {MEMORY.number}
        run = ConcreteExecution(self._hardware, stop_at_first=stop, phases=phases, contracts=self._contracts)
        error: Exception | None = None
        try:
            with space.active(), running(run):
                self._target.function(Verification(ConcreteBinding(values), kernel))
        except OutsideDomain:
            return []
        except ContractViolation:
            return [found.contract.id for found in run.broken]
        except Exception as raised:
            error = raised
        broken = [found.contract.id for found in run.broken]
        broken += [found.contract.id for found in MEMORY.broken_at_end(run, self._hardware)]
        return broken if error is None else [*broken, rule_of(error).id]
