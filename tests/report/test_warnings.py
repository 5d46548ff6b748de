"""Warnings in every report: they are told, and change neither a verdict nor the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from nkiverify.foundation import resources
from nkiverify.foundation.records import Verdict
from nkiverify.report import markdown, sarif, terminal
from nkiverify.report.annotations import text as annotated
from nkiverify.report.dashboard.marks import marks
from nkiverify.results import codec as json_results
from nkiverify.results import file as results_file
from nkiverify.results.session import ExitStatus
from tests.report.samples import UNUSED_WARNING, refuted, run, session

WARNED = run(phase=4, warnings=(UNUSED_WARNING,))
CONTROL = refuted(phase=4, warnings=(UNUSED_WARNING,))


def test_a_warning_changes_no_exit_status() -> None:
    assert WARNED.as_expected
    assert session(WARNED).exit_status is ExitStatus.AS_EXPECTED
    assert not session(WARNED).unexpected


def test_a_few_targets_are_told_of_in_full() -> None:
    text = terminal.report(session(WARNED), detail_expected=True)
    assert (
        """matmul_tiled, phase 4: SUCCESSFUL, as expected
  kernel   kernels/matmul_tiled.py::matmul_tiled
  warning df.unused: Nothing that reaches an output uses what this line writes.
    at       kernels/matmul_tiled.py:60
    because  nothing reads what is written here
    first    tile[0, 3], for m = 0
    holds    for all shapes; seen by running the kernel for K = 128, M = 128, N
             = 512
    with it  kernels/matmul_tiled.py:58

1 run of 1 target in 1.2 s: 1 SUCCESSFUL, 1 warning
all as expected
"""
        in text
    )


def test_a_whole_manifest_gets_a_line_for_each_place() -> None:
    other = run(target="other", phase=4, warnings=(UNUSED_WARNING,))
    text = terminal.report(session(WARNED, other), detail_expected=False)
    assert (
        """Warnings, which change no verdict:
  df.unused at kernels/matmul_tiled.py:60: matmul_tiled, other

2 runs of 2 targets in 1.2 s: 2 SUCCESSFUL, 2 warnings
all as expected
"""
        in text
    )


def test_a_dead_store_of_a_control_is_no_news() -> None:
    for text in (
        terminal.report(session(CONTROL), detail_expected=False),
        markdown.text(session(CONTROL)),
        annotated(session(CONTROL)),
        sarif.text(session(CONTROL), {}),
    ):
        assert "warning" not in text
        assert "df.unused" not in text
    assert "df.unused" in json_results.text(session(CONTROL))


def test_a_control_that_fails_to_fail_is_told_of_with_its_warnings() -> None:
    missed = refuted(phase=4, verdict=Verdict.SUCCESSFUL, violations=(), warnings=(UNUSED_WARNING,))
    assert "1 warning" in terminal.report(session(missed), detail_expected=False)


def test_results_are_read_back_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(json_results.text(session(WARNED, root=Path("/"))), encoding="utf-8")
    (read,) = results_file.read(file).runs
    (warning,) = read.warnings
    assert warning.element == (0, 3)
    assert warning.loops[0].value == "m = 0"
    assert [place.line for place in warning.also] == [58]
    assert (warning.rule, warning.line, warning.witness) == ("df.unused", 60, {"K": 128, "M": 128, "N": 512})
    schema = json.loads(resources.schema().read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(file.read_text(encoding="utf-8")))


def test_results_without_warnings_are_read() -> None:
    entry = dict(json_results.entry(WARNED, Path("/checkout")))
    del entry["warnings"]
    assert results_file.run(entry).warnings == ()


def test_code_hosts_show_a_warning_at_its_line() -> None:
    (result,) = json.loads(sarif.text(session(WARNED), {}))["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("df.unused", "warning")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 60, "startColumn": 13, "endLine": 60, "endColumn": 45}
    assert [place["message"]["text"] for place in result["relatedLocations"]] == [
        "in this loop, for m = 0",
        "what is done here serves nothing else",
    ]
    assert annotated(session(WARNED)) == (
        "::warning file=kernels/matmul_tiled.py,line=60,endLine=60,col=13,endColumn=44,"
        "title=matmul_tiled%3A df.unused::Nothing that reaches an output uses what this line writes. nothing reads what"
        " is written here: tile[0, 3], for m = 0 (for all shapes; seen by running the kernel for K = 128, M = 128, "
        "N = 512)\n"
    )


def test_the_summary_of_a_step_folds_them_away() -> None:
    text = markdown.text(session(WARNED))
    assert "1 SUCCESSFUL, 1 warning" in text
    assert "<details><summary>1 warning</summary>" in text
    assert "| `df.unused` | `kernels/matmul_tiled.py:60` |" in text


@pytest.mark.parametrize("sample", [WARNED, CONTROL], ids=["a good kernel", "a control"])
def test_a_line_that_is_warned_of_is_marked(sample: object) -> None:
    found = marks([sample])["/checkout/kernels/matmul_tiled.py"][60]  # type: ignore[list-item]
    assert (found.kind, found.words) == ("warned", "warning: df.unused")
