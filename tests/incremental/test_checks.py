"""A check of a file of which nothing has changed says what it said the last time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clocks import HANGS

TOP = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are supervised on Linux")

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl

from sizes import WIDTH


@nki.jit
def k(a):
    t = nl.ndarray((128, WIDTH), dtype=a.dtype, buffer=nl.sbuf)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=t, src=a)
    nisa.dma_copy(dst=out, src=t)
    return out
"""
AGAIN = "nkiverify: as the last time: nothing has changed since (--no-cache checks again)\n"
WORDS = ("k.py::k", "--arg", "a=f32[128,8]", "--phase", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.py").write_text(KERNEL)
    (tmp_path / "sizes.py").write_text("WIDTH = 8\n")
    return tmp_path


def check(folder: Path, *words: str, kernel: tuple[str, ...] = WORDS) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(TOP), "XDG_CACHE_HOME": str(folder / "caches")}
    command = [sys.executable, "-m", "nkiverify", "check", *kernel, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANGS)


def test_the_same_text_is_told_again_until_something_changes(folder: Path) -> None:
    first, second = check(folder), check(folder)
    assert first.returncode == second.returncode == 0 and "SUCCESSFUL" in first.stdout
    assert (first.stderr, second.stderr) == ("", AGAIN)
    assert second.stdout == first.stdout
    assert check(folder, "--no-cache").stderr == ""
    assert check(folder, "--unwind", "3").stderr == ""
    (folder / "sizes.py").write_text("WIDTH = 9\n")
    failed = check(folder)
    assert failed.returncode == 1 and failed.stderr == ""
    failure = folder / "caches" / "nkiverify" / "last" / "failure.json"
    before = failure.read_text()
    failure.write_text("that of another kernel")
    again = check(folder)
    assert (again.returncode, again.stdout, again.stderr) == (1, failed.stdout, AGAIN)
    assert failure.read_text() == before


def test_an_inferred_check_is_told_again_in_every_form(folder: Path) -> None:
    for form in ("full", "json"):
        first, second = (check(folder, "--output-format", form, kernel=("k.py",)) for _ in range(2))
        assert second.stdout == first.stdout and second.returncode == first.returncode
        assert (first.stderr, second.stderr) == ("", AGAIN)
    assert json.loads(second.stdout)["runs"]


@pytest.mark.parametrize(
    ("sizes", "words", "told"),
    [
        ("import time\nWIDTH = 8 + 0 * int(time.time())", (), ""),
        ("WIDTH = 8\nTEXT = open('x').read()", (), "is not given it"),
        ("WIDTH = 8", ("--json", "results.json"), ""),
        ("WIDTH = 8", ("--allow", "network"), ""),
        ("WIDTH = 8", ("--phase", "4", "--timeout", "0.01"), ""),
    ],
    ids=["a clock", "what was refused", "a file to write", "permissions", "no conclusion"],
)
def test_what_may_be_otherwise_next_time_is_checked_again(
    folder: Path, sizes: str, words: tuple[str, ...], told: str
) -> None:
    (folder / "sizes.py").write_text(sizes + "\n")
    for _ in range(2):
        done = check(folder, *words)
        assert AGAIN not in done.stderr and told in done.stderr and "k.py::k" in done.stdout + done.stderr
