"""What another engine says beside a run: shown with it, counted with nothing, and never a pass of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.model.contracts import all_contracts
from nkiverify.report import annotations as github_log
from nkiverify.report import junit, markdown, sarif, terminal
from nkiverify.results import codec as json_results
from nkiverify.results import run_history
from nkiverify.results.file import violations_of
from nkiverify.results.session import Session
from tests.report.samples import COUNT_VIOLATION, ROOT, refuted, run, session

ENGINE = "esbmc 6.7.0"
OPEN = {"verdict": Verdict.UNKNOWN, "qualifier": "time-out", "reason": "3 of 12 claims: time-out"}


def both(first: Run, **other: object) -> Session:
    """`first`, and beside it what ESBMC says: the same, but for `other`."""
    return session(first, replace(first, **{"engine": ENGINE, "advisory": True, "basis": None, **other}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "word"),
    [
        (both(run()), "agrees"),
        (both(refuted()), "agrees"),
        (both(run(), **OPEN), "open"),
        (both(run(), verdict=Verdict.ERROR, qualifier=Basis.DISAGREEMENT.value), "DISAGREES"),
        # Where the embedded engine concludes nothing, there is nothing to agree with.
        (both(run(**OPEN), verdict=Verdict.SUCCESSFUL, qualifier="", reason=""), "SUCCESSFUL"),
    ],
)
def test_the_table_has_one_line_with_a_word_for_the_other_engine(told: Session, word: str) -> None:
    header, _, line = terminal.table(told.runs).splitlines()
    assert header.endswith("ESBMC")
    assert line.endswith(word)


def test_what_is_left_open_is_listed_with_its_reason_and_changes_nothing() -> None:
    text = terminal.report(both(run(), **OPEN), detail_expected=False)
    assert (
        "Left open by esbmc 6.7.0, which changes no verdict:\n  matmul_tiled (phase 1): 3 of 12 claims: time-out"
        in text
    )
    assert "1 run of 1 target" in text
    assert text.endswith("all as expected\n")


def test_many_runs_left_open_for_one_reason_take_one_entry() -> None:
    runs = [run(target=f"t{number}", **kind) for number in range(9) for kind in ({}, {"advisory": True, **OPEN})]
    text = terminal.report(session(*runs), detail_expected=False)
    assert "t4 (phase 1) and 4 more: 3 of 12 claims" in " ".join(text.split())


def test_a_refutation_that_is_only_repeated_is_told_once() -> None:
    told = both(refuted(expected=Verdict.SUCCESSFUL))
    text = terminal.report(told, detail_expected=True)
    assert text.count("dma_copy.count:") == 1
    assert "NOT AS EXPECTED: matmul_tiled_buggy (phase 1)\n" in text
    assert github_log.text(told).count("::error") == 1
    assert markdown.text(told).count("### ") == 1
    contracts = {contract.id: contract for contract in all_contracts()}
    assert len(json.loads(sarif.text(told, contracts))["runs"][0]["results"]) == 1


def test_a_refutation_of_the_other_engine_alone_counts() -> None:
    violations = {"violations": (COUNT_VIOLATION,), "verdict": Verdict.FAILED, "qualifier": "", "reason": ""}
    told = both(run(**OPEN), **violations)
    assert told.exit_status == 1
    assert "dma_copy.count" in terminal.report(told, detail_expected=False)
    assert "::error" in github_log.text(told)


@pytest.mark.parametrize("other", [{}, OPEN])
def test_junit_has_no_case_that_the_other_engine_passes(other: dict[str, object]) -> None:
    top = ElementTree.fromstring(junit.text(both(run(), **other)).partition("\n")[2])
    assert top.get("tests") == "1"
    said = {one.get("name"): one.get("value") for one in top.iter("property")}
    assert said[ENGINE] == ("open" if other else "agrees")


def test_the_markdown_counts_each_target_once() -> None:
    text = markdown.text(both(run()))
    assert "all 1 run as expected" in text
    assert "1 target, 12 claims" in text
    assert "esbmc 6.7.0 beside: 1 agrees" in text


def test_the_history_records_it_and_counts_it_with_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    run_history.record(both(run(), **OPEN), path)
    (past,) = run_history.sessions(path)
    assert (past.runs, past.as_expected, past.claims) == (1, 1, 12)
    assert [one.engine for one in run_history.runs_of("matmul_tiled", path)] == ["embedded", ENGINE]


def test_a_repeated_refutation_is_replayed_once(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(json_results.text(both(refuted())), encoding="utf-8")
    assert len(violations_of(file, "matmul_tiled_buggy", None)) == 1
    alone = both(run(**OPEN), violations=(COUNT_VIOLATION,), verdict=Verdict.FAILED, qualifier="", reason="")
    file.write_text(json_results.text(alone), encoding="utf-8")
    assert len(violations_of(file, "matmul_tiled", 1)) == 1


def test_a_disagreement_shows_both_sides_whatever_was_chosen() -> None:
    words = "claim 7: embedded says proved, ESBMC says refuted"
    told = both(
        run(), verdict=Verdict.ERROR, qualifier=Basis.DISAGREEMENT.value, reason=words, violations=(COUNT_VIOLATION,)
    )
    assert told.exit_status == 1
    text = " ".join(terminal.report(told, detail_expected=False).split())
    assert words in text
    assert "K = 256" in text
    assert str(ROOT) not in text
