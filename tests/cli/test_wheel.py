"""The wheel works outside the repository: it carries the stubs, the kernels, the harness and the result schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from nkiverify.resources import root


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that an installation of the wheel fills."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=root(), check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    return site


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program where nothing of the repository is."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "nkiverify", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    script = "import nkiverify.resources as r; print(r.__file__); print(r.in_checkout(), r.schema().is_file())"
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [str(installed / "nkiverify" / "resources.py"), "False True"]


def test_the_wheel_verifies_and_reports_where_the_user_stands(installed: Path, tmp_path: Path) -> None:
    done = run(
        installed, tmp_path, "--bundled", "tensor_add", "tensor_add_buggy", "--phase", "1", "--engine", "embedded"
    )
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads((tmp_path / "reports" / "results.json").read_text(encoding="utf-8"))
    assert [entry["verdict"] for entry in results["runs"]] == ["SUCCESSFUL", "FAILED"]
    (violation, *_) = results["runs"][1]["violations"]
    assert violation["file"] == "kernels/tensor_add.py"


def test_the_wheel_has_no_leftovers(installed: Path) -> None:
    carried = [path.relative_to(installed) for path in installed.rglob("*") if path.is_file()]
    assert not [path for path in carried if path.suffix == ".pyc" or "tests" in path.parts]
    assert {path.parts[0] for path in carried if "dist-info" not in path.parts[0]} == {"nkiverify"}
