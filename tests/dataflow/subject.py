"""Kernels written to a file, as targets: what the proof for all shapes says, and what concrete runs show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from nkiverify.analysis.sets.flow import prove
from nkiverify.analysis.sets.proof import Proof
from nkiverify.foundation.records import Run
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.manifest import Kind, Verification
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.phases.dataflow.trial import Trial, attempt
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

CURRENT = """
import nki
import nki.isa as nisa
import nki.language as nl

"""
LEGACY = """
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa

"""


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel with a domain."""

    target: Target

    @staticmethod
    def of(
        folder: Path, body: str, domain: Callable[[Verification], None], *, legacy: bool = False, hardware: str = "trn2"
    ) -> Subject:
        """The kernel `kernel` of `body`, called as `domain` says."""
        file = folder / "subject.py"
        file.write_text((LEGACY if legacy else CURRENT) + dedent(body), encoding="utf-8")
        target = Target(
            name="subject",
            kernel="subject.py::kernel",
            family="",
            kind=Kind.UNBOUNDED,
            expect={},
            flags="",
            tags=(),
            description="",
            hardware=hardware,
            root=folder,
            module="",
            file="",
            line=0,
            function=domain,
        )
        return Subject(target)

    def verdict(self) -> Run:
        """The verdict of phase 4."""
        (run,) = verify(self.target, Options(root=self.target.root, phases=(4,)))
        return run

    def proof(self) -> Proof:
        """What is shown for all shapes."""
        hardware = hardware_named(self.target.hardware)
        exploration = explore(self.target, hardware, Limits(), SHAPE_PHASES | {4})
        assert exploration.run.unsupported_construct is None
        return prove(exploration.run.program, hardware.generation, 60)

    def trial(self, **values: int) -> Trial:
        """What one choice of dimensions shows."""
        return attempt(self.target, values, hardware_named(self.target.hardware), 60)


def faults(trial: Trial) -> set[str]:
    """The contracts that a concrete run breaks."""
    assert not trial.unusable
    return {fault.contract for fault in trial.findings.faults}


def contracts(run: Run) -> set[str]:
    """The contracts of the violations of a verdict."""
    return {violation.contract for violation in run.violations}


def rows_and_columns(v: Verification, limits: Mapping[str, int] | None = None) -> None:
    """A matrix of 1 to 300 rows and 1 to 64 columns."""
    from nkiverify.model.dtypes import float32

    high = {"R": 300, "C": 64, **(limits or {})}
    v.call(v.tensor("x", (v.dim("R", 1, high["R"]), v.dim("C", 1, high["C"])), float32))
