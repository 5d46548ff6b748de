"""Arms of `if` statements that are summarised as loops of one iteration or none, or split the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.budget import ExploringBudget
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Branch, Loop
from nkiverify.ir.walk import of_kind
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject, rows_and_columns

KERNEL = """
class Box:
    pass

@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    count, seen, box, flag = 0, [], Box(), False
    box.value = 0
    for row in range(rows):
        tile = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[row : row + 1, :])
        nisa.dma_copy(dst=out[row : row + 1, :], src=tile)
{statements}
    return out
"""


#: A tile, and a read of its last row.
OTHER = "other = nl.ndarray((2, columns), dtype=x.dtype, buffer=nl.sbuf)"
FILL = "    nisa.memset(dst=other, value=0.0)"
READ = "nisa.dma_copy(dst=out[0:1, :], src=other[1:2, :])"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExploringBudget, "BRANCHES_BEFORE_MERGING", 0)


def subject(folder: Path, *statements: str) -> Subject:
    return Subject.of(folder, KERNEL.format(statements="".join(f"    {one}\n" for one in statements)), rows_and_columns)


@pytest.mark.parametrize(
    ("statements", "merged"),
    [
        (["if rows > 7:", "    nisa.dma_copy(dst=out[0:1, :], src=x[0:1, :])"], True),
        (
            ["if rows > 7:", "    last = rows - 1", "    nisa.dma_copy(dst=out[last:rows, :], src=x[last:rows, :])"],
            True,
        ),
        # What it leaves: a name that is read, a number, an element, an attribute.
        (["if rows > 7:", "    flag = True", "assert flag or rows < 8"], False),
        (["if rows > 7:", "    count += 1", "assert count < 2"], False),
        (["if rows > 7:", "    seen.append(rows)"], False),
        (["if rows > 7:", "    box.value = rows"], False),
    ],
)
def test_an_arm_that_leaves_nothing_is_a_loop(tmp_path: Path, statements: list[str], merged: bool) -> None:
    one = subject(tmp_path, *statements)
    program = explore(one.target, hardware_named("trn2"), Limits(), SHAPE_PHASES).run.program
    assert len(list(of_kind(program.body, Loop))) == (2 if merged else 1)
    assert len(list(of_kind(program.body, Branch))) == (0 if merged else 1)


@pytest.mark.parametrize(
    ("statements", "verdicts"),
    [
        (["if rows > 7:", "    assert columns < 60"], "FAILED"),
        (["if rows > 7:", "    assert rows > 6"], "SUCCESSFUL SUCCESSFUL"),
        # All that comes after an arm that ends the run is about the other one.
        (["if rows > 7:", "    raise ValueError('no')", "assert rows < 8"], "FAILED"),
        (["if rows > 7:", "    nisa.dma_copy(dst=out[0:1, :], src=x[7:8, :])"], "SUCCESSFUL SUCCESSFUL"),
        (["if rows > 7:", "    nisa.dma_copy(dst=out[0:1, :], src=x[8:9, :])"], "FAILED"),
        (["if rows > 7:", "    pass", "else:", "    nisa.dma_copy(dst=out[0:1, :], src=x[7:8, :])"], "FAILED"),
        ([OTHER, "if rows > 7:", FILL, READ], "SUCCESSFUL FAILED"),
        (
            [OTHER, "if rows > 7:", FILL, "else:", FILL, READ],
            "SUCCESSFUL SUCCESSFUL",
        ),
    ],
)
def test_verdicts_are_those_of_split_paths(
    tmp_path: Path, statements: list[str], verdicts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = subject(tmp_path, *statements)
    found = []
    for most in (0, 1000):
        monkeypatch.setattr(ExploringBudget, "BRANCHES_BEFORE_MERGING", most)
        found.append([run.verdict for run in verify(one.target, Options(root=tmp_path, phases=(1, 4)))])
    assert found[0] == found[1]
    assert " ".join(one.value for one in found[0]).startswith(verdicts)


@pytest.mark.parametrize("loops", [1, 4, 8])
@pytest.mark.parametrize("tests", [4, 12])
def test_statements_are_nested_as_deeply_as_before(tmp_path: Path, loops: int, tests: int) -> None:
    kinds = ["for row in range(rows):"] * loops + ["if rows > 7:"] * tests
    lines = [f"{'    ' * depth}{kind}" for depth, kind in enumerate(kinds)]
    lines.append(f"{'    ' * len(kinds)}nisa.dma_copy(dst=out[0:1, :], src=x[7:8, :])")
    one = subject(tmp_path, *lines)
    assert explore(one.target, hardware_named("trn2"), Limits(), SHAPE_PHASES).run.unsupported_construct is None
