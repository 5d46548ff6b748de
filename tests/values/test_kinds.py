"""Kinds of kernels that are decided: each pair is EQUAL, and the one with a mistake DIFFERENT.

`python -m tests.values.test_kinds` writes the table of docs/equivalence.md, with times.
"""

from __future__ import annotations

import ast
import time
from pathlib import Path

import pytest

from lab.audit import with_section
from nkiverify.foundation import resources
from nkiverify.model.hardware import hardware_named
from nkiverify.products.equiv.comparison import EquivalenceAnswer, KernelComparison
from nkiverify.products.equiv.equivalence import Comparer
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.project.request import request

FILE = Path(__file__).parent / "kinds.py"
FUNCTIONS = {
    node.name: node
    for node in ast.parse(FILE.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
}
KINDS = [name for name in FUNCTIONS if f"{name}_other" in FUNCTIONS]


def compared(kind: str, other: str) -> KernelComparison:
    """The answers for a kernel and another of its kind, on the shapes that the plain one states."""
    given = {each.arg: ast.literal_eval(each.annotation or ast.Constant("")) for each in FUNCTIONS[kind].args.args}
    words = [f"{name}={shape}" for name, shape in given.items()]
    sides = [Side(name, request(f"{FILE.name}::{name}", FILE.parent, words, [], None), {}) for name in (kind, other)]
    return Comparer(sides[0], sides[1], hardware_named("trn2"), 0, None).compare()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_and_the_same_in_another_way_are_equal(kind: str) -> None:
    found = compared(kind, f"{kind}_other")
    answers = [finding.answer for finding in found.findings()]
    assert answers == [EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.TESTED], (
        found.findings()
    )
    assert found.error_bits >= 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_is_found(kind: str) -> None:
    found = compared(kind, f"{kind}_wrong")
    assert found.reals is not None and found.reals.answer is EquivalenceAnswer.NO, found.findings()


def table() -> str:
    """The kinds, the answers over the reals, and seconds of processor time."""
    lines = ["| kind | shapes | in another way | with a mistake | seconds |", "| --- | --- | --- | --- | --- |"]
    for kind in KINDS:
        shapes = ", ".join(ast.literal_eval(each.annotation or ast.Constant("")) for each in FUNCTIONS[kind].args.args)
        cells = []
        started = time.process_time()
        for other in ("other", "wrong"):
            reals = compared(kind, f"{kind}_{other}").reals
            assert reals is not None
            cells.append(reals.answer.value)
        mistake = (ast.get_docstring(FUNCTIONS[f"{kind}_wrong"]) or "").rstrip(".")
        seconds = f"{time.process_time() - started:.1f}"
        row = kind.replace("_", " "), shapes, cells[0], f"{cells[1]}: {mistake[0].lower()}{mistake[1:]}", seconds
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    page = resources.root() / "docs" / "equivalence.md"
    page.write_text(with_section(page.read_text(encoding="utf-8"), "kinds", "\n" + table()), encoding="utf-8")
