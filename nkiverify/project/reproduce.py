"""Running a target on recorded values so that the broken contract raises where it breaks: for a debugger, and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from nkiverify.analysis.marks.shadow import execute
from nkiverify.execute.runner import Source, start
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation, UsageError
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, Observer
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.model.hardware import Hardware, hardware_named
from nkiverify.model.placement import SUFFICIENT
from nkiverify.phases import DATAFLOW, PHASES
from nkiverify.phases.dataflow.trial import KnownFaults
from nkiverify.project.manifest_targets import load_targets
from nkiverify.verify.options import DEFAULT_HARDWARE
from nkiverify.verify.plugged import product_of


@dataclass(frozen=True, slots=True)
class _Stop(Observer):
    """The end of a run where one contract breaks at one line; other broken contracts do not stop it."""

    contract: str
    file: str
    line: int
    phase: int

    def broken(self, run: ConcreteExecution, found: BrokenContract) -> None:
        """Raise `ContractViolation` if this is what the run is to stop at."""
        rule, site = found.contract, found.site
        place = (site.file, site.line) if site is not None else ("", 0)
        at_place = place == (self.file, self.line) or rule.id in SUFFICIENT
        if rule.id == self.contract and at_place:
            shown = ", ".join(f"{name} = {value}" for name, value in found.quantities)
            raise ContractViolation(rule.id, f"{rule.statement} {shown}".strip(), site)


def run_target(
    target: Target | str,
    values: Mapping[str, int],
    *,
    contract: str,
    file: str = "",
    line: int = 0,
    phase: int = 1,
    root: Path | None = None,
    hardware: str | None = None,
) -> None:
    """Run a target, or the one of this name under `root`, with its dimensions set to `values`.

    Raises `ContractViolation` where `contract` breaks at `file`:`line` (relative to the root; empty for the output
    contract), and what the kernel raises itself. Returns where the kernel keeps the contract there. `UsageError` where
    there is no such target, or the values are none of its domain.
    """
    found = target_named(target, root) if isinstance(target, str) else target
    stop = _Stop(contract, _full(found.root, file), line, phase)
    try:
        _run(Source(found.kernel, found.root), found.function, values, stop, hardware or found.hardware)
    except OutsideDomain as outside:
        raise UsageError(f"target {found.name}: the recorded values are outside its domain: {outside}") from None


def run_call(
    kernel: str,
    call: Callable[[Verification], None],
    *,
    root: Path,
    contract: str,
    file: str = "",
    line: int = 0,
    phase: int = 1,
    hardware: str = DEFAULT_HARDWARE,
) -> None:
    """Let `call` do with `kernel`, `path/to/file.py::function` in the folder `root`, what a target would do.

    Raises as `run_target` does.
    """
    _run(Source(kernel, root), call, {}, _Stop(contract, _full(root, file), line, phase), hardware)


def _run(
    source: Source, call: Callable[[Verification], None], values: Mapping[str, int], stop: _Stop, hardware: str
) -> None:
    model = hardware_named(hardware)
    if PHASES[stop.phase].decided_by:
        product_of(PHASES[stop.phase]).again(source, call, values, model, (stop.contract, stop.file, stop.line))
        return
    observers: tuple[Observer, ...] = (stop,)
    if stop.phase == DATAFLOW.number:
        # What is wrong shows at the end of a run: a second one stops where it happens.
        first = _execute(source, call, values, stop.phase, model, observers)
        observers = (stop, KnownFaults(execute(first.recorded, model.generation).faults))
    _execute(source, call, values, stop.phase, model, observers)


def _execute(
    source: Source,
    call: Callable[[Verification], None],
    values: Mapping[str, int],
    number: int,
    hardware: Hardware,
    observers: Sequence[Observer],
) -> ConcreteExecution:
    """The execution of a call for the phase of this number, come to its end."""
    phase = PHASES[number]
    run = ConcreteExecution(hardware, False, phases=frozenset({number}), observers=observers)
    rewriting = Rewriting.ARITHMETIC if phase.checks_arithmetic else Rewriting.NONE

    def whole(v: Verification) -> None:
        call(v)
        for one in phase.broken_at_end(run, run.hardware):
            run.violated(one.contract, one.site, dict(one.quantities))

    start(replace(source, rewriting=rewriting), values, run, whole, Verification)
    return run


def _full(root: Path, file: str) -> str:
    return str((root / file).resolve()) if file else ""


def target_named(name: str, root: Path | None) -> Target:
    """The target of this name under `root`. Raises `UsageError` where there is none."""
    for target in load_targets(root):
        if target.name == name:
            return target
    raise UsageError(f"there is no target {name}")
