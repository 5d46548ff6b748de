"""`nkiverify replay`, `show`, `--all` and the bundle of a witness that does not replay, on a small project."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from lab.solvers import cvc5_says, z3_says
from nkiverify.cli import run as run_command
from nkiverify.engines.embedded import Decision, EmbeddedEngine
from nkiverify.foundation import resources
from nkiverify.foundation.errors import ContractViolation
from nkiverify.foundation.records import Basis
from nkiverify.ir.program import Claim
from nkiverify.project.manifest_targets import load_targets
from nkiverify.results.session import Session, Versions
from nkiverify.verify.explanation import explain
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.quick import main

TOP = Path(__file__).parents[2]

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def slabs(x):
    K, M = x.shape
    tile = nl.ndarray((128, M), dtype=x.dtype, buffer=nl.sbuf)
    for k in range((K + 127) // 128):
        nisa.dma_copy(dst=tile, src=x[k * 128 : k * 128 + 128, 0:M])
    return nl.ndarray((K, M), dtype=x.dtype, buffer=nl.shared_hbm)


@nki.jit
def two_on_a_line(x):
    K, M = x.shape
    return x[0 : K + 1, 0 : M + 1]


@nki.jit
def odd(x):
    K, M = x.shape
    text = "a" * K
    return x
"""

HARNESS = """\
from nkiverify.manifest import FAILED, Kind, target
from nkiverify.model.dtypes import bfloat16, float16


def declare(name, kernel, low):
    def call(v):
        dtype = v.choice("dtype", (float16, bfloat16))
        v.call(v.tensor("x", (v.dim("K", low=low), 64), dtype))

    call.__name__ = name
    target(kernel=f"kernels/small.py::{kernel}", family="small", kind=Kind.CONTROL, expect={1: FAILED})(call)


@target(kernel="kernels/small.py::slabs", family="small", kind=Kind.CONTROL, expect={1: FAILED})
def tied(v):
    v.claim(v.dim("K", low=2) < 2, "K is less than it may be")
    v.call(v.tensor("x", (128, 64), float16))


declare("ragged", "slabs", 128)
declare("both_axes", "two_on_a_line", 1)
declare("repeats_text", "odd", 1)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a manifest of its own, in which `ragged` and `both_axes` have just been refuted."""
    for folder, text in (("kernels", KERNEL), ("harness", HARNESS)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "small.py").write_text(text, encoding="utf-8")
    (tmp_path / "stubs").symlink_to(resources.root() / "stubs")
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    monkeypatch.setattr(resources, "reports", lambda: tmp_path / "reports")
    assert main(["ragged", "both_axes", "-j1"]) == 0
    return tmp_path


def mend(project: Path) -> None:
    """Make `slabs` read what there is."""
    text = KERNEL.replace("for k in range((K + 127) // 128)", "for k in range(K // 128)")
    (project / "kernels" / "small.py").write_text(text, encoding="utf-8")


def test_a_violation_is_reproduced(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["replay", "--target", "ragged"]) == 0
    out = capsys.readouterr().out
    assert "K = 129" in out and "# any K that is no multiple of 128 fails" in out
    assert out.endswith("reproduced: ContractViolation at kernels/small.py:11\n")


def test_the_results_may_be_another_file(project: Path) -> None:
    other = project / "other.json"
    (project / "reports" / "results.json").rename(other)
    assert main(["replay", str(other), "--target", "both_axes", "--phase", "1"]) == 0
    assert main(["replay", "--target", "both_axes"]) == 2


def test_a_mended_kernel_does_not_reproduce(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mend(project)
    assert main(["replay", "--target", "ragged"]) == 4
    assert capsys.readouterr().out.endswith("NOT reproduced: the kernel keeps the contract for these values\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--target", "nowhere"], "no run of a target nowhere"),
        (["--target", "ragged", "--violation", "9"], "ragged has 1 violation, not 9"),
        (["--target", "ragged", "--phase", "2"], "no violation of ragged: FAILED in phase 1"),
    ],
)
def test_what_is_not_there_cannot_be_replayed(
    project: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", *words]) == 2
    assert complaint in capsys.readouterr().err


def test_the_debugger_stops_in_the_kernel(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("p k, K\nq\n"))
    assert main(["replay", "--target", "ragged", "--pdb"]) == 0
    out = capfd.readouterr().out
    assert "small.py(11)slabs()" in out
    assert "(1, 129)" in out


def test_the_emitted_test_fails_until_the_kernel_is_mended(project: Path) -> None:
    file = project / "test_emitted.py"
    assert main(["replay", "--target", "ragged", "--emit-test", str(file)]) == 0
    (project / "reports" / "results.json").unlink()
    # Neither the manifest nor the place of the folder is needed.
    (project / "harness" / "small.py").unlink()
    assert str(project) not in file.read_text(encoding="utf-8")

    def status() -> int:
        environment = {**os.environ, "PYTHONPATH": str(TOP), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(project), str(file)]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False).returncode

    assert status() == 1
    mend(project)
    assert status() == 0


FOREIGN = '\x1b[2J\n::error::x"""\nimport nowhere #'


def test_results_of_others_are_shown_as_text_and_written_as_text(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, file = project / "foreign.json", project / "test_emitted.py"
    document = json.loads((project / "reports" / "results.json").read_text())
    for run in document["runs"]:
        for one in run["violations"]:
            one |= {name: one[name] + FOREIGN for name in ("contract", "statement", "message", "comparison", "said")}
            one["witness"] = {name + FOREIGN: str(value) + FOREIGN for name, value in one["witness"].items()}
    results.write_text(json.dumps(document))
    capsys.readouterr()
    assert main(["replay", str(results), "--target", "ragged"]) == 4
    out = capsys.readouterr().out
    assert "nowhere" in out and "\x1b" not in out and "\n::" not in out
    assert main(["replay", str(results), "--target", "ragged", "--emit-test", str(file)]) == 0
    imported = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.Import)]
    assert imported == []


def test_results_that_are_none_are_refused(project: Path) -> None:
    results = project / "foreign.json"
    document = json.loads((project / "reports" / "results.json").read_text())
    document["runs"][0]["violations"][0]["line"] = "8, __import__('nowhere')"
    results.write_text(json.dumps(document))
    os.mkfifo(project / "pipe.json")
    assert main(["replay", str(results), "--target", "ragged"]) == 2
    assert main(["replay", str(project / "pipe.json"), "--target", "ragged"]) == 2
    assert main(["dashboard", "--results", str(project / "pipe.json")]) == 2


def test_a_condition_of_the_target_is_tested_by_way_of_the_target(project: Path) -> None:
    assert main(["tied", "-j1"]) == 0
    file = project / "test_emitted.py"
    assert main(["replay", "--target", "tied", "--emit-test", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert 'run_target(\n        "tied",' in text
    tests: dict[str, Any] = {"__file__": str(file)}
    exec(compile(text, file, "exec"), tests)
    with pytest.raises(ContractViolation, match=r"target\.claim"):
        tests["test_tied_target_claim"]()


def test_a_refutation_says_how_to_replay_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["ragged", "-j1"]) == 0
    assert "  replay   nkiverify replay --target ragged --phase 1 --pdb\n" in capsys.readouterr().out


def test_all_lists_every_claim_of_a_line(project: Path) -> None:
    def violations() -> int:
        document = json.loads((project / "reports" / "results.json").read_text(encoding="utf-8"))
        return sum(len(run["violations"]) for run in document["runs"])

    assert main(["both_axes", "-j1"]) == 0
    first = violations()
    assert main(["both_axes", "-j1", "--all"]) == 0
    assert first == 1 < violations()


def assert_all_solvers_say(file: Path, answer: str) -> None:
    """Z3 and cvc5, which have no code in common, give this answer to an SMT-LIB file."""
    assert [solve(file.read_text(encoding="utf-8")) for solve in (z3_says, cvc5_says)] == [answer, answer]


def test_show_prints_program_rungs_and_scripts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["show", "ragged", "--smt", str(project / "smt")]) == 0
    out = capsys.readouterr().out
    assert "  128 <= K\n" in out and "dtype in {float16, bfloat16}" in out
    assert "for k in range((K + 127)//128):  # kernels/small.py:10" in out
    assert "refuted by smt" in out and "proved by constant" in out
    answers = set()
    for file in (project / "smt").iterdir():
        stated = re.search(r"\(set-info :status (\w+)\)", file.read_text(encoding="utf-8"))
        assert stated is not None
        assert_all_solvers_say(file, stated[1])
        answers.add(stated[1])
    assert answers == {"sat", "unsat"}


def test_unknown_is_shown_with_its_line_and_advice(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["repeats_text", "-j1"]) == 3
    out = capsys.readouterr().out
    assert '| text = "a" * K' in out and "^^^^" in out
    assert "  advice   " in out


def test_what_does_not_replay_is_bundled(project: Path) -> None:
    (target,) = [target for target in load_targets(project) if target.name == "ragged"]
    (run,) = verify(target, Options(root=project))
    doubtful = replace(run, basis=Basis.NOT_REPLAYED, qualifier="not replayed")
    session = Session((doubtful,), project, datetime.now(timezone.utc), 1.0, 1, Versions.installed())
    folder = project / "reports" / "not-replayed"
    (told,) = run_command._bundle(session, Options(root=project), folder)
    (bundle,) = folder.iterdir()
    assert told == f"nkiverify: ragged does not replay: please report it with {bundle}"
    files = ["README.txt", "claims", "harness.py", "kernel.py", "results.json"]
    assert sorted(file.name for file in bundle.iterdir()) == files
    claims = list((bundle / "claims").iterdir())
    assert claims
    for claim in claims:
        assert_all_solvers_say(claim, "sat")
    assert (bundle / "kernel.py").read_text(encoding="utf-8") == KERNEL
    assert json.loads((bundle / "results.json").read_text(encoding="utf-8"))["runs"][0]["qualifier"] == "not replayed"


def test_each_claim_is_decided_when_it_is_asked_for_so_that_its_time_is_its_own(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided: list[Claim] = []
    genuine = EmbeddedEngine._claim

    def noted(self: EmbeddedEngine, claim: Claim, path: Any) -> Decision:
        decided.append(claim)
        return genuine(self, claim, path)

    (target,) = [target for target in load_targets(project) if target.name == "ragged"]
    explained = explain(target, Options(root=project), 1)
    monkeypatch.setattr(EmbeddedEngine, "_claim", noted)
    decisions = EmbeddedEngine(explained.program).one_by_one(1)
    for number in range(1, 4):
        next(decisions)
        assert len(decided) == number


def test_check_can_replay_in_the_debugger(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("p k, K\nq\n"))
    monkeypatch.chdir(project)
    assert main(["check", "kernels/small.py::slabs", "--arg", "x=bf16[K:128..512,64]", "--phase", "1", "--pdb"]) == 1
    out = capfd.readouterr().out
    assert "  replay   nkiverify replay --pdb\n" in out
    assert "(1, 129)" in out
