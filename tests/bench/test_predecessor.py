"""`make predecessor`: programs of a checkout are found by name, run with their options, and compared with ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab import predecessor
from lab.predecessor import Run, Timed
from nkiverify.engines.esbmc import locate
from nkiverify.foundation.resources import root

HOLDS = "def main() -> None:\n    rows: int = 256\n    assert rows % 128 == 0\n\nmain()\n"
BREAKS = "def main() -> None:\n    rows: int = 257\n    assert rows % 128 == 0\n\nmain()\n"


def _compared(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lab.predecessor", "--checkout", str(checkout), *words]
    return subprocess.run(command, cwd=root(), capture_output=True, text=True)


def _with_python() -> bool:
    esbmc = locate.find()
    return esbmc is not None and esbmc.has_python


needs_python = pytest.mark.skipif(not _with_python(), reason="no ESBMC here reads Python")


@pytest.mark.campaign
@needs_python
def test_both_are_run_and_verdicts_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "transpose2d.py").write_text(BREAKS)
    (tmp_path / "harness" / "avgpool_buggy.py").write_text(BREAKS)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "transpose2d.py").write_text(HOLDS)
    done = _compared(tmp_path, "transpose2d", "avgpool_buggy", "tensor_add")
    lines = done.stdout.splitlines()
    assert lines[0] == f"no program in {tmp_path} for: tensor_add"
    rows = [line.split() for line in lines if line.startswith(("transpose2d ", "avgpool_buggy "))]
    assert [(row[0], row[1], row[2], row[4]) for row in rows] == [
        ("transpose2d", "1", "FAILED", "SUCCESSFUL"),
        ("transpose2d", "2", "FAILED", "SUCCESSFUL"),
        ("avgpool_buggy", "1", "FAILED", "FAILED"),
    ]
    assert lines[-1] == "transpose2d, phase 2: the predecessor says FAILED, we say SUCCESSFUL"
    assert done.returncode == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted(
        ["harness", "kernels", "transpose2d.py", "transpose2d.py", "avgpool_buggy.py"]
    )


def test_a_run_without_a_verdict_makes_the_ratio_a_lower_bound() -> None:
    run = Run("tensor_add", "1", ())
    silent, broken = Timed("", 30.0, "time-out"), Timed("FAILED", 2.0)
    pairs = [(run, silent, Timed("SUCCESSFUL", 0.5)), (run, broken, Timed("", 0.5, "UNKNOWN"))]
    lines = list(predecessor.told(pairs, "esbmc 8.4.0", "embedded"))
    assert "time-out" in lines[0] and ">60.0" in lines[0]
    assert lines[-1] == (
        "2 runs: predecessor 32.0 s with esbmc 8.4.0, 1 without a verdict; "
        "ours 1.0 s with --engine embedded: more than 32.0 times"
    )


@needs_python
@pytest.mark.parametrize(
    ("files", "words", "said"),
    [
        ((), ("tensor_add",), "nothing to compare: --program 'DIR/{name}.py' says where programs are"),
        ((), ("tensor_sub",), "not among the shared targets: tensor_sub"),
        (
            ("a/tensor_add.py", "b/tensor_add.py"),
            ("tensor_add",),
            f"the program of tensor_add may be a{os.sep}tensor_add.py, b{os.sep}tensor_add.py: "
            "--program 'DIR/{name}.py' says which",
        ),
    ],
)
def test_nothing_to_compare_is_one_line_and_status_2(
    tmp_path: Path, files: tuple[str, ...], words: tuple[str, ...], said: str
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text(HOLDS)
    done = _compared(tmp_path, *words)
    assert done.returncode == 2
    assert done.stderr == f"predecessor: {said}\n"


def test_every_shared_run_is_of_a_target_of_ours() -> None:
    from nkiverify.project.manifest_targets import load_targets

    ours = {target.name for target in load_targets(root())}
    runs = predecessor._chosen(())
    assert len(runs) == 90 and {run.name for run in runs} <= ours
