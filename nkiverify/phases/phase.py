"""A phase: a family of contracts, what states those about a whole kernel as claims, and what confirms a refutation.

Light: what a phase needs to do its work is loaded when it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from nkiverify.foundation.dataclass import dataclass

if TYPE_CHECKING:
    from nkiverify.foundation.records import MemoryPeak
    from nkiverify.foundation.source import Site
    from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution
    from nkiverify.frontend.explorer import SymbolicExecution
    from nkiverify.frontend.target import Target
    from nkiverify.ir.contract import Contract
    from nkiverify.ir.program import Item, Program, SetProof
    from nkiverify.model.hardware import Hardware
    from nkiverify.model.policy import AppliedPolicy
    from nkiverify.phases.witness_replay import Replay
    from nkiverify.symbolic.conditions import Condition

#: The rules of the warnings of phase 4, by id, apart from what finds them out: they are said without loading it.
RULES = {
    "df.unused": "Nothing that reaches an output uses what this line writes.",
    "df.overwritten": "All that this line writes is overwritten before anything reads it.",
    "df.programs_same": "Every program of the launch stores the same values to the same elements: one would do.",
    "df.programs_differ": "The cores of a launch execute the same lines in the same order; other control flow may "
    "deadlock or corrupt.",
    "df.sum_rounded": "A sum of several products is kept in a PSUM tile of 16-bit floats: it is rounded after each of "
    "them.",
    "df.input_unread": "A part of an input is never read at this size.",
    "df.unwritten_unused": "This line reads an element that nothing has written; no output depends on it.",
}


class Explored(Protocol):
    """A target that has been run for a phase: symbolically, or concretely where its sizes are numbers."""

    @property
    def target(self) -> Target:
        """The kernel that was run."""

    @property
    def hardware(self) -> Hardware:
        """The generation it was run for."""

    @property
    def run(self) -> SymbolicExecution | ConcreteExecution:
        """The run, with the program it recorded."""

    @property
    def program(self) -> Program:
        """The records of the run, operations and allocations among them: claims are stated in it."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions about the dimensions, as text."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A claim of a phase to be stated before the `item` that it is about; None: before anything else."""

    item: Item | None
    rule: Contract
    condition: Condition | bool
    site: Site | None
    quantities: tuple[tuple[str, object], ...] = ()
    by_sets: SetProof | None = None
    #: Whether the condition is enough for the rule, and may be more than it asks for.
    sufficient: bool = False


def state(program: Program, policy: AppliedPolicy, statements: Iterable[Statement]) -> None:
    """Put claims into a program, which is symbolic or has the records of a concrete execution."""
    from nkiverify.ir.program import Claim
    from nkiverify.ir.walk import insert, last_number

    about: dict[Item | None, list[Claim]] = {}
    for number, one in enumerate(statements, last_number(program) + 1):
        # Who takes no notice of `by_sets` errs on the safe side.
        severity = policy.severity(one.rule, one.site)
        claim = Claim(
            number,
            one.rule,
            one.condition,
            one.rule.phase,
            one.site,
            "",
            one.quantities,
            sufficient=one.sufficient,
            by_sets=one.by_sets,
            severity=severity,
        )
        about.setdefault(one.item, []).append(claim)
    first = about.pop(None, ())
    if about:
        insert(program.body, about)
    program.state_first(first)


@dataclass(slots=True, eq=False)
class _Ended:
    """A concrete execution at its end, as phases see it: its program has numbers in place of terms, and no loops."""

    run: ConcreteExecution
    hardware: Hardware
    program: Program
    assumptions: tuple[str, ...] = ()

    @property
    def target(self) -> Target:
        """No claim needs it."""
        raise NotImplementedError


@dataclass(slots=True, eq=False)
class Claimed:
    """The claims of a phase about a program as a whole. `gap` says what could not be claimed, if anything."""

    gap: str = ""


@dataclass(frozen=True, slots=True)
class UnusableRun:
    """The reason that nothing follows from a concrete execution, and the phase whose contract it breaks, 0 for none:
    that phase reports it."""

    reason: str
    phase: int = 0

    def __str__(self) -> str:
        return f"{self.reason} (phase {self.phase})" if self.phase else self.reason


@dataclass(frozen=True, slots=True)
class Phase:
    """The base of the phases, and all there is to one whose claims the stubs state while the kernel runs."""

    #: Its id, in contracts and results.
    number: int
    name: str
    #: Whether host arithmetic beyond 32 bits breaks a contract, in a concrete run for this phase.
    checks_arithmetic: bool = False
    #: Whether its claims are about integers, so that engines can be asked; else about sets of elements, or numbers.
    for_engines: bool = True
    #: Whether a target runs in it that expects no verdicts, unless the user names phases.
    by_default: bool = True
    #: The module of `nkiverify.products` that decides it, where it is plugged in and not part of the core.
    decided_by: str = ""

    def claims(self, kernel: Explored, seconds: float, operations: int | None = None) -> Claimed:
        """State what the contracts of the phase ask of the kernel as a whole, as claims in its program.

        That may take this many `seconds`, and where sets are computed this many `operations` on them.
        """
        return Claimed()

    def peaks(self, claimed: Claimed, program: Program) -> tuple[MemoryPeak, ...]:
        """The peak of each memory, where the phase is about memory."""
        return ()

    def broken_at_end(self, run: ConcreteExecution, hardware: Hardware) -> list[BrokenContract]:
        """Those of these contracts that a concrete run has broken, seen from its end: the claims about its records
        that do not hold."""
        if not run.records:
            return []
        from nkiverify.frontend.concrete import BrokenContract
        from nkiverify.ir.program import Block, Claim, Program
        from nkiverify.ir.walk import of_kind

        program = Program(body=Block(list(run.recorded)))
        self.claims(_Ended(run, hardware, program), float("inf"))
        return [
            BrokenContract(one.contract, one.site, one.quantities)
            for one in of_kind(program.body, Claim)
            if one.condition is False and one.by_sets is None and not (one.sufficient or one.open)
        ]

    def confirm(
        self,
        target: Target,
        values: Mapping[str, int],
        hardware: Hardware,
        *,
        seconds: float = 20.0,
        contracts: float = float("inf"),
        awaited: Sequence[tuple[str, Site | None]] = (),
        decisive: tuple[str, Site | None] | None = None,
        first: int = 0,
        starts: Mapping[Site, Sequence[int]] | None = None,
    ) -> Replay:
        """Run `target` concretely on `values`, and see what it breaks: for at most this many `contracts` that are
        looked at, and `seconds` of this process. The program of a launch with the number `first`
        is run before the others. `for` statements begin at the iterations that `starts` says.

        The run ends early where all contracts in `awaited` are broken, or a moment after `decisive`, one of them, is.
        """
        from nkiverify.phases.witness_replay import replay

        return replay(
            target,
            values,
            hardware,
            checked=self.checks_arithmetic,
            awaited=awaited,
            decisive=decisive,
            seconds=seconds,
            contracts=contracts,
            phases=frozenset({self.number}),
            at_end=self.broken_at_end,
            first=first,
            starts=starts,
        )


def by_number(phases: Iterable[Phase]) -> dict[int, Phase]:
    """The phases by their numbers."""
    return {phase.number: phase for phase in phases}
