"""Running a target symbolically: its paths, its loops that need unrolling, and the claims about all of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from nkiverify.execute.runner import execute
from nkiverify.foundation.budget import ExploringBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError
from nkiverify.foundation.source import Site
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend.binding import SymbolicBinding
from nkiverify.frontend.concrete import ConcreteExecution, innermost_kernel_site
from nkiverify.frontend.explorer import SymbolicExecution, TargetRaised
from nkiverify.frontend.holders import OpaqueState
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import ModuleState, load_kernel
from nkiverify.frontend.paths import ArmNotMerged, FloatsMatter, Limits, LoopNotSummarised, LoopSearches, PathsMultiply
from nkiverify.frontend.target import Target, Verification
from nkiverify.frontend.tracebacks import kernel_entries
from nkiverify.ir.program import Block, Claim, Program
from nkiverify.ir.walk import of_kind
from nkiverify.model.hardware import Hardware
from nkiverify.phases.phase import Claimed, Phase
from nkiverify.symbolic.path_conditions import Context

if TYPE_CHECKING:
    from nkiverify.phases.witness_replay import Replay


@dataclass(slots=True)
class Exploration:
    """The result of running a target symbolically."""

    target: Target
    hardware: Hardware
    run: SymbolicExecution | ConcreteExecution
    assumptions: tuple[str, ...]
    reached: bool
    assumed_at: tuple[Site, ...]
    unrolled: dict[Site, str] = field(default_factory=dict)
    #: What phases have claimed of the program as a whole, by number.
    stated: dict[int, Claimed] = field(default_factory=dict)
    #: Of a concrete run: the arguments whose integers have a declared range, with its ends.
    ranged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    _recorded: Program | None = None

    @property
    def replay(self) -> Replay | None:
        """The replay of the run, where it was made concretely."""
        run = self.run
        if not isinstance(run, ConcreteExecution):
            return None
        # As late as this: of launches of known sizes.
        from nkiverify.frontend.observe import BreakObserver
        from nkiverify.phases.witness_replay import Replay

        limit = run.unsupported_construct
        return Replay(
            tuple(run.broken),
            run.raised,
            innermost_kernel_site(run.raised) if run.raised is not None else None,
            unsupported=limit.construct if limit is not None else "",
            observations=run.observer(BreakObserver).observations,
            tolerated=tuple(run.tolerated),
        )

    def claimed(self, phase: Phase, seconds: float = float("inf"), operations: int | None = None) -> Claimed:
        """The claims of `phase` about the program as a whole: stated in it when it is first asked for."""
        if phase.number not in self.stated:
            self.stated[phase.number] = phase.claims(self, seconds, operations)
            if isinstance(self.run, ConcreteExecution) and self._recorded is not None:
                self.run.conclude(of_kind(self._recorded.body, Claim))
                self._recorded = None
        return self.stated[phase.number]

    @property
    def program(self) -> Program:
        """The shape program; of a concrete run that of its records alone, without what it has claimed."""
        if not isinstance(self.run, ConcreteExecution):
            return self.run.program
        if self._recorded is None:
            self._recorded = Program(body=Block(list(self.run.recorded)))
        return self._recorded


@of_stage(Stage.EXPLORING)
def explore(
    target: Target,
    hardware: Hardware,
    limits: Limits,
    phases: frozenset[int] = frozenset(),
    fixed: Mapping[str, int] | None = None,
    most: int = ExploringBudget.EXPLORATIONS,
) -> Exploration:
    """Run `target` symbolically, for what `phases` ask besides; loops that carry state are found, and unrolled.

    Raises `UnsupportedConstruct` where one run does not know all that is to be unrolled, nor `most` of them.
    """
    deadline = now() + limits.seconds
    unrolled: dict[Site, str] = {}
    searched: set[Site] = set()
    follows_floats = merges = False
    split_arms: set[tuple[Site, bool]] = set()
    # What follows from the conditions of a path is the same, however often the kernel is run again.
    known = Context(left=lambda: deadline - now())
    for _ in range(most):
        left = replace(limits, seconds=max(0.0, deadline - now()))
        kernel, space = load_kernel(target.kernel, target.root, Rewriting.FULL)
        run = SymbolicExecution(hardware, left, unrolled, phases, known=known)
        run.searched, run.merges, run.split_arms = searched, merges, split_arms
        run.model.follows_floats = follows_floats
        binding = SymbolicBinding(run, target.file)
        verification = Verification(binding, kernel, fixed)
        try:
            with space.active():
                state = ModuleState(space, (run.model, kernel))
                verification.refused = state.refused
                _explore_paths(run, partial(target.function, verification), state)
        except LoopNotSummarised as signal:
            unrolled[signal.site] = signal.reason
            continue
        except LoopSearches as signal:
            searched.add(signal.site)
            continue
        except PathsMultiply:
            merges = True
            continue
        except ArmNotMerged:
            # The arm has been remembered.
            continue
        except FloatsMatter:
            follows_floats = True
            continue
        if verification.unknown:
            raise UsageError(f"{target.name} has no dimension {', '.join(sorted(verification.unknown))} to be fixed")
        assumed = (*binding.assumptions, *binding.of_every_domain)
        return Exploration(target, hardware, run, assumed, verification.called, binding.assumed_at, unrolled)
    raise UnsupportedConstruct(f"more than {most} loops that carry state")


def played(
    target: Target,
    hardware: Hardware,
    limits: Limits,
    phases: frozenset[int],
    values: Mapping[str, int],
    *,
    puts_back: bool = False,
) -> Exploration | None:
    """Run `target` with its dimensions set to `values` concretely; None where they are not in the domain, or a
    dimension has none. With `puts_back`, each iteration of a legacy loop begins with the variables of the first."""
    from nkiverify.analysis.values.known_run import KnownElements  # as late as this: it brings the simulator
    from nkiverify.frontend import launches

    def make() -> ConcreteExecution:
        return launches.launch(hardware, limits, phases, KnownElements(), puts_back=puts_back)

    ending = execute(target, values, make, Rewriting.ARITHMETIC)
    run = ending.run
    if ending.outside or ending.stopped or ending.rejected or ending.unknown:
        return None
    with suppress(UnsupportedConstruct):
        if ending.limit is not None:
            launches.stopped(run, ending.limit)
        elif isinstance(ending.raised, UsageError):
            raise ending.raised
        elif ending.raised is not None:
            if not kernel_entries(ending.raised):
                raise TargetRaised(ending.raised) from None
            launches.raised(run, ending.raised)
    launches.finish(run)
    return Exploration(target, run.hardware, run, (), ending.called, (), ranged=ending.ranged)


def _explore_paths(run: SymbolicExecution, execute: Callable[[], object], state: ModuleState) -> None:
    """Explore all paths; each begins with the model, the kernel and its modules as they are now."""
    executed = False

    def execute_anew() -> None:
        nonlocal executed
        _restore(state)
        if state.opaque is not None and executed:
            raise run.unsupported(f"running again with {state.opaque} at module level, whose state cannot be put back")
        executed = True
        execute()

    try:
        run.explore(execute_anew)
    finally:
        _restore(state)


def _restore(state: ModuleState) -> None:
    try:
        state.put_back()
    except OpaqueState as opaque:
        raise UnsupportedConstruct(f"{opaque} at module level changes while the kernel runs") from None
