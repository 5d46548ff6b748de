"""The pictures of a target: what is live over its lines, and what stores each element of its output."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.records import Coverage, Growth, Line, Part, Tile, Verdict
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16
from nkiverify.report.dashboard import pictures, render
from nkiverify.report.dashboard.costs import TargetCost, roofline
from tests.dashboard.samples import COVERED, PEAK, every_ending, page, sections
from tests.soundness.trap import make_target, verdict

COSTING = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copied(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out
"""
COSTING_TARGET = """
from nkiverify.manifest import SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import bfloat16


@target(kernel="kernel.py::copied", family="copied", kind=Kind.UNBOUNDED, expect={1: SUCCESSFUL})
def copied(v: Verification) -> None:
    v.call(v.tensor("x", (128 * v.dim("n"), 512), bfloat16))
"""


def test_tensors_stand_upon_each_other_at_their_lines() -> None:
    drawn = pictures.occupancy(PEAK)
    assert drawn is not None and drawn.limit == 0.0
    height = round(2048 * pictures.HEIGHT / 16384, 1)
    third = pictures.WIDTH / 3
    # At the second line the one that was there before is below.
    assert [(one.colour, one.x, one.width, one.y) for one in drawn.bars] == [
        (0, 0.0, round(2 * third, 1), pictures.HEIGHT - height),
        (1, round(third, 1), round(third, 1), pictures.HEIGHT - 2 * height),
        (1, round(2 * third, 1), round(third, 1), pictures.HEIGHT - height),
    ]
    assert drawn.bars[0].says == "sums: 2048 bytes, lines 40 to 41"
    assert [text for _, text in drawn.numbers] == ["40", "41", "43"]


def test_a_limit_far_above_is_said_and_not_drawn() -> None:
    drawn = pictures.occupancy(replace(PEAK, limit=212984))
    assert drawn is not None and drawn.limit is None
    assert max(pictures.HEIGHT - one.y for one in drawn.bars) > pictures.HEIGHT / 2
    over = pictures.occupancy(replace(PEAK, limit=2048))
    assert over is not None and over.limit == pictures.HEIGHT / 2
    assert pictures.occupancy(replace(PEAK, places=(), tiles=())) is None


def test_of_many_tensors_those_that_take_least_share_a_colour() -> None:
    tiles = tuple(
        Tile(f"t{number}", None, ("1",), "int8", "1", (replace(PEAK.tiles[0].spans[0], bytes=100 - number),))
        for number in range(12)
    )
    drawn = pictures.occupancy(replace(PEAK, tiles=tiles))
    assert drawn is not None
    assert [one.name for one in drawn.names] == [*(f"t{number}" for number in range(8)), "4 others"]
    assert max(one.colour for one in drawn.bars) == pictures.COLOURS


def test_a_map_says_which_line_stores_what_and_what_nothing_does() -> None:
    drawn = pictures.coverage(COVERED)
    assert drawn is not None and drawn.scale == ""
    assert [one.says for one in drawn.bars] == ["stored at line 57", "stored at line 60", "nothing stores it"]
    assert [one.name for one in drawn.names] == ["line 57", "line 60", "nothing"]
    whole = replace(COVERED, parts=(Part(0, 3, 0, 4, 0),))
    assert pictures.coverage(whole) is None
    assert pictures.coverage(replace(whole, parts=(Part(0, 3, 0, 4, -1),))) is not None
    shrunk = pictures.coverage(replace(COVERED, each=(4, 1)))
    assert shrunk is not None and "Each row stands for 4" in shrunk.scale


def test_they_are_on_the_page_with_hostile_names_as_text(tmp_path: Path) -> None:
    shown = page(every_ending(), tmp_path)
    text = render.html(shown)
    section = sections(shown)["target-unexpected"]
    assert "nothing stores it" in text and "&lt;i&gt;out&lt;/i&gt;" in text
    assert "PSUM over the lines: 4096 bytes of a partition at most" in section
    assert "&lt;b&gt;other&lt;/b&gt;: 2048 bytes" in section and "<b>other" not in section


KERNEL = """
    import nki.isa as nisa
    import nki.language as nl


    def kernel(x):
        rows, columns = x.shape
        out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:64, :])
        half = columns // 2
        nisa.dma_copy(dst=out[0:64, 0:half], src=tile[:, 0:half])
        nisa.dma_copy(dst=out[0:64, half:columns], src=tile[:, half:columns])
        return out
"""


def _target(rows: int, folder: Path) -> Target:
    def function(v: Verification) -> None:
        v.call(v.tensor("x", (rows, v.dim("n", 6)), bfloat16))

    (folder / "kernel.py").write_text(textwrap.dedent(KERNEL))
    return replace(make_target(function, folder), expect={})


def test_what_a_witness_leaves_unwritten_is_in_the_results(tmp_path: Path) -> None:
    run = verdict(_target(66, tmp_path), 4)
    assert run.verdict is Verdict.FAILED
    file = str(tmp_path / "kernel.py")
    assert run.coverage == (
        Coverage(
            tensor="out",
            shape=(66, 6),
            at={"n": 6},
            stores=(Line(file, 12), Line(file, 13)),
            rows=33,
            columns=6,
            each=(2, 1),
            parts=(Part(0, 32, 0, 3, 0), Part(0, 32, 3, 3, 1), Part(32, 1, 0, 6, -1)),
        ),
    )


TWICE = """
    import nki.isa as nisa
    import nki.language as nl


    def kernel(x):
        rows, columns = x.shape
        out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((rows, 2), dtype=x.dtype, buffer=nl.sbuf)
        for i in range(columns - 2):
            nisa.dma_copy(dst=tile, src=x[:, i : i + 2])
            nisa.dma_copy(dst=out[:, i : i + 2], src=tile)
        return out
"""


def test_a_map_has_the_iterations_that_store_an_element_in_their_order(tmp_path: Path) -> None:
    target = _target(2, tmp_path)
    (tmp_path / "kernel.py").write_text(textwrap.dedent(TWICE))
    (found,) = verdict(target, 4).coverage
    at = [f"line 12 for i = {number}" for number in range(4)]
    assert found.at == {"n": 6}
    assert [(one.column, one.store, one.order) for one in found.parts] == [
        (0, 0, (at[0],)),
        (1, 0, (at[0], at[1])),
        (2, 0, (at[1], at[2])),
        (3, 0, (at[2], at[3])),
        (4, 0, (at[3],)),
        (5, -1, ()),
    ]
    drawn = pictures.coverage(found)
    assert drawn is not None and drawn.bars[1].says == "stored at line 12 for i = 0, then at line 12 for i = 1"


def test_of_a_run_too_large_to_be_repeated_the_lines_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nkiverify.foundation.budget.RunningBudget.WORK_OF_A_REPORT", 1000)
    target = _target(2, tmp_path)
    (tmp_path / "kernel.py").write_text(textwrap.dedent(TWICE))
    (found,) = verdict(target, 4).coverage
    once, twice = (), ("line 12", "line 12")
    assert [(one.column, one.columns, one.order) for one in found.parts] == [
        (0, 1, once),
        (1, 3, twice),
        (4, 1, once),
        (5, 1, ()),
    ]


def test_a_peak_is_drawn_over_each_dimension_with_the_limit_where_it_is_near() -> None:
    peak = replace(PEAK, along=(Growth("n", (128, 256, 512), (2048, 4096, 20480)),))
    (curve,) = pictures.curves(peak)
    assert [says for _, _, says in curve.points][1] == "n = 256: 4096 bytes"
    assert curve.points[-1][:2] == (pictures.WIDTH, 0.0)
    assert curve.limit == round(pictures.HEIGHT - 16384 * pictures.HEIGHT / 20480, 1)
    (far,) = pictures.curves(replace(peak, limit=1_000_000))
    assert far.limit is None


@pytest.mark.parametrize("rows", [64])
def test_what_is_proved_has_no_map(rows: int, tmp_path: Path) -> None:
    run = verdict(_target(rows, tmp_path), 4)
    assert (run.verdict, run.coverage) == (Verdict.SUCCESSFUL, ())


def test_a_roofline_has_a_point_for_the_bytes_as_written_and_one_for_each_once() -> None:
    cost = TargetCost(
        at="m = 4",
        read=4000,
        read_once=1000,
        written=1000,
        moved_once=2000,
        flops=10**6,
        peak_flops=1e12,
        peak_bytes=1e10,
    )
    found = roofline(cost)
    assert found is not None
    (written, once) = found.points
    assert written[2] == "as written: 200.0 operations a byte" and once[2] == "each byte once: 500.0 operations a byte"
    # Both are right of the bend, at 100 operations a byte, where the roof is flat.
    bend, flat = (tuple(map(float, corner.split(","))) for corner in found.roof.split()[1:])
    assert bend[0] < written[0] < once[0] < flat[0] and bend[1] == written[1] == once[1] == flat[1]
    assert roofline(replace(cost, flops=0)) is None and roofline(replace(cost, read=None)) is None


def test_costs_are_on_the_page_where_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernel.py").write_text(COSTING)
    (tmp_path / "nkiverify_targets.py").write_text(COSTING_TARGET)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--engine", "embedded", "--no-page"]) == 0
    page = tmp_path / "page.html"
    assert main(["dashboard", "--no-lowered", "--output", str(page)]) == 0
    assert 'id="costs"' not in page.read_text(encoding="utf-8")
    assert main(["dashboard", "--no-lowered", "--costs", "--output", str(page)]) == 0
    text = " ".join(page.read_text(encoding="utf-8").split())
    # 512 rows of 1024 bytes, at n = 4.
    assert '<td>n = 4</td><td class="number">0.52</td><td class="number">0.52</td><td class="number">0.52</td>' in text
