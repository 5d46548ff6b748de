"""From the decisions about the claims of one phase to a verdict, its qualifier and the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.foundation.budget import WitnessBudget
from nkiverify.foundation.clock import Allowance
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, described
from nkiverify.foundation.records import BOUNDED, Basis, MemoryPeak, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.target import Target
from nkiverify.ir.program import CARRIED, SEARCHED, Program, decided_lines
from nkiverify.model.contracts import SILENT
from nkiverify.model.hardware import Hardware
from nkiverify.model.placement import SUFFICIENT
from nkiverify.phases import PHASES
from nkiverify.verify.evidence import Evidence, concluded, recorded
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.tolerated import Tolerated, divided, reported

if TYPE_CHECKING:
    from nkiverify.phases.witness_replay import Replay
    from nkiverify.verify.witness.confirm import Confirmation


#: What can be done about an UNKNOWN that says nothing better itself: of shapes, and of a concrete launch.
ADVICE_UNSUPPORTED = "write it in another way"
_ON_CONSTRUCTS = (f"{ADVICE_UNSUPPORTED}, or verify the kernel for concrete shapes", ADVICE_UNSUPPORTED)
_LEFT_OUT = "or leave this phase out: --phase 1,2,3"
_ON_DATAFLOW = (
    f"verify the kernel for concrete shapes, {_LEFT_OUT}",
    f"where data decide, give them: --arg NAME=@FILE.npy; {_LEFT_OUT}",
)
ADVICE_PLAIN = "bound the dimensions, v.dim(name, low, high), so that a concrete run on the values is short"
ADVICE_TIME = "raise --timeout, or bound a dimension: v.dim(name, low, high)"
ADVICE_INDEX = "set the index or register anew, as a whole, before it is used"
#: What can be done about an index of which less is known than would do.
ADVICE_RANGE = "declare a narrower range of the arguments it is computed from, or keep it in bounds by nl.minimum"
ADVICE_CARRIED = "compute it from the number of the loop, or make the loop an nl.static_range"
ADVICE_SEARCHED = "let the number begin with one that is no dimension, or bound the dimensions"
ADVICE_BOUNDED = (
    "raise --unwind, bound the dimensions, or write the loop so that each iteration computes what it needs from its "
    f"number; --accept {BOUNDED} takes the verdict as it is"
)
ADVICE_SOLVER = "bound a dimension, v.dim(name, low, high), or make it a multiple of the tile"

RAISES_SYMBOLICALLY = "raises in the symbolic run only"
#: The qualifier of an UNKNOWN that numbers would decide which nobody has given; of one that the documentation leaves.
INDEX_NOT_KNOWN = "index not known"
NOT_DOCUMENTED = "not documented"

NOT_CONFIRMED = "not confirmed by running the kernel"

ADVICE_ERROR = "please report this: the proof or the concrete run is wrong"
ADVICE_UNFAITHFUL = "please report this: the symbolic run is not faithful to Python there"
_CONTRADICTION = "no witness fails when the kernel is run: please report this"

#: Contracts that the symbolic run itself may break where it is not faithful: without a replay they prove nothing.
_RAISED = ("kernel.exception",)


class PhaseVerdict:
    """Turns the decisions about the claims of one phase into a verdict."""

    def __init__(
        self,
        target: Target,
        exploration: Exploration,
        engine: EmbeddedEngine,
        hardware: Hardware,
        phase: int,
        seconds: float,
        every: bool,
        values: Mapping[str, int] | None = None,
    ) -> None:
        """`values` are those of the dimensions, where the exploration is a concrete run on them."""
        self._engine = engine
        self._every = every
        self._target = target
        self._exploration = exploration
        self._phase = phase
        self._seconds = seconds
        self._claimed = exploration.claimed(PHASES[phase], seconds)
        self._hardware = hardware
        self._values = dict(values or {})
        #: All decisions of the phase, those about unwinding included.
        self.decisions: list[Decision] = []
        #: Whether its time was up before all claims had been decided.
        self.ran_out = False

    @property
    def target(self) -> Target:
        """The target it is about."""
        return self._target

    @property
    def phase(self) -> int:
        """The phase whose claims it is about."""
        return self._phase

    @property
    def program(self) -> Program:
        """The shape program with the claims."""
        return self._exploration.run.program

    @cached_property
    def _confirmation(self) -> Confirmation:
        """Witnesses for the refuted claims that the verdict depends on."""
        return self._confirming()

    @cached_property
    def _beside(self) -> Confirmation:
        """Witnesses for those that it does not depend on."""
        return self._confirming()

    def _confirming(self) -> Confirmation:
        from nkiverify.verify.witness.confirm import (
            Confirmation,  # as late as this: of most kernels no claim is refuted
        )

        exploration, replay = self._exploration, self._exploration.replay
        played = None if replay is None else (self._values, replay)
        return Confirmation(self._target, exploration.run.program, self._engine, self._hardware, self._phase, played)

    def run(self) -> Run:
        """The verdict of the embedded engine."""
        engine = self._engine
        engine.limit(self._seconds)
        self.decisions = [*engine.decide(self._phase), *engine.decide_unwinding()]
        self.ran_out = engine.time_is_up
        run = self.entry(EmbeddedEngine.name, self.decisions)
        return self.tolerated(self.decisions).attached(run)

    def left_open(self) -> list[Decision] | None:
        """The claims that are neither proved nor unreached; None where not they alone leave the phase open."""
        run = self._exploration.run
        if run.unsupported_construct is not None or self._claimed.gap or self._exploration.hands_on:
            return None
        found = [one for one in divided(self.decisions)[0] if one.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        return None if any(one.claim.unwinding or one.claim.open or one.claim.void for one in found) else found

    def tolerated(self, decisions: Sequence[Decision]) -> Tolerated:
        """The findings that are reported of those claims that the verdict does not depend on."""
        others = divided(decisions)[1]
        return reported(others, self._beside, self._exploration.run.policy) if others else Tolerated()

    def asked_alone(self) -> Tolerated:
        """The same where another engine decides alone, which is not asked about such claims."""
        self._engine.limit(self._seconds)
        return self.tolerated(self._engine.decide(self._phase, tolerated=True))

    def entry(self, engine: str, decisions: Sequence[Decision]) -> Run:
        """The verdict that decisions about all claims of the phase amount to, those about unwinding included.

        Refuted claims are replayed concretely, whichever `engine` refuted them.
        """
        decisions, _ = divided(decisions)
        claims = [one for one in decisions if not one.claim.unwinding and one.outcome is not Outcome.UNREACHED]
        refuted = [decision for decision in claims if decision.outcome is Outcome.REFUTED]
        violations = self._violations(refuted) if refuted else []
        known = PhaseFacts(
            self._exploration,
            self._claimed.gap,
            decisions,
            claims,
            violations,
            self._confirmation.replays if refuted else [],
            [violation for violation in violations if self._confirmation.may_hold(violation)],
            self._traced,
        )
        found = concluded(RULES, known)
        confirmed = found.basis is Basis.REFUTED
        if confirmed:
            # What only may be wrong is no violation besides what is.
            violations = [one for one in violations if one.replayed or not self._doubtful(one)]
        closed = Counter(decision.rung.value for decision in claims if decision.outcome is not Outcome.UNDECIDED)
        return replace(
            recorded(self._target, self._phase, engine, found),
            claims=len(claims),
            closed_by=dict(closed),
            assumptions=self._exploration.assumptions,
            violations=tuple(violations) if found.verdict is Verdict.FAILED else (),
            decided=decided_lines((one.claim, one.outcome.said, _by(one)) for one in decisions),
            assumed_at=self._exploration.assumed_at,
            memory=self._peaks,
            suffices=self._suffices(claims, violations) if confirmed else self._enough(known, found),
        )

    def _traced(self) -> Run | None:
        """The verdict of the execution in which no iteration of a loop that is traced once leaves anything in Python
        for others, where there is one."""
        traced = self._exploration.traced(self._seconds)
        if traced is None:
            return None
        engine = EmbeddedEngine(traced.run.program)
        return PhaseVerdict(self._target, traced, engine, self._hardware, self._phase, self._seconds, False).run()

    def _violations(self, refuted: Sequence[Decision]) -> list[Violation]:
        from nkiverify.verify.witness.confirm import by_place

        return self._confirmation.violations(by_place(refuted, self._every))

    def _suffices(self, claims: list[Decision], violations: list[Violation]) -> tuple[str, ...]:
        """A domain on which all claims of the phase hold, where nobody expects that one is refuted."""
        unknown = self._exploration.run.unsupported_construct is not None or self._claimed.gap
        if unknown or self._target.expect.get(self._phase) is Verdict.FAILED or not self.program.dimensions:
            return ()
        left = [decision for decision in claims if decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        from nkiverify.verify.witness.sufficient import sufficient

        # Said next to the verdict, which it takes nothing from.
        with suppress(UnsupportedConstruct):
            witnesses = [violation.values for violation in violations]
            return sufficient(self.program, left, witnesses, Allowance(WitnessBudget.SUFFICIENT_MS))
        return ()

    def _enough(self, known: PhaseFacts, found: Evidence) -> tuple[str, ...]:
        """A domain on which no loop goes round more often than it was unrolled, where the verdict is up to a bound."""
        if found.basis is not Basis.BOUNDED:
            return ()
        return within_rounds(self.program, known.open_loops)

    @cached_property
    def _peaks(self) -> tuple[MemoryPeak, ...]:
        """The same for every engine."""
        run = self._exploration.run
        if run.unsupported_construct is not None or run.program.searches:
            return ()
        return PHASES[self._phase].peaks(self._claimed, self.program)

    def _doubtful(self, violation: Violation) -> bool:
        """True if the violation proves nothing unless a concrete run shows it."""
        return violation.contract in _RAISED or self._confirmation.may_hold(violation)


# --- from what is known to a verdict ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PhaseFacts:
    """The facts known about one phase: all decisions, those about claims that are reached among them, what the concrete
    runs on the witnesses of those refuted show, and how the exploration ended."""

    exploration: Exploration
    #: What the phase could not claim of the kernel as a whole, if anything.
    gap: str
    decisions: Sequence[Decision]
    claims: Sequence[Decision]
    violations: Sequence[Violation]
    replays: Sequence[Replay]
    #: Violations of what is enough for a contract, which may be kept all the same.
    unsure: Sequence[Violation]
    #: Asks for the verdict where no iteration of a loop that is traced once leaves anything for others.
    traced: Callable[[], Run | None]

    @property
    def holds(self) -> bool:
        """True if every claim of the phase is proved, or is not reached."""
        return all(decision.outcome.holds for decision in self.decisions if not decision.claim.unwinding)

    @property
    def open_loops(self) -> list[Decision]:
        """Loops that may go round more often than they were unrolled."""
        unwinding = [one for one in self.decisions if one.claim.unwinding]
        return [one for one in unwinding if not one.outcome.holds]

    @property
    def shown(self) -> Violation | None:
        """The first violation that is neither the symbolic run's own nor one of what is enough, but not necessary."""
        doubtful = [one for one in self.violations if one.contract in _RAISED or one in self.unsure]
        return next((one for one in self.violations if one not in doubtful), None)

    @property
    def refuted_at(self) -> Site | None:
        """The place of the first refuted claim."""
        refuted = next((one for one in self.claims if one.outcome is Outcome.REFUTED), None)
        return refuted.claim.site if refuted is not None else None


def _may_fail(violation: Violation) -> str:
    return f"{violation.contract} at {violation.file}:{violation.line} may fail"


def replayed(known: PhaseFacts) -> Evidence | None:
    """A claim is refuted, and Python itself breaks the contract on the witness."""
    return Evidence(Basis.REFUTED) if any(violation.replayed for violation in known.violations) else None


def masked(known: PhaseFacts) -> Evidence | None:
    """A claim is refuted; the concrete run on the witness ends before it comes there."""
    played = next((one for one in known.replays if one.raised is not None), None)
    if not known.violations or played is None or played.raised is None:
        return None
    text = f"{described(played.raised)}, at {played.raised_at}"
    reason = f"{_may_fail(known.violations[0])}, but the concrete run ends before it with {text}"
    return Evidence(Basis.MASKED, Basis.MASKED.value, reason, known.refuted_at)


def not_confirmed(known: PhaseFacts) -> Evidence | None:
    """A claim is refuted; Python itself cannot follow the kernel on the witness, or not in time."""
    limited = next((one.unsupported for one in known.replays if one.unsupported), "")
    shown = known.shown
    if shown is None or not limited:
        return None
    values = ", ".join(f"{name} = {value}" for name, value in shown.witness.items())
    doubt = f"{shown.contract} at {shown.file}:{shown.line} is refuted for {values}"
    reason = f"{doubt}, which is not confirmed: {limited}"
    return Evidence(Basis.NOT_CONFIRMED, NOT_CONFIRMED, reason, known.refuted_at, ADVICE_PLAIN)


def cut_short(known: PhaseFacts) -> Evidence | None:
    """A claim is refuted behind a loop that was cut: a `break` of the loop around it may never have been seen."""
    if known.shown is None or not known.open_loops:
        return None
    bound = known.exploration.run.limits.unwind
    reason = f"{_may_fail(known.shown)}; loops are followed for {bound} rounds only"
    return Evidence(Basis.NOT_CONFIRMED, NOT_CONFIRMED, reason, known.refuted_at)


def not_replayed(known: PhaseFacts) -> Evidence | None:
    """A claim is refuted, and Python itself breaks nothing on the witness: one of the two is wrong."""
    return None if known.shown is None else Evidence(Basis.NOT_REPLAYED, Basis.NOT_REPLAYED.value, _CONTRADICTION)


def advice_on(program: Program, advice: str, *, dataflow: bool = False) -> str:
    """`advice`, or else what can be done about what is not understood of a program, or open of its dataflow."""
    for_shapes, for_numbers = _ON_DATAFLOW if dataflow else _ON_CONSTRUCTS
    return advice or (for_shapes if program.dimensions else for_numbers)


def not_understood(known: PhaseFacts) -> Evidence | None:
    """The exploration ended at something it does not understand, or out of time."""
    limit = known.exploration.run.unsupported_construct
    if limit is None:
        return None
    where = f" at {limit.site}" if limit.site is not None else ""
    advice = f"; {limit.advice}" if limit.advice else ""
    reason = f"{limit.construct}{where}{advice}"
    advice = advice_on(known.exploration.run.program, limit.advice)
    return Evidence(Basis.UNSUPPORTED, limit.construct, reason, limit.site, advice)


def not_claimed(known: PhaseFacts) -> Evidence | None:
    """The phase could not state all of its claims."""
    return Evidence(Basis.NOT_CLAIMED, known.gap, known.gap) if known.gap else None


def _kept(violation: Violation) -> str:
    where = f"{violation.contract} at {violation.file}:{violation.line}"
    return f"{where}: {violation.message}; the concrete runs that were tried keep it"


def may_not_fit(known: PhaseFacts) -> Evidence | None:
    """The condition that is enough for all to fit is refuted, and no concrete run breaks what is necessary."""
    unsure = next((one for one in known.unsure if one.contract in SUFFICIENT), None)
    return (
        Evidence(Basis.SUFFICIENT_ONLY, "may not fit", _kept(unsure), known.refuted_at) if unsure is not None else None
    )


def searched_for(known: PhaseFacts) -> Evidence | None:
    """A claim is refuted for a number that a `while` statement need not end with."""
    searches = known.exploration.run.program.searches
    if not known.unsure or not searches:
        return None
    site = min(searches, key=str)
    reason = f"{_kept(known.unsure[0])}; it is about {SEARCHED}, at {site}"
    return Evidence(Basis.SUFFICIENT_ONLY, SEARCHED, reason, known.refuted_at, ADVICE_SEARCHED)


def index_not_known(known: PhaseFacts) -> Evidence | None:
    """The condition that is enough for an index is refuted, and no concrete run breaks what is necessary."""
    if not known.unsure:
        return None
    reason = _kept(known.unsure[0])
    return Evidence(Basis.SUFFICIENT_ONLY, "index not known well enough", reason, known.refuted_at, ADVICE_RANGE)


def not_documented(known: PhaseFacts) -> Evidence | None:
    """The documentation says neither that something is legal nor that it is not."""
    found = [one.claim for one in known.claims if one.outcome is Outcome.UNDECIDED and SILENT in one.claim.open]
    if not found:
        return None
    first = found[0]
    where = f" at {first.site}" if first.site is not None else ""
    why, _, advice = first.open.partition("; ")
    advice = advice_on(known.exploration.run.program, advice)
    return Evidence(Basis.NOT_DOCUMENTED, NOT_DOCUMENTED, f"{first.contract.id}{where}: {why}", first.site, advice)


def index_open(known: PhaseFacts) -> Evidence | None:
    """A run cannot tell if an index stays inside: its numbers are not given."""
    found = [
        one.claim for one in known.claims if one.outcome is Outcome.UNDECIDED and (one.claim.open or one.claim.void)
    ]
    if not found:
        return None
    first = found[0]
    where = f" at {first.site}" if first.site is not None else ""
    others = f", and {len(found) - 1} more" if len(found) > 1 else ""
    why, _, advice = (first.void or first.open).partition("; ")
    reason = f"{first.contract.id}{where}{others}: {why}"
    return Evidence(Basis.NOT_KNOWN, INDEX_NOT_KNOWN, reason, first.site, advice or ADVICE_INDEX)


def raises_symbolically_only(known: PhaseFacts) -> Evidence | None:
    """The symbolic run raises, and the plain one does not."""
    raised = next((one for one in known.violations if one.contract in _RAISED), None)
    if raised is None:
        return None
    text = f"{raised.message}, in the symbolic run only, at {raised.file}:{raised.line}"
    return Evidence(Basis.SYMBOLIC_ONLY, RAISES_SYMBOLICALLY, text, None, ADVICE_UNFAITHFUL)


def undecided(known: PhaseFacts) -> Evidence | None:
    """A claim is neither proved nor refuted."""
    found = [decision for decision in known.claims if decision.outcome is Outcome.UNDECIDED]
    if not found:
        return None
    first = found[0]
    where = f" at {first.claim.site}" if first.claim.site is not None else ""
    reported = f"{len(found)} of {len(known.claims)} claims: {first.reason}; first {first.claim.contract.id}{where}"
    late = first.reason == Basis.TIME_OUT.value
    advice, basis = (ADVICE_TIME, Basis.TIME_OUT) if late else (ADVICE_SOLVER, Basis.UNDECIDED)
    return Evidence(basis, first.reason, reported, first.claim.site, advice)


def not_called(known: PhaseFacts) -> Evidence | None:
    """No path comes to the kernel."""
    if known.exploration.reached:
        return None
    reason = "the kernel is called on no path: the domain is empty, or the target does not call it"
    return Evidence(Basis.UNREACHED, reason=reason)


def nothing_claimed(known: PhaseFacts) -> Evidence | None:
    """No claim is reached."""
    if known.claims:
        return None
    return Evidence(Basis.UNREACHED, reason="no claim was reached: the domain is empty, or there is nothing to check")


def reach_not_known(known: PhaseFacts) -> Evidence | None:
    """All claims hold, and of none is it known that any values come to it."""
    if not known.claims or any(one.outcome is not Outcome.PROVED_IF_REACHED for one in known.claims):
        return None
    reason = f"each of {len(known.claims)} claims holds if it is reached, and whether any is could not be shown"
    return Evidence(Basis.UNDECIDED, "not shown to be reached", reason, advice=ADVICE_SOLVER)


def handed_on(known: PhaseFacts) -> Evidence | None:
    """All claims hold as Python runs a legacy loop; its body is traced once, and with what the first iteration finds
    they may not."""
    if not known.holds or not known.claims or not known.exploration.hands_on:
        return None
    traced = known.traced()
    if traced is not None and traced.basis is Basis.PROVED:
        return None
    reason = CARRIED
    if traced is not None and traced.violations:
        reason = f"{CARRIED}: {traced.violations[0].contract} at line {traced.violations[0].line} is broken then"
    elif traced is not None and traced.basis is not Basis.CARRIED:
        reason = f"{CARRIED}: {traced.qualifier or traced.reason}"
    return Evidence(Basis.CARRIED, CARRIED, reason, None, ADVICE_CARRIED)


def unrolled(known: PhaseFacts) -> Evidence | None:
    """All claims hold, as far as loops have been unrolled."""
    if not known.open_loops or not known.holds:
        return None
    return up_to_rounds(known.exploration, known.open_loops)


def within_rounds(program: Program, open_loops: Sequence[Decision]) -> tuple[str, ...]:
    """Conditions on the dimensions under which no loop goes round more often than it was unrolled; none where none are
    found."""
    from nkiverify.verify.witness.sufficient import sufficient

    if not program.dimensions:
        return ()
    witnesses = [
        {one.atom.name: decision.values[one.atom] for one in program.dimensions if one.atom in decision.values}
        for decision in open_loops
    ]
    with suppress(UnsupportedConstruct):
        return sufficient(program, open_loops, witnesses, Allowance(WitnessBudget.SUFFICIENT_MS))
    return ()


def up_to_rounds(exploration: Exploration, open_loops: Sequence[Decision]) -> Evidence:
    """SUCCESSFUL for the rounds that these loops have been unrolled for."""
    bound = exploration.run.limits.unwind
    sites = sorted({str(decision.claim.site) for decision in open_loops})
    first = open_loops[0].claim.site
    why = exploration.unrolled.get(first) if first is not None else None
    reason = f"loops at {', '.join(sites)}{f': {why}' if why else ''}"
    return Evidence(Basis.BOUNDED, f"{BOUNDED} {bound}", reason, first, ADVICE_BOUNDED)


def proved(known: PhaseFacts) -> Evidence | None:
    """All claims hold."""
    return Evidence(Basis.PROVED) if known.holds else None


#: All that may be evidence about phases 1 to 3.
RULES: tuple[Callable[[PhaseFacts], Evidence | None], ...] = (
    replayed,
    masked,
    not_confirmed,
    cut_short,
    not_replayed,
    not_understood,
    not_claimed,
    may_not_fit,
    searched_for,
    index_not_known,
    not_documented,
    index_open,
    raises_symbolically_only,
    undecided,
    reach_not_known,
    not_called,
    nothing_claimed,
    handed_on,
    unrolled,
    proved,
)


#: The outcomes that a rung of the engine has decided.
_BY_RUNGS = (Outcome.PROVED, Outcome.PROVED_IF_REACHED, Outcome.REFUTED)


def _by(decision: Decision) -> str:
    return decision.rung.value if decision.outcome in _BY_RUNGS else ""
