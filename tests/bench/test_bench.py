"""What `nkiverify bench` measures beside the manifest, and how it says it. No time is tested: it is the machine's."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from lab import bench, bench_kernels
from lab.bench import LENGTHS, WIDTHS, Growth, Measurement
from lab.bench_command import SECTION, growth_lines, main, markdown
from lab.bench_imports import imports
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.records import Verdict
from nkiverify.foundation.resources import root
from nkiverify.foundation.stages import Stage
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

OPTIONS = Options(root=root())


STAGES = {Stage.LOADING: 1.0, Stage.SIMPLIFYING: 3.0}


def took(target: str, milliseconds: float) -> Measurement:
    return Measurement(target, 10, {"constant": 9, "smt": 1}, 1, 2 * milliseconds, milliseconds, 51_200, stages=STAGES)


GROWTH = Growth(
    manifest_seconds=4.25,
    by_width={512: took("narrow", 8.04), 65_536: took("wide", 8.1)},
    by_length={10: took("short", 5.0), 1000: took("long", 500.0)},
)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_matmul_is_proved_at_every_width(width: int) -> None:
    runs = verify(bench_kernels.matmul(width, OPTIONS), OPTIONS)
    assert [(run.phase, run.as_expected, run.qualifier) for run in runs] == [(1, True, ""), (2, True, "")]


def test_a_wide_matmul_has_as_many_claims_as_one_twice_as_wide() -> None:
    # Narrow ones are run in plain Python, which counts claims by the lines that state them.
    wide, wider = (
        sum(run.claims for run in verify(bench_kernels.matmul(width, OPTIONS), OPTIONS))
        for width in (WIDTHS[-1], 2 * WIDTHS[-1])
    )
    assert wide == wider


def test_a_straight_line_has_so_many_operations_and_is_proved(tmp_path: Path) -> None:
    target = bench_kernels.straight_line(LENGTHS[0], tmp_path, OPTIONS)
    source = (target.root / target.kernel.partition("::")[0]).read_text(encoding="utf-8")
    # Two more load, one stores.
    assert source.count("nisa.") - 3 == LENGTHS[0]
    runs = verify(target, OPTIONS)
    assert [(run.phase, run.as_expected, run.qualifier) for run in runs] == [(1, True, ""), (2, True, "")]


def test_the_sets_of_a_proof_may_take_as_much_as_the_kernel_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SetsBudget, "OPERATIONS", 1)
    target = replace(bench_kernels.straight_line(LENGTHS[0], tmp_path, OPTIONS), expect={4: Verdict.SUCCESSFUL})
    (run,) = verify(target, OPTIONS)
    assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "")


def test_claims_are_linear_in_the_length(tmp_path: Path) -> None:
    claims = [
        sum(run.claims for run in verify(bench_kernels.straight_line(length, tmp_path, OPTIONS), OPTIONS))
        for length in (4, 8, 12)
    ]
    assert claims[2] - claims[1] == claims[1] - claims[0] > 0


def test_claims_are_linear_in_the_depth_of_loops(tmp_path: Path) -> None:
    runs = [verify(bench_kernels.nested_loops(depth, tmp_path, OPTIONS), OPTIONS) for depth in (1, 3, 5)]
    assert all(run.as_expected and not run.qualifier for both in runs for run in both)
    claims = [sum(run.claims for run in both) for both in runs]
    assert claims[0] < claims[1] < claims[2] < 6 * claims[0]


def test_a_measurement_is_made_in_a_process_of_its_own() -> None:
    (measured,) = bench._measured([partial(bench_kernels.matmul, WIDTHS[0])], OPTIONS, rounds=1)
    assert measured is not None
    assert (measured.target, measured.paths, measured.as_expected) == ("matmul_tiled_512", 1, True)
    assert measured.claims == sum(measured.closed_by.values()) > 0
    assert measured.peak_kibibytes > 10_000


def test_growth_is_said_in_a_line_each() -> None:
    assert list(growth_lines(GROWTH)) == [
        "whole manifest, all phases, 2 workers: 4.2 s (best of 3)",
        "one matmul, by the size of the result: 512 columns 8.0 ms, 65536 columns 8.1 ms",
        "straight-line kernels: 10 operations 5.0 ms (0.50 each), 1000 operations 500 ms (0.50 each)",
    ]


def test_imports_of_a_check_are_counted() -> None:
    found = re.fullmatch(r"imports of a check: (\d+) modules, (\d+) ms by -X importtime \(median of 1\)", imports(1))
    assert found is not None
    # NumPy and isl are among them, and what stands for NKI.
    assert int(found[1]) > 200
    assert int(found[2]) > 0


def test_what_takes_long_is_not_measured_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([700.0, 500.0, 1.0])
    monkeypatch.setattr(bench, "_timed", lambda work: (next(times), None))
    assert bench._best(lambda: None, 3) == 500.0
    times = iter([300.0, 200.0, 250.0, 1.0])
    assert bench._best(lambda: None, 3) == 200.0


def test_the_section_of_the_page() -> None:
    assert markdown([took("matmul", 8.04)], [*growth_lines(GROWTH), "a pair takes 9 s"], "a machine", 5) == (
        "- 1 target, 10 claims; one after the other 0.0 s cold, 0.0 s warm.\n"
        "- Of the time one after the other, cold: loading 25%, exploring 0%, simplifying 75%, solving 0%, deciding 0%, "
        "replaying 0%, reporting 0%.\n"
        "- Whole manifest, all phases, 2 workers: 4.2 s (best of 3).\n"
        "- One matmul, by the size of the result: 512 columns 8.0 ms, 65536 columns 8.1 ms.\n"
        "- Straight-line kernels: 10 operations 5.0 ms (0.50 each), 1000 operations 500 ms (0.50 each).\n"
        "- A pair takes 9 s.\n"
        "- Measured on a machine; warm is the best of 5, of fewer after 1 s.\n"
        "\n"
        "<details>\n"
        "<summary>Every target, all its phases together</summary>\n"
        "\n"
        "| target | claims | constant | smt | paths | cold ms | warm ms | MiB |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| `matmul` | 10 | 9 | 1 | 1 | 16 | 8.0 | 50 |\n"
        "\n"
        "</details>"
    )


def test_the_page_has_the_section() -> None:
    assert f"<!-- {SECTION}: " in (root() / "docs" / "speed.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("selection", [["tensor_add"], ["--family", "tensor_add"], ["--phase", "1"]])
def test_only_the_whole_manifest_is_written(selection: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--write", *selection]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "nkiverify: error: --write is about the whole manifest: leave out names and filters\n"
