"""Where a symbolic run stops, or a solver gives up, shapes of the domain are run in plain Python, in every phase."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.records import Run, Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject

STOPS = """
@nki.jit
def kernel(x):
    N, F = x.shape
    out = nl.ndarray((N, F), dtype=x.dtype, buffer=nl.shared_hbm)
    keys = {N % 7: 0}
    last = nl.ndarray((1, F), dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
    nisa.memset(last, 0.0)
    for i in range(N):
        row = nl.ndarray((1, F), dtype=x.dtype, buffer=nl.sbuf, address=(0, 4 * F))
        nisa.dma_copy(dst=row, src=x[i : i + 1, :])
        nisa.dma_copy(dst=out[i : i + 1, :], src=row)
    nisa.dma_copy(dst=out[0:1, :], src=last)
    return out
"""
FAULTS = [
    (1, "x[i : i + 1, :]", "x[i + N // 3 - N // 4 : i + 1 + N // 3 - N // 4, :]", "idx.oob"),
    (1, "return out", "assert N != 4\n    return out", "kernel.assert"),
    (2, "return out", "1 // (N - 3)\n    return out", "host.division_by_zero"),
    (2, "return out", "N * 2**30\n    return out", "host.int32"),
    (3, "(0, 4 * F)", "(0, 4 * F - (4 if N == 2 else 0))", "mem.placed_overlap"),
    (4, "range(N)", "range(N if N != 3 else 2)", "df.output_written"),
]


@pytest.fixture(autouse=True)
def _little_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of what is done elsewhere: the faults here are in the first shapes, and are to be found there."""
    monkeypatch.setattr(SearchingBudget, "CONTRACTS", SearchingBudget.CONTRACTS // 10)
    monkeypatch.setattr(SearchingBudget, "WORK", SearchingBudget.WORK // 10)


def domain(v: Verification) -> None:
    """Any number of rows."""
    v.call(v.tensor("x", (v.dim("N"), 16), float32))


def runs_of(
    folder: Path, body: str, shapes: Callable[[Verification], None] = domain, **options: object
) -> dict[int, Run]:
    """The runs by phase."""
    found = verify(Subject.of(folder, body, shapes).target, Options(root=folder, phases=(1, 2, 3, 4), **options))  # type: ignore[arg-type]
    return {run.phase: run for run in found}


@pytest.mark.parametrize(("phase", "old", "new", "rule"), FAULTS)
def test_a_small_shape_shows_the_fault_that_no_proof_came_to(
    phase: int, old: str, new: str, rule: str, tmp_path: Path
) -> None:
    assert old in STOPS
    runs = runs_of(tmp_path, STOPS.replace(old, new))
    assert runs[phase].verdict is Verdict.FAILED
    (violation,) = runs[phase].violations
    assert violation.contract == rule
    assert violation.replayed
    assert not violation.smallest or phase == 4
    assert violation.values["N"] <= 4
    others = [run for other, run in runs.items() if other != phase]
    assert all(run.verdict is Verdict.UNKNOWN for run in others)


def test_shapes_without_a_fault_are_counted_and_prove_their_part(tmp_path: Path) -> None:
    for run in runs_of(tmp_path, STOPS).values():
        assert run.verdict is Verdict.UNKNOWN
        assert run.qualifier.startswith("a dictionary key")
        assert "shapes shows no fault" in run.reason
        within = re.search(r"proved for N <= (\d+), of which every shape was run", run.reason)
        assert within is not None and int(within[1]) >= 4


HARD = """
@nki.jit
def kernel(x, a, b):
    assert a * a * a + b * b != 700 * 700 * 700 + 701 * 701 * b
    return x
"""


def test_the_part_of_a_domain_that_the_solver_can_prove_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BUDGETS, "claim", 50)

    def numbers(v: Verification) -> None:
        v.call(v.tensor("x", (4, 4), float32), v.dim("a"), v.dim("b"))

    run = runs_of(tmp_path, HARD, numbers)[1]
    assert (run.verdict, run.qualifier) == (Verdict.UNKNOWN, "the solver gave up")
    assert re.search(r"proved for a <= (\d\d+), b <= \d\d+$", run.reason)


def few(v: Verification) -> None:
    """Up to five rows."""
    v.call(v.tensor("x", (v.dim("N", 1, 5), 16), float32))


def late(v: Verification) -> None:
    """Up to five rows, and a dimension that a symbolic run which stops in the kernel never hears of."""
    few(v)
    v.assume(v.dim("M", 1, 5) != 3)


def test_where_the_symbolic_run_stopped_all_of_few_shapes_are_run(tmp_path: Path) -> None:
    for run in runs_of(tmp_path, STOPS, few).values():
        assert (run.verdict, run.qualifier, run.reason) == (Verdict.SUCCESSFUL, "", "")
        assert run.claims and run.closed_by == {"shapes": 5}


def test_a_fault_of_one_of_few_shapes_is_found(tmp_path: Path) -> None:
    for phase, old, new, rule in FAULTS:
        runs = runs_of(tmp_path, STOPS.replace(old, new), few)
        assert runs[phase].verdict is Verdict.FAILED
        assert rule in {violation.contract for violation in runs[phase].violations}


def test_a_contested_rule_that_one_of_few_shapes_breaks_is_a_warning(tmp_path: Path) -> None:
    body = STOPS.replace("return out", "if N == 4:\n        out[0:1, :] = last\n    return out")
    run = runs_of(tmp_path, body, few)[1]
    assert (run.verdict, [one.rule for one in run.warnings]) == (Verdict.SUCCESSFUL, ["tensor.setitem"])
    assert run.warnings[0].witness == {"N": 4}


@pytest.mark.parametrize("line", ["assert N != 3", "1 // (N - 3)"])
def test_shapes_that_do_not_come_to_their_end_prove_no_part(line: str, tmp_path: Path) -> None:
    for run in runs_of(tmp_path, STOPS.replace("return out", f"{line}\n    return out")).values():
        assert run.verdict in (Verdict.UNKNOWN, Verdict.FAILED)
        assert not re.search(r"proved for N <= ([3-9]|\d\d)", run.reason)


HANDS_ON = """
@nki.jit
def kernel(x):
    keys = {x.shape[0] % 7: 0}
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    ahead = 1
    for i in nl.sequential_range(x.shape[0]):
        1 // (ahead - i)
        ahead = i + 2
        nl.store(out[i : i + 1], value=nl.load(x[i : i + 1]))
    return out
"""


HANDS_ON_THE_SAME = HANDS_ON.replace("i + 2", "1").replace("(ahead - i)", "(ahead + i)")


@pytest.mark.parametrize(("body", "proves"), [(HANDS_ON, False), (HANDS_ON_THE_SAME, True)])
def test_what_a_legacy_loop_hands_on_in_python_proves_no_part(body: str, proves: bool, tmp_path: Path) -> None:
    subject = Subject.of(tmp_path, body, domain, legacy=True)
    for run in verify(subject.target, Options(root=tmp_path, phases=(2, 4))):
        assert run.verdict is Verdict.UNKNOWN
        assert ("proved for" in run.reason) is proves


def test_a_dimension_that_was_never_heard_of_is_not_decided(tmp_path: Path) -> None:
    for run in runs_of(tmp_path, STOPS, late).values():
        assert run.verdict is Verdict.UNKNOWN
        assert "proved" not in run.reason


def test_claims_that_there_is_no_time_for_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decided = EmbeddedEngine.decide

    def late(self: EmbeddedEngine, phase: int) -> list[Decision]:
        # Of what the symbolic run recorded: a concrete run has conditions that are constant.
        return [
            replace(one, outcome=Outcome.UNDECIDED, reason="time-out")
            if isinstance(one.claim.condition, Condition)
            else one
            for one in decided(self, phase)
        ]

    monkeypatch.setattr(EmbeddedEngine, "decide", late)
    body = STOPS.replace("keys = {N % 7: 0}", "assert N != 3")
    run = runs_of(tmp_path, body)[1]
    assert (run.verdict, run.violations[0].contract, run.violations[0].values) == (
        Verdict.FAILED, "kernel.assert", {"N": 3},
    )  # fmt: skip


def test_the_callback_hears_all_that_there_is_each_time_that_it_is_more(tmp_path: Path) -> None:
    for body in (STOPS, STOPS.replace("keys = {N % 7: 0}", "pass")):
        heard: list[list[Run]] = []
        target = Subject.of(tmp_path, body, domain).target
        found = verify(target, Options(root=tmp_path, phases=(1, 2, 3, 4)), heard.append)
        counts = [len(runs) for runs in heard]
        # Which shapes were run beside a proof is said at the end.
        found = [replace(run, concrete="") for run in found]
        assert counts == sorted(set(counts)) and heard[-1] == found
        # An open phase is told of before shapes are tried for it, which may add to it.
        assert counts[0] == 1
        assert all(run in found for runs in heard for run in runs if run.verdict is not Verdict.UNKNOWN)
