"""ESBMC beside the embedded engine: agreement, contradiction, absence, refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nkiverify import resources, second_opinion
from nkiverify.config import Options
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc import locate
from nkiverify.engines.esbmc.engine import EsbmcEngine, Result
from nkiverify.manifest import Target, load_targets
from nkiverify.report import terminal
from nkiverify.results import Run, Verdict
from nkiverify.session import DISAGREEMENT, ExitStatus, status_of
from nkiverify.verifier import verify

pytestmark = pytest.mark.skipif(locate.find() is None, reason="there is no ESBMC here")


def target(name: str) -> Target:
    return next(one for one in load_targets(resources.root()) if one.name == name)


def runs_of(name: str, engine: str = "auto", **options: object) -> list[Run]:
    return verify(target(name), replace(Options(root=resources.root(), engine=engine), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["matmul_tiled_all", "transpose2d_buggy", "avgpool_hostarith_unguarded"])
def test_each_phase_has_an_entry_of_both_engines_and_they_agree(name: str) -> None:
    runs = runs_of(name)
    ours = [run for run in runs if run.engine == "embedded"]
    theirs = [run for run in runs if run.engine.startswith("esbmc ")]
    assert [run.phase for run in ours] == [run.phase for run in theirs]
    assert [run.verdict for run in ours] == [run.verdict for run in theirs]
    assert all(run.advisory for run in theirs)
    assert {status_of(run) for run in runs} == {ExitStatus.AS_EXPECTED}


def test_a_refutation_of_esbmc_is_replayed_in_plain_python() -> None:
    (run,) = runs_of("transpose2d_buggy", engine="esbmc")
    assert run.verdict is Verdict.FAILED
    assert not run.advisory
    assert any(violation.replayed for violation in run.violations)


def test_the_embedded_engine_alone_asks_no_esbmc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinion, "opinion", None)
    assert [run.engine for run in runs_of("matmul_basic", engine="embedded")] == ["embedded", "embedded"]


def test_a_contradiction_is_a_mismatch_that_names_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = EsbmcEngine.decide

    def contrary(self: EsbmcEngine, phase: int, seconds: float) -> Result:
        result = genuine(self, phase, seconds)
        first, *others = result.decisions
        return replace(result, decisions=(replace(first, outcome=Outcome.REFUTED), *others))

    monkeypatch.setattr(EsbmcEngine, "decide", contrary)
    _, theirs, *_ = runs_of("matmul_basic")
    assert theirs.qualifier == DISAGREEMENT
    assert "embedded says proved, ESBMC says refuted" in theirs.reason
    assert status_of(theirs) is ExitStatus.MISMATCH


def test_what_esbmc_leaves_open_does_not_change_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = EsbmcEngine.decide

    def undecided(self: EsbmcEngine, phase: int, seconds: float) -> Result:
        result = genuine(self, phase, seconds)
        open_ones = (replace(one, outcome=Outcome.UNDECIDED, reason="time-out") for one in result.decisions)
        return replace(result, decisions=tuple(open_ones))

    monkeypatch.setattr(EsbmcEngine, "decide", undecided)
    runs = runs_of("matmul_basic")
    assert runs[1].verdict is Verdict.UNKNOWN
    assert {status_of(run) for run in runs} == {ExitStatus.AS_EXPECTED}
    assert "open" in terminal.table(runs)


def test_an_esbmc_that_cannot_be_used_takes_nothing_from_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    second_opinion.installation.cache_clear()
    monkeypatch.setenv("ESBMC", "/bin/false")
    try:
        beside = runs_of("matmul_basic")
        asked = runs_of("matmul_basic", engine="both")
    finally:
        second_opinion.installation.cache_clear()
    assert [run.verdict for run in beside if not run.advisory] == [Verdict.SUCCESSFUL, Verdict.SUCCESSFUL]
    assert {status_of(run) for run in beside} == {ExitStatus.AS_EXPECTED}
    assert {status_of(run) for run in asked} == {ExitStatus.USAGE}


def test_the_lowered_programs_are_left_where_they_are_asked_for(tmp_path: Path) -> None:
    runs_of("matmul_tiled_all", keep_lowered=tmp_path, phases=(1,))
    text = "\n".join(file.read_text(encoding="utf-8") for file in tmp_path.rglob("*") if file.is_file())
    assert "matmul_tiled.py" in text
