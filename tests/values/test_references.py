"""Functions of NumPy as the other side, and what is said of a difference."""

from __future__ import annotations

import gc
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.fields import Fields, Mode
from nkiverify.analysis.values.number_arrays import NumberArray
from nkiverify.analysis.values.numbers import Floats
from nkiverify.cli.main import main
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import float32
from nkiverify.model.meaning import Numbers
from nkiverify.verify.paired_runs import PairedRuns

KERNELS = """
import nki.isa as nisa
import nki.language as nl


def _out(tile, shape, dtype):
    out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


def softmax(x):
    powers = nl.exp(nl.load(x))
    result = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(result, powers, nl.multiply, nl.reciprocal(nl.sum(powers, axis=1, keepdims=True)))
    return _out(result, x.shape, x.dtype)


def dropped(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[:, :2], nl.load(x)[:, :2])
    return out


def product(x, y):
    return _out(nl.multiply(nl.load(x), nl.load(y)), x.shape, x.dtype)


def square(x, y):
    tile = nl.load(x)
    return _out(nl.multiply(tile, tile), x.shape, x.dtype)


def in_place(x):
    nl.store(x, nl.add(nl.load(x), nl.load(x)))
"""
REFERENCES = """
import numpy as np

def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)

def log_softmax(x):
    return np.exp(x - np.log(np.sum(np.exp(x), axis=-1, keepdims=True)))

def wrong_axis(x):
    powers = np.exp(x)
    return powers / powers.sum(axis=0)

def same(x):
    return x

def doubled(x):
    return 2 * x

def decides(x):
    return 2 * x if x[0, 0] > -9 else x

def raises(x):
    raise ValueError("not today")
"""


def equiv(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    (folder / "k.py").write_text(KERNELS, encoding="utf-8")
    (folder / "ref.py").write_text(REFERENCES, encoding="utf-8")
    monkeypatch.chdir(folder)
    return main(["equiv", *words])


@pytest.mark.parametrize(
    ("kernel", "reference", "status"),
    [
        ("softmax", "softmax", 0),
        # The kernel has no logarithm, and is compared in a field that has.
        ("softmax", "log_softmax", 0),
        ("softmax", "wrong_axis", 1),
        ("dropped", "same", 1),
        ("in_place", "doubled", 0),
        ("in_place", "decides", 3),
        ("softmax", "raises", 2),
        ("softmax", "missing", 2),
    ],
)
def test_a_kernel_against_a_function_of_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: str, reference: str, status: int
) -> None:
    words = (f"k.py::{kernel}", "--reference", f"ref.py::{reference}", "--arg", "x=f32[8,6]")
    assert equiv(tmp_path, monkeypatch, *words) == status


def test_what_a_kernel_rounds_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert equiv(tmp_path, monkeypatch, "k.py::in_place", "--reference", "ref.py::doubled", "--arg", "x=bf16[8,6]") == 0
    assert "what the kernel rounds is left out" in capsys.readouterr().out


@pytest.mark.skipif("torch" in sys.modules, reason="torch is installed")
def test_clear_words_where_a_module_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.py").write_text("import torch_that_is_not\n\ndef f(x):\n    return x\n", encoding="utf-8")
    words = ("k.py::softmax", "--reference", "t.py::f", "--arg", "x=f32[8,6]")
    assert equiv(tmp_path, monkeypatch, *words) == 2
    assert "t.py imports torch_that_is_not, which is not installed" in capsys.readouterr().err
    assert equiv(tmp_path, monkeypatch, "k.py::softmax", "--arg", "x=f32[8,6]") == 2


TORCH = """
import torch


def softmax(x):
    return torch.softmax(x, dim=-1)


def warmer(x):
    return torch.softmax(x * 1.01, dim=-1)
"""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize(
    ("function", "status", "answer"), [("softmax", 3, "EQUAL (tested)"), ("warmer", 1, "DIFFERENT")]
)
def test_functions_of_torch_are_compared_in_floating_point(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    function: str,
    status: int,
    answer: str,
) -> None:
    (tmp_path / "t.py").write_text(TORCH, encoding="utf-8")
    words = ("k.py::softmax", "--reference", f"t.py::{function}", "--arg", "x=f32[8,6]")
    assert equiv(tmp_path, monkeypatch, *words) == status
    printed = capsys.readouterr().out
    assert "over the reals  UNKNOWN: a function of PyTorch over prime fields" in printed
    assert f"floating point  {answer}" in printed


def test_a_difference_shows_few_inputs_and_where_the_runs_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("k.py::product", "k.py::square", "--arg", "x=f32[8,6]", "--arg", "y=f32[8,6]")
    assert equiv(tmp_path, monkeypatch, *words) == 1
    printed = capsys.readouterr().out
    # One input tells them apart: with y = 0 the product is 0.
    assert "result[0, 0] is 0 and 0." in printed and "with x[0, 0] = " in printed and "0 elsewhere" in printed
    assert re.search(r"product computes what the other one does not from k.py:\d+  nl.multiply\(\) on", printed)


def _functions() -> list[object]:
    return [
        lambda x, y: x @ y.T,
        lambda x, y: np.einsum("ij,kj->ik", x, y),
        lambda x, y: np.einsum("ij,ij->i", x, y),
        lambda x, y: np.matmul(x[None], y.T[None])[0],
        lambda x, y: np.concatenate([x, y], axis=1)[:, ::2],
        lambda x, y: np.stack([x, y]).transpose(1, 0, 2).reshape(4, -1),
        lambda x, y: np.where(np.tril(np.ones((4, 4))) > 0, x @ y.T, 0.0),
        lambda x, y: np.tril(x @ y.T) + np.pad(x, ((0, 0), (0, 0))).sum(axis=-1, keepdims=True),
        lambda x, y: np.cumsum(x, axis=0) - x.mean(axis=0),
        lambda x, y: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * y,
        lambda x, y: np.roll(x, 1, axis=0) * np.flip(y, 1) + np.repeat(x[:1], 4, axis=0),
        lambda x, y: np.split(x, 3, axis=1)[1] ** 2 + y[:, :2] / 3,
        lambda x, y: np.dot(x, y[0]) + np.outer(x[0], y[0]).sum(),
        lambda x, y: np.maximum(x, y).min(axis=1) + np.clip(x, -0.5, 0.5).max(),
        lambda x, y: np.tensordot(x, y, 0).sum() if False else np.linalg.norm(x, axis=1),
    ]


@pytest.mark.parametrize("function", _functions())
def test_arrays_of_numbers_do_what_arrays_of_numpy_do(function: object) -> None:
    random = np.random.default_rng(0)
    x, y = random.uniform(-1, 1, (4, 6)), random.uniform(-1, 1, (4, 6))
    floats = Floats()
    entered = [NumberArray(floats, floats.entered(part.astype(np.float32), float32)) for part in (x, y)]
    expected = function(x.astype(np.float32).astype(np.float64), y.astype(np.float32).astype(np.float64))  # type: ignore[operator]
    found = function(*entered)  # type: ignore[operator]
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.data[0], expected, rtol=1e-4, atol=1e-5)


def test_what_has_no_meaning_is_refused() -> None:
    numbers: Numbers = Fields(1, mode=Mode.EXPONENTIAL)
    x = NumberArray(numbers, numbers.read(numbers.entered(np.eye(3), float32), float32))
    for refused in (
        lambda: np.sort(x),
        lambda: np.linalg.inv(x),
        lambda: np.asarray(x),
        lambda: float(x[0, 0]),
        lambda: np.pad(x, 1, constant_values=1),
        lambda: np.zeros(3)[x],
        lambda: x.astype(np.int32),
        lambda: np.einsum("ii->i", x),
    ):
        with pytest.raises(UnsupportedConstruct):
            refused()


def test_tiles_that_a_kernel_has_left_take_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The comparison is made in a process of its own.
    live = tmp_path / "live"
    run_both = PairedRuns.run

    def counted(self: PairedRuns, *arguments: Any, **options: Any) -> Any:
        found = run_both(self, *arguments, **options)
        gc.collect()
        with live.open("a") as file:
            print(sum(isinstance(each, Cells) and each.size == 48 for each in gc.get_objects()), file=file)
        return found

    monkeypatch.setattr(PairedRuns, "run", counted)
    words = ("k.py::product", "k.py::product", "--arg", "x=f32[8,6]", "--arg", "y=f32[8,6]")
    gc.collect()
    before = sum(isinstance(each, Cells) and each.size == 48 for each in gc.get_objects())
    assert equiv(tmp_path, monkeypatch, *words) == 0
    # Two arguments and a result of each kernel; none of the tiles.
    assert int(live.read_text().splitlines()[0]) - before == 6
