"""A kernel that is run again, as one of its loops has to be unrolled: what is known of its paths stays known."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import Prover
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject
from tests.phases.test_phases import TRN2

#: Two of its loops hand a name on that has no closed form: it is run three times.
TWICE = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    one, two = 1, 1
    for index in range(3):
        if C >= 64:
            one = 3 * one + index
    for index in range(4):
        if R * C >= 4096:
            two = 2 * two + one
    tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
    for block in range(R // 128):
        nisa.dma_copy(dst=tile, src=x[block * 128 : block * 128 + 128, :])
        nisa.dma_copy(dst=out[block * 128 : block * 128 + 128, :], src=tile)
    return out
"""


def blocks(v: Verification) -> None:
    """Any number of blocks."""
    v.call(v.tensor("x", (v.dim("R", multiple_of=128), v.dim("C", 1, 200)), float32))


def test_no_question_about_a_path_is_asked_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[tuple[tuple[object, ...], object]] = Counter()
    truth = Prover.truth

    def counted(self: Prover, condition: Condition) -> bool | None:
        asked[tuple(map(id, self.hypotheses)), id(condition)] += 1
        return truth(self, condition)

    monkeypatch.setattr(Prover, "truth", counted)
    exploration = explore(Subject.of(tmp_path, TWICE, blocks).target, TRN2, Limits())
    assert len(exploration.unrolled) == 2
    assert asked and max(asked.values()) == 1


@pytest.mark.parametrize(("gap", "verdict"), [(1, Verdict.SUCCESSFUL), (2, Verdict.FAILED)])
def test_an_index_of_another_exploration_is_none_of_this_one(gap: int, verdict: Verdict, tmp_path: Path) -> None:
    """The loop over blocks comes after as many loops as have not been unrolled yet: its index may be the one that
    another loop had, of which something else was known."""
    body = TWICE.replace("block * 128 : block * 128 + 128, :", f"(block + {gap}) * 128 : (block + {gap + 1}) * 128, :")
    body = body.replace("range(R // 128)", "range(R // 128 - 1)")
    subject = Subject.of(tmp_path, body, blocks)
    (run,) = verify(subject.target, Options(root=subject.target.root, phases=(1,)))
    assert run.verdict is verdict
