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
from nkiverify.frontend.paths import (
    ArmNotMerged,
    FloatsMatter,
    Limits,
    LoopNotSummarised,
    LoopSearches,
    PathsMultiply,
    RoundsCarry,
)
from nkiverify.frontend.target import Target, Verification
from nkiverify.frontend.tracebacks import kernel_entries
from nkiverify.ir.program import Block, Claim, Program
from nkiverify.ir.walk import carries_state, executes_the_same, of_kind
from nkiverify.model.hardware import Hardware
from nkiverify.phases.phase import Claimed, Phase
from nkiverify.symbolic.path_conditions import Context

if TYPE_CHECKING:
    from nkiverify.frontend.carried_contents import CarriedByRounds
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
    #: Executes the target again, in so many seconds, with the variables of Python put back before each iteration of a
    #: loop that is traced once; None of one that is such an execution.
    execute_traced: Callable[[float], Exploration | None] | None = None
    _traced: Exploration | None = None
    _recorded: Program | None = None

    @property
    def hands_on(self) -> bool:
        """True if an iteration of a loop whose body is traced once may leave something in Python for others."""
        run = self.run
        if isinstance(run, ConcreteExecution):
            return run.traced.several and not run.order.puts_back
        return carries_state(run.program)

    def traced(self, seconds: float) -> Exploration | None:
        """The execution in which nothing is left for others; None where it says no more than this one. It may take
        this many seconds."""
        if self._traced is None and self.execute_traced is not None:
            with suppress(UnsupportedConstruct):
                self._traced = self.execute_traced(seconds)
            self.execute_traced = None
        return self._traced

    def does_the_same_traced(self, seconds: float) -> bool:
        """True if a symbolic execution executes what it does where nothing is left for others as well."""
        traced = self.traced(seconds)
        if traced is None or traced.hands_on or traced.run.unsupported_construct is not None:
            return False
        return executes_the_same(self.run.program, traced.run.program)

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
    *,
    puts_back: bool = False,
) -> Exploration:
    """Run `target` symbolically, for what `phases` ask besides; loops that carry state are found, and unrolled. With
    `puts_back`, each iteration of a loop that is traced once begins with the variables of the first.

    Raises `UnsupportedConstruct` where one run does not know all that is to be unrolled, nor `most` of them.
    """

    def traced(seconds: float) -> Exploration | None:
        found = explore(target, hardware, replace(limits, seconds=seconds), phases, fixed, most, puts_back=True)
        # What is behind an exception that Python may not raise has not been seen.
        return None if isinstance(found.run, SymbolicExecution) and found.run.raised_within else found

    deadline = now() + limits.seconds
    unrolled: dict[Site, str] = {}
    searched: set[Site] = set()
    follows_floats = merges = False
    split_arms: set[tuple[Site, bool]] = set()
    by_rounds: dict[int, CarriedByRounds] = {}
    # What follows from the conditions of a path is the same, however often the kernel is run again.
    known = Context(left=lambda: deadline - now())
    for _ in range(most):
        left = replace(limits, seconds=max(0.0, deadline - now()))
        kernel, space = load_kernel(target.kernel, target.root, Rewriting.FULL)
        run = SymbolicExecution(hardware, left, unrolled, phases, known=known, puts_back=puts_back)
        run.searched, run.merges, run.split_arms, run.by_rounds = searched, merges, split_arms, by_rounds
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
        except (ArmNotMerged, RoundsCarry):
            # The arm has been remembered, or what rounds find.
            continue
        except FloatsMatter:
            follows_floats = True
            continue
        if verification.unknown:
            raise UsageError(f"{target.name} has no dimension {', '.join(sorted(verification.unknown))} to be fixed")
        assumed = (*binding.assumptions, *binding.of_every_domain)
        return Exploration(
            target,
            hardware,
            run,
            assumed,
            verification.called,
            binding.assumed_at,
            unrolled,
            execute_traced=None if puts_back else traced,
        )
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

    def make(*, records: bool = False) -> ConcreteExecution:
        return launches.launch(hardware, limits, phases, KnownElements(), puts_back=puts_back, records=records)

    ending = execute(target, values, make, Rewriting.ARITHMETIC)
    if ending.run.rounds_differ and not ending.run.records:
        # One round of a device loop does not stand for all: where what is executed is recorded each of them is run.
        ending = execute(target, values, partial(make, records=True), Rewriting.ARITHMETIC)
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

    def traced(seconds: float) -> Exploration | None:
        # To its end: what repeats itself here need not have done so before.
        whole = replace(limits, seconds=seconds, repeats_after=None, repeats_claims=None)
        return played(target, hardware, whole, phases, values, puts_back=True)

    return Exploration(
        target,
        run.hardware,
        run,
        (),
        ending.called,
        (),
        ranged=ending.ranged,
        execute_traced=None if puts_back else traced,
    )


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
