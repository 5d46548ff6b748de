"""The witness of each seeded bug is the smallest one there is, as derived by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.soundness.trap import target_for, verdict
from tests.witness.seeded import SEEDED, Seeded


@pytest.mark.parametrize("seeded", SEEDED, ids=str)
def test_the_witness_is_the_smallest(seeded: Seeded, tmp_path: Path) -> None:
    (run,) = verify(seeded.target(tmp_path), Options(root=tmp_path))
    assert run.verdict is Verdict.FAILED, f"{run.verdict} {run.reason} {run.traceback}"
    first = run.violations[0]
    assert (first.contract, first.witness) == (seeded.contract, seeded.witness)
    assert first.replayed
    assert first.smallest


def test_what_the_facts_rule_out_is_not_asked_value_by_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    satisfiable = Prover.satisfiable

    def counting(prover: Prover, *conditions: Condition | bool) -> Answer:
        nonlocal asked
        asked += 1
        return satisfiable(prover, *conditions)

    monkeypatch.setattr(Prover, "satisfiable", counting)
    for limit in (1000, 10**9):
        asked, source = 0, f"def kernel(n):\n    assert 3 * n < {3 * limit}\n"
        (folder := tmp_path / str(limit)).mkdir()
        run = verdict(target_for(source, folder, high=10**12))
        assert [(found.witness, found.smallest) for found in run.violations] == [({"n": limit}, True)]
        # By doubling and halving it would be 2 * log2(limit).
        assert asked < 20


def test_there_are_thirty() -> None:
    assert len({seeded.name for seeded in SEEDED}) == 30
