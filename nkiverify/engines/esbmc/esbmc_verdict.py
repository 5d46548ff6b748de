"""The verdict from ESBMC's decisions: the entry in the results, and where they contradict the embedded engine's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from nkiverify.engines import embedded
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc.engine import EsbmcDecision, EsbmcResult
from nkiverify.engines.esbmc.lowering import LoopForm
from nkiverify.engines.esbmc.naming import place
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.ir.program import Claim, decided_lines

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
    esbmc: EsbmcDecision

    def __str__(self) -> str:
        where = place(self.claim.site)
        sides = f"embedded says {self.embedded.outcome.value}, ESBMC says {self.esbmc.outcome.value}"
        return f"claim {self.claim.number}, {self.claim.contract.id}{f' at {where}' if where else ''}: {sides}"


def disagreements(ours: Iterable[embedded.Decision], theirs: Iterable[EsbmcDecision]) -> tuple[Disagreement, ...]:
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


def _by(decision: EsbmcDecision) -> str:
    return decision.arithmetic.value if decision.arithmetic is not None else ""


def completed(run: Run, result: EsbmcResult) -> Run:
    """The verdict that ESBMC's decisions amount to, with what is ESBMC's alone: arithmetics, loops, time, faults."""
    claims = [one for one in result.decisions if not one.claim.unwinding and one.outcome is not Outcome.UNREACHED]
    closed = Counter(decision.arithmetic.value for decision in claims if decision.arithmetic is not None)
    left_open = any(decision.outcome is Outcome.UNDECIDED for decision in claims)
    broken = run.verdict is Verdict.UNKNOWN and left_open and bool(result.faults)
    return replace(
        run,
        verdict=Verdict.ERROR if broken else run.verdict,
        basis=Basis.UNUSABLE if broken else run.basis,
        closed_by=dict(closed),
        milliseconds=result.seconds * 1000,
        decided=decided_lines((one.claim, one.outcome.value, _by(one)) for one in result.decisions),
        reason="; ".join(filter(None, (run.reason, loops_of(result), *result.notes))),
    )


def loops_of(result: EsbmcResult) -> str:
    """The forms of the loops: `loops: 2 unwound by ESBMC, 1 as any one iteration`; empty if there are none."""
    parts = [f"{result.forms[form]} {words}" for form, words in _FORMS.items() if result.forms.get(form)]
    return f"loops: {', '.join(parts)}" if parts else ""
