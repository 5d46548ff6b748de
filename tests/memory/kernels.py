"""Kernels of the tests of phase 3, and what is found out about them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.manifest import Verification
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.model.memory import MemoryRegion
from nkiverify.phases import MEMORY
from nkiverify.phases.memory.claims import REGIONS, MemoryClaims
from nkiverify.phases.memory.concrete_memory import peak
from nkiverify.phases.memory.peaks import largest
from nkiverify.symbolic.atoms import Atom
from nkiverify.symbolic.execution import running
from nkiverify.verify.exploration import explore
from tests.soundness.trap import make_target

PHASES = SHAPE_PHASES | {MEMORY.number}

HEADER = """\
import nki.isa as nisa
import nki.language as nl


def tile(columns, partitions=128, memory=nl.sbuf, address=None):
    return nl.ndarray((partitions, columns), nl.float32, memory, address=address)


def tile16():
    return nl.ndarray((128, 64), nl.bfloat16, nl.sbuf)


"""

LEGACY_HEADER = """\
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


"""


def target_of(
    source: str, function: Callable[[Verification], None], folder: Path, *, legacy: bool = False, flags: str = ""
) -> Target:
    """A target for the `kernel` of `source`, written into `folder`."""
    text = (LEGACY_HEADER if legacy else HEADER) + textwrap.dedent(source)
    (folder / "kernel.py").write_text(text, encoding="utf-8")
    return replace(make_target(function, folder, flags=flags), expect={})


def explored(target: Target) -> tuple[Program, MemoryClaims]:
    """The shape program with the claims of phase 3."""
    exploration = explore(target, hardware_named(target.hardware), Limits(), PHASES)
    assert exploration.run.unsupported_construct is None, exploration.run.unsupported_construct
    claimed = exploration.claimed(MEMORY)
    assert isinstance(claimed, MemoryClaims)
    return exploration.run.program, claimed


def symbolic_peak(program: Program, memory: MemoryClaims, region: MemoryRegion, values: dict[str, int]) -> int:
    """The most that the claims say is live, for some values of the dimensions."""
    given: dict[Atom, int] = {dimension.atom: values[dimension.atom.name] for dimension in program.dimensions}
    return largest([need for need in memory.needs if need.region is region], given)


def concrete_peak(target: Target, region: MemoryRegion, values: dict[str, int]) -> int:
    """The most that is live in the concrete run on these values."""
    kernel, space = load_kernel(target.kernel, target.root)
    run = ConcreteExecution(hardware_named(target.hardware), stop_at_first=False, phases=PHASES)
    with space.active(), running(run):
        target.function(Verification(ConcreteBinding(values), kernel))
    return peak(run.recorded, region)


def peaks(target: Target, values: dict[str, int]) -> list[tuple[int, int]]:
    """The symbolic and the concrete peak of SBUF, and of PSUM."""
    program, memory = explored(target)
    return [
        (symbolic_peak(program, memory, region, values), concrete_peak(target, region, values)) for region in REGIONS
    ]
