"""Comparing verdicts of phases 3 and 4 with concrete runs: placed memory, the shadow memory, and the simulator.

The shadow memory of phase 4 is itself compared with the simulator, which keeps track of undefined elements while it
computes values, by code of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.oracle import Complaint, Defect, Trial
from lab.recordings import compared
from lab.subject import Bench, Subject
from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct
from nkiverify.foundation.records import BOUNDED, Run, Verdict, bounds_of
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.model.returned import tensors_in
from nkiverify.model.tensor import Tensor
from nkiverify.phases import MEMORY
from nkiverify.phases.dataflow.trial import attempt
from nkiverify.products.simulate.simulator import undefined_elements
from nkiverify.symbolic.execution import running
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

PHASES = (3, 4)
#: What the simulator sees of phase 4.
_UNDEFINED = {"df.read_unwritten", "df.output_written", "acc.reduce_needs_init"}
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Shape:
    """The result of one concrete run: the contracts of each phase it breaks, and what the simulator says of its result.

    `followed`: the shadow memory could follow all of it. `undefined` is None where the simulator cannot run it.
    """

    values: dict[str, int]
    memory: frozenset[str]
    dataflow: frozenset[str]
    followed: bool
    undefined: bool | None


def try_moving(subject: Subject, bench: Bench, seconds: float = 5.0) -> Trial:
    """The verdicts of phases 3 and 4 on `subject`, compared with concrete runs of the shapes tried."""
    with bench.target(subject) as target:
        shapes = [shape for values in subject.assignments() if (shape := _shape(target, values)) is not None]
        if not shapes:
            return Trial((), (0, 0), 0, (), "no shape can be run")
        options = Options(root=target.root, phases=PHASES, timeout=seconds, unhurried=True)
        runs = verify(replace(target, expect={}), options)
        complaints = [complaint for shape in shapes for complaint in _apart(shape)]
        for run in runs:
            complaints += _complaints(run, shapes, target)
        complaints += compared(target, [shapes[0].values, shapes[-1].values], seconds)
    failing = (sum(bool(shape.memory) for shape in shapes), sum(bool(shape.dataflow) for shape in shapes))
    return Trial(tuple(runs), failing, len(shapes), tuple(complaints))


def _shape(target: Target, values: dict[str, int]) -> Shape | None:
    """The result of a run; None where it is not in the domain or breaks a contract of phase 1."""
    hardware = hardware_named(target.hardware)
    trial = attempt(target, values, hardware, _SECONDS)
    if trial.outside or trial.unusable:
        return None
    faults = frozenset(fault.contract for fault in trial.findings.faults)
    return Shape(values, _memory(target, values), faults, not trial.findings.doubts, _simulated(target, values))


def _memory(target: Target, values: Mapping[str, int]) -> frozenset[str]:
    """The contracts of phase 3 that a run breaks."""
    hardware = hardware_named(target.hardware)
    played = MEMORY.confirm(target, values, hardware, seconds=_SECONDS)
    return frozenset(one.contract.id for one in played.broken if one.contract.phase == MEMORY.number)


def _simulated(target: Target, values: Mapping[str, int]) -> bool | None:
    """True if the simulator says that elements of the result are undefined; None where it cannot run the kernel."""
    found = undefined_in_simulator(target, values)
    return None if found is None else any(part.any() for part in found)


def undefined_in_simulator(target: Target, values: Mapping[str, int]) -> list[npt.NDArray[np.bool_]] | None:
    """The elements of each tensor returned that the simulator calls undefined; None where it cannot run the kernel."""
    kernel, space = load_kernel(target.kernel, target.root, Rewriting.NONE)
    elements = ComputedElements(Floats())
    results: list[object] = []
    try:
        with space.active(), running(elements.execution(hardware_named(target.hardware))):
            target.function(Verification(ConcreteBinding(values), _Filled(kernel, elements, results)))
            tensors = [tensor for result in results for tensor in tensors_in(result)]
    except (UnsupportedConstruct, ContractViolation, OutsideDomain):
        return None
    return [undefined_elements(elements, tensor) for tensor in tensors]


@dataclass(frozen=True, slots=True)
class _Filled:
    """A kernel whose arguments are filled with random numbers when it is called; what it returns is kept."""

    kernel: Any
    elements: ComputedElements
    results: list[object]

    def __getitem__(self, grid: object) -> _Filled:
        return replace(self, kernel=self.kernel[grid])

    def __call__(self, *arguments: object) -> object:
        filling = np.random.default_rng(1)
        for value in arguments:
            if isinstance(value, Tensor):
                numbers = self.elements.numbers
                cells = Cells(numbers, int(value.size), value.dtype, written=True)
                random = filling.uniform(-1, 1, (numbers.lanes, int(value.size))).astype(np.float32)
                numbers.flat(cells.buffer, value.dtype, value.dtype)[...] = random
                self.elements.arguments[value.storage.identity] = cells
        self.results.append(self.kernel(*arguments))
        return self.results[-1]


def _apart(shape: Shape) -> list[Complaint]:
    """Where the shadow memory and the simulator say different things of one run."""
    if shape.undefined is None or not shape.followed or shape.dataflow - _UNDEFINED:
        return []
    if shape.undefined and not shape.dataflow:
        return [Complaint(Defect.UNDEFINED_UNSEEN, 4, f"{shape.values}: undefined elements in the simulator only")]
    if shape.dataflow and not shape.undefined:
        found = ", ".join(sorted(shape.dataflow))
        return [Complaint(Defect.UNDEFINED_INVENTED, 4, f"{shape.values}: {found}, and nothing in the simulator")]
    return []


def _complaints(run: Run, shapes: list[Shape], target: Target) -> list[Complaint]:
    if run.verdict is Verdict.ERROR:
        return [Complaint(Defect.CRASH, run.phase, f"{run.reason}\n{run.traceback}".strip())]
    failing = [shape for shape in shapes if (shape.memory if run.phase == MEMORY.number else shape.dataflow)]
    if run.verdict is Verdict.FAILED:
        if run.qualifier:
            return [Complaint(Defect.NOT_REPLAYED, run.phase, "; ".join(v.message for v in run.violations))]
        confirmed = [violation for violation in run.violations if violation.replayed]
        return [found for violation in confirmed for found in _passes(violation.witness, run.phase, target)]
    bounds = bounds_of(run.qualifier)
    if run.qualifier.startswith(BOUNDED) and not bounds:
        # As many rounds of a loop as that are not counted here.
        return []
    failing = [one for one in failing if all(one.values[name] <= most for name, most in bounds.items())]
    if not failing or run.verdict is Verdict.UNKNOWN:
        return []
    defect = Defect.VACUOUS if run.verdict is Verdict.VACUOUS else Defect.UNSOUND
    return [Complaint(defect, run.phase, f"{failing[0]} fails, of {len(failing)}")]


def _passes(witness: Mapping[str, object], phase: int, target: Target) -> list[Complaint]:
    values = {name: int(value) for name, value in witness.items()}  # type: ignore[call-overload]
    if phase == MEMORY.number:
        broken = bool(_memory(target, values))
    else:
        broken = (shape := _shape(target, values)) is not None and bool(shape.dataflow)
    return [] if broken else [Complaint(Defect.WITNESS_PASSES, phase, f"{values}")]
