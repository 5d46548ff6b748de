"""Phase 4: each fault beside the nearest kernel without it; proofs, concrete runs and what neither can follow."""

from __future__ import annotations

import itertools
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from nkiverify.engines.shapes import Shapes
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.errors import ContractViolation
from nkiverify.foundation.records import Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float32, int32
from nkiverify.model.hardware import hardware_named
from nkiverify.project.manifest_targets import load_targets
from nkiverify.project.reproduce import run_target
from nkiverify.verify.exploration import explore
from tests.dataflow.subject import Subject, contracts, faults, rows_and_columns

DOUBLED = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range((R + 127) // 128):
        first, last = t * 128, min(t * 128 + 128, R)
        tile = nl.ndarray((last - first, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[first:last, :])
        nisa.dma_copy(dst=out[first:last, :], src=tile)
    return out
"""


def test_a_tiled_copy_is_proved_for_all_shapes(tmp_path: Path) -> None:
    run = Subject.of(tmp_path, DOUBLED, rows_and_columns).verdict()
    assert (run.verdict, run.qualifier, run.reason) == (Verdict.SUCCESSFUL, "", "")
    assert set(run.closed_by) == {"sets"}


@pytest.mark.parametrize(
    ("old", "new", "contract", "witness"),
    [
        ("nisa.dma_copy(dst=tile, src=x[first:last, :])", "pass", "df.read_unwritten", {"R": 1, "C": 1}),
        ("nisa.dma_copy(dst=out[first:last, :], src=tile)", "pass", "df.output_written", {"R": 1, "C": 1}),
        ("range((R + 127) // 128)", "range(R // 128)", "df.output_written", {"R": 129, "C": 1}),
        ("range((R + 127) // 128)", "range((R + 126) // 128)", "df.output_written", {"R": 129, "C": 1}),
        ("t * 128 + 128, R)", "t * 128 + 127, R)", "df.output_written", {"R": 128, "C": 1}),
        ("first:last, :], src=tile", "0:last - first, :], src=tile", "df.output_written", {"R": 129, "C": 1}),
    ],
    ids=["no load", "no store", "no tail", "no tail of one row", "a row between tiles", "always the first rows"],
)
def test_a_mutant_fails_with_a_small_shape(
    tmp_path: Path, old: str, new: str, contract: str, witness: dict[str, int]
) -> None:
    assert old in DOUBLED
    run = Subject.of(tmp_path, DOUBLED.replace(old, new), rows_and_columns).verdict()
    assert run.verdict is Verdict.FAILED
    assert contracts(run) == {contract}
    assert run.violations[0].witness == witness
    assert run.violations[0].replayed


def test_an_unwritten_element_that_reaches_no_output_is_no_fault(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        for t in range((R + 127) // 128):
            rows = min(R - t * 128, 128)
            tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[0:rows, :], src=x[nl.ds(t * 128, rows), :])
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
            nisa.dma_copy(dst=out[nl.ds(t * 128, rows), :], src=tile[0:rows{more}, :])
        return out
    """
    good = Subject.of(tmp_path, body.replace("{more}", ""), rows_and_columns)
    assert good.verdict().verdict is Verdict.SUCCESSFUL
    assert not good.proof().open


def test_what_is_computed_from_an_unwritten_column_is_followed_through_a_matmul(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:, 0:64], src=x[:, 0:64])
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(total, tile, tile)
        copy = nl.copy(total)
        nisa.memset(copy{where}, 0.0)
        nisa.dma_copy(dst=out[0:64], src=copy[0:64])
        nisa.dma_copy(dst=out[64:128], src=copy[0:64])
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (128, 128), bfloat16))

    for where, expected in (("[:, 64:128]", set()), ("[:, 65:128]", {"df.read_unwritten"})):
        subject = Subject.of(tmp_path, body.replace("{where}", where), domain)
        assert faults(subject.trial()) == expected


def test_a_mask_writes_only_where_it_holds(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        i_p, i_f = nl.mgrid[0:128, 0:C]
        for t in nl.affine_range((R + 127) // 128):
            tile = nl.load(x[t * 128 + i_p, i_f], mask=(t * 128 + i_p < R{less}))
            nl.store(out[t * 128 + i_p, i_f], value=tile, mask=(t * 128 + i_p < R))
        return out
    """
    good = Subject.of(tmp_path, body.replace("{less}", ""), rows_and_columns, legacy=True)
    assert good.verdict().verdict is Verdict.SUCCESSFUL
    assert not good.proof().open
    bad = Subject.of(tmp_path, body.replace("{less}", " - 1"), rows_and_columns, legacy=True)
    assert contracts(bad.verdict()) == {"df.read_unwritten"}


def test_a_mask_over_another_grid_than_that_of_the_result_is_unknown(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
        i_p, i_f = nl.mgrid[0:128, 0:128]
        tile = nl.load(x[i_p, i_f])
        turned = nisa.nc_transpose(tile[i_p, i_f], mask=(i_f < 64))
        nl.store(out[i_p, i_f], value=nl.copy(turned), mask=(i_f < 64))
        nl.store(out[i_p, i_f], value=nl.copy(turned), mask=(i_f >= 64))
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (128, 128), bfloat16))

    assert Subject.of(tmp_path, body, domain, legacy=True).verdict().verdict is Verdict.UNKNOWN


def test_tiles_kept_in_a_list_are_told_apart(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        tiles = []
        for r in range(R):
            tile = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.sbuf)
            if {filled}:
                nisa.dma_copy(dst=tile, src=x[r:r + 1, :])
            tiles.append(tile)
        for r in range(R):
            nisa.dma_copy(dst=out[r:r + 1, :], src=tiles[R - 1 - r])
        return out
    """
    good = Subject.of(tmp_path, body.replace("{filled}", "r >= 0"), rows_and_columns)
    assert not good.proof().open
    bad = Subject.of(tmp_path, body.replace("{filled}", "r != 3"), rows_and_columns)
    assert bad.proof().open
    assert faults(bad.trial(R=3, C=1)) == set()
    assert faults(bad.trial(R=4, C=1)) == {"df.read_unwritten"}


def two_cores(v: Verification) -> None:
    v.call(v.tensor("x", (256, v.dim("C", 1, 64)), float32), grid=2)


@pytest.mark.parametrize(
    ("barrier", "expected"), [("nisa.core_barrier(half, (0, 1))", set()), ("pass", {"df.programs"})]
)
def test_a_barrier_orders_two_cores(tmp_path: Path, barrier: str, expected: set[str]) -> None:
    body = f"""
    @nki.jit
    def kernel(x):
        me = nl.program_id(0)
        half = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=half[nl.ds(me * 128, 128)], src=x[nl.ds(me * 128, 128)])
        {barrier}
        nisa.dma_copy(dst=out[nl.ds(me * 128, 128)], src=half[nl.ds(128 - me * 128, 128)])
        return out
    """
    subject = Subject.of(tmp_path, body, two_cores)
    found = faults(subject.trial(C=2))
    assert found & {"df.programs"} == expected
    assert bool(found) == bool(expected)


def test_a_place_known_at_run_time_only_is_unknown(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x, places):
        out = nl.ndarray((128, 8), dtype=x.dtype, buffer=nl.shared_hbm)
        index = nl.load(places)
        rows = out.ap([[8, 64], [1, 8]], vector_offset=index)
        nisa.dma_copy(rows, x)
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (64, 8), float32), v.tensor("places", (64, 1), int32, values=(0, 127)))

    assert Subject.of(tmp_path, body, domain).verdict().verdict is Verdict.UNKNOWN


def test_a_kernel_that_returns_nothing_and_writes_nothing_is_no_success(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        tile = nl.load(x)
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (64, 8), float32))

    assert Subject.of(tmp_path, body, domain).verdict().verdict is Verdict.UNKNOWN


FLAT = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((1, R * C), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((1, R * C), dtype=x.dtype, buffer=nl.sbuf)
    for r in range(R):
        for c in range(C):
            nisa.dma_copy(dst=row[:, nl.ds(PLACE, 1)], src=x[r:r + 1, c:c + 1])
    nisa.dma_copy(dst=out, src=row)
    return out
"""


def test_a_flattened_index_is_proved_for_all_shapes(tmp_path: Path) -> None:
    run = Subject.of(tmp_path, FLAT.replace("PLACE", "r * C + c"), rows_and_columns).verdict()
    assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "")


def test_a_flattened_index_with_the_wrong_stride_fails(tmp_path: Path) -> None:
    run = Subject.of(tmp_path, FLAT.replace("PLACE", "c * R + r % 2"), rows_and_columns).verdict()
    assert run.verdict is Verdict.FAILED


WINDOWS = """
@nki.jit
def kernel(x, step):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for w in range(C // step + 1):
        start = PLACE
        stop = min(start + SIZE, C)
        if start < stop:
            nisa.dma_copy(dst=out[:, start:stop], src=x[:, start:stop])
    return out
"""


def windows(v: Verification) -> None:
    """Up to 4 rows and 64 columns, in windows of up to 9 columns."""
    step = v.dim("step", 1, 9)
    v.call(v.tensor("x", (v.dim("R", 1, 4), v.dim("C", 1, 64)), float32), step)


@pytest.mark.parametrize("size", ["step", "step + 1"])
def test_windows_that_follow_one_another_are_proved_for_all_steps(tmp_path: Path, size: str) -> None:
    body = WINDOWS.replace("PLACE", "w * step").replace("SIZE", size)
    run = Subject.of(tmp_path, body, windows).verdict()
    assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "")


def test_windows_with_gaps_fail(tmp_path: Path) -> None:
    body = WINDOWS.replace("PLACE", "w * step").replace("SIZE", "step - 1")
    assert contracts(Subject.of(tmp_path, body, windows).verdict()) == {"df.output_written"}


@pytest.mark.parametrize(("least", "verdict"), [(1, Verdict.FAILED), (2, Verdict.SUCCESSFUL)])
def test_no_window_at_all_writes_nothing(tmp_path: Path, least: int, verdict: Verdict) -> None:
    body = """
    @nki.jit
    def kernel(x, step, count):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for w in range(count - 1):
            nisa.dma_copy(dst=out[:, w * step : (w + 2) * step], src=x[:, w * step : (w + 2) * step])
        return out
    """

    def domain(v: Verification) -> None:
        step, count = v.dim("step", 1, 9), v.dim("count", least, 64)
        v.call(v.tensor("x", (4, step * count), float32), step, count)

    run = Subject.of(tmp_path, body, domain).verdict()
    assert (run.verdict, run.qualifier) == (verdict, "")


def test_products_that_are_not_understood_end_in_a_bound_that_is_said(tmp_path: Path) -> None:
    # The last window comes first.
    body = WINDOWS.replace("PLACE", "(C // step - w) * step").replace("SIZE", "step")
    run = Subject.of(tmp_path, body, windows).verdict()
    assert run.verdict is Verdict.SUCCESSFUL
    assert run.qualifier.startswith("bounded ")
    assert "df.output_written" in run.reason


def test_a_bound_is_the_same_however_slow_the_machine_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = WINDOWS.replace("PLACE", "(C // step - w) * step").replace("SIZE", "step")
    subject = Subject.of(tmp_path, body, windows)
    bound = subject.verdict().qualifier
    slow = itertools.count()
    monkeypatch.setattr("nkiverify.verify.shape_search.now", lambda: next(slow) / 10)
    assert subject.verdict().qualifier == bound


def rows_of(v: Verification) -> None:
    """One tensor of any number of columns."""
    v.call(v.tensor("x", (128, v.dim("N")), float32))


LARGEST_DIVISOR = """
@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = WIDTH
    while N % width:
        width -= 1
    for c in range(N // width):
        tile = nl.ndarray((P, width), dtype=x.dtype, buffer=nl.sbuf)
        WRITE
        nisa.dma_copy(dst=out[:, c * width : (c + 1) * width], src=tile)
    return out
"""


@pytest.mark.parametrize(
    ("width", "write", "verdict"),
    [
        (16, "nisa.dma_copy(dst=tile, src=x[:, c * width : (c + 1) * width])", Verdict.SUCCESSFUL),
        (8, "nisa.memset(dst=tile[:, 0 : width - (1 if width == 5 else 0)], value=0)", Verdict.FAILED),
    ],
)
def test_paths_on_which_many_numbers_are_not_equal_are_proved_for_all_shapes(
    width: int, write: str, verdict: Verdict, tmp_path: Path
) -> None:
    # Sixteen questions, of which each path remembers up to fifteen answers, are too many for the sets.
    body = LARGEST_DIVISOR.replace("WIDTH", str(width)).replace("WRITE", write)
    run = Subject.of(tmp_path, body, rows_of).verdict()
    assert (run.verdict, run.qualifier) == (verdict, ""), run.reason


def test_what_one_of_many_paths_through_a_loop_writes_is_written_on_that_path_only(tmp_path: Path) -> None:
    asked = [f"        if x.shape[1] % {number} == 0: continue" for number in range(3, 13)]
    rows = [f"        nisa.dma_copy(dst=out[{row}:{row + 1}, :], src=x[{row}:{row + 1}, :])" for row in range(10)]
    lines = [line for pair in zip(asked, rows, strict=True) for line in pair]
    begin = ["@nki.jit", "def kernel(x):", "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)"]
    body = "\n".join([*begin, "    for turn in range(x.shape[1] + 1):", *lines, "    return out", ""])

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (10, v.dim("N")), float32))

    assert Subject.of(tmp_path, body, domain).verdict().verdict is Verdict.FAILED


def test_programs_on_different_paths_write_for_themselves_only(tmp_path: Path) -> None:
    # Either path, taken by both programs, would write all rows; each taken by one leaves the last row out.
    body = """
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        p = nl.program_id(0)
        if p == 0:
            first, end = 2 * p, 2 * p + 2
        else:
            first, end = 2 * p, 4 - p
        nl.store(out[first:end, :], value=nl.load(x[first:end, :]))
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (4, v.dim("C", 1, 16)), float32), grid=(2,))

    run = Subject.of(tmp_path, body, domain, legacy=True).verdict()
    assert contracts(run) == {"df.output_written"}


@pytest.mark.parametrize(
    "target",
    [
        target
        for target in load_targets()
        if target.name in ("matmul_tiled_all", "maxpooling_all", "mamba_v1_all", "avgpool_all")
    ],
    ids=lambda target: target.name,
)
def test_concrete_runs_of_published_kernels_agree_with_the_proof(target: object) -> None:
    subject = Subject(target)  # type: ignore[arg-type]
    assert not subject.proof().open
    dimensions = explore(subject.target, hardware_named("trn2"), Limits()).run.program.dimensions
    seen = 0
    for values in Shapes(dimensions, []).tried():
        trial = subject.trial(**values)
        if trial.outside or trial.unusable:
            continue
        assert not trial.findings.faults, values
        seen += 1
        if seen == 6:
            break
    assert seen == 6


def _maxpooling() -> Target:
    return next(target for target in load_targets() if target.name == "maxpooling_all")


def test_shapes_past_a_tile_are_looked_at_before_time_is_over() -> None:
    dimensions = explore(_maxpooling(), hardware_named("trn2"), Limits()).run.program.dimensions
    shapes = [tuple(shape.values()) for shape in islice(Shapes(dimensions, []).tried(), SearchingBudget.SHAPES)]
    assert shapes[0] == (1, 1, 1)
    past = [(1, 129, 1), (1, 513, 1), (1, 1, 129), (1, 1, 513)]
    assert set(past) <= set(shapes[:12])
    assert len(shapes) == len(set(shapes)) == SearchingBudget.SHAPES


def test_few_shapes_are_all_of_the_domain_whatever_their_order() -> None:
    one, two, _ = explore(_maxpooling(), hardware_named("trn2"), Limits()).run.program.dimensions
    shapes = Shapes([replace(one, low=127, high=130), replace(two, low=2, high=3)], []).tried()
    assert sorted(tuple(shape.values()) for shape in shapes) == [(a, b) for a in range(127, 131) for b in (2, 3)]


def test_a_replay_stops_where_the_fault_happens() -> None:
    values = {"R": 1, "C": 2}
    with pytest.raises(ContractViolation) as stopped:
        run_target(
            "dataflow_missing_load", values, contract="df.read_unwritten", file="kernels/dataflow.py", line=38, phase=4
        )
    assert stopped.value.contract == "df.read_unwritten"
    run_target(
        "dataflow_missing_load", values, contract="df.read_unwritten", file="kernels/dataflow.py", line=39, phase=4
    )
