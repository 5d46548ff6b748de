"""Runs and sessions for the tests of reports, with every field a reader may see."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from nkiverify.foundation.records import KernelWarning, Kind, LoopValue, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.results.session import Session, Versions

ROOT = Path("/checkout")

COUNT_VIOLATION = Violation(
    contract="dma_copy.count",
    statement="Source and destination of a copy hold the same number of elements.",
    source="dma_copy:Parameters",
    file="/checkout/kernels/matmul_tiled.py",
    line=57,
    message="the source has 256*128 = 32768 elements, the destination 128*128 = 16384",
    witness={"K": 256, "M": 128, "N": 512},
    column=12,
    end_line=58,
    end_column=70,
    stub="/checkout/stubs/nki/isa/data.py:40",
    replayed=True,
)


UNUSED_WARNING = KernelWarning(
    rule="df.unused",
    statement="Nothing that reaches an output uses what this line writes.",
    file="/checkout/kernels/matmul_tiled.py",
    line=60,
    message="nothing reads what is written here",
    tensor="tile",
    element=(0, 3),
    witness={"K": 128, "M": 128, "N": 512},
    holds="for all shapes",
    column=12,
    end_line=60,
    end_column=44,
    function="_matmul_tiled",
    loops=(LoopValue("/checkout/kernels/matmul_tiled.py", 52, "m = 0", "_matmul_tiled"),),
    also=(Site("/checkout/kernels/matmul_tiled.py", 58),),
)


def run(**fields: Any) -> Run:
    """A run of `matmul_tiled` in phase 1 that succeeded, but for `fields`."""
    plain: dict[str, Any] = {
        "target": "matmul_tiled",
        "kernel": "kernels/matmul_tiled.py::matmul_tiled",
        "family": "matmul_tiled",
        "kind": Kind.CONCRETE,
        "phase": 1,
        "engine": "embedded",
        "expected": Verdict.SUCCESSFUL,
        "verdict": Verdict.SUCCESSFUL,
        "claims": 12,
        "closed_by": {"folding": 9, "z3": 3},
        "milliseconds": 8.34,
    }
    return Run(**(plain | fields))


def refuted(**fields: Any) -> Run:
    """A positive control that failed as expected, but for `fields`."""
    plain: dict[str, Any] = {
        "target": "matmul_tiled_buggy",
        "kind": Kind.CONTROL,
        "expected": Verdict.FAILED,
        "verdict": Verdict.FAILED,
        "violations": (COUNT_VIOLATION,),
    }
    return run(**(plain | fields))


def session(*runs: Run, **fields: Any) -> Session:
    """The session of these runs, with circumstances that do not change from one machine to the next."""
    plain: dict[str, Any] = {
        "runs": runs,
        "root": ROOT,
        "started": datetime(2026, 11, 21, 9, 30, tzinfo=timezone.utc),
        "seconds": 1.234,
        "processes": 2,
        "versions": Versions("0.1.0", "3.11.7", "Linux-x86_64", "4.16.0.0"),
        "command": ("matmul*",),
    }
    return Session(**(plain | fields))
