"""JUnit XML: what test reports count, and that it is XML whatever the results hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.report import junit
from tests.report.hostile import hostile_run
from tests.report.samples import UNUSED_WARNING, refuted, run, session


def suites(*runs: Run) -> ElementTree.Element:
    return ElementTree.fromstring(junit.text(session(*runs)))


@pytest.mark.parametrize(
    ("ending", "problem"),
    [
        (run(), None),
        (refuted(), None),
        (refuted(expected=Verdict.SUCCESSFUL), "failure"),
        (refuted(expected=None), "failure"),
        (run(expected=Verdict.FAILED), "failure"),
        (refuted(qualifier="not replayed"), "error"),
        (run(verdict=Verdict.UNKNOWN), "error"),
        (run(verdict=Verdict.VACUOUS), "error"),
        (run(verdict=Verdict.ERROR), "error"),
    ],
)
def test_only_what_is_as_expected_passes(ending: Run, problem: str | None) -> None:
    case = suites(ending).find("testsuite/testcase")
    assert case is not None
    assert [child.tag for child in case if child.tag != "properties"] == ([problem] if problem else [])


def test_the_counts_are_those_of_the_cases() -> None:
    top = suites(run(), run(verdict=Verdict.UNKNOWN), refuted(expected=None), run(family="other"))
    assert (top.get("tests"), top.get("failures"), top.get("errors"), top.get("skipped")) == ("4", "1", "1", "0")
    for suite in top.iter("testsuite"):
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("errors") == str(len(suite.findall("testcase/error")))


def test_a_failure_tells_place_contract_and_witness() -> None:
    failure = suites(refuted(expected=None)).find("testsuite/testcase/failure")
    assert failure is not None and failure.text is not None
    assert "kernels/matmul_tiled.py:57: dma_copy.count" in failure.text
    assert "witness: K = 256, M = 128, N = 512 (reproduced by running the kernel)" in failure.text


def test_cases_of_one_session_have_different_names() -> None:
    cases = suites(run(), run(phase=2), run(engine="esbmc")).findall("testsuite/testcase")
    assert len({case.get("name") for case in cases}) == 3


def test_hostile_text_is_text() -> None:
    (case,) = suites(hostile_run(reason="\ud800 \x00")).findall("testsuite/testcase")
    assert "<script>" in str(case.get("name"))
    (problem,) = case.findall("failure")
    assert "\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}" in str(problem.text)


def test_a_list_of_failures_names_contract_and_line_and_warnings_are_kept() -> None:
    text = junit.text(session(refuted(expected=Verdict.SUCCESSFUL), run(phase=2, warnings=(UNUSED_WARNING,))))
    failed, warned = ElementTree.fromstring(text).iter("testcase")
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "FAILED, expected SUCCESSFUL: dma_copy.count at kernels/matmul_tiled.py:57"
    assert "warning df.unused at kernels/matmul_tiled.py:60" in (warned.findtext("system-out") or "")
