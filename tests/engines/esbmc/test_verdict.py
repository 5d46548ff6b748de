"""What ESBMC's decisions amount to, and where they contradict those of the embedded engine."""

from __future__ import annotations

from typing import Any

import pytest

from lab.programs import claim, dimension
from nkiverify.engines import embedded
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import esbmc_verdict
from nkiverify.engines.esbmc.engine import EsbmcDecision, EsbmcResult
from nkiverify.engines.esbmc.lowering import Arithmetic, LoopForm
from nkiverify.foundation.records import Run, Verdict
from nkiverify.symbolic.prover import Rung
from tests.report.samples import run


def decisions(*outcomes: Outcome) -> tuple[EsbmcDecision, ...]:
    made = [
        EsbmcDecision(
            claim(number, dimension("n") <= number, line=number), outcome, (), Arithmetic.BIT_VECTORS, reason="time-out"
        )
        for number, outcome in enumerate(outcomes, 1)
    ]
    return tuple(made)


PROVED, REFUTED, UNDECIDED, UNREACHED = Outcome.PROVED, Outcome.REFUTED, Outcome.UNDECIDED, Outcome.UNREACHED


def completed(entry: Run, *outcomes: Outcome, **fields: Any) -> Run:
    plain: dict[str, Any] = {"forms": {LoopForm.UNWOUND: 2, LoopForm.REPRESENTATIVE: 1}, "runs": 2, "seconds": 0.25}
    return esbmc_verdict.completed(entry, EsbmcResult(decisions(*outcomes), **(plain | fields)))


def test_an_entry_names_the_arithmetics_the_loops_and_the_time() -> None:
    entry = completed(run(claims=2), PROVED, PROVED, UNREACHED)
    assert (entry.verdict, entry.closed_by, entry.milliseconds) == (Verdict.SUCCESSFUL, {"64-bit integers": 2}, 250.0)
    assert entry.reason == "loops: 2 unwound by ESBMC, 1 as any one iteration"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (completed(run(verdict=Verdict.UNKNOWN), PROVED, UNDECIDED), Verdict.UNKNOWN),
        (completed(run(verdict=Verdict.UNKNOWN), PROVED, UNDECIDED, faults=("crash",)), Verdict.ERROR),
        # The kernel could not be followed to its end: no crash is to blame for that.
        (completed(run(verdict=Verdict.UNKNOWN), PROVED, faults=("crash",)), Verdict.UNKNOWN),
        (completed(run(), PROVED, faults=("crash",)), Verdict.SUCCESSFUL),
    ],
)
def test_a_crash_is_an_error_only_where_a_claim_stays_open(entry: Run, expected: Verdict) -> None:
    assert entry.verdict is expected


def test_the_reason_says_where_flags_could_not_be_followed() -> None:
    entry = completed(run(reason="a loop"), PROVED, forms={}, notes=("no --bitwuzla",))
    assert entry.reason == "a loop; no --bitwuzla"


@pytest.mark.parametrize(
    ("ours", "theirs", "contradict"),
    [
        (PROVED, PROVED, False),
        (PROVED, REFUTED, True),
        (REFUTED, PROVED, True),
        (REFUTED, REFUTED, False),
        (UNREACHED, PROVED, False),
        (UNREACHED, REFUTED, True),
        (PROVED, UNDECIDED, False),
        (UNDECIDED, REFUTED, False),
        (REFUTED, UNREACHED, True),
    ],
)
def test_disagreements(ours: Outcome, theirs: Outcome, contradict: bool) -> None:
    (decision,) = decisions(theirs)
    own = embedded.Decision(decision.claim, ours, Rung.SMT, ())
    found = esbmc_verdict.disagreements([own], [decision])
    assert bool(found) is contradict
    if found:
        says = f"embedded says {ours.value}, ESBMC says {theirs.value}"
        assert str(found[0]) == f"claim 1, test.contract at kernels/test.py:1: {says}"


def test_a_claim_that_one_engine_was_not_asked_is_no_disagreement() -> None:
    assert esbmc_verdict.disagreements([], decisions(PROVED, REFUTED)) == ()
