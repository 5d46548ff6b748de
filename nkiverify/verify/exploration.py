"""Running a target symbolically: its paths, its loops that need unrolling, and the claims about all of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Place
from nkiverify.foundation.source import Site
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.binding import SymbolicBinding
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.holders import OpaqueState
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import KernelSpace, load_kernel
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.signals import LoopNotSummarised
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.frontend.target import Target, Verification
from nkiverify.model.execution import SHAPE_PHASES
from nkiverify.model.hardware import Hardware
from nkiverify.model.placement import MEMORY_PHASE
from nkiverify.phases.memory.claims import MemoryClaims, state_claims
from nkiverify.phases.memory.enumerated import state_placed

#: How many loops of a target may turn out to need unrolling, one exploration each.
MAX_EXPLORATIONS = 200


@dataclass(slots=True)
class Exploration:
    """What running a target symbolically gave."""

    run: SymbolicExecution
    assumptions: tuple[str, ...]
    reached: bool
    assumed_at: tuple[Place, ...]
    unrolled: dict[Site, str] = field(default_factory=dict)
    #: What phase 3 claims of the program, where it was asked for.
    memory: MemoryClaims | None = None


@of_stage(Stage.EXPLORING)
def explore(
    target: Target,
    hardware: Hardware,
    limits: Limits,
    phases: frozenset[int] = SHAPE_PHASES,
    fixed: Mapping[str, int] | None = None,
) -> Exploration:
    """Run `target` symbolically for `phases`; loops that carry state are found one by one and unrolled."""
    deadline = time.monotonic() + limits.seconds
    kernel, space = load_kernel(target.kernel, target.root, Rewriting.FULL)
    unrolled: dict[Site, str] = {}
    for _ in range(MAX_EXPLORATIONS):
        left = replace(limits, seconds=max(0.0, deadline - time.monotonic()))
        run = SymbolicExecution(hardware, left, unrolled, phases, records=not phases <= SHAPE_PHASES)
        binding = SymbolicBinding(run, target.file)
        verification = Verification(binding, kernel, fixed)
        try:
            with space.active():
                _explore_paths(run, partial(target.function, verification), space)
        except LoopNotSummarised as signal:
            unrolled[signal.site] = signal.reason
            continue
        if verification.unknown:
            raise UsageError(f"{target.name} has no dimension {', '.join(sorted(verification.unknown))} to be fixed")
        assumed = tuple(binding.assumptions)
        memory = _state_memory(target, run, hardware, assumed) if MEMORY_PHASE in phases else None
        return Exploration(run, assumed, verification.called, binding.assumed_at, unrolled, memory)
    raise UnsupportedConstruct(f"more than {MAX_EXPLORATIONS} loops that carry state")


def _state_memory(
    target: Target, run: SymbolicExecution, hardware: Hardware, assumptions: tuple[str, ...]
) -> MemoryClaims:
    """Put the claims of phase 3 about all of the kernel into the program."""
    memory = state_claims(run.program, hardware, run.no_spills)
    if memory.by_allocator and run.unsupported_construct is None:
        state_placed(target, run.program, hardware, memory, assumptions)
    return memory


def _explore_paths(run: SymbolicExecution, execute: Callable[[], object], space: KernelSpace) -> None:
    """Explore all paths; each begins with the model as it is now, and the modules of the kernel as they were when they
    had been imported."""
    state = Snapshot(None, [run.model, *(vars(module) for module in space.modules.values())])

    def execute_anew() -> None:
        _restore(state)
        if state.opaque is not None and space.executed:
            raise run.unsupported(f"running again with {state.opaque} at module level, whose state cannot be put back")
        space.executed = True
        execute()

    try:
        run.explore(execute_anew)
    finally:
        _restore(state)


def _restore(state: Snapshot) -> None:
    try:
        state.restore()
    except OpaqueState as opaque:
        raise UnsupportedConstruct(f"{opaque} at module level changes while the kernel runs") from None
