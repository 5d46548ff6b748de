"""What a user reads at the end of a run, letter for letter."""

from __future__ import annotations

from typing import Any

import pytest

from nkiverify.foundation.records import Run, Verdict, Violation
from nkiverify.report import terminal
from tests.report.samples import refuted, run, session


def test_a_run_that_went_well_is_a_table_and_two_lines() -> None:
    all_shapes = run(target="matmul_tiled_all", milliseconds=1204.4, claims=1047)
    family = run(target="matmul_tiled_symbolic", phase=2, qualifier="bounded 8", accept=("bounded",), milliseconds=41.2)
    assert terminal.report(session(run(), all_shapes, family), detail_expected=False) == (
        "target                 ph  expected    actual      qualifier  claims    ms\n"
        "---------------------  --  ----------  ----------  ---------  ------  ----\n"
        "matmul_tiled            1  SUCCESSFUL  SUCCESSFUL                 12   8.3\n"
        "matmul_tiled_all        1  SUCCESSFUL  SUCCESSFUL               1047  1204\n"
        "matmul_tiled_symbolic   2  SUCCESSFUL  SUCCESSFUL  bounded 8      12    41\n"
        "\n"
        "3 runs of 3 targets in 1.2 s: 3 SUCCESSFUL (1 bounded)\n"
        "all as expected, 1 of them bounded\n"
    )


def test_an_unexpected_failure_is_told_in_full() -> None:
    text = terminal.report(session(refuted(target="matmul_tiled", expected=Verdict.SUCCESSFUL)), detail_expected=False)
    assert text.split("\n\n", 1)[1] == (
        "matmul_tiled, phase 1: FAILED, expected SUCCESSFUL\n"
        "  kernel   kernels/matmul_tiled.py::matmul_tiled\n"
        "  dma_copy.count: Source and destination of a copy hold the same number of\n"
        "    elements.\n"
        "    at       kernels/matmul_tiled.py:57\n"
        "    because  the source has 256*128 = 32768 elements, the destination 128*128 =\n"
        "             16384\n"
        "    witness  K = 256, M = 128, N = 512 (reproduced by running the kernel)\n"
        "    help     nkiverify explain dma_copy.count\n"
        "    stub     stubs/nki/isa/data.py:40\n"
        "    source   nki.isa.dma_copy, Parameters\n"
        "             https://awsdocs-neuron.readthedocs-hosted.com/en/v2.32.0/nki/api/generated/nki.isa.dma_copy.html\n"
        "\n"
        "1 run of 1 target in 1.2 s: 1 FAILED\n"
        "NOT AS EXPECTED: matmul_tiled (phase 1)\n"
    )


def test_expected_failures_of_a_whole_manifest_get_a_line_each() -> None:
    text = terminal.report(session(refuted()), detail_expected=False)
    assert text.split("\n\n", 1)[1] == (
        "Refuted, as expected:\n"
        "  matmul_tiled_buggy, phase 1: dma_copy.count at kernels/matmul_tiled.py:57\n"
        "\n"
        "1 run of 1 target in 1.2 s: 1 FAILED\n"
        "all as expected\n"
    )


def test_expected_failures_of_chosen_targets_are_told_in_full() -> None:
    text = terminal.report(session(refuted()), detail_expected=True)
    assert "matmul_tiled_buggy, phase 1: FAILED, as expected\n" in text
    assert "witness  K = 256, M = 128, N = 512" in text


def test_a_witness_that_does_not_fail_in_plain_python_is_not_sold_as_one() -> None:
    violation = Violation("c.id", "S.", "page", "/k.py", 1, "m", {"K": 1}, replayed=False)
    text = terminal.report(session(refuted(qualifier="not replayed", violations=(violation,))), detail_expected=False)
    assert "FAILED (not replayed), expected FAILED" in text
    assert "K = 1 (NOT reproduced by running the kernel)" in text
    assert "INTERNAL ERROR: matmul_tiled_buggy (phase 1)" in text


def test_unknown_says_why_and_where() -> None:
    reason = "generator expression over a symbolic range at kernels/matmul_tiled.py:31"
    text = terminal.report(
        session(run(verdict=Verdict.UNKNOWN, qualifier="unsupported", reason=reason)), detail_expected=False
    )
    assert "matmul_tiled, phase 1: UNKNOWN (unsupported), expected SUCCESSFUL\n" in text
    assert "  reason   generator expression over a symbolic range at\n           kernels/matmul_tiled.py:31\n" in text
    assert text.endswith("UNKNOWN: matmul_tiled (phase 1)\n")


def test_why_a_proof_is_bounded_is_told_of_chosen_targets() -> None:
    accepted = ("bounded",)
    bounded = run(qualifier="bounded 8", accept=accepted, reason="loops at /checkout/kernels/a.py:3: `x` is carried")
    text = terminal.report(session(bounded), detail_expected=True)
    assert "matmul_tiled, phase 1: SUCCESSFUL (bounded 8), as expected\n" in text
    assert "  reason   loops at kernels/a.py:3: `x` is carried\n" in text
    assert "reason" not in terminal.report(session(bounded), detail_expected=False)


def test_an_internal_error_shows_its_traceback_only_on_request() -> None:
    broken = run(verdict=Verdict.ERROR, reason="ZeroDivisionError: x", traceback="Traceback …\n  File 'a.py'\nZ: x\n")
    quiet = terminal.report(session(broken), detail_expected=False)
    assert "ZeroDivisionError: x" in quiet and "--debug" in quiet and "Traceback" not in quiet
    assert "    Traceback …\n      File 'a.py'\n    Z: x" in terminal.report(
        session(broken), detail_expected=False, debug=True
    )


def test_what_was_assumed_is_said() -> None:
    assumed = refuted(assumptions=("K % 128 == 0", "M > 0"))
    assert "assumed  K % 128 == 0; M > 0" in terminal.report(session(assumed), detail_expected=True)


def test_targets_without_a_verdict_are_named() -> None:
    assert terminal.summary(session(run(), not_run=("b", "c"), interrupted=True)) == (
        "1 run of 1 target in 1.2 s: 1 SUCCESSFUL\ninterrupted before 2 targets: b, c"
    )
    assert "stopped before 1 target: b" in terminal.summary(session(run(), not_run=("b",)))


def test_a_phase_stays_on_the_line_of_its_target() -> None:
    names = [f"target_{number:02}" for number in range(40)]
    text = terminal.summary(session(*(refuted(target=name, expected=None) for name in names)))
    assert all(f"{name} (phase 1)" in text for name in names)
    assert max(map(len, text.splitlines())) <= 80


def test_no_run_at_all_is_not_a_success() -> None:
    assert terminal.summary(session()) == "0 runs of 0 targets in 1.2 s\nnothing was verified"


def test_what_no_kernel_line_breaks_has_no_place() -> None:
    output = Violation("target.output_shape", "S.", "target", "", 0, "(1, 2)", {}, replayed=True)
    of = session(refuted(violations=(output,)))
    assert "matmul_tiled_buggy, phase 1: target.output_shape\n" in terminal.report(of, detail_expected=False)
    assert "\n    at " not in terminal.report(of, detail_expected=True)


def test_paths_in_a_reason_are_shown_like_any_other() -> None:
    unknown = run(verdict=Verdict.UNKNOWN, reason="no idea, at /checkout/kernels/a.py:3")
    assert "reason   no idea, at kernels/a.py:3\n" in terminal.report(session(unknown), detail_expected=False)


LONGEST_NAMES = ("matmul_fully_optimized_symbolic", "interpolate_trilinear_symbolic")


@pytest.mark.parametrize(
    "sample",
    [
        run(),
        run(qualifier="bounded 8"),
        run(verdict=Verdict.UNKNOWN, qualifier="unsupported: a\nconstruct " + "that takes long to name " * 5),
        run(claims=100_000, milliseconds=60_000.0),
    ],
)
@pytest.mark.parametrize("name", LONGEST_NAMES)
def test_a_report_fits_eighty_columns(name: str, sample: Run) -> None:
    named = run(**{field: getattr(sample, field) for field in sample.__slots__} | {"target": name})
    text = terminal.report(session(named, run(), refuted()), detail_expected=True)
    # An address in two lines is none.
    assert [line for line in text.splitlines() if len(line) > 80 and "https://" not in line] == []


def test_an_empty_column_of_qualifiers_makes_room_for_a_long_name() -> None:
    name = "interpolate_trilinear_chunk1_unguarded"
    assert terminal.table([run(target=name)]).splitlines()[0].split() == [
        "target", "ph", "expected", "actual", "claims", "ms"
    ]  # fmt: skip
    assert max(map(len, terminal.table([run(target=name)]).splitlines())) <= 80
    assert "bounded 8" in terminal.table([run(target=name, qualifier="bounded 8")])


def test_a_name_is_never_cut_because_it_is_what_one_types_to_rerun() -> None:
    name = "x" * 90
    assert name in terminal.table([run(target=name, qualifier="y" * 40)])


def test_every_run_is_one_line_of_the_table() -> None:
    table = terminal.table([run(qualifier="a\nb"), refuted()])
    assert len(table.splitlines()) == 4


def test_where_nothing_was_expected_only_what_was_found_is_told() -> None:
    text = terminal.report(session(run(expected=None), refuted(expected=None)), detail_expected=True)
    assert "expected" not in text.lower()
    assert "matmul_tiled_buggy, phase 1: FAILED\n" in text
    assert text.endswith("FAILED: matmul_tiled_buggy (phase 1)\n")


def test_where_nothing_was_expected_and_nothing_is_wrong_that_is_said() -> None:
    text = terminal.report(session(run(expected=None)), detail_expected=True)
    assert text.startswith("target        ph  actual      qualifier  claims   ms\n")
    assert text.endswith("no contract is violated\n")


@pytest.mark.parametrize(
    ("told", "last"),
    [
        ({}, "no contract is violated"),
        (
            {"qualifier": "bounded 8", "accept": ("bounded",)},
            "no contract is violated within bounds (phase 1: 8)",
        ),
        ({"qualifier": "bounded 8"}, "NOT PROVED BEYOND A BOUND: matmul_tiled (phase 1: bounded 8)"),
        (
            {"qualifier": "bounded K <= 512, M <= 8", "phase": 4, "accept": ("bounded",)},
            "no contract is violated within bounds (phase 4: K <= 512, M <= 8)",
        ),
        (
            {"verdict": Verdict.UNKNOWN, "qualifier": "no counterexample among 12 shapes", "phase": 4},
            "UNKNOWN: matmul_tiled (phase 4: no counterexample among 12 shapes)",
        ),
        ({"verdict": Verdict.UNKNOWN, "qualifier": "time-out"}, "UNKNOWN: matmul_tiled (phase 1)"),
    ],
)
def test_the_last_line_says_how_far_a_verdict_goes(told: dict[str, Any], last: str) -> None:
    text = terminal.report(session(run(expected=None, **told)), detail_expected=True)
    assert text.splitlines()[-1] == last
