"""A verdict about nothing is VACUOUS: no shapes, no kernel, or no claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.manifest import Verification
from nkiverify.results.session import ExitStatus, status_of
from tests.soundness.trap import make_target, verdict

KERNEL = """\
import nki.language as nl


def kernel(n):
    tile = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf)
    return tile[0:128, 0:n]
"""

SILENT = """\
def kernel(n):
    total = 0
    for i in range(n):
        total = total + 1
"""


def verdict_of(target_function: object, folder: Path, source: str = KERNEL) -> Run:
    """The verdict of phase 1 about `source`, called as `target_function` does."""
    (folder / "kernel.py").write_text(source, encoding="utf-8")
    return verdict(make_target(target_function, folder))  # type: ignore[arg-type]


def call_it(v: Verification) -> None:
    v.call(v.dim("n"))


def test_a_kernel_that_is_called_is_verified(tmp_path: Path) -> None:
    assert verdict_of(call_it, tmp_path).verdict is Verdict.SUCCESSFUL


def nothing_is_left(v: Verification) -> None:
    n = v.dim("n")
    v.assume(n > 5)
    v.assume(n < 3)
    v.call(n)


def nothing_is_left_that_a_solver_has_to_find(v: Verification) -> None:
    # A prime, in a range small enough for the solver to settle whatever it was asked before.
    n, m = v.dim("n", 2, 40), v.dim("m", 2, 40)
    v.assume(n * m == 1009)
    v.call(n)


def no_multiple_is_in_range(v: Verification) -> None:
    v.call(v.dim("n", 129, 255, multiple_of=128))


def the_kernel_is_not_called(v: Verification) -> None:
    v.dim("n")


def the_kernel_is_called_on_no_path(v: Verification) -> None:
    n = v.dim("n")
    if n < 0:
        v.call(n)


def only_the_target_claims(v: Verification) -> None:
    n = v.dim("n")
    v.claim(n >= 1, "an extent is positive")


@pytest.mark.parametrize(
    "target_function",
    [
        nothing_is_left,
        nothing_is_left_that_a_solver_has_to_find,
        no_multiple_is_in_range,
        the_kernel_is_not_called,
        the_kernel_is_called_on_no_path,
        only_the_target_claims,
    ],
)
def test_no_shape_and_no_call_is_vacuous(target_function: object, tmp_path: Path) -> None:
    run = verdict_of(target_function, tmp_path)
    assert run.verdict is Verdict.VACUOUS
    assert run.reason
    assert not run.as_expected
    assert status_of(run) is ExitStatus.NOTHING_VERIFIED


def test_a_kernel_without_claims_is_vacuous(tmp_path: Path) -> None:
    run = verdict_of(call_it, tmp_path, SILENT)
    assert run.verdict is Verdict.VACUOUS
    assert "claim" in run.reason


def test_a_claim_that_no_path_reaches_is_none(tmp_path: Path) -> None:
    source = "def kernel(n):\n    if n < 0:\n        assert False\n"
    assert verdict_of(call_it, tmp_path, source).verdict is Verdict.VACUOUS


def test_a_branch_that_no_shape_takes_does_not_make_the_rest_vacuous(tmp_path: Path) -> None:
    source = "def kernel(n):\n    if n < 0:\n        assert False\n    assert n > 0\n"
    assert verdict_of(call_it, tmp_path, source).verdict is Verdict.SUCCESSFUL
