"""What is left of a check that does not come to its end: the phases that have finished."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from typing import Any

import pytest

from nkiverify.cli import check as command
from nkiverify.run.supervisor import in_child
from nkiverify.verify import case
from tests.check.kernel_files import Checker, write

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


@pytest.mark.parametrize("shape", ["f32[16,8]", "f32[R:1..128,C:1..64]"])
def test_finished_phases_are_in_the_file_when_a_later_one_ends_the_process(
    check: Checker, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    write(check.folder, k=KERNEL)
    file = check.folder / "results.json"
    original = case._dataflow
    monkeypatch.setattr(case, "_dataflow", lambda *given: os._exit(0))
    assert check("k.py::kernel", "--arg", f"x={shape}", "--json", str(file)) == 4
    left = {run["phase"]: run for run in json.loads(file.read_text(encoding="utf-8"))["runs"]}
    assert [left[phase]["verdict"] for phase in (1, 2, 3, 4)] == ["SUCCESSFUL"] * 3 + ["UNKNOWN"]
    assert left[4]["qualifier"] == "not finished"
    monkeypatch.setattr(case, "_dataflow", original)
    assert check("k.py::kernel", "--arg", f"x={shape}", "--json", str(file)) == 0
    assert "not finished" not in file.read_text(encoding="utf-8")


def test_what_leaves_a_phase_open_is_in_the_file_before_shapes_are_tried(
    check: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(check.folder, k=KERNEL.replace("    tile =", "    sizes = {R: C}\n    tile ="))
    file = check.folder / "results.json"
    monkeypatch.setattr(case, "_dataflow", lambda *given: os._exit(0))
    assert check("k.py::kernel", "--arg", "x=f32[R:1..128,C:1..64]", "--json", str(file)) == 4
    left = {run["phase"]: run for run in json.loads(file.read_text(encoding="utf-8"))["runs"]}
    assert [left[phase]["verdict"] for phase in (1, 2, 3, 4)] == ["UNKNOWN"] * 4
    assert [left[phase]["qualifier"] == "not finished" for phase in (1, 2, 3, 4)] == [False] * 3 + [True]
    assert "a dictionary key" in left[1]["reason"]


def test_finished_phases_are_reported_when_the_command_is_told_to_end(
    check: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(check.folder, k=KERNEL)
    file = check.folder / "results.json"

    def ended_by_signal(*given: Any, **more: Any) -> object:
        # As where the command has passed the signal on to its child, which cannot send it one.
        return replace(in_child(*given, **more), status=128 + signal.SIGTERM)

    monkeypatch.setattr(command, "in_child", ended_by_signal)
    monkeypatch.setattr(case, "_dataflow", lambda *given: os._exit(0))
    assert check("k.py::kernel", "--arg", "x=f32[16,8]", "--json", str(file)) == 128 + signal.SIGTERM
    left = {run["phase"]: run["verdict"] for run in json.loads(file.read_text(encoding="utf-8"))["runs"]}
    assert left == {1: "SUCCESSFUL", 2: "SUCCESSFUL", 3: "SUCCESSFUL", 4: "UNKNOWN"}
