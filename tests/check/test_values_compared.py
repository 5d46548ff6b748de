"""SUCCESSFUL says that values were not compared, where the kernel's file says what it computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.project.discovery import reference_for

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def double_kernel(x):
    n, d = x.shape
    assert n == {rows} and d <= 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, d), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


{others}
"""
REFERENCE = "def double_ref(x):\n    return 2 * x\n"
COMMAND = "values are not compared with double_ref: nkiverify equiv k.py::double_kernel --reference k.py::double_ref"


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a check prints, in one line."""
    main(["check", "--no-cache", *words])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("words", [("k.py",), ("k.py::double_kernel", "--arg", "x=bf16[128,D]", "--where", "D <= 512")])
def test_a_proof_says_that_values_are_not_compared(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "k.py"
    file.write_text(KERNEL.format(rows=128, others=REFERENCE), encoding="utf-8")
    assert COMMAND in said(capsys, *words)
    file.write_text(KERNEL.format(rows=128, others=""), encoding="utf-8")
    assert "not compared" not in said(capsys, *words)
    # A fault comes first.
    file.write_text(KERNEL.format(rows=129, others=REFERENCE), encoding="utf-8")
    assert "not compared" not in said(capsys, *(word.replace("128", "129") for word in words))


@pytest.mark.parametrize(
    ("others", "found"),
    [
        (REFERENCE, "double_ref"),
        ("def reference(x):\n    return x\n", "reference"),
        ("def softmax_numpy(x):\n    return x\n", "softmax_numpy"),
        ("def helper(x):\n    return x\n", ""),
        ("def test_reference(x):\n    return x\n", ""),
        (REFERENCE + "\n\ndef expected(x):\n    return x\n", ""),
    ],
)
def test_a_reference_is_known_by_its_name(others: str, found: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(KERNEL.format(rows=128, others=others), encoding="utf-8")
    assert reference_for(file, "double_kernel") == found


def test_of_several_kernels_each_has_its_own(tmp_path: Path) -> None:
    second = KERNEL.format(rows=128, others="").replace("double_kernel", "triple_kernel")
    file = tmp_path / "k.py"
    file.write_text(KERNEL.format(rows=128, others=REFERENCE) + second, encoding="utf-8")
    assert reference_for(file, "double_kernel") == "double_ref" and reference_for(file, "triple_kernel") == ""
