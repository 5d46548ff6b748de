"""Random expressions and random rewrites of them: EQUAL and DIFFERENT agree with evaluation at many points."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nkiverify.model.hardware import hardware_named
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from nkiverify.products.equiv.equivalence import Comparer
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.project.request import request

#: An expression: a variable, a constant, or an operator with its operands.
Expression = Any

VARIABLES = ("x", "y", "z")
CONSTANTS = ("0.5", "2.0", "-1.0", "0.0")
UNARY: dict[str, Any] = {
    "exp": np.exp, "square": np.square, "relu": lambda a: np.maximum(a, 0), "negative": np.negative, "abs": np.abs,
    "logical_not": lambda a: (a == 0) * 1.0, "tanh": np.tanh,
}  # fmt: skip
BINARY: dict[str, Any] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "greater": lambda a, b: (a > b) * 1.0, "less": lambda a, b: (a < b) * 1.0, "equal": lambda a, b: (a == b) * 1.0,
    "logical_and": lambda a, b: ((a != 0) & (b != 0)) * 1.0, "logical_or": lambda a, b: ((a != 0) | (b != 0)) * 1.0,
}  # fmt: skip
COMMUTES = ("add", "multiply", "maximum", "minimum", "equal", "logical_and", "logical_or", "subtract")
PAIRS = 30


def expression(chance: random.Random, depth: int) -> Expression:
    """A random expression; a constant is only ever the second operand of two."""
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(VARIABLES)
    if chance.random() < 0.3:
        return chance.choice(list(UNARY)), expression(chance, depth - 1)
    second = chance.choice(CONSTANTS) if chance.random() < 0.2 else expression(chance, depth - 1)
    return chance.choice(list(BINARY)), expression(chance, depth - 1), second


def rewritten(chance: random.Random, found: Expression) -> Expression:
    """The expression with some of its parts rewritten, not always rightly."""
    if isinstance(found, str):
        return found
    name, *parts = found
    parts = [rewritten(chance, part) for part in parts]
    if chance.random() < 0.5:
        return (name, *parts)
    if name == "maximum" and chance.random() < 0.5:
        return "add", parts[0], parts[1]
    if name in COMMUTES and parts[1] not in CONSTANTS:
        return name, parts[1], parts[0]
    if name == "square":
        return "multiply", parts[0], parts[0]
    if name == "relu":
        return "maximum", parts[0], "0.0"
    if name == "abs":
        return parts[0]
    if name == "logical_and":
        return "multiply", parts[0], parts[1]
    return (name, *parts)


def source(found: Expression) -> str:
    if isinstance(found, str):
        return found if found in CONSTANTS else f"t_{found}"
    return f"nl.{found[0]}({', '.join(map(source, found[1:]))})"


def value(found: Expression, points: dict[str, Any]) -> Any:
    if isinstance(found, str):
        return float(found) if found in CONSTANTS else points[found]
    return {**UNARY, **BINARY}[found[0]](*(value(part, points) for part in found[1:]))


def kernel(name: str, found: Expression) -> str:
    return (
        f"def {name}(x, y, z):\n"
        "    t_x, t_y, t_z = nl.load(x), nl.load(y), nl.load(z)\n"
        "    out = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.shared_hbm)\n"
        f"    nl.store(out, nl.copy({source(found)}))\n"
        "    return out\n\n"
    )


@pytest.mark.campaign
def test_answers_agree_with_evaluation_at_many_points(tmp_path: Path) -> None:
    chance = random.Random(7)
    firsts = [expression(chance, 3) for _ in range(PAIRS)]
    pairs = [(first, rewritten(chance, first)) for first in firsts]
    text = "".join(kernel(f"k{n}_{side}", part) for n, pair in enumerate(pairs) for side, part in enumerate(pair))
    (tmp_path / "pairs.py").write_text(f"import nki.language as nl\n\n{text}", encoding="utf-8")

    generator = np.random.default_rng(0)
    spread = [
        generator.integers(-2, 3, (3, 200)) * 1.0,
        generator.normal(size=(3, 200)),
        generator.uniform(-1, 1, (3, 200)),
    ]
    points = dict(zip(VARIABLES, np.concatenate(spread, axis=1), strict=True))
    answers = []
    for number, pair in enumerate(pairs):
        given = [f"{name}=f32[2,4]" for name in VARIABLES]
        sides = [
            Side(str(side), request(f"pairs.py::k{number}_{side}", tmp_path, given, [], None), {}) for side in (0, 1)
        ]
        found = Comparer(sides[0], sides[1], hardware_named("trn2"), number, None).compare()
        assert found.reals is not None, (pair, found.legal)
        with np.errstate(all="ignore"):
            first, second = (np.broadcast_to(value(part, points), 600) for part in pair)
        finite = np.isfinite(first) & np.isfinite(second)
        same = np.allclose(first[finite], second[finite], rtol=1e-9, atol=1e-9)
        if found.reals.answer is not EquivalenceAnswer.UNKNOWN:
            assert (found.reals.answer is EquivalenceAnswer.YES) == same, (pair, found.reals)
        answers.append(found.reals.answer)
    assert answers.count(EquivalenceAnswer.YES) > PAIRS // 4
    assert answers.count(EquivalenceAnswer.NO) >= 2
