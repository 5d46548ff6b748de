"""What becomes of rules in a repository with a manifest: settings, options, and where they are heeded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import nkiverify
from nkiverify.cli.main import main

KERNEL = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def copied(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=a, dge_mode=3)
        nisa.dma_copy(dst=out, src=tile[:, 0:2])
        return out
"""
#: This plug-in, not one that is installed.
_OURS = ("-p", "no:nkiverify", "-p", "nkiverify.cli.pytest_plugin", "-p", "no:cacheprovider")
TARGETS = '''
    from nkiverify.manifest import SUCCESSFUL, Kind, Verification, target
    from nkiverify.model.dtypes import bfloat16


    @target(kernel="k.py::copied", family="copies", kind=Kind.CONCRETE, expect={1: SUCCESSFUL})
    def copied(v: Verification) -> None:
        """One shape."""
        v.call(v.tensor("a", (128, 4), bfloat16))
'''


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a kernel that breaks dma_copy.count and, contested, isa.enum_members."""
    (tmp_path / "k.py").write_text(textwrap.dedent(KERNEL), encoding="utf-8")
    (tmp_path / "nkiverify_targets.py").write_text(textwrap.dedent(TARGETS), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.nkiverify]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    """The exit status of a run of phase 1."""
    return main(["run", "-j", "1", "--engine", "embedded", "--phase", "1", *words])


def written(repository: Path) -> dict[str, Any]:
    """The run in the results."""
    (found,) = json.loads((repository / "nkiverify-reports" / "results.json").read_text(encoding="utf-8"))["runs"]
    return dict(found)


def configure(repository: Path, text: str) -> None:
    """Write the settings."""
    (repository / "pyproject.toml").write_text(f"[tool.nkiverify]\n{text}\n", encoding="utf-8")


def test_settings_and_options_say_what_becomes_of_findings(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run() == 1
    assert [one["rule"] for one in written(repository)["warnings"]] == ["isa.enum_members"]
    assert run("--ignore", "dma_copy.count") == 0
    shown = capsys.readouterr().out
    assert "Accepted findings" in shown and "1 accepted, 1 contested" in shown
    configure(repository, 'ignore = { "dma_copy.count" = "a half is meant" }')
    assert run() == 0
    assert written(repository)["accepted"][0]["reason"] == "a half is meant"
    # What is remembered is about the policy that it was found under.
    assert run() == 0 and written(repository)["cached"]
    assert run("--strict") == 1
    assert [one["contract"] for one in written(repository)["violations"]] == ["isa.enum_members"]
    assert run("--nki", "0.2") == 0 and written(repository)["warnings"] == []
    configure(repository, 'strict = true\nignore = { "dma_copy.count" = "a half is meant" }')
    assert run() == 1


def test_an_ignore_that_matches_nothing_is_told_where_all_targets_have_run(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--ignore", "dma_copy.count", "--ignore", "dma_copy.buffers", "-W", "ignore=contested")
    assert run(*options, "-W", "error") == 1
    assert "ignore.unused: the ignore of dma_copy.buffers (--ignore) matches no finding" in capsys.readouterr().out
    assert run("copied", *options, "-W", "error") == 0
    kernel = (repository / "k.py").read_text(encoding="utf-8")
    changed = kernel.replace("src=tile[:, 0:2])", "src=tile)  # nkiverify: ignore[dma_copy.count] a half is meant")
    (repository / "k.py").write_text(changed, encoding="utf-8")
    for _ in range(2):
        assert run("-W", "ignore=contested", "-W", "error") == 1
        assert "ignore.unused at k.py:12" in capsys.readouterr().out


def test_pytest_heeds_the_settings(repository: Path) -> None:
    def passes() -> bool:
        words = [sys.executable, "-m", "pytest", *_OURS, "nkiverify_targets.py"]
        ours = {**os.environ, "PYTHONPATH": str(Path(nkiverify.__file__).parents[1])}
        ours["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        return subprocess.run(words, cwd=repository, env=ours, check=False, capture_output=True).returncode == 0

    assert not passes()
    configure(repository, 'ignore = { "dma_copy.count" = "a half is meant", "df.output_written" = "a half is meant" }')
    assert passes()
    configure(repository, 'strict = true\nignore = { "dma_copy.count" = "a half is meant" }')
    assert not passes()
