"""GitHub's workflow commands."""

from __future__ import annotations

from nkiverify.foundation.records import Verdict
from nkiverify.foundation.source import Site
from nkiverify.report.annotations import text as annotated
from tests.report.hostile import hostile_run
from tests.report.samples import refuted, run, session


def test_what_is_as_expected_is_no_annotation() -> None:
    assert annotated(session(run(), refuted())) == ""


def test_a_refuted_claim_is_an_error_at_its_lines() -> None:
    assert annotated(session(refuted(expected=None))) == (
        "::error file=kernels/matmul_tiled.py,line=57,endLine=58,title=matmul_tiled_buggy%3A dma_copy.count"
        "::Source and destination of a copy hold the same number of elements. the source has 256*128 = 32768 elements,"
        " the destination 128*128 = 16384 (K = 256, M = 128, N = 512)\n"
    )


def test_no_conclusion_is_a_warning_where_it_arises() -> None:
    unknown = run(verdict=Verdict.UNKNOWN, reason="100 %", place=Site("/checkout/kernels/a.py", 3))
    assert annotated(session(unknown)) == (
        "::warning file=kernels/a.py,line=3,title=matmul_tiled%2C phase 1%3A UNKNOWN%2C expected SUCCESSFUL::100 %25\n"
    )


def test_an_unexpected_success_is_an_error() -> None:
    assert annotated(session(run(expected=Verdict.FAILED))).startswith("::error file=kernels/matmul_tiled.py,title=")


def test_hostile_text_begins_no_command_of_its_own() -> None:
    text = annotated(session(hostile_run()))
    assert len(text.splitlines()) == text.count("\n") == 2
