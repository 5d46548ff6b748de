"""`equiv` runs kernels where a branch, mask, minimum or quotient of sizes goes another way, or says that it did not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.results.session import ExitStatus

#: The row that is copied to row block `i`, and what is found: the block in which it is another one.
_ROWS = {
    "min(i, 3)": 4,
    "i if i < 11 else 0": 11,
    "i % 6": 6,
    "i - i // 9": 9,
    "i - (i >= 6)": 6,
    "max(0, i - (i // 7))": 7,
    "0 if M > 2000 else i": 1,
}
_COPY = """
@nki.jit
def {name}(a):
    M, N = a.shape
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in range(M // 128):
        x = nl.ndarray((128, N), dtype=a.dtype, buffer=nl.sbuf)
        row = 128 * ({row})
        nisa.dma_copy(dst=x, src=a[row : row + 128, :])
        nisa.tensor_scalar(dst=x, data=x, op0=nl.multiply, operand0={factor})
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=x)
    return out
"""


def compared(folder: Path, capsys: pytest.CaptureFixture[str], row: str, factor: str = "1.0") -> tuple[int, str]:
    """The exit status and the output for a right kernel and this one, of any number of blocks."""
    kernels = _COPY.format(name="right", row="i", factor="1.0") + _COPY.format(name="other", row=row, factor=factor)
    path = folder / "k.py"
    path.write_text(f"import nki\nimport nki.isa as nisa\nimport nki.language as nl\n{kernels}", encoding="utf-8")
    status = main(["equiv", f"{path}::right", f"{path}::other", "--arg", "a=f32[128*m,4]"])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("row", _ROWS)
def test_shapes_are_found_at_which_kernels_differ(row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = compared(tmp_path, capsys, row)
    assert status == ExitStatus.MISMATCH
    assert f"over the reals  DIFFERENT: result[{128 * _ROWS[row]}, 0]" in text


def test_numbers_that_operations_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(tmp_path, capsys, "i", "max(1, i - 5)")[0] == ExitStatus.MISMATCH


def test_what_is_too_far_away_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = compared(tmp_path, capsys, "min(i, 5000)")
    assert status == ExitStatus.UNKNOWN
    assert re.search(r"never run +\S*k\.py:2\d: 5001 <= i, at none of these shapes", text)


def test_what_goes_both_ways_is_no_matter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = compared(tmp_path, capsys, "i if i % 2 else min(i, M)")
    assert status == ExitStatus.UNKNOWN and "never run" not in text
    assert "  for all m       not argued: the answers are those at these shapes" in text


def test_masks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = """
@nki.jit
def {name}(a):
    M, N = a.shape
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:128, 0:4]
    for i in nl.affine_range((M + 127) // 128):
        tile = nl.load(a[i * 128 + rows, columns], mask=i * 128 + rows < M)
        scaled = nl.copy(tile)
        scaled[...] = nl.multiply(tile, {factor}, mask=i * 128 + rows >= 700)
        nl.store(out[i * 128 + rows, columns], value=scaled, mask=i * 128 + rows < M)
    return out
"""
    path = tmp_path / "k.py"
    kernels = "".join(body.format(name=name, factor=factor) for name, factor in (("right", 1.0), ("other", 2.0)))
    path.write_text(f"import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n{kernels}", encoding="utf-8")
    assert main(["equiv", f"{path}::right", f"{path}::other", "--arg", "a=f32[M,4]"]) == ExitStatus.MISMATCH
    assert "DIFFERENT: result[700, 0]" in capsys.readouterr().out


_BY_LABEL = """
import nki
import nki.isa as nisa
import nki.language as nl


def scaled(x, label, op, number):
    labels = nl.ndarray(label.shape, dtype=label.dtype, buffer=nl.sbuf)
    chosen = nl.ndarray(label.shape, dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=labels, src=label)
    nisa.dma_copy(dst=tile, src=x)
    if op is not None:
        nisa.tensor_scalar(dst=chosen, data=labels, op0=op, operand0=number)
        nisa.tensor_scalar(dst=chosen, data=chosen, op0=nl.add, operand0=1.0)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=chosen)
    nisa.dma_copy(dst=out, src=tile)
    return out


def copy(x, label):
    return scaled(x, label, None, 0)


def one_label(x, label):
    return scaled(x, label, nl.equal, 77777)


def lower_half(x, label):
    return scaled(x, label, nl.less, 50000)
"""


@pytest.mark.parametrize(
    ("first", "second", "status", "text"),
    [
        ("copy", "one_label", ExitStatus.UNKNOWN, "what is compared at k.py:15 went one way for all numbers drawn"),
        ("one_label", "one_label", ExitStatus.UNKNOWN, "what is compared at k.py:15 went one way"),
        ("copy", "lower_half", ExitStatus.MISMATCH, "DIFFERENT"),
        ("lower_half", "lower_half", ExitStatus.AS_EXPECTED, "EQUAL: at these shapes and for the integers drawn"),
    ],
)
def test_integers_that_are_drawn(
    first: str,
    second: str,
    status: ExitStatus,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(_BY_LABEL, encoding="utf-8")
    given = ["--arg", "x=f32[8,12]", "--arg", "label=i32[8,1] in 0..100000"]
    assert main(["equiv", f"k.py::{first}", f"k.py::{second}", *given]) == status
    assert text in capsys.readouterr().out
