"""The witness of each seeded bug is the smallest one there is, as derived by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.witness.seeded import SEEDED, Seeded


@pytest.mark.parametrize("seeded", SEEDED, ids=str)
def test_the_witness_is_the_smallest(seeded: Seeded, tmp_path: Path) -> None:
    (run,) = verify(seeded.target(tmp_path), Options(root=tmp_path))
    assert run.verdict is Verdict.FAILED, f"{run.verdict} {run.reason} {run.traceback}"
    first = run.violations[0]
    assert (first.contract, first.witness) == (seeded.contract, seeded.witness)
    assert first.replayed
    assert first.smallest


def test_there_are_thirty() -> None:
    assert len({seeded.name for seeded in SEEDED}) == 30
