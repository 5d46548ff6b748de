"""The question that phase 4 decides about a kernel, and what a search for faults in its domain has found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Program
from nkiverify.model.hardware import Hardware
from nkiverify.phases.dataflow.claims import DataflowClaims
from nkiverify.phases.phase import Phase
from nkiverify.verify.evidence import Evidence
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.verdicts import advice_on, up_to_rounds, within_rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nkiverify.engines.embedded import Decision

    # A proof needs no concrete run.
    from nkiverify.phases.dataflow.trial import Trial
    from nkiverify.verify.domain_parts import DomainPart


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit that ended the exploration of the kernel early, and what can be done about it."""

    construct: str
    advice: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class DataflowQuestion:
    """The question to be decided. `bounded` is the verdict if all is shown, where loops were unrolled and that may not
    have been enough."""

    target: Target
    program: Program
    hardware: Hardware
    #: What is claimed of the program, and shown for all shapes.
    claimed: DataflowClaims
    assumptions: tuple[str, ...]
    reached: bool
    limit: Limit | None
    bounded: Evidence | None
    seconds: float
    #: Whether what an iteration of a loop that is traced once leaves in Python may make a difference to others.
    hands_on: Callable[[], bool]
    #: The run of a launch whose sizes are all numbers, where it was made concretely.
    trial: Trial | None = None
    #: The share of the usual work that a search for faults may take.
    effort: float = 1.0
    #: Where it is `bounded`, shapes just past the bound, and conditions that keep shapes within.
    bases: tuple[Mapping[str, int], ...] = ()
    within: tuple[str, ...] = ()

    @property
    def shown_within(self) -> bool:
        """True if the proof shows all there is as far as loops were unrolled, which may not be far enough."""
        shown = self.limit is None and self.claimed.ended is None and not self.claimed.proof.open
        return self.bounded is not None and self.trial is None and shown

    @property
    def provable(self) -> bool:
        """True if the program is all runs of the kernel."""
        return self.limit is None and not self.bounded


def question(
    exploration: Exploration, engine: EmbeddedEngine, phase: Phase, seconds: float, effort: float
) -> DataflowQuestion:
    """The question about what was explored, for this many seconds and with so much of the usual `effort`."""
    run = exploration.run
    claimed = exploration.claimed(phase, seconds)
    assert isinstance(claimed, DataflowClaims)
    limit = run.unsupported_construct
    stopped = Limit(limit.construct, advice_on(run.program, limit.advice), limit.site) if limit is not None else None
    engine.limit(seconds)
    loops = [one for one in engine.decide_unwinding() if one.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
    return DataflowQuestion(
        target=exploration.target,
        program=run.program,
        hardware=exploration.hardware,
        claimed=claimed,
        assumptions=exploration.assumptions,
        reached=exploration.reached,
        limit=stopped,
        bounded=up_to_rounds(exploration, loops) if loops else None,
        seconds=seconds,
        hands_on=lambda: exploration.hands_on and not exploration.does_the_same_traced(seconds),
        trial=_trial(exploration, seconds),
        effort=effort,
        bases=_bases(loops, exploration, seconds / 4) if loops else (),
        within=within_rounds(run.program, loops) if loops else (),
    )


def _bases(loops: Sequence[Decision], exploration: Exploration, seconds: float) -> tuple[dict[str, int], ...]:
    """A small shape for each loop that was unrolled, on which it goes round more often."""
    from nkiverify.verify.domain_parts import just_past

    return tuple(just_past(loops, exploration, seconds))


def _trial(exploration: Exploration, seconds: float) -> Trial | None:
    """The concrete run, on the shadow memory, where the target was explored by one."""
    run = exploration.run
    if not isinstance(run, ConcreteExecution):
        return None
    from nkiverify.phases.dataflow.trial import trial_of

    return trial_of(exploration.target, run, seconds)


@dataclass(slots=True)
class FaultSearch:
    """The result of a search for faults. `found` is a run that has one."""

    found: Trial | None = None
    #: Shapes of the domain that were run, and those of them that tell something.
    inside: int = 0
    tried: int = 0
    claims: int = 0
    #: A part of the domain of which every shape was run; whether each loop that can go round twice does so there.
    part: DomainPart | None = None
    twice: bool = False
    doubt: str = ""
    #: The phase whose contract the run breaks that is in doubt, if that is why.
    broken_phase: int = 0
    #: The largest shape beyond a bound that was run, if any.
    furthest: Mapping[str, int] | None = None
    #: A run that read unwritten elements which reach no output.
    unwritten: Trial | None = None
    #: A run with faults that the verdict does not depend on.
    tolerated: Trial | None = None
    #: Whether the time limit of the target was over before the search was.
    late: bool = False

    @property
    def complete(self) -> bool:
        """True if every shape of the domain was run."""
        return self.part is not None and self.part.is_all

    @property
    def up_to_bounds(self) -> bool:
        """True if every shape up to some bounds was run, and each loop that can go round twice does so there."""
        return self.part is not None and not self.complete and self.twice
