"""Odd but legal inputs, and what we cannot follow, end in a verdict or a line that says so; never in status 1."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from nkiverify.cli import main as cli
from nkiverify.cli.main import main
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct
from nkiverify.frontend.paths import PathEnded
from nkiverify.model.registry import declaration

HEAD = """
import dataclasses
import functools
import typing
from typing import Annotated, Callable, List, Optional, Union

import torch

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y{annotation} = None):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
"""
ANNOTATIONS = [
    "torch.Tensor",
    "Optional[torch.Tensor]",
    "torch.Tensor | None",
    "None | torch.Tensor",
    "Union[torch.Tensor, int, torch.nn.Parameter]",
    "Union[int, torch.Tensor | float]",
    "List[torch.Tensor]",
    "Optional[List[torch.Tensor]]",
    "Callable[[torch.Tensor], Optional[torch.Tensor]]",
    "Annotated[torch.Tensor, 'a tensor']",
    "'torch.Tensor | None'",
    "dict[str, Optional[torch.Tensor]]",
]


def _write(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (folder / "kernels.py").write_text(dedent(text), encoding="utf-8")
    monkeypatch.chdir(folder)


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_annotations_with_a_package_that_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, annotation: str
) -> None:
    _write(tmp_path, monkeypatch, HEAD.format(annotation=f": {annotation}"))
    assert main(["check", "kernels.py::kernel", "--arg", "x=f32[4,8]", "--phase", "1"]) == 0


@pytest.mark.parametrize("command", ["check", "simulate"])
def test_a_kernel_whose_definition_needs_a_package_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    _write(tmp_path, monkeypatch, HEAD.format(annotation=": 'a number' = torch.zeros(3)[0] + 1, z"))
    assert main([command, "kernels.py::kernel", "--arg", "x=f32[4,8]"]) == 3
    shown = capsys.readouterr().err
    assert shown.startswith("nkiverify: UNKNOWN: torch.zeros(…): torch is not installed")
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status"), [(UnsupportedConstruct("it"), 3), (InternalError("it"), 4), (PathEnded("it"), 4)]
)
def test_what_ends_a_command(monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int) -> None:
    def fail(words: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_dispatch", fail)
    assert main(["check"]) == status


def test_a_python_without_the_packages_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(words: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'islpy'", name="islpy")

    monkeypatch.setattr(cli, "_dispatch", fail)
    assert main(["run"]) == 2
    said = capsys.readouterr().err
    assert "islpy is not installed for " in said and "`make verify`" in said and "internal error" not in said


NUMBERS = """
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def number(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, {value})
    return out


@nki.jit
def tile(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.full(x.shape, {value}, dtype=x.dtype))
    return out
"""


@pytest.mark.parametrize("value", ["100", "2.5", "True", "-1", "0"])
def test_a_number_is_stored_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    _write(tmp_path, monkeypatch, NUMBERS.format(value=value))
    for words in (["check"], ["simulate"], ["equiv", "kernels.py::tile"]):
        assert main([*words, "kernels.py::number", "--arg", "x=f32[4,8]"]) == 0


GATHER = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((16, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    data = nl.ndarray((16, 8), dtype=x.dtype, buffer=nl.sbuf)
    places = nl.ndarray((16, 4), dtype=nl.uint16, buffer=nl.sbuf)
    found = nl.ndarray((16, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x)
    nisa.memset(dst=places, value={place})
    nisa.local_gather(dst=found, src_buffer=data, index=places)
    nisa.dma_copy(dst=out, src=found)
    return out
"""


@pytest.mark.parametrize(("place", "status"), [(7, 0), (8, 1)])
def test_a_gather_out_of_bounds_is_a_violation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: int, status: int
) -> None:
    _write(tmp_path, monkeypatch, GATHER.format(place=place))
    for command in ("check", "simulate"):
        assert main([command, "kernels.py::kernel", "--arg", "x=f32[16,8]"]) == status
        assert ("local_gather.oob" in capsys.readouterr().out) == bool(status)


@pytest.mark.parametrize("words", [["simulate"], ["equiv", "kernels.py::tile"]])
def test_a_fault_of_the_simulator_is_not_the_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    def fail(step: object) -> None:
        raise ValueError("operands could not be broadcast")

    _write(tmp_path, monkeypatch, NUMBERS.format(value=1))
    monkeypatch.setattr(declaration("nl.store"), "computes", fail)
    assert main([*words, "kernels.py::number", "--arg", "x=f32[4,8]"]) == 4
    assert "internal error: ValueError: operands could not be broadcast" in capsys.readouterr().err
