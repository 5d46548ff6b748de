"""What a checkout goes through: two runs at once, a run that is killed, no room to write; nothing is lost or left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nkiverify.foundation import resources
from tests.clocks import HANGS

#: Targets of different families that take a moment, and one that fails.
TARGETS = ("matmul_tiled*", "transpose2d*", "interpolate_bilinear_all")

COPIED = ("nkiverify", "stubs", "kernels", "harness", "docs", "verify.py", "pyproject.toml", "README.md")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with no reports, and the byte code of this one: without it, each of its programs would compile it."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in COPIED:
        source = resources.root() / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)
    return folder


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-B", "verify.py", "--engine", "embedded", *TARGETS, *arguments]


def run(checkout: Path, *arguments: str, wrapped: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": ""}
    words = [*wrapped, *command(*arguments)]
    return subprocess.run(words, cwd=checkout, env=environment, capture_output=True, text=True, timeout=HANGS)


def results(checkout: Path) -> list[tuple[str, int, str]]:
    document = json.loads((checkout / "reports" / "results.json").read_text(encoding="utf-8"))
    return sorted((run["target"], run["phase"], run["verdict"]) for run in document["runs"])


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_written_but_reports(checkout: Path) -> None:
    before = files_in(checkout)
    assert run(checkout).returncode == 0
    assert {name.partition("/")[0] for name in files_in(checkout) - before} == {"reports"}


def test_two_runs_at_once_are_both_whole(checkout: Path) -> None:
    processes = [
        subprocess.Popen(command("--no-cache"), cwd=checkout, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in processes:
        output, errors = process.communicate(timeout=HANGS)
        assert process.returncode == 0, errors
        assert "all as expected" in output
    assert len(results(checkout)) > 10
    with sqlite3.connect(checkout / "reports" / "history.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_run_after_one_that_was_killed(checkout: Path) -> None:
    whole = run(checkout, "--no-cache")
    assert whole.returncode == 0
    expected = results(checkout)
    for delay in (0.6, 1.2):
        process = subprocess.Popen(
            command("--no-cache"),
            cwd=checkout,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(HANGS)
        # What was there is whole: the old results, or the new ones.
        assert results(checkout) == expected
    assert run(checkout).returncode == 0
    assert results(checkout) == expected
    left = [name for name in files_in(checkout / "reports") if "tmp" in name]
    assert left == []


def test_a_checkout_that_cannot_be_written_to(checkout: Path) -> None:
    assert run(checkout, "--no-cache").returncode == 0
    script = f"mount --bind '{checkout}' '{checkout}' && mount -o remount,ro,bind '{checkout}' && cd '{checkout}' && "
    isolated = ["unshare", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*isolated, f"{script} true"], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    before = results(checkout)
    words = " ".join(f"'{word}'" for word in command("--no-cache"))
    ended = subprocess.run([*isolated, script + words], capture_output=True, text=True, timeout=HANGS)
    # The verdicts are shown; the last line says what the status says.
    assert "runs of" in ended.stdout and "all as expected" not in ended.stdout
    assert "not written: " in ended.stdout
    assert "Traceback" not in ended.stderr + ended.stdout
    assert ended.returncode not in (0, 1)
    assert "ead-only" in ended.stderr + ended.stdout
    assert results(checkout) == before
