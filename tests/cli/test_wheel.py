"""The wheel works outside the repository: it carries the stubs, the kernels, the harness and the result schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path


def run(wheel_site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program where nothing of the repository is."""
    environment = os.environ | {"PYTHONPATH": str(wheel_site)}
    command = [sys.executable, "-m", "nkiverify", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_is_what_runs(wheel_site: Path, tmp_path: Path) -> None:
    script = (
        "import nkiverify.foundation.resources as r; print(r.__file__); print(r.in_checkout(), r.schema().is_file())"
    )
    environment = os.environ | {"PYTHONPATH": str(wheel_site)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [str(wheel_site / "nkiverify" / "foundation" / "resources.py"), "False True"]


def test_the_wheel_verifies_and_reports_where_the_user_stands(wheel_site: Path, tmp_path: Path) -> None:
    done = run(
        wheel_site, tmp_path, "--bundled", "tensor_add", "tensor_add_buggy", "--phase", "1", "--engine", "embedded"
    )
    page = tmp_path / "reports" / "dashboard" / "index.html"
    assert (done.returncode, done.stderr) == (0, f"nkiverify: the page of these results is {page}\n")
    assert "tensor_add_buggy" in page.read_text(encoding="utf-8")
    results = json.loads((tmp_path / "reports" / "results.json").read_text(encoding="utf-8"))
    assert [entry["verdict"] for entry in results["runs"]] == ["SUCCESSFUL", "FAILED"]
    (violation, *_) = results["runs"][1]["violations"]
    assert violation["file"] == "kernels/tensor_add.py"


def test_the_wheel_has_no_leftovers(wheel_site: Path) -> None:
    (wheel,) = wheel_site.parent.glob("*.whl")
    carried = [Path(name) for name in zipfile.ZipFile(wheel).namelist()]
    assert not [path for path in carried if path.suffix == ".pyc" or "tests" in path.parts]
    assert {path.parts[0] for path in carried if "dist-info" not in path.parts[0]} == {"nkiverify"}
