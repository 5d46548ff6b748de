"""ESBMC beside the embedded engine: agreement, contradiction, absence, refusal."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkiverify.cli.main import main, parser_of
from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.engines.esbmc.engine import EsbmcEngine, EsbmcResult
from nkiverify.engines.esbmc.lowering import TargetLanguage
from nkiverify.foundation import resources
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.phases import PHASES
from nkiverify.products.esbmc import second_opinion
from nkiverify.project.manifest_targets import load_targets
from nkiverify.project.settings import Settings, layered
from nkiverify.report import terminal
from nkiverify.results.session import ExitStatus, status_of
from nkiverify.verify.options import DEFAULT_ENGINE, EMBEDDED_ONLY, Options
from nkiverify.verify.verifier import verify
from tests.check.kernel_files import COPY, write

pytestmark = [
    pytest.mark.skipif("locate.find() is None", reason="there is no ESBMC here"),
    pytest.mark.usefixtures("tried_esbmc"),
]


def target(name: str) -> Target:
    return next(one for one in load_targets(resources.root()) if one.name == name)


def runs_of(name: str, engine: str = "auto", **options: object) -> list[Run]:
    asked: dict[str, Any] = {"phases": (1, 2), **options}
    return verify(target(name), Options(root=resources.root(), engine=engine, **asked))


@pytest.mark.parametrize("name", ["matmul_tiled_all", "transpose2d_buggy", "avgpool_hostarith_unguarded"])
def test_each_phase_has_an_entry_of_both_engines_and_they_agree(name: str) -> None:
    runs = runs_of(name)
    ours = [run for run in runs if run.engine == "embedded"]
    theirs = [run for run in runs if run.engine.startswith("esbmc ")]
    assert [run.phase for run in ours] == [run.phase for run in theirs]
    assert [run.verdict for run in ours] == [run.verdict for run in theirs]
    assert all(run.advisory for run in theirs)
    assert {status_of(run) for run in runs} == {ExitStatus.AS_EXPECTED}


@pytest.mark.parametrize("engine", ["auto", "both", "embedded", "esbmc"])
def test_no_phase_goes_without_a_verdict(engine: str) -> None:
    runs = runs_of("matmul_tiled_all", engine=engine, phases=(1, 3, 4))
    counted = [(run.phase, run.verdict) for run in runs if not run.advisory and run.engine.startswith("embedded")]
    if engine == "esbmc":
        counted = [(run.phase, run.verdict) for run in runs]
    # Dataflow is no matter of claims that ESBMC could be asked about.
    last = Verdict.UNKNOWN if engine == "esbmc" else Verdict.SUCCESSFUL
    assert counted == [(1, Verdict.SUCCESSFUL), (3, Verdict.SUCCESSFUL), (4, last)]


def test_a_refutation_of_esbmc_is_replayed_in_plain_python() -> None:
    (run,) = runs_of("transpose2d_buggy", engine="esbmc")
    assert run.verdict is Verdict.FAILED
    assert not run.advisory
    assert any(violation.replayed for violation in run.violations)


def test_the_embedded_engine_alone_asks_no_esbmc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinion, "cross_checked", None)
    assert [run.engine for run in runs_of("matmul_basic", engine="embedded")] == ["embedded", "embedded"]


def test_a_contradiction_is_a_mismatch_that_names_both_sides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    genuine = EsbmcEngine.decide

    def contrary(self: EsbmcEngine, phase: int, seconds: float) -> EsbmcResult:
        result = genuine(self, phase, seconds)
        first, *others = result.decisions
        return replace(result, decisions=(replace(first, outcome=Outcome.REFUTED), *others))

    monkeypatch.setattr(EsbmcEngine, "decide", contrary)
    _, theirs, *_ = runs_of("matmul_basic", disagreements=tmp_path / "disagreements")
    assert theirs.qualifier == Basis.DISAGREEMENT.value
    assert "embedded says proved, ESBMC says refuted" in theirs.reason
    assert status_of(theirs) is ExitStatus.MISMATCH
    kept = tmp_path / "disagreements" / "matmul_basic-phase1.c"
    assert str(kept) in theirs.reason
    contradicted = theirs.reason.partition(",")[0]
    assert contradicted.startswith("claim ")
    assert f'"{contradicted}"' in kept.read_text(encoding="utf-8")


def test_what_esbmc_leaves_open_does_not_change_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = EsbmcEngine.decide

    def undecided(self: EsbmcEngine, phase: int, seconds: float) -> EsbmcResult:
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


def test_whatever_breaks_in_asking_esbmc_takes_nothing_from_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: EsbmcEngine, phase: int, seconds: float) -> EsbmcResult:
        raise RuntimeError("a program as deep as this")

    monkeypatch.setattr(EsbmcEngine, "decide", broken)
    runs = runs_of("matmul_basic")
    assert [run.verdict for run in runs if not run.advisory] == [Verdict.SUCCESSFUL, Verdict.SUCCESSFUL]
    assert {run.reason for run in runs if run.advisory} == {"RuntimeError: a program as deep as this"}
    assert {status_of(run) for run in runs} == {ExitStatus.AS_EXPECTED}
    assert {status_of(run) for run in runs_of("matmul_basic", engine="both")} == {ExitStatus.INTERNAL_ERROR}


def test_esbmc_is_asked_when_the_embedded_engine_has_all_its_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []
    given: list[float] = []
    ours, theirs = EmbeddedEngine.decide, EsbmcEngine.decide

    def embedded(self: EmbeddedEngine, phase: int, *, tolerated: bool = False) -> list[Decision]:
        if not tolerated:  # what is only warned of is no verdict
            asked.append(("embedded", phase))
        return ours(self, phase, tolerated=tolerated)

    def esbmc(self: EsbmcEngine, phase: int, seconds: float) -> EsbmcResult:
        asked.append(("esbmc", phase))
        given.append(seconds)
        return theirs(self, phase, seconds)

    monkeypatch.setattr(EmbeddedEngine, "decide", embedded)
    monkeypatch.setattr(EsbmcEngine, "decide", esbmc)
    runs_of("matmul_basic")
    assert asked == [("embedded", 1), ("embedded", 2), ("esbmc", 1), ("esbmc", 2)]
    assert 0 < sum(given) <= 1.5 * SecondEngineBudget.SECONDS
    asked.clear()
    runs_of("matmul_basic", engine="esbmc")
    assert asked == [("esbmc", 1), ("esbmc", 2)]


@pytest.mark.parametrize("engine", ["auto", "both", "esbmc"])
def test_a_kernel_that_could_not_be_followed_to_its_end_is_proved_by_no_engine(engine: str, tmp_path: Path) -> None:
    # The claims before the construct hold: nothing is known of those behind it.
    (tmp_path / "k.py").write_text(UNFOLLOWED, encoding="utf-8")
    (tmp_path / "nkiverify_targets.py").write_text(UNFOLLOWED_TARGET, encoding="utf-8")
    (one,) = load_targets(tmp_path)
    runs = verify(one, Options(root=tmp_path, engine=engine))
    # Shapes that are run may show that it fails.
    assert {run.verdict for run in runs} <= {Verdict.UNKNOWN, Verdict.FAILED}
    assert all("a dictionary key or set element" in run.reason for run in runs if run.verdict is Verdict.UNKNOWN)
    assert any(run.verdict is Verdict.UNKNOWN for run in runs)


UNFOLLOWED = """
import nki
import nki.language as nl

@nki.jit
def k(x):
    P, F = x.shape
    t = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    seen = {F: 1}
    return t[0:P, 0:F + 1]
"""
UNFOLLOWED_TARGET = """
from nkiverify.manifest import SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import bfloat16

@target(kernel="k.py::k", family="k", kind=Kind.UNBOUNDED, expect={1: SUCCESSFUL})
def k_all(v):
    v.call(v.tensor("x", (v.dim("P"), v.dim("F")), bfloat16))
"""


def test_the_lowered_programs_are_left_where_they_are_asked_for(tmp_path: Path) -> None:
    runs_of("matmul_tiled_all", keep_lowered=tmp_path / "new" / "folder", phases=(1,))
    text = "\n".join(file.read_text(encoding="utf-8") for file in tmp_path.rglob("*") if file.is_file())
    assert "matmul_tiled.py" in text


GENUINE = EsbmcEngine.decide


def undecided(self: EsbmcEngine, phase: int, seconds: float) -> EsbmcResult:
    """ESBMC where it comes to no end."""
    result = GENUINE(self, phase, seconds)
    left_open = (replace(one, outcome=Outcome.UNDECIDED, reason="time-out") for one in result.decisions)
    return replace(result, decisions=tuple(left_open))


@pytest.mark.parametrize(
    ("condition", "status"), [("P <= 128", ExitStatus.AS_EXPECTED), ("P < 1", ExitStatus.NOTHING_VERIFIED)]
)
def test_check_asks_esbmc_on_request_and_what_it_leaves_open_hides_no_vacuity(
    condition: str, status: ExitStatus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EsbmcEngine, "decide", undecided)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.py").write_text(PRECONDITION.replace("CONDITION", condition), encoding="utf-8")
    words = ["check", "k.py::k", "--arg", "x=bf16[P,64]", "--engine", "auto", "--phase", "1"]
    assert main([*words, "--json", "r.json"]) == status
    runs = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["runs"]
    assert {run["engine"] for run in runs if not run["advisory"]} == {"embedded"}


PRECONDITION = """
import nki
import nki.language as nl

@nki.jit
def k(x):
    P, F = x.shape
    assert CONDITION
    return nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
"""


def test_a_run_asks_esbmc_unless_told_otherwise_and_check_does_not() -> None:
    assert layered("engine", parser_of("run").parse_args([]).engine, Settings(), DEFAULT_ENGINE).value == "auto"
    assert "default: auto" in " ".join(parser_of("run").format_help().split())
    assert "default: embedded" in " ".join(parser_of("check").format_help().split())


def test_esbmc_alone_leaves_out_what_it_cannot_be_asked_and_says_what_its_verdicts_rest_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["matmul_tiled_all", "--engine", "esbmc", "--bundled", "--no-cache", "-j", "1"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "ESBMC is not asked about phase 4 (dataflow): 1 runs are left out" in err
    assert "rest on esbmc" in out and "alone" in out
    assert out.rstrip().endswith("all as expected")
    assert main([*words, "--phase", "4"]) == ExitStatus.NOTHING_VERIFIED


def test_a_check_whose_arguments_are_inferred_says_that_esbmc_is_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, k=COPY)
    main(["check", f"{tmp_path / 'k.py'}::copy", "--phase", "1", "--engine", "esbmc"])
    assert "these verdicts rest on esbmc" in capsys.readouterr().out


def test_the_phases_that_esbmc_is_not_asked_about_are_those_of_sets() -> None:
    assert {number for number, phase in PHASES.items() if not phase.for_engines} == EMBEDDED_ONLY


@pytest.mark.skipif("not getattr(locate.find(), 'has_python', False)", reason="this ESBMC reads no Python")
@pytest.mark.parametrize(
    ("lowering", "languages"), [("c", {".c"}), ("python", {".py"}), ("both", {".c", ".py"}), (None, {".c"})]
)
def test_programs_are_lowered_to_what_is_asked_for(lowering: str | None, languages: set[str], tmp_path: Path) -> None:
    ours, theirs = runs_of("matmul_tiled_all", phases=(1,), lowering=lowering, keep_lowered=tmp_path, timeout=120.0)
    assert ours.verdict is theirs.verdict is Verdict.SUCCESSFUL
    assert {file.suffix for file in tmp_path.iterdir()} == languages


def test_every_twentieth_target_is_lowered_to_python_as_well() -> None:
    names = [f"target_{number}" for number in range(2000)]
    sampled = [name for name in names if len(second_opinion._languages(name, None)) == 2]
    found = second_opinion.installation()
    assert found is not None
    assert (70 < len(sampled) < 130) is found.has_python
    expected = [len(one.expect.keys() - EMBEDDED_ONLY) for one in load_targets(resources.root())]
    taken = [one for one in load_targets(resources.root()) if len(second_opinion._languages(one.name, None)) == 2]
    phases = [phase for one in taken for phase in one.expect.keys() - EMBEDDED_ONLY]
    # Of our own manifest, it is every twentieth run, of each phase.
    assert round(sum(expected) / len(phases)) == 20 and set(phases) == {1, 2, 3}


@pytest.mark.campaign
@pytest.mark.skipif("not getattr(locate.find(), 'has_python', False)", reason="this ESBMC reads no Python")
def test_what_the_lowering_to_python_decides_is_said_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    (_, theirs) = runs_of("transpose2d_buggy", phases=(1,), lowering="both", timeout=120.0)
    decided = theirs.closed_by["in Python as well"]
    assert decided > 10
    assert f"lowered to Python as well: {decided} of {theirs.claims} claims decided, none otherwise" in theirs.reason
    assert main(["transpose2d_buggy", "--lowering", "both", "--bundled", "--no-cache", "-j", "1", "--phase", "1"]) == 0
    assert "1 agrees, 1 of them in Python as well" in " ".join(capsys.readouterr().out.split())


@pytest.mark.skipif("not getattr(locate.find(), 'has_python', False)", reason="this ESBMC reads no Python")
def test_a_contradiction_of_the_lowering_to_python_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = EsbmcEngine.decide

    def contrary(self: EsbmcEngine, phase: int, seconds: float) -> EsbmcResult:
        result = genuine(self, phase, seconds)
        if self._language is TargetLanguage.C:
            return result
        first, *others = result.decisions
        return replace(result, decisions=(replace(first, outcome=Outcome.REFUTED), *others))

    monkeypatch.setattr(EsbmcEngine, "decide", contrary)
    (_, theirs) = runs_of("matmul_tiled", phases=(1,), lowering="both", timeout=120.0)
    assert theirs.qualifier == Basis.DISAGREEMENT.value
