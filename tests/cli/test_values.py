"""`nkiverify simulate` and `nkiverify equiv`, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nkiverify.cli.main import main

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def twice(x, factor=2.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.multiply, factor)
    nl.store(out, tile)
    return out


@nki.jit
def coarsely(x, factor=2.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_scalar(tile, nl.load(x), nl.multiply, factor)
    nl.store(out, tile)
    return out


@nki.jit
def partly(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[0:2, :], nl.load(x[0:2, :]))
    return out


@nki.jit
def by_sum(y):
    out = nl.ndarray(y.shape, dtype=y.dtype, buffer=nl.shared_hbm)
    tile = nl.load(y)
    nl.store(out, nl.add(tile, tile))
    return out


@nki.jit
def noise(x):
    tile = nl.load(x)
    nisa.activation(tile, nl.prelu, tile)


@nki.jit
def too_tall(x):
    return nl.ndarray((256, 4), dtype=x.dtype, buffer=nl.sbuf)
"""

REFERENCE = """\
def doubled(x, factor=2.0):
    return factor * x.astype("float64")


def tripled(x, factor=2.0):
    return 3 * x.astype("float64")


def flat(x, factor=2.0):
    return x.ravel()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kernels_here.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "stated_here.py").write_text(REFERENCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_results_agree_with_a_reference_and_are_saved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(folder / "x.npy", np.arange(32, dtype=np.float32).reshape(4, 8))
    words = ["simulate", "kernels_here.py::twice", "--arg", "x=x.npy", "--arg", "factor=3.0"]
    assert main([*words, "--reference", "stated_here:doubled", "--save", "out"]) == 0
    assert "agrees" in capsys.readouterr().out
    np.testing.assert_array_equal(np.load("out/result.npy"), 3 * np.load("x.npy"))


def test_a_file_is_converted_to_the_dtype_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(folder / "x.npy", np.full((4, 8), 1 + 2.0**-9))
    assert main(["simulate", "kernels_here.py::twice", "--arg", "x=bf16:x.npy"]) == 0
    assert "bfloat16 [4, 8], from 2 to 2" in capsys.readouterr().out
    assert main(["simulate", "kernels_here.py::twice", "--arg", "x=x.npy"]) == 2
    assert "arrays of float64 have no NKI dtype" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reference", "said"),
    [("stated_here:tripled", "differs: greatest difference"), ("stated_here:flat", "has the shape")],
)
def test_a_difference_from_the_reference(
    folder: Path, capsys: pytest.CaptureFixture[str], reference: str, said: str
) -> None:
    assert main(["simulate", "kernels_here.py::twice", "--arg", "x=f32[4,8]", "--reference", reference]) == 1
    assert said in capsys.readouterr().out


def test_what_the_kernel_rounds_in_between_is_no_part_of_the_tolerance(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["simulate", "kernels_here.py::coarsely", "--reference", "stated_here:doubled", "--arg"]
    assert main([*words, "x=f32[4,8]"]) == 1
    assert "roundings to bfloat16" in capsys.readouterr().out
    assert main([*words, "x=bf16[4,8]"]) == 0
    assert main([*words, "x=f32[4,8]", "--tolerance", "0.016"]) == 0
    words[3] = "stated_here:tripled"
    capsys.readouterr()
    assert main([*words, "x=f32[4,8]"]) == 1
    assert "roundings" not in capsys.readouterr().out


def test_undefined_results_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "kernels_here.py::partly", "--arg", "x=f32[4,8]"]) == 1
    assert "result[2, 0] and 15 more elements are undefined: nothing writes them" in capsys.readouterr().out


def test_contracts_and_what_has_no_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "kernels_here.py::too_tall", "--arg", "x=f32[4,8]"]) == 1
    assert "mem.partitions_128" in capsys.readouterr().out
    assert main(["simulate", "kernels_here.py::noise", "--arg", "x=f32[4,6]"]) == 3
    assert "prelu" in capsys.readouterr().out


def test_the_trace_names_every_operation_with_its_place(folder: Path) -> None:
    assert main(["simulate", "kernels_here.py::twice", "--arg", "x=f32[4,8]", "--trace", "trace.jsonl"]) == 0
    lines = [json.loads(line) for line in (folder / "trace.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["operation"] for line in lines] == ["nl.load", "nisa.tensor_scalar", "nl.store"]
    assert [line["line"] for line in lines] == [9, 10, 11]
    assert lines[0]["reads"]["src"] == {
        "tensor": "x", "memory": "shared_hbm", "dtype": "float32", "shape": [4, 8], "strides": [8, 1], "offset": 0,
    }  # fmt: skip
    assert [line["elements"] for line in lines] == [32, 32, 32]


def test_the_debugger_prints_tiles(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["p tile", "p out", "c"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(answers))
    np.save(folder / "x.npy", np.full((1, 2), 3, dtype=np.float32))
    words = ["simulate", "kernels_here.py::twice", "--arg", "x=x.npy", "--break", "kernels_here.py:11"]
    assert main(words) == 0
    shown = capfd.readouterr().out
    assert "[[6. 6.]]" in shown
    assert "[[? ?]]" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kernels_here.py::twice", "--arg", "x=f32[K,8]"], "give K a value"),
        (["kernels_here.py::twice", "--arg", "x=missing.npy"], "missing.npy cannot be read"),
        (["kernels_here.py::twice", "--arg", "x=f32[4,8]", "--reference", "stated_here"], "module:function"),
        (["kernels_here.py::twice", "--arg", "x=f32[4,8]", "--reference", "stated_here:none"], "has no none"),
        (["kernels_here.py::twice", "--arg", "x=f32[4,8]", "--break", "nowhere.py:3"], "with a file that exists"),
        (["kernels_here.py::twice", "--arg", "x=f32[4,8]", "--trace", "no/where"], "cannot be written"),
        (["kernels_here.py"], "path/to/file.py::function"),
    ],
)
def test_bad_input_gets_one_line(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["simulate", *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_equal_kernels_with_parameters_of_other_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["equiv", "kernels_here.py::twice", "kernels_here.py::by_sum"]
    words += ["--arg", "x=f32[P,F]", "--arg", "y=f32[P,F]"]
    assert main(words) == 3
    shown = capsys.readouterr().out
    assert "for all P, F    not argued: the answers are those at these shapes" in shown
    assert main([*words, "--accept", "tested"]) == 0
    Path("pyproject.toml").write_text('[tool.nkiverify]\naccept = ["tested"]\n', encoding="utf-8")
    assert main(words) == 0
    assert "chosen: P = 3, F = 4" in shown
    assert "over the reals  EQUAL: at these shapes, error <= 2^-" in shown


def test_one_kernel_is_launched_on_a_grid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    on_programs = KERNEL.partition("@nki.jit")[0] + (
        "def rows(x):\n"
        "    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    mine = slice(nl.program_id(0) * 2, nl.program_id(0) * 2 + 2)\n"
        "    tile = nl.load(x[mine, :])\n"
        "    nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)\n"
        "    nl.store(out[mine, :], tile)\n"
        "    return out\n"
    )
    (folder / "on_programs.py").write_text(on_programs, encoding="utf-8")
    assert main(["equiv", "kernels_here.py::twice", "on_programs.py::rows[2]", "--arg", "x=f32[4,8]"]) == 0
    assert "over the reals  EQUAL" in capsys.readouterr().out
    assert main(["equiv", "kernels_here.py::twice", "on_programs.py::rows[1]", "--arg", "x=f32[4,8]"]) == 1


def test_different_kernels_show_where_it_came_from(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "equiv",
        "kernels_here.py::twice",
        "kernels_here.py::twice",
        "--arg",
        "x=f32[4,8]",
        "--arg-b",
        "factor=3.0",
    ]
    assert main(words) == 1
    shown = capsys.readouterr().out
    assert "over the reals  DIFFERENT: result[0, 0]" in shown
    assert "kernels_here.py:10  nisa.tensor_scalar(op0=multiply, operand0=3.0, src=" not in shown
    assert "kernels_here.py:10  nisa.tensor_scalar(op0=multiply, operand0=3.0" in shown
    assert "from x (1 elements)" in shown


def test_a_kernel_that_defines_less(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "kernels_here.py::partly", "kernels_here.py::twice", "--arg", "x=f32[4,8]"]) == 1
    assert "also defines 16 elements" in capsys.readouterr().out
    assert main(["equiv", "kernels_here.py::twice", "kernels_here.py::partly", "--arg", "x=f32[4,8]"]) == 1
    assert "result[2, 0] is undefined in the second kernel only" in capsys.readouterr().out


def test_what_equiv_cannot_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "kernels_here.py", "kernels_here.py::twice"]) == 2
    assert "path/to/file.py::function" in capsys.readouterr().err
    words = ["equiv", "kernels_here.py::twice", "kernels_here.py::by_sum", "--arg", "x=f32[4,8]", "--arg", "y=f32[4,4]"]
    assert main(words) == 2
    assert "not given the same tensors" in capsys.readouterr().err
    assert main(["equiv", "kernels_here.py::too_tall", "kernels_here.py::twice", "--arg", "x=f32[4,8]"]) == 1
    assert "mem.partitions_128" in capsys.readouterr().out
