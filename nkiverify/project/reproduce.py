"""Running a target on recorded values so that the broken contract raises where it breaks: for a debugger, and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from nkiverify.analysis.marks.shadow import execute
from nkiverify.execute.runner import Source, start
from nkiverify.foundation.errors import ContractViolation, UsageError
from nkiverify.foundation.source import Site
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.target import OutsideDomain, Target, Verification
from nkiverify.ir.contract import Contract
from nkiverify.model.hardware import hardware_named
from nkiverify.model.placement import SUFFICIENT
from nkiverify.phases import DATAFLOW, NUMERICS, PHASES
from nkiverify.phases.dataflow.trial import FaultsKnown, by_position
from nkiverify.project.manifest import load_targets
from nkiverify.verify.options import DEFAULT_HARDWARE


class _StoppingExecution(FaultsKnown):
    """Raises where one contract breaks at one line; other broken contracts do not stop it."""

    def __init__(self, hardware: str, contract: str, file: str, line: int, phase: int) -> None:
        super().__init__(hardware_named(hardware), False, phases=frozenset({phase}))
        self._hardware_name = hardware
        #: The contract, and where it is to break.
        self.stop = (contract, file, line)
        #: The phase of the contract.
        self.phase = phase

    def again(self) -> _StoppingExecution:
        """The same run, from the start."""
        return _StoppingExecution(self._hardware_name, *self.stop, self.phase)

    def violated(self, rule: Contract, site: Site | None, quantities: Mapping[str, object]) -> None:
        """Raise `ContractViolation` if this is what the run is to stop at."""
        super().violated(rule, site, quantities)
        place = (site.file, site.line) if site is not None else ("", 0)
        if (rule.id, *place) == self.stop or (rule.id in SUFFICIENT and rule.id == self.stop[0]):
            shown = ", ".join(f"{name} = {value}" for name, value in quantities.items())
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
    try:
        _run(
            found.kernel,
            found.root,
            found.function,
            values,
            _StoppingExecution(hardware or found.hardware, contract, _full(found.root, file), line, phase),
        )
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
    run = _StoppingExecution(hardware, contract, _full(root, file), line, phase)
    _run(kernel, root, call, {}, run)


def _run(
    reference: str, root: Path, call: Callable[[Verification], None], values: Mapping[str, int], run: _StoppingExecution
) -> None:
    if run.phase == DATAFLOW.number and not run.faults:
        # What is wrong shows at the end of a run: a second one stops where it happens.
        first = run.again()
        _execute(reference, root, call, values, first)
        run.faults = by_position(execute(first.recorded, run.hardware.generation).faults)
    if run.phase == NUMERICS.number:
        from nkiverify.phases.numerics.search import again  # as late as this: it brings the simulator

        again(Source(reference, root), call, values, run.hardware, run.stop)
        return
    _execute(reference, root, call, values, run)


def _execute(
    reference: str, root: Path, call: Callable[[Verification], None], values: Mapping[str, int], run: _StoppingExecution
) -> None:
    phase = PHASES[run.phase]
    rewriting = Rewriting.ARITHMETIC if phase.checks_arithmetic else Rewriting.NONE

    def whole(v: Verification) -> None:
        call(v)
        for one in phase.broken_at_end(run, run.hardware):
            run.violated(one.contract, one.site, dict(one.quantities))

    start(Source(reference, root, rewriting), values, run, whole, Verification)


def _full(root: Path, file: str) -> str:
    return str((root / file).resolve()) if file else ""


def target_named(name: str, root: Path | None) -> Target:
    """The target of this name under `root`. Raises `UsageError` where there is none."""
    for target in load_targets(root):
        if target.name == name:
            return target
    raise UsageError(f"there is no target {name}")
