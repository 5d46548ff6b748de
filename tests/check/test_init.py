"""`nkiverify init`, and the manifest of a repository other than ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.project.manifest import load_targets
from nkiverify.project.settings import read
from tests.check.kernel_files import COPY, write


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a kernel, in which the test runs."""
    write(tmp_path, kernels__k=COPY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_manifest_is_begun(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "kernels/k.py::copy"]) == 0
    assert "copy_all" in capsys.readouterr().out
    (target,) = load_targets(repository)
    assert (target.name, target.kernel, target.root) == ("copy_all", "kernels/k.py::copy", repository)
    assert main(["run", "--show-config"]) == 0
    assert main(["init", "kernels/k.py::copy"]) == 2
    assert "there is nkiverify_targets.py already" in capsys.readouterr().err


def test_the_settings_are_begun_behind_what_is_there(repository: Path) -> None:
    toml = repository / "pyproject.toml"
    toml.write_text('[project]\nname = "mine"\n', encoding="utf-8")
    assert main(["init", "kernels/k.py::copy"]) == 0
    written = toml.read_text(encoding="utf-8")
    assert written.startswith('[project]\nname = "mine"\n\n[tool.nkiverify]\n')
    # Every setting that is there as a comment is one.
    toml.write_text(written.replace("\n# manifests", "\nmanifests").replace("\n# t", "\nt"), encoding="utf-8")
    settings = read(toml)
    assert settings is not None and (settings.timeout, settings.manifests) == (60, ("nkiverify_targets.py",))
    (repository / "nkiverify_targets.py").unlink()
    before = toml.read_text(encoding="utf-8")
    assert main(["init", "kernels/k.py::copy"]) == 0
    assert toml.read_text(encoding="utf-8") == before


def test_its_targets_are_found_where_it_is(repository: Path) -> None:
    main(["init", "kernels/k.py::copy"])
    command = [sys.executable, "-m", "nkiverify", "--list"]
    listed = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert "copy_all" in listed.stdout
    assert "matmul" not in listed.stdout


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("kernels/k.py", "a kernel is written path/to/file.py::function, not 'kernels/k.py'"),
        ("kernels/j.py::copy", "no file kernels/j.py"),
        ("kernels/k.py::cop", "no kernel cop in kernels/k.py; did you mean copy?"),
    ],
)
def test_what_is_not_there(kernel: str, message: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", kernel]) == 2
    assert capsys.readouterr().err == f"nkiverify: error: {message}\n"
    assert not (repository / "nkiverify_targets.py").exists()
