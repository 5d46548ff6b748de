"""Functions of NumPy as the other side, and what is said of a difference."""

from __future__ import annotations

import gc
import importlib.util
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import Mode
from nkiverify.analysis.values.number_arrays import NumberArray
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.torch_arrays import TorchArray
from nkiverify.cli.main import main
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import float32
from nkiverify.products.equiv.paired_runs import PairedRuns

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

def by_rows(x):
    out = np.zeros(x.shape)
    rows = np.array([np.exp(row) for row in np.asarray(x)])
    for i in range(len(x)):
        out[i] += rows[i] / sum(rows[i])
    return out

def half_filled(x):
    out = np.empty(x.shape)
    out[:, 1:] = softmax(x)[:, 1:]
    return out

def sorts(x):
    return np.sort(softmax(x))

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
        ("softmax", "by_rows", 0),
        ("softmax", "half_filled", 1),
        ("softmax", "sorts", 1),
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


@pytest.mark.parametrize(("module", "advice"), [("torch_that_is_not", "install it"), ("torch", "nkiverify[torch]")])
def test_clear_words_where_a_module_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: str, advice: str
) -> None:
    (tmp_path / "t.py").write_text(f"import {module}\n\ndef f(x):\n    return x\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, module, None)
    words = ("k.py::softmax", "--reference", "t.py::f", "--arg", "x=f32[8,6]")
    assert equiv(tmp_path, monkeypatch, *words) == 2
    told = capsys.readouterr().err
    assert f"t.py imports {module}, which is not installed" in told
    assert advice in told
    assert equiv(tmp_path, monkeypatch, "k.py::softmax", "--arg", "x=f32[8,6]") == 2


TORCH = """
import math

import torch
import torch.nn.functional as F


def softmax(x):
    return F.softmax(x.float(), dim=-1).to(x.dtype)


def log_softmax(x):
    out = torch.zeros(*x.shape)
    for row, values in enumerate(x.unbind()):
        out[row] = values - torch.logsumexp(values, -1)
    return torch.exp(out)


def single(x):
    return x.float() @ torch.eye(6, dtype=torch.float32) * 2 @ torch.eye(6)


def warmer(x):
    return torch.softmax(x * 1.01, dim=-1)


def sorts(x):
    return torch.sort(torch.softmax(x, dim=-1), dim=-1, stable=True)[0]
"""

TORCH_IS_MISSING = importlib.util.find_spec("torch") is None


@pytest.mark.campaign
@pytest.mark.skipif(TORCH_IS_MISSING, reason="torch is not installed")
@pytest.mark.parametrize(
    ("function", "status", "told"),
    [
        ("softmax", 0, "over the reals  EQUAL"),
        ("log_softmax", 0, "over the reals  EQUAL"),
        ("single", 1, "floating point  DIFFERENT"),
        ("warmer", 1, "over the reals  DIFFERENT"),
        ("sorts", 1, "over the reals  UNKNOWN: torch.sort, in the reference"),
    ],
)
def test_a_kernel_against_a_function_of_torch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    function: str,
    status: int,
    told: str,
) -> None:
    (tmp_path / "t.py").write_text(TORCH, encoding="utf-8")
    words = ("k.py::softmax", "--reference", f"t.py::{function}", "--arg", "x=f32[8,6]")
    assert equiv(tmp_path, monkeypatch, *words) == status
    assert told in capsys.readouterr().out


#: Functions of PyTorch of x and y, (4, 6) each.
TORCH_FUNCTIONS = """
torch.einsum("ij,kj->ik", x, y) + F.linear(x, y, y[:, 0])
torch.matmul(x.unsqueeze(0), y.t()).squeeze(0)
torch.cat([x, y], dim=1)[:, ::2].reshape(2, -1)
torch.stack((x, y), dim=1).permute(1, 0, 2).contiguous().view(8, 6)
torch.where(torch.tril(torch.ones(4, 4)) > 0, x @ y.mT, 0.0)
(x @ y.T).masked_fill(torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1), 0).cumsum(dim=1)
(x @ y.T).masked_fill(torch.arange(4)[:, None] < torch.arange(4), -math.inf).softmax(dim=-1) @ y
F.scaled_dot_product_attention(x[None], y[None], x[None], is_causal=True)
F.layer_norm(x, (6,), y[0], y[1], eps=1e-5) + F.layer_norm(y, [6])
F.rms_norm(x, (6,), y[0], eps=1e-6) + x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
x.var(dim=-1) + x.var(dim=-1, unbiased=False) + torch.std(y, dim=1, correction=0)
x.max(dim=-1, keepdim=True)[0] - y.amin(dim=1, keepdim=True) + torch.max(x, y)
torch.max(x, dim=1).values * torch.sum(y, dim=1) + x.max() - torch.mean(y)
F.gelu(x) + F.gelu(y, approximate="tanh") + F.silu(x) * torch.sigmoid(y) + F.relu(x) + F.softplus(y)
torch.exp(x).div(2).add_(y).mul(3).sub(1, alpha=2) + 2 ** x - 1 / (y + 4) + (1 - x)
torch.ones(4, 6) * x + torch.arange(6) * y - torch.full((6,), 0.5) / (x + 3)
torch.cat((-x[..., 3:], x[..., :3]), dim=-1) * torch.cos(torch.arange(6.0)) + y.chunk(2, dim=-1)[0].repeat(1, 2)
x.split(2, dim=1)[1].repeat_interleave(3, dim=1) + y.split([1, 5], dim=1)[0].expand(4, 6) + x.roll(1, dims=0)
x[torch.tensor([2, 0, 1])].index_select(1, torch.tensor([5, 1])) + y.gather(1, torch.tensor([[0, 1], [5, 5], [2, 3]]))
F.embedding(torch.tensor([3, 1, 1]), x).flatten() + y.narrow(0, 0, 3).flatten(0, 1)
F.cross_entropy(x, torch.tensor([0, 5, 2, 2])) + F.mse_loss(x, y) + F.log_softmax(x, dim=-1).sum()
F.conv1d(x[None], y[:, :4, None].repeat(1, 1, 3), y[:, 0], padding=1, stride=2)
F.conv2d(x.view(1, 2, 3, 4), y.view(3, 2, 2, 2), dilation=(1, 2)) + F.pad(y, (1, 0))[0, 0]
F.conv1d(x[None], y[:, :2].unsqueeze(1), groups=4)
torch.clamp(x, min=-0.5, max=0.5).clone() + (x > 0).float() * (x.lt(y) & ~(y == 0)).to(torch.float32)
torch.outer(x[0], y[0]).triu().tril(1) + torch.dot(x[0], y[0]) + x.unflatten(1, (2, 3)).select(1, 0).norm()
torch.zeros_like(x).copy_(y) + x.numel() + x.size(0) + torch.pow(x, 2).logsumexp(dim=0)
"""


def written(x: Any, y: Any) -> Any:
    """Written through views of a tensor, in place, and through copies."""
    found = x.clone()
    found.view(-1)[3:5] = y[0, :2]
    found.permute(1, 0)[0].mul_(2.0)
    found.t().unsqueeze(0).squeeze(0)[1] = y[:, 0]
    found.unbind(0)[1].copy_(y[2]).add_(1)
    found.chunk(2, dim=1)[1].transpose(0, 1)[0] = 5.0
    found.repeat(2, 1).fill_(7.0)
    found.narrow(1, 4, 1).fill_(1.5)
    found.select(0, 3)[5] = 2.5
    found.flip(0)[0] = 9.0
    found.t().contiguous()[0] = 9.0
    found.contiguous()[0, 5] = 6.0
    found.reshape(6, 4)[2].masked_fill_(y[0, :4] > 0, 3.0)
    return found


TORCH_FUNCTIONS += "written(x, y)\n"


@pytest.mark.campaign
@pytest.mark.skipif(TORCH_IS_MISSING, reason="torch is not installed")
@pytest.mark.parametrize("text", TORCH_FUNCTIONS.strip().splitlines())
def test_arrays_of_numbers_do_what_tensors_of_torch_do(text: str) -> None:
    torch = importlib.import_module("torch")
    space = {"torch": torch, "F": torch.nn.functional, "math": math, "written": written}
    random = np.random.default_rng(0)
    arrays = [random.uniform(-1, 1, (4, 6)).astype(np.float32) for _ in range(2)]
    tensors = [torch.from_numpy(part.astype(np.float64)) for part in arrays]
    expected = eval(text, space, dict(zip("xy", tensors, strict=True)))
    floats = Floats()
    entered = [TorchArray(floats, floats.entered(part, float32)) for part in arrays]
    found = eval(text, space, dict(zip("xy", entered, strict=True)))
    assert found.shape == tuple(expected.shape)
    np.testing.assert_allclose(found.numbers[0], expected.numpy(), rtol=1e-4, atol=1e-5)


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
        lambda x, y: np.linalg.norm(x, axis=1),
        lambda x, y: np.einsum("...ij,...kj->...ik", x[None], y[None]),
        # Booleans are not added up; numbers that are not 0 are counted once.
        lambda x, y: 1.0 * ((x > 0) + (y > 0)) - 2.0 * (~(x > 0) & (y < 0)),
        lambda x, y: x.astype(bool).sum(axis=0) + np.count_nonzero(x > 0, axis=0),
        lambda x, y: np.where((x > 0).any(axis=1), x.max(axis=1), np.sum(np.stack([x[:, 0], y[:, 0]]), axis=0)),
        _written,
        _written_through_views,
    ]


def _written(x: Any, y: Any) -> Any:
    found = np.zeros_like(x)
    for row in range(len(x)):
        found[row] = x[row] + 1
        found[row, ::2] *= y[row, 0]
    return found


def _written_through_views(x: Any, y: Any) -> Any:
    found = x.copy()
    top, column = found[0], found.T[1]
    top += y[1]
    column[...] = 5
    found.reshape(-1)[3:5] = y[0, :2]
    found.flatten()[:] = 7
    np.transpose(found)[0] = np.swapaxes(y, 0, 1)[2]
    np.split(found, 2, axis=1)[1][2] -= 1
    np.squeeze(np.expand_dims(found, 0))[3, 3] = 4
    np.concatenate([found, found])[0] = 8
    return found * top


@pytest.mark.parametrize("function", _functions())
def test_arrays_of_numbers_do_what_arrays_of_numpy_do(function: object) -> None:
    random = np.random.default_rng(0)
    x, y = random.uniform(-1, 1, (4, 6)), random.uniform(-1, 1, (4, 6))
    floats = Floats()
    entered = [NumberArray(floats, floats.entered(part.astype(np.float32), float32)) for part in (x, y)]
    expected = function(x.astype(np.float32).astype(np.float64), y.astype(np.float32).astype(np.float64))  # type: ignore[operator]
    found = function(*entered)  # type: ignore[operator]
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numbers[0], expected, rtol=1e-4, atol=1e-5)


def test_what_has_no_meaning_is_refused() -> None:
    numbers = Fields(1, mode=Mode.EXPONENTIAL)
    x = NumberArray(numbers, numbers.random_elements(np.random.default_rng(0), (3, 3), float32).astype(np.float64))
    for refused in (
        lambda: np.sort(x),
        lambda: np.linalg.inv(x),
        lambda: np.asarray(x),
        lambda: float(x[0, 0]),
        lambda: np.pad(x, 1, constant_values=1),
        lambda: np.zeros(3)[x],
        lambda: x.astype(np.int32),
        lambda: np.einsum("ii->i", x),
        lambda: np.sum(x, axis=0, where=np.eye(3, dtype=bool)),
        lambda: np.max(x, axis=0, initial=0),
        lambda: np.add.reduce(x, initial=1),
        lambda: x.sum(dtype=np.int64),
        lambda: ~x,
        lambda: x & x,
        lambda: np.take(np.ones(3), x),
        lambda: np.add(np.ones((3, 3)), x, out=np.ones((3, 3))),
        lambda: [1] if x[0, 0] > 0 else [],
    ):
        with pytest.raises(UnsupportedConstruct):
            refused()


def test_tiles_that_a_kernel_has_left_take_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The comparison is made in a process of its own, which may write to no folder of ours.
    live = tmp_path / "live"
    monkeypatch.setattr("nkiverify.run.confinement._landlock", lambda folders: None)
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
