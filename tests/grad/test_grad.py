"""`nkiverify grad` tells the gradients of the kernels beside this file from wrong ones, and says what is wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkiverify.analysis.values.degrees import Cleared
from nkiverify.model.hardware import hardware_named
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from nkiverify.products.equiv.gradient_pairing import Said
from nkiverify.products.equiv.gradient_runs import ComparedKernel, Draw
from nkiverify.products.equiv.gradients import GradientAnswers, GradientChecker
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.project.discovery import returned_names
from nkiverify.project.request import Request, parameters_of, request
from tests.grad import SHAPES
from tests.representatives import representatives

FOLDER = Path(__file__).parent / "kernels"
WORDS = {
    "EQUAL": EquivalenceAnswer.YES,
    "TESTED": EquivalenceAnswer.TESTED,
    "DIFFERENT": EquivalenceAnswer.NO,
    "UNKNOWN": EquivalenceAnswer.UNKNOWN,
}
EXPECTED = re.compile(r"((?:EQUAL|TESTED|DIFFERENT|UNKNOWN)(?: (?:EQUAL|TESTED|DIFFERENT|UNKNOWN))*): [^.]+\. ?(.*)")
FILES = tuple(SHAPES)


def cases() -> Iterator[tuple[str, str, str, tuple[EquivalenceAnswer, ...], str]]:
    """The file, forward and backward kernel, the answers for each gradient, and part of what is said."""
    for file in FILES:
        for node in ast.parse((FOLDER / f"{file}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "backward" in node.name and not node.name.startswith("_"):
                found = EXPECTED.fullmatch(ast.get_docstring(node) or "")
                assert found is not None, node.name
                forward = node.name.partition("_backward")[0] if "_backward" in node.name else "forward"
                yield file, forward, node.name, tuple(WORDS[word] for word in found[1].split()), found[2]


CASES = list(cases())


def asked(file: str, name: str) -> Request:
    reference = f"{file}.py::{name}"
    given = [f"{parameter}={SHAPES[file][parameter]}" for parameter in parameters_of(reference, FOLDER)]
    return request(reference, FOLDER, given, [], None)


def checker_of(file: str, forward: str, backward: str) -> GradientChecker:
    first, second = (asked(file, name) for name in (forward, backward))
    kernels = [ComparedKernel(Side(one.name, one, {}), returned_names(one.kernel)) for one in (first, second)]
    return GradientChecker(kernels[0], kernels[1], hardware_named("trn2"), Said({}, {}), 0, None)


def checked(file: str, forward: str, backward: str) -> GradientAnswers:
    return checker_of(file, forward, backward).check()


@pytest.mark.parametrize(
    ("file", "forward", "backward", "expected", "said"),
    representatives(CASES, kind=lambda one: (one[0], one[3]), name=lambda one: f"{one[0]}-{one[2]}", parts=5),
)
def test_gradients(file: str, forward: str, backward: str, expected: tuple[EquivalenceAnswer, ...], said: str) -> None:
    found = checked(file, forward, backward)
    assert found.legal is not None and found.legal.answer is EquivalenceAnswer.YES, found.legal
    assert found.defined is not None and found.defined.answer is EquivalenceAnswer.YES, found.defined
    assert tuple(one.reals.answer for one in found.gradients) == expected, [one.reals for one in found.gradients]
    for one in found.gradients:
        assert one.floats.answer is (
            EquivalenceAnswer.NO if one.reals.answer is EquivalenceAnswer.NO else EquivalenceAnswer.TESTED
        ), one.floats
    texts = [one.reals.text for one in found.gradients] + [part for one in found.gradients for part in one.diagnosis]
    assert any(said in text for text in texts), texts


@pytest.mark.parametrize(("backward", "linear"), [("backward", True), ("backward_with_a_square", False)])
def test_gradients_that_are_linear_in_the_incoming_ones(backward: str, linear: bool) -> None:
    checker = checker_of("softmax", "forward", backward)
    checker.runs.floats(Draw(0))
    assert checker.evaluation(Draw(0)).linear(checker.runs) is linear


def test_a_bound_without_denominators() -> None:
    degrees = Cleared()
    x = degrees.variables((4, 1))
    inverse = degrees.unary("reciprocal", x)
    total = degrees.reduce("add", degrees.binary("multiply", inverse, x).reshape(3, 1, 4))
    assert total[:2, 0, 0].tolist() == [1.0, 1.0]
    assert degrees.whole(2.0) == 2.0 * (1 + 4)
    degrees.unary("reciprocal", inverse)
    assert degrees.whole(2.0) == float("inf")


def test_what_is_drawn_is_said() -> None:
    found = checked("embedding", "forward", "backward")
    assert "at these shapes and for the integers drawn for tokens, error" in found.gradients[0].reals.text
