"""Shapes that are run where no proof goes through: which ones, and what may be said when nothing is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.budget import SearchingBudget, SetsBudget
from nkiverify.foundation.records import SAMPLED, Run, Verdict, bounds_of
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float32
from nkiverify.model.hardware import Hardware
from nkiverify.phases.dataflow.trial import Trial, attempt
from nkiverify.results.session import ExitStatus, status_of
from nkiverify.verify import dataflow_search as deciding
from tests.dataflow.subject import Subject, contracts

#: The sum is begun once, though each band of rows needs one of its own.
ONE_SUM = """
@nki.jit
def kernel(weights, data):
    depth, rows = weights.shape
    result = nl.ndarray((rows, 64), dtype=data.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    for band in range(rows // BAND):
        for block in range(depth // 128):
            left = nl.ndarray((128, 128), dtype=weights.dtype, buffer=nl.sbuf)
            right = nl.ndarray((128, 64), dtype=data.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=left, src=weights[block * 128 : block * 128 + 128, band * BAND : band * BAND + 128])
            nisa.dma_copy(dst=right, src=data[block * 128 : block * 128 + 128, :])
            nisa.nc_matmul(dst=total, stationary=left, moving=right)
        copied = nl.ndarray((128, 64), dtype=data.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=copied, src=total)
        for part in range(BAND // 128):
            first = band * BAND + part * 128
            nisa.dma_copy(dst=result[first : first + 128, :], src=copied)
    return result
"""

STRIDES: dict[str, Callable[[Any], Any]] = {
    "K % 128 == 0": lambda k: k % 128 == 0,
    "0 == K % 128": lambda k: k % 128 == 0,
    "K % 128 < 1": lambda k: k % 128 < 1,
    "not K % 128": lambda k: not k % 128,
    "K // 128 * 128 == K": lambda k: k // 128 * 128 == k,
    "K == 128 * (K // 128)": lambda k: k == 128 * (k // 128),
    "K & 127 == 0": lambda k: (k & 127) == 0,
    "not K & 127": lambda k: not k & 127,
    "K % 32 == 0 and K % 128 == 0": lambda k: k % 32 == 0 and k % 128 == 0,
}


@pytest.mark.parametrize("form", STRIDES)
def test_a_remainder_that_is_assumed_is_the_stride_of_what_is_tried(form: str, tmp_path: Path) -> None:
    def domain(v: Verification) -> None:
        depth, rows = v.dim("K"), v.dim("M")
        v.assume(STRIDES[form](depth))
        v.assume(STRIDES[form](rows))
        v.call(v.tensor("weights", (depth, rows), bfloat16), v.tensor("data", (depth, 64), bfloat16))

    run = Subject.of(tmp_path, ONE_SUM.replace("BAND", "128"), domain).verdict()
    assert contracts(run) == {"df.accumulate_stale"}
    assert run.violations[0].witness == {"K": 128, "M": 256}


def test_shapes_that_an_assert_of_the_kernel_refuses_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def domain(v: Verification) -> None:
        depth, rows = v.dim("K"), v.dim("M")
        v.call(v.tensor("weights", (depth, rows), bfloat16), v.tensor("data", (depth, 64), bfloat16))

    def counted(target: Target, values: Mapping[str, int], *args: Any, **kwargs: Any) -> Trial:
        tried.append(dict(values))
        return attempt(target, values, *args, **kwargs)

    tried: list[dict[str, int]] = []
    monkeypatch.setattr(deciding, "attempt", counted)
    asserted = "    assert depth % 128 == 0\n    assert rows % 128 == 0\n    result ="
    kernel = ONE_SUM.replace("BAND", "128").replace("    result =", asserted, 1)
    run = Subject.of(tmp_path, kernel, domain).verdict()
    assert contracts(run) == {"df.accumulate_stale"}
    # One shape is run for each assert that shows nothing of what comes after it.
    assert [one["K"] % 128 == 0 and one["M"] % 128 == 0 for one in tried].count(False) == 2


@pytest.mark.parametrize(
    ("related", "witness"),
    [
        (lambda k, m: m == k, {"K": 256, "M": 256}),
        (lambda k, m: m == 6 * k, {"K": 128, "M": 768}),
        (lambda k, m: 2 * m == 3 * k, {"K": 256, "M": 384}),
        (lambda k, m: m % k == 0, {"K": 128, "M": 256}),
        (lambda k, m: m % 768 == 256, {"K": 128, "M": 256}),
        (lambda k, m: k + m >= 2000, {"K": 128, "M": 1920}),
    ],
)
def test_what_relates_dimensions_is_met_by_what_is_tried(
    related: Callable[[Any, Any], Any], witness: dict[str, int], tmp_path: Path
) -> None:
    def domain(v: Verification) -> None:
        depth, rows = v.dim("K", multiple_of=128), v.dim("M", multiple_of=128)
        v.assume(related(depth, rows))
        v.call(v.tensor("weights", (depth, rows), bfloat16), v.tensor("data", (depth, 64), bfloat16))

    run = Subject.of(tmp_path, ONE_SUM.replace("BAND", "128"), domain).verdict()
    assert contracts(run) == {"df.accumulate_stale"}
    assert run.violations[0].witness == witness


@pytest.mark.parametrize("band", [512, 2048])
def test_a_second_round_far_from_the_smallest_shapes_is_tried(band: int, tmp_path: Path) -> None:
    def domain(v: Verification) -> None:
        depth, rows = v.dim("K", multiple_of=128), v.dim("M", multiple_of=256)
        v.assume(rows % band == 0)
        v.call(v.tensor("weights", (depth, rows), bfloat16), v.tensor("data", (depth, 64), bfloat16))

    run = Subject.of(tmp_path, ONE_SUM.replace("BAND", str(band)), domain).verdict()
    assert contracts(run) == {"df.accumulate_stale"}
    assert run.violations[0].witness == {"K": 128, "M": 2 * band}


#: Windows from the last to the first: the walk leaves open whether they cover everything.
BACKWARDS = """
@nki.jit
def kernel(x, step):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for w in range(C // step + 1):
        start = (C // step - w) * step
        stop = min(start + step, LIMIT)
        if start < stop:
            nisa.dma_copy(dst=out[:, start:stop], src=x[:, start:stop])
    return out
"""


@pytest.fixture(autouse=True)
def _no_multiples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product with a step is not known by the few values of the step: it would be proved."""
    monkeypatch.setattr(SetsBudget, "FACTORS", 0)


def _spied(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, int]]:
    """What is run from now on."""
    ran: list[dict[str, int]] = []

    def spy(
        target: Target, values: Mapping[str, int], hardware: Hardware, seconds: float, work: int, *, orders: bool = True
    ) -> Trial:
        ran.append(dict(values))
        return attempt(target, values, hardware, seconds, work, orders=orders)

    monkeypatch.setattr(deciding, "attempt", spy)
    return ran


def _windows(
    rows: tuple[int, int | None], columns: tuple[int, int | None], steps: tuple[int, int | None]
) -> Callable[[Verification], None]:
    def domain(v: Verification) -> None:
        step = v.dim("step", *steps)
        v.call(v.tensor("x", (v.dim("R", *rows), v.dim("C", *columns)), float32), step)

    return domain


def test_bounded_names_bounds_up_to_which_every_shape_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = _spied(monkeypatch)
    body = BACKWARDS.replace("LIMIT", "C")
    run = Subject.of(tmp_path, body, _windows((1, 2), (1, None), (2, 5))).verdict()
    assert run.verdict is Verdict.SUCCESSFUL
    bounds = bounds_of(run.qualifier)
    # What is run in full is not named: all rows, all steps.
    assert list(bounds) == ["C"]
    assert bounds["C"] >= 10, "both loops go round twice for each step"
    for rows in (1, 2):
        for columns in range(1, bounds["C"] + 1):
            for step in range(2, 6):
                assert {"R": rows, "C": columns, "step": step} in ran
    assert "df.output_written" in run.reason
    assert status_of(run) is ExitStatus.UNKNOWN, "a bound is accepted by name only"


def test_a_domain_that_is_run_in_full_has_no_bounds_to_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = _spied(monkeypatch)
    body = BACKWARDS.replace("LIMIT", "C")
    run = Subject.of(tmp_path, body, _windows((2, 2), (1, 30), (3, 5))).verdict()
    assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "")
    assert len({tuple(values.items()) for values in ran}) == len(ran) == 90


def test_an_option_is_never_left_out_by_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = _spied(monkeypatch)

    def domain(v: Verification) -> None:
        step = v.choice("unit", [2, 3, 7]) * v.dim("times", 1, 2)
        v.call(v.tensor("x", (1, v.dim("C")), float32), step)

    run = Subject.of(tmp_path, BACKWARDS.replace("LIMIT", "C"), domain).verdict()
    bounds = bounds_of(run.qualifier)
    assert list(bounds) == ["C"]
    for option in range(3):
        for columns in range(1, bounds["C"] + 1):
            assert all({"unit": option, "times": times, "C": columns} in ran for times in (1, 2))


def _sampled(folder: Path, least: int) -> Run:
    body = BACKWARDS.replace("LIMIT", "C")
    return Subject.of(folder, body, _windows((1, 1), (least, None), (1, 1000))).verdict()


def test_shapes_of_which_not_all_can_be_run_are_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SearchingBudget, "WORK", 2_000_000)
    run = _sampled(tmp_path, 1000)
    assert run.verdict is Verdict.UNKNOWN
    assert run.qualifier.startswith(SAMPLED)
    assert run.qualifier == f"{SAMPLED} {run.qualifier.split()[-2]} shape{'s' * (run.qualifier.split()[-2] != '1')}"
    assert "df.output_written" in run.reason
    assert status_of(run) is ExitStatus.UNKNOWN


def test_bounds_within_which_no_loop_goes_round_twice_are_no_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = _spied(monkeypatch)
    again = "    for again in range(C // 2000):\n        nisa.dma_copy(dst=out[:, 0:1], src=x[:, 0:1])\n    return out"
    body = BACKWARDS.replace("LIMIT", "C").replace("    return out", again)

    def domain(v: Verification) -> None:
        step = v.dim("step", 1, 3)
        v.call(v.tensor("x", (1, v.dim("C")), float32), step)

    run = Subject.of(tmp_path, body, domain).verdict()
    assert any(values["C"] >= 4000 for values in ran)
    assert run.verdict is Verdict.UNKNOWN
    assert run.qualifier.startswith(SAMPLED)


@pytest.mark.parametrize("edge", [3000, 40_000])
def test_a_condition_is_tried_both_ways(edge: int, tmp_path: Path) -> None:
    body = BACKWARDS.replace("LIMIT", f"(C if C < {edge} else C - 1)")
    run = Subject.of(tmp_path, body, _windows((1, 1), (1, None), (700, 900))).verdict()
    assert contracts(run) == {"df.output_written"}
    assert run.violations[0].values["C"] >= edge
