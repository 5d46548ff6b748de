"""The table of `show --explain-budget`."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.budget import ReportingBudget
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.report import budget_table
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.verify.explanation import explain
from nkiverify.verify.options import Options
from tests.dataflow.subject import Subject

CUBES = """
@nki.jit
def kernel(x, a, b, c):
    assert a * a * a + b * b * b != c * c * c
    return x
"""


def cubes(v: Verification) -> None:
    """Three numbers: no solver tells in a moment that there are none."""
    a, b, c = (v.dim(name) for name in "abc")
    v.call(v.tensor("x", (4, 4), float32), a, b, c)


def test_each_obligation_says_what_it_took_and_an_open_one_what_it_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BUDGETS, "claim", 20)
    explained = explain(Subject.of(tmp_path, CUBES, cubes).target, Options(root=tmp_path), 1, needed=True)
    exploring, obligations, *listed = budget_table.lines(explained, tmp_path)
    assert exploring.startswith("exploring") and obligations.startswith("obligations")
    (undecided,) = [line for line in listed if "undecided" in line]
    assert "kernel.assert" in undecided
    assert undecided.endswith(f"{ReportingBudget.TIMES_THE_BUDGET} times the budget do not decide it")
    took = [float(line.split(" ms")[0].replace(",", "")) for line in listed if " ms  " in line]
    assert took == sorted(took, reverse=True)
    # The solver was asked about the assert for all of its budget, and the others about nothing of the kind.
    assert undecided == listed[0] and took[0] > 10
