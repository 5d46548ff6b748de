"""`equiv` and `grad` use the contents of a file that an argument is given: `--arg m=@file.npy`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.quick import main

KERNELS = """
import nki
import nki.isa as nisa
import nki.language as nl


def ld(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def st(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def tt(a, b, op):
    found = nl.ndarray(a.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=found, data1=a, data2=b, op=op)
    return found


def copy(x, m):
    return st(tt(ld(x), ld(x), nl.maximum))


def times(x, m):
    return st(tt(ld(x), ld(m), nl.multiply))


def times_again(x, other):
    return st(tt(tt(ld(x), ld(other), nl.multiply), ld(other), nl.multiply))


def plus(x, m):
    return st(tt(ld(x), ld(m), nl.add))


def masked(x, m):
    found = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=ld(m), op0=nl.not_equal, operand0=0.0)
    return st(tt(ld(x), found, nl.multiply))


def forward(x, m):
    y = st(tt(ld(x), ld(m), nl.multiply))
    return y


def backward_for_ones(x, m, dy):
    dx = st(ld(dy))
    return dx


def backward(x, m, dy):
    dx = st(tt(ld(dy), ld(m), nl.multiply))
    return dx
"""
ZEROS, ONES = np.zeros((4, 6), np.float32), np.ones((4, 6), np.float32)
MIXED = (np.arange(24).reshape(4, 6) % 2).astype(np.float32)
TWOS, SIGNS, WHOLE = ONES * 2, 1 - 2 * MIXED, np.ones((4, 6), np.int32)
TENTHS = np.full((4, 6), 0.1, np.float32)
LAST = ONES.copy()
LAST[3, 5] = 2

PAIRS = {
    "a factor of one": ("copy", "times", ONES, 0),
    "a factor of two": ("copy", "times", TWOS, 1),
    "a factor of one but for the last": ("copy", "times", LAST, 1),
    "the square of one": ("times", "times_again", ONES, 0),
    "the square of zero": ("times", "times_again", ZEROS, 0),
    "the squares of both": ("times", "times_again", MIXED, 0),
    "the square of two": ("times", "times_again", TWOS, 1),
    "the square of a sign": ("times", "times_again", SIGNS, 1),
    "the square of a tenth": ("times", "times_again", TENTHS, 1),
    "nothing added": ("copy", "plus", ZEROS, 0),
    "one added": ("copy", "plus", ONES, 1),
    "sum and product": ("times", "plus", TWOS, 1),
    "a mask of zeros and ones": ("times", "masked", MIXED, 0),
    "a mask of more": ("times", "masked", TWOS, 1),
    "a mask that leaves all": ("copy", "masked", TWOS, 0),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "k.py").write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("first", "second", "contents", "status"), PAIRS.values(), ids=PAIRS.keys())
def test_kernels_are_compared_for_the_contents(
    first: str, second: str, contents: np.ndarray, status: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save("m.npy", contents)
    assert main(["equiv", f"k.py::{first}", f"k.py::{second}", "--arg", "x=f32[4,6]", "--arg", "m=@m.npy"]) == status
    assert status or "and for the contents of m" in capsys.readouterr().out


def test_what_one_kernel_is_given_holds_for_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("m.npy", ONES)
    words = ["equiv", "k.py::times", "k.py::times_again", "--arg", "x=f32[4,6]", "--arg-a", "m=@m.npy"]
    assert main([*words, "--arg-b", "other=f32[4,6]"]) == 0
    assert "m has the contents of its file in both kernels" in capsys.readouterr().out
    np.save("other.npy", TWOS)
    assert main([*words, "--arg-b", "other=@other.npy"]) == 2
    assert "have other contents" in capsys.readouterr().err


def test_a_reference_is_given_them_too(folder: Path) -> None:
    np.save("m.npy", MIXED)
    (folder / "ref.py").write_text("def right(x, m):\n    return x * m * m\n\n\ndef wrong(x, m):\n    return x\n")
    words = ["equiv", "k.py::times", "--arg", "x=f32[4,6]", "--arg", "m=@m.npy", "--reference"]
    assert [main([*words, f"ref.py::{name}"]) for name in ("right", "wrong")] == [0, 1]


def test_infinities_are_compared_in_floating_point_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("m.npy", np.where(MIXED == 1, np.inf, 1).astype(np.float32))
    assert main(["equiv", "k.py::times", "k.py::times_again", "--arg", "x=f32[4,6]", "--arg", "m=@m.npy"]) == 3
    assert "contents that are not finite" in capsys.readouterr().out


GRADIENTS = {
    "of a product": ("backward", LAST, 0),
    "by ones": ("backward_for_ones", ONES, 0),
    "by ones but for the last": ("backward_for_ones", LAST, 1),
}


@pytest.mark.parametrize(("backward", "contents", "status"), GRADIENTS.values(), ids=GRADIENTS.keys())
def test_gradients_are_those_for_the_contents(backward: str, contents: np.ndarray, status: int, folder: Path) -> None:
    np.save("m.npy", contents)
    given = ["--arg", "x=f32[4,6]", "--arg", "m=@m.npy", "--arg", "dy=f32[4,6]"]
    assert main(["grad", "k.py::forward", f"k.py::{backward}", *given]) == status


def test_an_incoming_gradient_has_no_contents(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("dy.npy", ONES)
    given = ["--arg", "x=f32[4,6]", "--arg", "m=f32[4,6]", "--arg", "dy=@dy.npy"]
    assert main(["grad", "k.py::forward", "k.py::backward", *given]) == 2
    assert "dy is an incoming gradient, and random" in capsys.readouterr().err
