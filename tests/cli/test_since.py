"""`run --since COMMIT`: the targets that changed, and what that changed in their verdicts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.quick import main

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

KERNEL = """
import nki.isa as nisa
import nki.language as nl
from sizes import WIDTH


def load(a):
    tile = nl.ndarray((a.shape[0], WIDTH), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
"""
TARGETS = """
from nkiverify.manifest import FAILED, SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import float32


@target(kernel="one.py::load", family="one", kind=Kind.SYMBOLIC, expect={1: SUCCESSFUL})
def first(v):
    v.call(v.tensor("a", (v.dim("P", high=128), 8), float32))
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders with a manifest each, of one kernel that imports its width; all of it committed."""
    for name in ("here", "there"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "sizes.py").write_text("WIDTH = 8\n")
        (folder / "one.py").write_text(KERNEL)
        (folder / "nkiverify_targets.py").write_text(TARGETS.replace("first", f"from_{name}"))
    (tmp_path / "pyproject.toml").write_text("[tool.nkiverify]\npage = false\n")
    (tmp_path / ".gitignore").write_text("nkiverify-reports\n")
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    commit()
    return tmp_path


def git(*words: str) -> None:
    identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid")
    subprocess.run(["git", *identity, *words], check=True, capture_output=True)


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "what is there")


def since(*words: str) -> int:
    return main(["run", "--engine", "embedded", "--since", *words])


def test_where_nothing_changed_nothing_is_verified_and_that_is_said(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "README").write_text("of no target's\n")
    assert since("HEAD", "--markdown", "comment.md") == 0
    assert "no file that a target is verified from has changed since" in capsys.readouterr().out
    assert "has changed since" in (repository / "comment.md").read_text()


def test_a_module_that_a_kernel_imports_makes_its_target_run_and_the_other_one_not(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "here" / "sizes.py").write_text("WIDTH = 9\n")
    assert since("HEAD", "--markdown", "comment.md") == 1
    told = capsys.readouterr().out
    assert "worse   from_here, phase 1: SUCCESSFUL → FAILED" in told
    assert "from_there" not in told
    comment = (repository / "comment.md").read_text()
    assert "| **worse** | `from_here` | phase 1: SUCCESSFUL → FAILED |" in comment
    assert "1 target left out, of which no file has changed." in comment
    # What is committed since is a change as well; what a branch does not have is none of it.
    commit()
    assert since("HEAD~1", "from_*") == 1
    assert since("HEAD") == 0


def test_a_target_that_is_new_and_one_whose_verdict_stays(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = repository / "here" / "nkiverify_targets.py"
    manifest.write_text(manifest.read_text() + TARGETS.partition("float32\n")[2].replace("first", "added"))
    assert since("HEAD") == 0
    told = capsys.readouterr().out
    assert "new     added, phase 1: SUCCESSFUL" in told and "from_here, phase" not in told.partition("since ")[2]


def test_an_earlier_manifest_that_is_broken_leaves_nothing_to_compare_with(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = repository / "here" / "nkiverify_targets.py"
    sound = manifest.read_text()
    manifest.write_text("import nothing_of_this_name\n")
    commit()
    manifest.write_text(sound)
    assert since("HEAD") == 0
    assert "there is nothing to compare with: here/nkiverify_targets.py:1: " in capsys.readouterr().out


def test_other_settings_make_all_targets_run(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "pyproject.toml").write_text("[tool.nkiverify]\npage = false\nhardware = 'trn1'\n")
    assert since("HEAD") == 0
    assert "2 runs of 2 targets" in capsys.readouterr().out


@pytest.mark.parametrize("commit", ["no-such-branch", "=--output=x"])
def test_what_is_no_commit_is_a_usage_error(commit: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"--since{commit}"] if commit.startswith("=") else ["--since", commit]
    assert main(["run", "--engine", "embedded", *words]) == 2
    assert capsys.readouterr().err.startswith("nkiverify: error: --since: ")
    assert not (repository / "x").exists()
