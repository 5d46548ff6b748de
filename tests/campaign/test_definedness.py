"""A small, fixed part of the campaign about phases 3 and 4, and what it must be able to see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab import definedness
from lab.definedness import try_moving
from lab.fuzz import MEMORY, Tally, moving_number, try_number
from lab.oracle import Defect
from lab.subject import Axis, Bench, Subject
from nkiverify.analysis.marks.mark_findings import Findings
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.phases.dataflow.trial import Trial, attempt
from nkiverify.verify.verifier import verify

SEED = 2027
SAMPLE = 12

KERNEL = """
import nki.isa as nisa
import nki.language as nl


def kernel(x):
    C = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile[:, 0:{last}], x[:, 0:{last}])
    nisa.dma_copy(out, tile)
    return out
"""


def subject(last: str) -> Subject:
    """A copy of the first `last` of C columns."""
    harness = "def target(v):\n    v.call(v.tensor('x', (4, v.dim('C', 1, 40)), float32))\n"
    return Subject(KERNEL.replace("{last}", last), harness, (Axis("C", 1, 40, 1, (1, 2, 3)),))


def defects(bench: Bench, last: str) -> set[Defect]:
    return {complaint.defect for complaint in try_moving(subject(last), bench).complaints}


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(2))
def test_verdicts_agree_with_concrete_runs(part: int, bench: Bench) -> None:
    tally = Tally()
    for number in range(part * SAMPLE // 2, (part + 1) * SAMPLE // 2):
        tally.add(try_number(number, SEED, bench, 0.0, MEMORY))
    assert [(defect["number"], defect["defect"], defect["detail"]) for defect in tally.defects] == []
    assert tally.concrete > 20
    decided = sum(count for what, count in tally.verdicts.items() if "SUCCESSFUL" in what or "FAILED" in what)
    assert decided > SAMPLE // 2


def test_kernels_are_the_same_for_the_same_seed(bench: Bench) -> None:
    assert [moving_number(n, 5, bench) for n in range(9)] == [moving_number(n, 5, bench) for n in range(9)]
    assert len({moving_number(n, 5, bench) for n in range(9)}) == 9


def test_a_wrong_success_is_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*arguments: object) -> list[Run]:
        runs = verify(*arguments)  # type: ignore[arg-type]
        return [replace(run, verdict=Verdict.SUCCESSFUL, basis=Basis.PROVED, qualifier="") for run in runs]

    assert defects(bench, "min(2, C)") == set()
    monkeypatch.setattr(definedness, "verify", wrong)
    assert defects(bench, "C") == set()
    assert defects(bench, "min(2, C)") == {Defect.UNSOUND}


def test_a_fault_that_the_shadow_memory_does_not_see_is_seen_by_the_simulator(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(*arguments: object) -> Trial:
        return replace(attempt(*arguments), findings=Findings())  # type: ignore[arg-type]

    monkeypatch.setattr(definedness, "attempt", blind)
    assert Defect.UNDEFINED_UNSEEN in defects(bench, "min(2, C)")
    assert Defect.UNDEFINED_UNSEEN not in defects(bench, "C")
