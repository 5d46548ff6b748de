"""Test files written for the vendor's simulator run as they are, each way that the documentation has."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nkiverify.foundation import resources

CASES = Path(__file__).parent / "cases"
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("NKI_", "NEURON_", "PYTHONPATH"))}
#: `nkiverify`, in a process of its own.
NKIVERIFY = [sys.executable, str(resources.root() / "verify.py")]


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder of the cases."""
    return subprocess.run(command, cwd=CASES, env={**CLEAN, **environment}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("file", sorted(path.name for path in CASES.glob("test_*.py")))
def test_test_files_run_unmodified(file: str) -> None:
    ran = run(*NKIVERIFY, "simulate", "--exec", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, file)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.findall(r"(\d+) passed", ran.stdout)[0]) > 0


def test_tensors_of_torch_go_in_and_come_out() -> None:
    """With a stand-in for torch, unless that is installed: the real one comes with gigabytes for GPUs."""
    torch = [] if importlib.util.find_spec("torch") else [str(CASES.parent / "standin")]
    case = "test_ways_of_calling.py::test_tensors_of_torch"
    command = ("simulate", "--exec", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, case)
    ran = run(*NKIVERIFY, *command, PYTHONPATH=os.pathsep.join(torch))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "skipped" not in ran.stdout


CALL = "test_ways_of_calling.py::test_a_kernel_for_simulation_is_called_like_a_function"


def test_the_pytest_plugin_puts_the_simulator_on_the_path() -> None:
    plain = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    path = {"PYTHONPATH": str(resources.root())}
    assert run(*plain, "-c", os.devnull, CALL, "--nki-simulator", **path).returncode == 0
    assert "No module named 'neuronxcc'" in run(*plain, "-c", os.devnull, CALL, **path).stdout


def test_the_stubs_on_the_path_are_enough() -> None:
    stubs = subprocess.run(
        [sys.executable, "-m", "nkiverify.cli.stub_path"], capture_output=True, text=True, check=True
    )
    path = os.pathsep.join((stubs.stdout.strip(), str(resources.root())))
    ran = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, CALL, PYTHONPATH=path)
    assert ran.returncode == 0, ran.stdout


def test_the_exit_status_is_that_of_the_command() -> None:
    assert run(*NKIVERIFY, "simulate", "--exec", "python", "-c", "import nki; raise SystemExit(7)").returncode == 7
    missing = run(*NKIVERIFY, "simulate", "--exec", "no_such_program")
    assert (missing.returncode, missing.stderr) == (
        2,
        "nkiverify: error: --exec: no_such_program cannot be run: No such file or directory\n",
    )


@pytest.mark.parametrize("words", [["simulate", "--exec"], ["simulate"], ["simulate", "a.py::b", "--exec", "true"]])
def test_what_is_missing_is_said(words: list[str]) -> None:
    ran = run(*NKIVERIFY, *words)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
