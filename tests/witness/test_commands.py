"""`nkiverify replay`, `show`, `--all` and the bundle of a witness that does not replay, on a small project."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
import z3

from nkiverify import resources
from nkiverify.cli import main
from nkiverify.config import Options
from nkiverify.manifest import load_targets
from nkiverify.session import Session, Versions
from nkiverify.verifier import verify
from nkiverify.witness.emit import write_bundle

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
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("p k, K\nq\n"))
    assert main(["replay", "--target", "ragged", "--pdb"]) == 0
    out = capsys.readouterr().out
    assert "small.py(11)slabs()" in out
    assert "(1, 129)" in out


def test_the_emitted_test_fails_until_the_kernel_is_mended(project: Path) -> None:
    file = project / "test_emitted.py"
    assert main(["replay", "--target", "ragged", "--emit-test", str(file)]) == 0
    (project / "reports" / "results.json").unlink()

    def status() -> int:
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(project), str(file)]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False).returncode

    assert status() == 1
    mend(project)
    assert status() == 0


def test_all_lists_every_claim_of_a_line(project: Path) -> None:
    def violations() -> int:
        document = json.loads((project / "reports" / "results.json").read_text(encoding="utf-8"))
        return sum(len(run["violations"]) for run in document["runs"])

    assert main(["both_axes", "-j1"]) == 0
    first = violations()
    assert main(["both_axes", "-j1", "--all"]) == 0
    assert first == 1 < violations()


def test_show_prints_program_rungs_and_scripts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["show", "ragged", "--smt", str(project / "smt")]) == 0
    out = capsys.readouterr().out
    assert "  128 <= K\n" in out and "dtype in {float16, bfloat16}" in out
    assert "for k in range((K + 127)//128):  # kernels/small.py:10" in out
    assert "refuted by smt" in out and "proved by constant" in out
    answers = set()
    for file in (project / "smt").iterdir():
        solver = z3.Solver()
        solver.from_file(str(file))
        answer = str(solver.check())
        assert f"(set-info :status {answer})" in file.read_text(encoding="utf-8")
        answers.add(answer)
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
    doubtful = replace(run, qualifier="not replayed")
    session = Session((doubtful,), project, datetime.now(timezone.utc), 1.0, 1, Versions.installed())
    bundle = write_bundle(doubtful, target, session, project / "reports" / "not-replayed")
    assert sorted(file.name for file in bundle.iterdir()) == ["README.txt", "harness.py", "kernel.py", "results.json"]
    assert (bundle / "kernel.py").read_text(encoding="utf-8") == KERNEL
    assert json.loads((bundle / "results.json").read_text(encoding="utf-8"))["runs"][0]["qualifier"] == "not replayed"
