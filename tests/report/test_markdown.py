"""Markdown: the step summary of a code host."""

from __future__ import annotations

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.report import markdown
from tests.report.hostile import TEXT, hostile_run
from tests.report.samples import refuted, run, session


def test_a_clean_run_is_a_headline_and_a_folded_table() -> None:
    text = markdown.text(session(run(), refuted()))
    assert text.splitlines()[0] == "## nkiverify: all 2 runs as expected"
    assert "1 SUCCESSFUL, 1 FAILED" in text
    assert "###" not in text


def test_what_is_not_as_expected_is_told_in_full() -> None:
    text = markdown.text(session(run(), refuted(expected=Verdict.SUCCESSFUL)))
    assert text.splitlines()[0] == "## nkiverify: 1 of 2 runs not as expected"
    assert "- `dma_copy.count` at `kernels/matmul_tiled.py:57`" in text
    assert "Witness: `K = 256`, `M = 128`, `N = 512`, reproduced by running the kernel" in text


def test_nothing_verified_is_no_pass() -> None:
    assert markdown.text(session()).splitlines()[0] == "## nkiverify: nothing was verified"


def test_targets_that_did_not_run_are_named() -> None:
    assert "**Not run** (interrupted before): `later`" in markdown.text(
        session(run(), not_run=("later",), interrupted=True)
    )


def test_every_row_of_a_table_has_its_columns() -> None:
    lines = markdown.text(session(hostile_run(), run())).splitlines()
    header = next(line for line in lines if line.startswith("| target"))
    row = lines[lines.index(header) + 2]
    unescaped = [i for i, letter in enumerate(row) if letter == "|" and row[i - 1] != "\\"]
    assert len(unescaped) == header.count("|")


def test_text_that_is_not_valid_unicode_can_be_written() -> None:
    assert "? no" in markdown.text(session(run(verdict=Verdict.UNKNOWN, reason="\ud800 no"))).encode("utf-8").decode(
        "utf-8"
    )


@pytest.mark.parametrize("text", [TEXT, "`", "``a`", "a`", "| b |", "<b>", "[x](javascript:y)", "@someone", "#1"])
def test_hostile_text_neither_ends_its_code_nor_becomes_markup(text: str) -> None:
    code = markdown.code(text)
    fence = code[: len(code) - len(code.lstrip("`"))]
    assert code.endswith(fence) and fence not in code[len(fence) : -len(fence)].strip(" ").split(" ")
    assert "\n" not in code and "|" not in code
    plain = markdown.plain(text)
    assert "<" not in plain.replace("\\<", "") and "\n" not in plain
