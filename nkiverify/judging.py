"""What the decisions about the claims of one phase amount to: a verdict, its qualifier and the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from nkiverify import lines
from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.errors import UnsupportedConstruct
from nkiverify.exploration import Exploration
from nkiverify.manifest import Target
from nkiverify.memory.summary import peaks
from nkiverify.model.hardware import Hardware
from nkiverify.model.placement import MEMORY_PHASE, SUFFICIENT
from nkiverify.program import Program
from nkiverify.results import MemoryPeak, Place, Run, Verdict, Violation
from nkiverify.source import Site
from nkiverify.witness.confirm import Confirmation, by_place
from nkiverify.witness.sufficient import sufficient

#: Seconds of this process for finding a domain on which what is refuted holds.
SUFFICIENT_SECONDS = 0.5

#: What can be done about an UNKNOWN that says nothing better itself.
ADVICE_UNSUPPORTED = "write it in another way, or verify the kernel for concrete shapes"
ADVICE_PLAIN = "bound the dimensions, v.dim(name, low, high), so that a plain run on the values is short"
ADVICE_TIME = "raise --timeout, or bound a dimension: v.dim(name, low, high)"
ADVICE_INDEX = "set the index or register anew, as a whole, before it is used"
ADVICE_SOLVER = "bound a dimension, v.dim(name, low, high), or make it a multiple of the tile"

_CONTRADICTION = "no witness fails in plain Python: please report this"

#: Contracts that the symbolic run itself may break where it is not faithful: without a replay they prove nothing.
_RAISED = ("kernel.exception",)


class Judge:
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
    ) -> None:
        self._engine = engine
        self._every = every
        self._target = target
        self._exploration = exploration
        self._phase = phase
        self._seconds = seconds
        self._confirmation = Confirmation(target, exploration.run.program, engine, hardware, phase)
        #: All decisions of the phase, those about unwinding included.
        self.decisions: list[Decision] = []

    @property
    def target(self) -> Target:
        """The target that is judged."""
        return self._target

    @property
    def phase(self) -> int:
        """The phase whose claims are judged."""
        return self._phase

    @property
    def program(self) -> Program:
        """The shape program with the claims."""
        return self._exploration.run.program

    def run(self) -> Run:
        """The verdict of the embedded engine."""
        engine = self._engine
        engine.limit(self._seconds)
        self.decisions = [*engine.decide(self._phase), *engine.decide_unwinding()]
        return self.entry(EmbeddedEngine.name, self.decisions)

    def entry(self, engine: str, decisions: Sequence[Decision]) -> Run:
        """The verdict that decisions about all claims of the phase amount to, those about unwinding included.

        Refuted claims are replayed in plain Python, whichever `engine` refuted them.
        """
        unwinding = [decision for decision in decisions if decision.claim.unwinding]
        claims = [one for one in decisions if not one.claim.unwinding and one.outcome is not Outcome.UNREACHED]
        refuted = by_place((decision for decision in claims if decision.outcome is Outcome.REFUTED), self._every)
        violations = self._confirmation.violations(refuted)
        verdict, qualifier, reason = self._judge(claims, unwinding, violations)
        place, advice = self._unknown(claims, violations) if verdict is Verdict.UNKNOWN else (None, "")
        if verdict is Verdict.FAILED and not qualifier:
            # What only may be wrong is no violation beside what is.
            violations = [one for one in violations if one.replayed or not self._doubtful(one)]
        closed = Counter(decision.rung.value for decision in claims if decision.outcome is not Outcome.UNDECIDED)
        return Run(
            target=self._target.name,
            kernel=self._target.kernel,
            family=self._target.family,
            kind=self._target.kind,
            phase=self._phase,
            engine=engine,
            expected=self._target.expect.get(self._phase),
            verdict=verdict,
            qualifier=qualifier,
            claims=len(claims),
            closed_by=dict(closed),
            assumptions=self._exploration.assumptions,
            violations=tuple(violations) if verdict is Verdict.FAILED else (),
            reason=reason,
            flags=self._target.flags,
            tags=self._target.tags,
            place=place,
            advice=advice,
            decided=lines.decided((one.claim, one.outcome.value, _by(one)) for one in decisions),
            assumed_at=self._exploration.assumed_at,
            memory=self._peaks(),
            suffices=self._suffices(claims, violations) if verdict is Verdict.FAILED and not qualifier else (),
        )

    def _suffices(self, claims: list[Decision], violations: list[Violation]) -> tuple[str, ...]:
        """A domain on which all claims of the phase hold, where nobody expects that one is refuted."""
        memory = self._exploration.memory if self._phase == MEMORY_PHASE else None
        unknown = self._exploration.run.unsupported_construct is not None or (memory is not None and memory.gap)
        if unknown or self._target.expect.get(self._phase) is Verdict.FAILED or not self.program.dimensions:
            return ()
        left = [decision for decision in claims if decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        # Said beside the verdict, which it takes nothing from.
        with suppress(UnsupportedConstruct):
            return sufficient(self.program, left, [violation.values for violation in violations], SUFFICIENT_SECONDS)
        return ()

    def _peaks(self) -> tuple[MemoryPeak, ...]:
        memory = self._exploration.memory
        if self._phase != MEMORY_PHASE or memory is None or self._exploration.run.unsupported_construct is not None:
            return ()
        return peaks(memory, self.program)

    def _unknown(self, claims: list[Decision], violations: list[Violation]) -> tuple[Place | None, str]:
        """Where an UNKNOWN arises, and what can be done about it."""
        if any(played.unsupported for played in self._confirmation.replays):
            refuted = [claim for claim in claims if claim.outcome is Outcome.REFUTED]
            if refuted and any(violation.contract not in _RAISED for violation in violations):
                return place_of(refuted[0].claim.site), ADVICE_PLAIN
        limit = self._exploration.run.unsupported_construct
        if limit is not None:
            return place_of(limit.site), limit.advice or ADVICE_UNSUPPORTED
        if any(violation.contract in _RAISED for violation in violations):
            return None, "please report this: the symbolic run is not faithful to Python there"
        unsure = [one for one in claims if one.outcome is Outcome.REFUTED and one.claim.sufficient]
        if unsure and any(self._confirmation.may_hold(violation) for violation in violations):
            return place_of(unsure[0].claim.site), ADVICE_INDEX
        undecided = next((decision for decision in claims if decision.outcome is Outcome.UNDECIDED), None)
        if undecided is None:
            return None, ""
        return place_of(undecided.claim.site), ADVICE_TIME if undecided.reason == "time-out" else ADVICE_SOLVER

    def _judge(
        self, claims: list[Decision], unwinding: list[Decision], violations: list[Violation]
    ) -> tuple[Verdict, str, str]:
        """The verdict, its qualifier and the reason."""
        if any(violation.replayed for violation in violations):
            return Verdict.FAILED, "", ""
        doubtful = [violation for violation in violations if self._doubtful(violation)]
        masked = next((played for played in self._confirmation.replays if played.raised is not None), None)
        if violations and masked is not None:
            text = f"{type(masked.raised).__name__}: {masked.raised}, at {masked.raised_at}"
            doubt = f"{violations[0].contract} at {violations[0].file}:{violations[0].line} may fail"
            return Verdict.UNKNOWN, "masked by another fault", f"{doubt}, but the plain run ends before it with {text}"
        if violations and len(doubtful) < len(violations):
            limited = next((played.unsupported for played in self._confirmation.replays if played.unsupported), "")
            if limited:
                open_one = next(violation for violation in violations if not self._doubtful(violation))
                values = ", ".join(f"{name} = {value}" for name, value in open_one.witness.items())
                doubt = f"{open_one.contract} at {open_one.file}:{open_one.line} is refuted for {values}"
                return Verdict.UNKNOWN, "not confirmed in plain Python", f"{doubt}, which is not confirmed: {limited}"
            if any(decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED) for decision in unwinding):
                # What follows a loop that was cut, a `break` of the loop around it, say, may never have been seen.
                shown = next(violation for violation in violations if not self._doubtful(violation))
                doubt = f"{shown.contract} at {shown.file}:{shown.line} may fail"
                bound = self._exploration.run.limits.unwind
                return (
                    Verdict.UNKNOWN,
                    "not confirmed in plain Python",
                    f"{doubt}; loops are followed for {bound} rounds only",
                )
            return Verdict.FAILED, "not replayed", _CONTRADICTION
        limit = self._exploration.run.unsupported_construct
        if limit is not None:
            place = f" at {limit.site}" if limit.site is not None else ""
            advice = f"; {limit.advice}" if limit.advice else ""
            return Verdict.UNKNOWN, limit.construct, f"{limit.construct}{place}{advice}"
        memory = self._exploration.memory
        if self._phase == MEMORY_PHASE and memory is not None and memory.gap:
            return Verdict.UNKNOWN, memory.gap, memory.gap
        unsure = [violation for violation in violations if self._confirmation.may_hold(violation)]
        if unsure:
            text = f"{unsure[0].contract} at {unsure[0].file}:{unsure[0].line}: {unsure[0].message}"
            what = "may not fit" if unsure[0].contract in SUFFICIENT else "index not known well enough"
            return Verdict.UNKNOWN, what, f"{text}; the plain runs that were tried keep it"
        if doubtful:
            text = f"{doubtful[0].message}, in the symbolic run only, at {doubtful[0].file}:{doubtful[0].line}"
            return Verdict.UNKNOWN, "raises in the symbolic run only", text
        undecided = [decision for decision in claims if decision.outcome is Outcome.UNDECIDED]
        if undecided:
            first = undecided[0]
            text = f"{len(undecided)} of {len(claims)} claims: {first.reason}; first {first.claim.contract.id}"
            where = f" at {first.claim.site}" if first.claim.site is not None else ""
            return Verdict.UNKNOWN, first.reason, f"{text}{where}"
        if not self._exploration.reached:
            return (
                Verdict.VACUOUS,
                "",
                "the kernel is called on no path: the domain is empty, or the target does not call it",
            )
        if not claims:
            return Verdict.VACUOUS, "", "no claim was reached: the domain is empty, or there is nothing to check"
        open_loops = [decision for decision in unwinding if decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED)]
        if open_loops:
            bound = self._exploration.run.limits.unwind
            sites = sorted({str(decision.claim.site) for decision in open_loops})
            why = "; ".join(self._why_unrolled(decision.claim.site) for decision in open_loops[:1])
            return Verdict.SUCCESSFUL, f"bounded {bound}", f"loops at {', '.join(sites)}{why}"
        return Verdict.SUCCESSFUL, "", ""

    def _doubtful(self, violation: Violation) -> bool:
        """Whether the violation proves nothing unless a plain run shows it."""
        return violation.contract in _RAISED or self._confirmation.may_hold(violation)

    def _why_unrolled(self, site: Site | None) -> str:
        reason = self._exploration.unrolled.get(site) if site is not None else None
        return f": {reason}" if reason else ""


def _by(decision: Decision) -> str:
    return decision.rung.value if decision.outcome in (Outcome.PROVED, Outcome.REFUTED) else ""


def place_of(site: Site | None) -> Place | None:
    """A place of the kernel, for the results."""
    if site is None:
        return None
    return Place(site.file, site.line, site.column, site.end_line, site.end_column, site.function)
