"""`python -m lab.published` runs launches of kernels of a checkout, and compares each with what is expected of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.published import launches as read
from lab.published.__main__ import main

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def double(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""

FAMILY = """
repository = "somebody/kernels"
root = "src"
"""

FITS = """
[[launch]]
name = "double-fits"
kernel = "double.py::double"
args = ["x=f32[128,64]"]
symbolic = { args = ["x=f32[P,64]"], where = ["P <= 128"] }
"""

TOO_TALL = """
[[launch]]
name = "double-too-tall"
kernel = "double.py::double"
args = ["x=f32[129,64]"]
"""

ARGUED = """
expected = { 1 = "FAILED", 2 = "SUCCESSFUL", 3 = "UNKNOWN", 4 = "UNKNOWN" }
why = "129 rows are more than SBUF has partitions"
"""

NO_SUCH_FUNCTION = """
[[launch]]
name = "double-misspelt"
kernel = "double.py::duoble"
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one kernel, and a folder of families that is read in place of ours."""
    kernels, families = tmp_path / "kernels" / "src", tmp_path / "families"
    for folder in (kernels, families):
        folder.mkdir(parents=True)
    (kernels / "double.py").write_text(KERNEL, encoding="utf-8")
    monkeypatch.setattr(read, "FOLDER", families)
    return tmp_path / "kernels"


def status_of(checkout: Path, launch: str, *words: str) -> int:
    """The exit status of a run on one family of this launch."""
    (checkout.parent / "families" / "doubles.toml").write_text(FAMILY + launch, encoding="utf-8")
    return main(["--checkout", str(checkout), *words])


@pytest.mark.parametrize(
    ("launch", "status", "said"),
    [(FITS, 0, "right"), (TOO_TALL, 1, "false alarm"), (NO_SUCH_FUNCTION, 1, "stopped")],
)
def test_a_launch_is_compared_with_what_is_expected(
    checkout: Path, capsys: pytest.CaptureFixture[str], launch: str, status: int, said: str
) -> None:
    assert status_of(checkout, launch) == status
    shown = capsys.readouterr().out
    assert said in shown
    assert f"{1 - status} of 1 launches" in shown


def test_symbolic_launches_are_the_variants_of_those_that_have_one(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(checkout, FITS + TOO_TALL, "--symbolic") == 0
    assert "1 of 1 launches" in capsys.readouterr().out


def test_an_expected_failure_that_passes_is_the_worst(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(checkout, FITS.replace("symbolic", "#") + ARGUED) == 1
    assert "wrong pass" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        (TOO_TALL + 'expected = { 1 = "FAILED" }\n', "is argued"),
        (FITS.replace("args", "argument", 1), "argument is not understood"),
        ("[[launch]\n", "doubles.toml"),
    ],
)
def test_a_family_that_is_not_understood_is_one_line(
    checkout: Path, capsys: pytest.CaptureFixture[str], launch: str, message: str
) -> None:
    assert status_of(checkout, launch) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error


def test_every_launch_of_ours_is_understood() -> None:
    names = [launch.name for launch in read.launches(symbolic=False)]
    assert len(names) == len(set(names)) > 0
    assert list(read.launches(symbolic=True))
