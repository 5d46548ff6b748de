"""Targets made of kernels in text, and their verdicts, for tests of what surrounds a verdict.

Kernels whose verdict is the question are files: `tests/soundness/kernels`.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path

from nkiverify.foundation.records import Kind, Run, Verdict
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

HARDWARE = hardware_named("trn2")

_HEADER = """\
import nki.language as nl

"""


def target_for(source: str, folder: Path, *, low: int = 0, high: int | None = None, flags: str = "") -> Target:
    """A target that calls the `kernel` of `source`, written into `folder`, with a dimension per parameter."""
    (folder / "kernel.py").write_text(_HEADER + textwrap.dedent(source), encoding="utf-8")

    def call(v: Verification) -> None:
        v.call(*(v.dim(name, low, high) for name in parameters))

    kernel, _ = load_kernel("kernel.py::kernel", folder)
    parameters = tuple(inspect.signature(kernel).parameters)
    return make_target(call, folder, flags=flags)


def make_target(function: Callable[[Verification], None], folder: Path, *, flags: str = "") -> Target:
    """A target outside any manifest, for the `kernel` of `folder/kernel.py`."""
    return Target(
        name="trap",
        kernel="kernel.py::kernel",
        family="trap",
        kind=Kind.UNBOUNDED,
        expect={1: Verdict.SUCCESSFUL, 2: Verdict.SUCCESSFUL},
        flags=flags,
        tags=(),
        description="",
        hardware="trn2",
        root=folder,
        module="trap",
        file=str(folder / "harness.py"),
        line=1,
        function=function,
    )


def verdict(target: Target, phase: int = 1, seconds: float = 20.0) -> Run:
    """The verdict of one phase."""
    (run,) = verify(target, Options(root=target.root, phases=(phase,), timeout=seconds, unhurried=True))
    return run
