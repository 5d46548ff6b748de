"""`make bench` measures; what it measures is the machine's, so only that it does is tested."""

from __future__ import annotations

import subprocess
import sys

from nkiverify.foundation.resources import root


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lab.bench_command", *arguments]
    return subprocess.run(command, cwd=root(), capture_output=True, text=True, check=False)


def test_each_target_has_a_line_and_all_together_a_sum() -> None:
    done = bench("tensor_add", "tensor_add_all")
    assert (done.returncode, done.stderr) == (0, "")
    header, _, first, second, total, stages = done.stdout.splitlines()
    assert header.split()[:2] == ["target", "claims"]
    assert [first.split()[0], second.split()[0]] == ["tensor_add", "tensor_add_all"]
    assert all(float(cell) >= 0 for cell in f"{first} {second}".split() if not cell.startswith("tensor_add"))
    assert total.startswith("2 targets, ")
    assert stages.startswith("of the time ")


def test_a_target_without_an_answer_in_time_is_named() -> None:
    done = bench("tensor_add", "--timeout", "0.0001")
    assert done.returncode == 3
    assert "nkiverify: tensor_add gave no measurement" in done.stderr


def test_filters_are_those_of_a_run() -> None:
    done = bench("tensor_ad")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean tensor_add" in done.stderr
