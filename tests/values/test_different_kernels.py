"""Pairs of kernels that are not equal, in ways that could be overlooked."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.project.request import request
from tests.values.test_equivalence import compared

HEADER = """
import nki
import nki.isa as nisa
import nki.language as nl


def result(x, tile):
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    copy = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(copy, tile)
    nisa.dma_copy(out, copy)
    return out


def filled(x, value, dtype):
    tile = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.memset(tile, value)
    return tile

"""
FLOATS = "x=f32[4,4]; y=f32[4,4]"


def pair(folder: Path, one: str, two: str, arguments: str = FLOATS, seed: int = 0) -> KernelComparison:
    """The kernels `one` and `two` of x and y, compared."""
    given = arguments.split("; ")
    names = ", ".join(part.partition("=")[0] for part in given)
    bodies = {"one": one, "two": two}
    kernels = [
        f"@nki.jit\ndef {name}({names}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
        for name, body in bodies.items()
    ]
    (folder / "k.py").write_text(HEADER + "\n\n".join(kernels), encoding="utf-8")
    first, second = (Side(name, request(f"k.py::{name}", folder, given, [], None), {}) for name in bodies)
    return compared(first, second, seed)


@pytest.mark.parametrize(
    ("dtype", "value", "other", "expected"),
    [
        ("nl.uint8", 255, 255, EquivalenceAnswer.YES),
        ("nl.uint8", 256, 256, EquivalenceAnswer.NO),
        ("nl.int8", -128, -128, EquivalenceAnswer.YES),
        ("nl.int8", -129, -129, EquivalenceAnswer.NO),
        ("nl.int16", 40000, 40000, EquivalenceAnswer.NO),
    ],
)
def test_an_integer_that_its_dtype_does_not_hold_changes(
    tmp_path: Path, dtype: str, value: int, other: int, expected: EquivalenceAnswer
) -> None:
    narrow = f"""tile = nl.ndarray(x.shape, dtype={dtype}, buffer=nl.sbuf)
nisa.tensor_copy(tile, filled(x, {value}.0, nl.float32))
return result(x, tile)"""
    found = pair(tmp_path, narrow, f"return result(x, filled(x, {other}.0, nl.float32))")
    assert found.reals is not None
    assert found.reals.answer is expected


WRITES = "nisa.dma_copy({}, filled(x, 0.0, nl.float32))\nreturn result(x, filled(x, 1.0, nl.float32))"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("x", "x", EquivalenceAnswer.YES), ("x", "y", EquivalenceAnswer.NO), ("y", "x", EquivalenceAnswer.NO)],
)
def test_arguments_that_are_written_are_told_apart(
    tmp_path: Path, first: str, second: str, expected: EquivalenceAnswer
) -> None:
    found = pair(tmp_path, WRITES.format(first), WRITES.format(second))
    assert found.reals is not None and found.floats is not None
    assert found.reals.answer is expected
    assert (found.floats.answer is EquivalenceAnswer.NO) == (expected is EquivalenceAnswer.NO)


def test_an_argument_that_only_one_kernel_writes_is_a_difference(tmp_path: Path) -> None:
    found = pair(tmp_path, WRITES.format("y"), WRITES.partition("\n")[2])
    assert found.reals is not None
    assert found.reals.answer is EquivalenceAnswer.NO
    assert found.reals.text.startswith("y[")


def test_integers_that_are_drawn_are_named(tmp_path: Path) -> None:
    square = "tile = nl.load(x)\nproduct = filled(x, 0.0, nl.float32)\n"
    square += "nisa.tensor_tensor(product, tile, tile, nl.multiply)\nreturn result(x, product)"
    plain = "return result(x, nl.load(x))"
    answers = set()
    for seed in range(6):
        found = pair(tmp_path, square, plain, "x=i32[1,2] in 0..2", seed)
        assert found.reals is not None
        answers.add(found.reals.answer)
        assert found.reals.answer is EquivalenceAnswer.NO or "for the integers drawn for x" in found.reals.text
    # 0 and 1 are their own squares, 2 is not.
    assert answers == {EquivalenceAnswer.YES, EquivalenceAnswer.NO}


@pytest.mark.parametrize(
    ("scale", "reals"),
    [
        ("nl.rsqrt(nl.add(nl.multiply(sums, 1 / 12), 1e-6))", EquivalenceAnswer.YES),
        # The constant under the root is missing, or added before the mean.
        ("nl.rsqrt(nl.multiply(sums, 1 / 12))", EquivalenceAnswer.NO),
        ("nl.rsqrt(nl.multiply(nl.add(sums, 1e-6), 1 / 12))", EquivalenceAnswer.NO),
        # Equal by an identity of roots that the method does not know, and of rounded constants.
        ("nl.multiply(nl.rsqrt(nl.add(nl.multiply(sums, 1 / 36), 1e-6 / 3)), 3**-0.5)", EquivalenceAnswer.UNKNOWN),
    ],
)
def test_a_difference_below_the_roundings_of_float32_shows_in_float64(
    tmp_path: Path, scale: str, reals: EquivalenceAnswer
) -> None:
    body = (
        "tile = nl.load(x)\nsums = nl.sum(nl.multiply(tile, tile), axis=1, keepdims=True)\n"
        "normal = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.tensor_scalar(normal, tile, nl.multiply, {})\nreturn result(x, normal)"
    )
    first = body.format("nl.rsqrt(nl.add(nl.multiply(sums, 1 / 12), 1e-6))")
    found = pair(tmp_path, first, body.format(scale), "x=f32[4,12]")
    assert found.reals is not None and found.floats is not None
    assert (found.reals.answer, found.floats.answer) == (reals, EquivalenceAnswer.TESTED)


def test_a_difference_that_roundings_in_between_explain_is_said_to_be_one(tmp_path: Path) -> None:
    one = "return result(x, nl.load(x))"
    two = "tile = nl.load(x, dtype=nl.bfloat16)\nreturn result(x, tile)"
    found = pair(tmp_path, one, two, "x=f32[4,4]")
    assert found.reals is not None and found.reals.answer is EquivalenceAnswer.ROUNDINGS
    assert found.floats is not None and found.floats.answer is EquivalenceAnswer.NO
    assert found.floats.text.endswith("; no more than what they round in between may make")
    found = pair(tmp_path, one, two.replace("return", "tile = nl.multiply(tile, 1.1)\nreturn"), "x=f32[4,4]")
    assert found.floats is not None and not found.floats.text.endswith("may make")


def test_what_float32_loses_is_no_difference_over_the_reals(tmp_path: Path) -> None:
    """Equal by an identity of roots; 3000 more and 3000 less round in float32."""
    one = "tile = nl.sqrt(nl.add(nl.subtract(nl.add(nl.load(x), 3000.0), 3000.0), 2.0))\nreturn result(x, tile)"
    two = "tile = nl.multiply(nl.sqrt(nl.multiply(nl.add(nl.load(x), 2.0), 4.0)), 0.5)\nreturn result(x, tile)"
    found = pair(tmp_path, one, two, "x=f32[4,4]")
    assert found.reals is not None and found.reals.answer is EquivalenceAnswer.UNKNOWN
    assert found.floats is not None and found.floats.answer is EquivalenceAnswer.NO
