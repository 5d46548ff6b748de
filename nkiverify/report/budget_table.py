"""The budget of a phase as text: what exploring and each obligation took, and what open ones would have needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from nkiverify.engines.embedded import Outcome
from nkiverify.foundation.budget import ReportingBudget
from nkiverify.foundation.clock import STEPS_PER_MS
from nkiverify.results import wording
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.verify.explanation import Explanation, Timed

#: Obligations that are listed, those that took most first, and all that are undecided.
SHOWN = 12


def lines(explained: Explanation, root: Path) -> Iterator[str]:
    """The lines of the table; times are those of an idle core, made of steps."""
    decided = explained.decided
    total = sum(one.steps for one in decided)
    yield f"exploring   {_ms(explained.steps)} ms, at most {BUDGETS.path:,} for one question about a path"
    most = f"at most {BUDGETS.first:,} for one, then {BUDGETS.claim:,} for what is left"
    yield f"obligations {_ms(total)} ms, {len(decided)} of them, {most}"
    for one in _listed(decided):
        claim = one.decision.claim
        place = wording.place(claim.site.file, claim.site.line, root) if claim.site is not None else "the target"
        yield f"{_ms(one.steps)} ms  {one.decision.outcome.said:9}  {claim.contract.id}  {place}{_needed(one)}"
    left = len(decided) - len(_listed(decided))
    if left:
        yield f"            {left} more took less"


def _listed(decided: Sequence[Timed]) -> list[Timed]:
    dearest = sorted(decided, key=lambda one: -one.steps)
    return [one for number, one in enumerate(dearest) if number < SHOWN or one.decision.outcome is Outcome.UNDECIDED]


def _needed(one: Timed) -> str:
    if one.decision.outcome is not Outcome.UNDECIDED:
        return ""
    why = f"; {one.decision.reason}" if one.decision.reason else ""
    if one.needed is not None:
        return f"{why}; {one.needed} times the budget decide it"
    return f"{why}; {ReportingBudget.TIMES_THE_BUDGET} times the budget do not decide it"


def _ms(steps: int) -> str:
    return f"{steps / STEPS_PER_MS:9,.1f}"
