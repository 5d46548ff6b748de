"""`nkiverify equiv` answers what each pair of the litmus kernels says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkiverify.model.hardware import hardware_named
from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
from nkiverify.products.equiv.equivalence import Comparer
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.project.request import parameters_of, request
from tests.litmus import SHAPES
from tests.representatives import representatives

FOLDER = Path(__file__).parent
FILES = (
    "adversaries", "arithmetic", "constants", "exponentials", "functions", "movement", "one_way", "probes",
    "reductions", "roundings", "subtleties",
)  # fmt: skip
WORDS = {
    "EQUAL": EquivalenceAnswer.YES,
    "TESTED": EquivalenceAnswer.TESTED,
    "DIFFERENT": EquivalenceAnswer.NO,
    "UNKNOWN": EquivalenceAnswer.UNKNOWN,
    "ROUNDINGS": EquivalenceAnswer.ROUNDINGS,
}
EXPECTED = re.compile(r"(EQUAL|UNKNOWN|ROUNDINGS|DIFFERENT) (TESTED|DIFFERENT)(?: (DIFFERENT))?: \S")


def pairs() -> Iterator[tuple[str, str, tuple[str, str, str]]]:
    """The file, the name and what is expected of each pair: over the reals, in floating point, where it is defined."""
    for file in FILES:
        for node in ast.parse((FOLDER / f"{file}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.endswith("_b"):
                found = EXPECTED.match(ast.get_docstring(node) or "")
                assert found is not None, node.name
                yield file, node.name.removesuffix("_b"), (found[1], found[2], found[3] or "EQUAL")


PAIRS = list(pairs())


def compared(file: str, first: str, second: str, seed: int = 0) -> KernelComparison:
    sides = []
    for name in (first, second):
        reference = f"{file}.py::{name}"
        given = [f"{parameter}={SHAPES[parameter]}" for parameter in parameters_of(reference, FOLDER)]
        sides.append(Side(name, request(reference, FOLDER, given, [], None), {}))
    return Comparer(sides[0], sides[1], hardware_named("trn2"), seed, None).compare()


def test_there_are_pairs_of_each_kind() -> None:
    assert len(PAIRS) >= 257
    assert sum(file in ("adversaries", "probes", "subtleties") for file, _, _ in PAIRS) >= 89


def _representatives(pairs: list[tuple[str, str, tuple[str, str, str]]], parts: int) -> list[object]:
    """One pair of each file with each answer, the others marked."""
    return representatives(pairs, kind=lambda pair: (pair[0], pair[2]), name=lambda pair: pair[1], parts=parts)


@pytest.mark.parametrize(("file", "name", "expected"), _representatives(PAIRS, 3))
def test_pair(file: str, name: str, expected: tuple[str, str, str]) -> None:
    found = compared(file, f"{name}_a", f"{name}_b")
    assert found.legal is not None and found.legal.answer is EquivalenceAnswer.YES, found.legal
    answers = [finding.answer for finding in (found.reals, found.floats, found.defined) if finding is not None]
    assert answers == [WORDS[word] for word in expected], found.findings()
    if found.reals is not None and found.reals.answer is EquivalenceAnswer.YES:
        assert found.error_bits >= 40
    elif found.reals is not None and found.reals.answer is EquivalenceAnswer.ROUNDINGS:
        assert "conversions to " in found.reals.text
    else:
        assert found.reals is not None and found.reals.difference is not None


#: Of the others, that the pair is equal shows it; of the adversaries the second kernels are what is asked about.
APART = [pair for pair in PAIRS if pair[2] != ("EQUAL", "TESTED", "EQUAL") and pair[0] != "adversaries"]


@pytest.mark.parametrize(("file", "name"), _representatives(APART, 2))
def test_every_kernel_equals_itself(file: str, name: str) -> None:
    found = compared(file, f"{name}_a", f"{name}_a", seed=1)
    assert [finding.answer for finding in found.findings()] == [
        EquivalenceAnswer.YES,
        EquivalenceAnswer.YES,
        EquivalenceAnswer.YES,
        EquivalenceAnswer.TESTED,
    ]
    assert found.floats is not None and "identical" in found.floats.text
