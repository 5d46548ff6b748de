"""What ESBMC's decisions amount to, and where they contradict those of the embedded engine."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.engines import embedded
from nkiverify.engines.embedded import Outcome, Rung
from nkiverify.engines.esbmc import verdict
from nkiverify.engines.esbmc.engine import Decision, Result
from nkiverify.engines.esbmc.lowering import Arithmetic, LoopForm
from nkiverify.results import Run, Verdict, Violation
from tests.cli.fakes import target
from tests.engines.esbmc.programs import claim, dimension

VIOLATION = Violation("test.contract", "", "", "kernels/test.py", 7, "", {"n": 4}, replayed=True)


def decisions(*outcomes: Outcome, unwinding: Outcome | None = None) -> tuple[Decision, ...]:
    made = [
        Decision(
            claim(number, dimension("n") <= number, line=number), outcome, (), Arithmetic.BIT_VECTORS, reason="time-out"
        )
        for number, outcome in enumerate(outcomes, 1)
    ]
    if unwinding is not None:
        made.append(Decision(claim(99, dimension("n") <= 4, unwinding=True), unwinding, ()))
    return tuple(made)


def run(*outcomes: Outcome, violations: tuple[Violation, ...] = (), **fields: Any) -> Run:
    plain: dict[str, Any] = {"forms": {LoopForm.UNWOUND: 2, LoopForm.REPRESENTATIVE: 1}, "runs": 2, "seconds": 0.25}
    made = decisions(*outcomes, unwinding=fields.pop("unwinding", None))
    return verdict.run_of(target("a"), 1, "esbmc 6.7.0", Result(made, **(plain | fields)), violations)


PROVED, REFUTED, UNDECIDED, UNREACHED = Outcome.PROVED, Outcome.REFUTED, Outcome.UNDECIDED, Outcome.UNREACHED


def test_an_entry_names_the_version_the_claims_and_the_time() -> None:
    entry = run(PROVED, PROVED, UNREACHED)
    assert (entry.engine, entry.verdict, entry.qualifier) == ("esbmc 6.7.0", Verdict.SUCCESSFUL, "")
    assert (entry.claims, entry.closed_by, entry.milliseconds) == (2, {"64-bit integers": 2}, 250.0)
    assert entry.reason == "loops: 2 unwound by ESBMC, 1 as any one iteration"
    assert entry.as_expected


@pytest.mark.parametrize(
    ("entry", "expected", "qualifier"),
    [
        (run(PROVED, REFUTED, UNDECIDED, violations=(VIOLATION,)), Verdict.FAILED, ""),
        (run(PROVED, REFUTED), Verdict.FAILED, "not replayed"),
        (run(PROVED, UNDECIDED), Verdict.UNKNOWN, "time-out"),
        (run(PROVED, UNDECIDED, faults=("crash",)), Verdict.ERROR, "time-out"),
        (run(PROVED, faults=("crash",)), Verdict.SUCCESSFUL, ""),
        (run(UNREACHED), Verdict.VACUOUS, ""),
        (run(), Verdict.VACUOUS, ""),
        (run(PROVED, unwinding=PROVED), Verdict.SUCCESSFUL, ""),
        (run(PROVED, unwinding=REFUTED), Verdict.SUCCESSFUL, "bounded"),
        (run(PROVED, unwinding=UNDECIDED), Verdict.SUCCESSFUL, "bounded"),
    ],
)
def test_verdicts(entry: Run, expected: Verdict, qualifier: str) -> None:
    assert (entry.verdict, entry.qualifier) == (expected, qualifier)


def test_the_reason_of_an_unknown_names_the_first_open_claim() -> None:
    entry = run(PROVED, UNDECIDED, UNDECIDED, forms={}, notes=("no --bitwuzla",))
    assert entry.reason == "2 of 3 claims: time-out; first test.contract at kernels/test.py:2; no --bitwuzla"


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
    found = verdict.disagreements([own], [decision])
    assert bool(found) is contradict
    if found:
        says = f"embedded says {ours.value}, ESBMC says {theirs.value}"
        assert str(found[0]) == f"claim 1, test.contract at kernels/test.py:1: {says}"


def test_a_claim_that_one_engine_was_not_asked_is_no_disagreement() -> None:
    assert verdict.disagreements([], decisions(PROVED, REFUTED)) == ()
