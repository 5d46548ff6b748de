"""What `nkiverify equiv` says of illegal kernels and of sizes that are no multiple of a tile; its exit statuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from tests.values.test_different_kernels import pair

COPY = """tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
nisa.dma_copy(tile, x)
return result(x, tile)"""
#: Two tiles of 16 bytes a partition, placed so far apart; the first one is read after the second one is written.
PLACED = """one = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
two = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf, address=(0, {distance}))
nisa.dma_copy(one, x)
nisa.dma_copy(two, x)
copy = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
nisa.tensor_tensor(copy, one, two, nl.subtract)
nisa.tensor_tensor(copy, copy, one, nl.add)
return result(x, copy)"""


def test_memory_is_part_of_what_is_legal(tmp_path: Path) -> None:
    apart = pair(tmp_path, COPY, PLACED.format(distance=16))
    assert apart.legal is not None and apart.legal.answer is EquivalenceAnswer.YES
    overlapping = pair(tmp_path, COPY, PLACED.format(distance=12))
    assert overlapping.legal is not None and overlapping.legal.answer is EquivalenceAnswer.NO
    assert "mem.placed_overlap" in overlapping.legal.text
    assert [one.answer for one in overlapping.findings()[1:]] == [
        EquivalenceAnswer.YES,
        EquivalenceAnswer.YES,
        EquivalenceAnswer.TESTED,
    ]


@pytest.mark.parametrize(("factor", "expected"), [(1.0, EquivalenceAnswer.YES), (2.0, EquivalenceAnswer.NO)])
def test_an_illegal_kernel_that_runs_to_its_end_is_compared(
    tmp_path: Path, factor: float, expected: EquivalenceAnswer
) -> None:
    # The operand tile of tensor_scalar has to be float32.
    scaled = f"""factor = nl.ndarray((4, 1), dtype=nl.bfloat16, buffer=nl.sbuf)
nisa.memset(factor, {factor})
tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
nisa.dma_copy(tile, x)
nisa.tensor_scalar(tile, tile, nl.multiply, factor)
return result(x, tile)"""
    found = pair(tmp_path, COPY, scaled)
    assert found.legal is not None and found.legal.answer is EquivalenceAnswer.NO
    assert "two: tensor_scalar.operand_fp32" in found.legal.text
    assert found.defined is not None and found.defined.answer is EquivalenceAnswer.YES
    assert found.reals is not None and found.reals.answer is expected
    assert found.floats is not None and (found.floats.answer is EquivalenceAnswer.NO) == (
        expected is EquivalenceAnswer.NO
    )


def test_a_kernel_that_raises_is_compared_no_further(tmp_path: Path) -> None:
    found = pair(tmp_path, COPY, "raise ValueError('no such shapes')")
    assert found.legal is not None and found.legal.answer is EquivalenceAnswer.NO
    assert "no such shapes" in found.legal.text
    assert len(found.findings()) == 1


SUMS = """
import nki
import nki.isa as nisa
import nki.language as nl


def added(x, out, starts, width):
    total = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(total, 0.0)
    for start in starts:
        columns = width(start)
        tile = nl.ndarray((x.shape[0], columns), dtype=x.dtype, buffer=nl.sbuf)
        part = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(tile, x[:, start : start + columns])
        nisa.tensor_reduce(part, nl.add, tile, axis=1)
        nisa.tensor_tensor(total, total, part, nl.add)
    nisa.dma_copy(out, total)
    return out


@nki.jit
def whole_tiles(x):
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    count = x.shape[1] // 8
    return added(x, out, [8 * number for number in range(count)], lambda start: 8)


@nki.jit
def with_the_rest(x):
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    return added(x, out, range(0, x.shape[1], 8), lambda start: min(8, x.shape[1] - start))


@nki.jit
def multiples_only(x):
    assert x.shape[1] % 8 == 0
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    return added(x, out, range(0, x.shape[1], 8), lambda start: 8)


@nki.jit
def rounded(x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    nisa.dma_copy(out, tile)
    return out


@nki.jit
def moved(x):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(out, x)
    return out
"""


def status(folder: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str, *options: str) -> int:
    """The exit status of `nkiverify equiv` for two of the kernels above."""
    (folder / "k.py").write_text(SUMS, encoding="utf-8")
    monkeypatch.chdir(folder)
    return main(["equiv", f"k.py::{first}", f"k.py::{second}", *options])


def test_a_rest_that_is_dropped_is_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = status(tmp_path, monkeypatch, "whole_tiles", "with_the_rest", "--arg", "x=f32[4,N:8..64]")
    text, errors = capsys.readouterr()
    before, _, after = text.partition("also: ")
    assert ended == 1, errors
    assert before.count("EQUAL") == 3 and "DIFFERENT" not in before
    assert "DIFFERENT: result[0, 0]" in after


def test_sizes_outside_the_domain_are_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = status(tmp_path, monkeypatch, "whole_tiles", "with_the_rest", "--arg", "x=f32[4,N:8..64:8]")
    text = capsys.readouterr().out
    assert (ended, "also:" in text) == (3, False)
    assert "  for all N       not argued: " in text


@pytest.mark.parametrize(("sizes", "expected"), [("N:16..17", 0), ("N:16..23:8", 0), ("N:16..18", 3)])
def test_a_domain_of_which_every_shape_was_run_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sizes: str, expected: int
) -> None:
    ended = status(tmp_path, monkeypatch, "with_the_rest", "with_the_rest", "--arg", f"x=f32[4,{sizes}]")
    assert (ended, "not argued" in capsys.readouterr().out) == (expected, expected == 3)


def test_sizes_that_one_kernel_refuses_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = status(tmp_path, monkeypatch, "multiples_only", "with_the_rest", "--arg", "x=f32[P,N]")
    text, errors = capsys.readouterr()
    # One more partition is legal, one more column is not.
    assert ended == 3, text + errors
    assert text.count("also: ") == 1 and "also: P = 4, N = 16: the same answers" in text


def test_roundings_alone_end_with_the_status_of_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = status(tmp_path, monkeypatch, "rounded", "moved", "--arg", "x=f32[4,8]", "--tolerance", "0.01")
    text = capsys.readouterr().out
    assert ended == 3 and "UNKNOWN (roundings)" in text and "EQUAL (tested)" in text
    # Without a tolerance of the user's: arguments and results are float32, the narrow tile is the kernel's own choice.
    assert status(tmp_path, monkeypatch, "rounded", "moved", "--arg", "x=f32[4,8]") == 1


def test_integers_of_integers_have_no_tolerance(tmp_path: Path) -> None:
    # The greatest of them are near 2^31, of which a tolerance that is relative would allow thousands.
    changed = """tile = nl.ndarray(x.shape, dtype=nl.int32, buffer=nl.sbuf)
nisa.dma_copy(tile, x)
{}out = nl.ndarray(x.shape, dtype=nl.int32, buffer=nl.shared_hbm)
nisa.dma_copy(out, tile)
return out"""
    xor = "nisa.tensor_scalar(tile, tile, nl.bitwise_xor, 1)\n"
    found = pair(tmp_path, changed.format(""), changed.format(xor), "x=i32[4,8]")
    assert found.floats is not None and found.floats.answer is EquivalenceAnswer.NO


PAIRS = """
from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Pair:
    one: object
    two: object


def loaded(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    return tile


@nki.jit
def kernel(pair, factor=1.0):
    one, two = loaded(pair.one), loaded(pair.two)
    nisa.tensor_tensor(one, one, two, nl.subtract)
    nisa.tensor_scalar(one, one, nl.multiply, factor)
    out = nl.ndarray(one.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(out, one)
    return out
"""


def test_tensors_of_one_argument_hold_their_own_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "k.py").write_text(PAIRS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = ["equiv", "k.py::kernel", "k.py::kernel", "--arg", "pair=Pair(f32[4,8], f32[4,8])", "--arg-b", "factor=0.0"]
    assert main(words) == 1
