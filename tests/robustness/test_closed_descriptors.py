"""Programs that are started without all three standard streams: the exit status is that of the verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a[:, {first} : a.shape[1] + {first}])
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
COMMANDS = {
    "check right.py::k --arg a=f32[P:1..128,F:1..512] --phase 1 --no-cache": 0,
    "check wrong.py::k --arg a=f32[P:1..128,F:1..512] --phase 1 --no-cache --json r.json": 1,
    "check nothing.py": 2,
    "check missing.py::k --arg a=f32[4,4] --phase 1 --no-cache": 3,
    "explain idx.oob": 0,
    "simulate right.py::k --arg a=f32[4,4]": 0,
    "--version": 0,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("closed")
    (found / "right.py").write_text(KERNEL.format(first=0))
    (found / "wrong.py").write_text(KERNEL.format(first=1))
    (found / "missing.py").write_text("from nothing_here import size\n" + KERNEL.format(first="size(a)"))
    return found


@pytest.mark.parametrize("closed", ["0", "1", "2", "01", "02", "12", "012"])
@pytest.mark.parametrize("words", COMMANDS)
def test_the_status_is_that_of_the_verdict(words: str, closed: str, folder: Path) -> None:
    redirected = " ".join(f"{descriptor}{'<' if descriptor == '0' else '>'}&-" for descriptor in closed)
    quoted = " ".join(f"'{word}'" for word in (sys.executable, "-m", "nkiverify", *words.split()))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    found = subprocess.run(
        ["sh", "-c", f"exec {quoted} {redirected}"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert found.returncode == COMMANDS[words], found
    assert "Traceback" not in found.stderr + found.stdout
    if "2" not in closed:
        assert bool(found.stderr) is (COMMANDS[words] == 2)
    if "r.json" in words:
        # No file of ours has got a descriptor that is printed to.
        assert (folder / "r.json").read_text().startswith("{")
