"""Measuring what a check imports, by Python's own `-X importtime`."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from lab import bench_kernels

#: How often it is measured; the median counts.
_ROUNDS = 5
#: A line of `-X importtime`: microseconds of the module alone, and with those it imports.
_LINE = re.compile(r"^import time:\s+(\d+) \|\s+\d+ \|", re.MULTILINE)


def imports(rounds: int = _ROUNDS) -> str:
    """How many modules a check of a small kernel imports, and how long that takes with their byte code at hand."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        path.write_text(bench_kernels.SMALL, encoding="utf-8")
        # The first one writes byte code.
        times = [_microseconds(path) for _ in range(1 + rounds)][1:]
    milliseconds = statistics.median(sum(each) for each in times) / 1000
    return f"imports of a check: {len(times[0])} modules, {milliseconds:.0f} ms by -X importtime (median of {rounds})"


def _microseconds(path: Path) -> list[int]:
    """The time of each module that is imported, in the process that checks or the one that waits for it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    words = [sys.executable, "-X", "importtime", "-m", "nkiverify", "check", str(path), "--no-cache"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    return [int(found) for found in _LINE.findall(done.stderr)]
