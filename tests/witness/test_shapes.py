"""The shapes of a domain: compared with going through all of them, whatever form its conditions are written in."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from itertools import islice
from typing import Any

import pytest

from nkiverify.engines.shapes import EDGES, Axis, Shapes, TooManyShapes
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.frontend.domain.expressions import condition
from nkiverify.ir.program import DomainDimension
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Dimension
from nkiverify.symbolic.conditions import Condition


def domain(texts: Sequence[str], ranges: dict[str, tuple[int, int | None]]) -> tuple[Shapes, list[ast.expr]]:
    """The shapes of dimensions with these ranges that satisfy the conditions."""
    dimensions = [DomainDimension(Dimension(name), low, high) for name, (low, high) in ranges.items()]
    values: dict[str, Any] = {one.atom.name: terms.of_atom(one.atom) for one in dimensions}
    nodes = [ast.parse(text, mode="eval").body for text in texts]
    return Shapes(dimensions, [_symbolic(node, values) for node in nodes]), nodes


def _symbolic(node: ast.expr, values: dict[str, Any]) -> Condition | bool:
    found = condition(node, values)
    assert isinstance(found, Condition | bool)
    return found


def legal(nodes: Sequence[ast.expr], values: dict[str, int]) -> bool:
    """True if plain Python finds the conditions true."""
    names = {"min": min, "max": max, **values}
    return all(eval(compile(ast.Expression(node), "", "eval"), names) for node in nodes)


STRIDES = [
    "K % 128 == 0",
    "0 == K % 128",
    "not K % 128 != 0",
    "not K % 128",
    "not K % 128 and not K % 4",
    "K % 128 < 1",
    "K % 128 <= 0",
    "1 > K % 128",
    "K // 128 * 128 == K",
    "K == 128 * (K // 128)",
    "K - K // 128 * 128 == 0",
    "K % 64 == 0 and K % 128 == 0",
    "K % 128 == 0 and K % 2 == 0",
    "not (K % 128 > 0)",
    "not (K % 128 != 0 or K % 4 != 0)",
    "(K + 128) % 128 == 0",
    "(-K) % 128 == 0",
    "3 * K % 128 == 0",
    "K % 128 == 0 and K % 3 >= 0",
    "min(K % 128, 5) == 0",
    "max(K % 128, 0) == 0",
    "K & 127 == 0",
    "not 127 & K",
    "K >> 7 << 7 == K",
]


@pytest.mark.parametrize("text", STRIDES)
def test_a_condition_on_the_remainder_is_the_stride_in_whatever_form(text: str) -> None:
    shapes, _ = domain([text], {"K": (1, None), "M": (1, 2)})
    assert shapes.dimensions[0].multiple_of == 128
    assert shapes.dimensions[0].smallest == 128
    assert shapes.dimensions[0].high is None
    found = [values["K"] for values in shapes.tried()]
    assert sorted(set(found))[: SearchingBudget.FIRST_VALUES] == [128, 256, 384, 512]
    assert all(value % 128 == 0 for value in found)


CONDITIONS: list[list[str]] = [
    ["K % 4 == 1"],
    ["K % 3 == 1 or K % 3 == 2"],
    ["K % 2 == 0", "K % 3 == 1"],
    ["K >= 5", "K <= 7"],
    ["3 <= K", "K < 12", "K % 2 != 0"],
    ["K == M"],
    ["M == 3 * K"],
    ["K == 2 * M + 1"],
    ["M % K == 0"],
    ["K % M == 0", "M > 1"],
    ["K % 4 == 0", "M % K == 0"],
    ["K + M == 9"],
    ["K * M == 12"],
    ["K * K <= 30", "M == K // 2 + 1"],
    ["K <= M", "M <= 6", "K % 2 == 0"],
    ["K != M", "K < 3 or M > 9"],
    ["K % 2 == M % 2"],
    ["K // 3 == M // 2"],
    ["K > M", "M > K"],
]


@pytest.mark.parametrize("texts", CONDITIONS, ids=" ; ".join)
@pytest.mark.parametrize("high", [12, None])
def test_all_shapes_within_bounds_are_all_there_are(texts: list[str], high: int | None) -> None:
    shapes, nodes = domain(texts, {"K": (1, high), "M": (1, high)})
    pairs = [{"K": k, "M": m} for k, m in itertools.product(range(1, 40), repeat=2)]
    inside = [pair for pair in pairs if legal(nodes, pair) and max(pair.values()) <= (high or 39)]
    assert all(legal(nodes, values) for values in islice(shapes.tried(), 50))
    for level in range(1, 6):
        bounds = shapes.bounds(level, {})
        if bounds is None:
            assert not inside
            break
        found = list(shapes.within(bounds))
        wanted = [pair for pair in inside if all(pair[name] <= most for name, most in bounds.items())]
        assert all(pair in found for pair in wanted)
        assert all(legal(nodes, values) for values in found)
        if high is not None and not shapes.beyond(bounds):
            assert len(found) == len(inside)


def test_bounds_that_leave_something_out_say_for_which_dimensions() -> None:
    shapes, _ = domain(["K % 128 == 0", "N == 4 * K"], {"K": (1, None), "M": (1, 3), "N": (1, None)})
    bounds = shapes.bounds(4, {"K": 384})
    assert bounds == {"K": 512, "M": 3}
    assert shapes.beyond(bounds) == {"K": 512}
    assert len(list(shapes.within(bounds))) == 4 * 3


def test_a_dimension_that_is_not_bounded_goes_on_beyond_every_bound() -> None:
    shapes, _ = domain([], {"K": (1, None), "M": (1, 8)})
    assert shapes.beyond({"K": 10**6, "M": 8}) == {"K": 10**6}
    assert shapes.beyond({"K": 10**6, "M": 7}) == {"K": 10**6, "M": 7}


@pytest.mark.parametrize("high", [2 * SearchingBudget.FIRST_VALUES, 2 * SearchingBudget.FIRST_VALUES + 1])
def test_edges_of_tiles_are_tried_unless_there_are_few_values(high: int) -> None:
    axis = Axis.of(DomainDimension(Dimension("n"), 1, high * 100, 100), [])
    assert axis.tried() == [
        100 * number
        for number in range(1, (high if high <= 2 * SearchingBudget.FIRST_VALUES else SearchingBudget.FIRST_VALUES) + 1)
    ]
    long = Axis.of(DomainDimension(Dimension("n"), 1, None), []).tried()
    assert set(long) >= {edge + off for edge in EDGES for off in (-1, 0, 1)}


def test_looking_too_long_is_no_end_of_the_values() -> None:
    shapes, _ = domain(["K * K * K == 8 * M * M * M"], {"K": (1, None), "M": (1, None)})
    with pytest.raises(TooManyShapes):
        list(shapes.within({"K": 10**6, "M": 10**6}))
