"""What ESBMC's decisions amount to: the entry in the results, and where they contradict the embedded engine's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nkiverify import lines
from nkiverify.engines import embedded
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc.engine import Decision, Result
from nkiverify.engines.esbmc.lowering import LoopForm, place
from nkiverify.manifest import Target
from nkiverify.program import Claim
from nkiverify.results import Run, Verdict, Violation

#: What reports call the forms that loops take, in the order they are mentioned.
_FORMS = {
    LoopForm.UNWOUND: "unwound by ESBMC",
    LoopForm.INDUCTIVE: "by k-induction",
    LoopForm.REPRESENTATIVE: "as any one iteration",
}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A claim that one engine proves and the other refutes: one of the two, or the lowering, is wrong."""

    claim: Claim
    embedded: embedded.Decision
    esbmc: Decision

    def __str__(self) -> str:
        where = place(self.claim.site)
        sides = f"embedded says {self.embedded.outcome.value}, ESBMC says {self.esbmc.outcome.value}"
        return f"claim {self.claim.number}, {self.claim.contract.id}{f' at {where}' if where else ''}: {sides}"


def disagreements(ours: Iterable[embedded.Decision], theirs: Iterable[Decision]) -> tuple[Disagreement, ...]:
    """The claims about which the engines contradict each other. What one of them leaves open is no contradiction.

    A claim that no execution reaches holds, too: only one of the engines always tells the two apart.
    """
    known = {decision.claim.number: decision for decision in ours}
    found = []
    for decision in theirs:
        other = known.get(decision.claim.number)
        if other is not None and {_holds(other.outcome), _holds(decision.outcome)} == {True, False}:
            found.append(Disagreement(decision.claim, other, decision))
    return tuple(found)


def _holds(outcome: Outcome) -> bool | None:
    return None if outcome is Outcome.UNDECIDED else outcome is not Outcome.REFUTED


def _by(decision: Decision) -> str:
    return decision.arithmetic.value if decision.arithmetic is not None else ""


def run_of(target: Target, phase: int, engine: str, result: Result, violations: Sequence[Violation] = ()) -> Run:
    """The entry of ESBMC in the results. `violations` are those of its refuted claims, replayed where possible."""
    claims = [
        decision
        for decision in result.decisions
        if not decision.claim.unwinding and decision.outcome is not Outcome.UNREACHED
    ]
    verdict, qualifier, reason = _judge(claims, result, violations)
    closed = Counter(decision.arithmetic.value for decision in claims if decision.arithmetic is not None)
    return Run(
        target=target.name,
        kernel=target.kernel,
        family=target.family,
        kind=target.kind,
        phase=phase,
        engine=engine,
        expected=target.expect.get(phase),
        verdict=verdict,
        qualifier=qualifier,
        claims=len(claims),
        closed_by=dict(closed),
        milliseconds=result.seconds * 1000,
        violations=tuple(violations) if verdict is Verdict.FAILED else (),
        decided=lines.decided((one.claim, one.outcome.value, _by(one)) for one in result.decisions),
        reason="; ".join(filter(None, (reason, loops_of(result), *result.notes))),
        flags=target.flags,
        tags=target.tags,
    )


def loops_of(result: Result) -> str:
    """What became of the loops: `loops: 2 unwound by ESBMC, 1 as any one iteration`; empty if there are none."""
    parts = [f"{result.forms[form]} {words}" for form, words in _FORMS.items() if result.forms.get(form)]
    return f"loops: {', '.join(parts)}" if parts else ""


def _judge(claims: Sequence[Decision], result: Result, violations: Sequence[Violation]) -> tuple[Verdict, str, str]:
    """The verdict, its qualifier and the reason."""
    if any(decision.outcome is Outcome.REFUTED for decision in claims):
        replayed = any(violation.replayed for violation in violations)
        return Verdict.FAILED, "" if replayed else "not replayed", ""
    undecided = [decision for decision in claims if decision.outcome is Outcome.UNDECIDED]
    if undecided:
        first = undecided[0]
        where = place(first.claim.site)
        text = f"{len(undecided)} of {len(claims)} claims: {first.reason}; first {first.claim.contract.id}"
        verdict = Verdict.ERROR if result.faults else Verdict.UNKNOWN
        return verdict, first.reason, f"{text} at {where}" if where else text
    if not claims:
        return Verdict.VACUOUS, "", "no claim was reached: the domain is empty, or the kernel has nothing to check"
    unwinding = [decision for decision in result.decisions if decision.claim.unwinding]
    if any(decision.outcome in (Outcome.REFUTED, Outcome.UNDECIDED) for decision in unwinding):
        return Verdict.SUCCESSFUL, "bounded", "not every loop that nkiverify unrolls is unrolled far enough"
    return Verdict.SUCCESSFUL, "", ""
