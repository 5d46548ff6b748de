"""Intervals of numbers: what an operator makes of two of them has whatever it makes of their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

import pytest

from nkiverify.model.interval_arithmetic import of_operator
from nkiverify.model.known_numbers import Interval, Value
from nkiverify.symbolic import terms
from nkiverify.symbolic.evaluation import Valuation

ENDS = (-5, -2, -1, 0, 1, 3, 6)
INTERVALS = [(low, high) for low, high in product(ENDS, repeat=2) if low <= high]

BINARY: dict[str, Callable[[int, int], Iterator[float]]] = {
    "add": lambda x, y: iter((x + y,)),
    "subtract": lambda x, y: iter((x - y,)),
    "multiply": lambda x, y: iter((x * y,)),
    "maximum": lambda x, y: iter((max(x, y),)),
    "minimum": lambda x, y: iter((min(x, y),)),
    "bitwise_and": lambda x, y: iter((x & y,)),
    "bitwise_or": lambda x, y: iter((x | y,)),
    "bitwise_xor": lambda x, y: iter((x ^ y,)),
    "left_shift": lambda x, y: iter((x << y,)) if y >= 0 else iter(()),
    "right_shift": lambda x, y: iter((x >> y,)) if y >= 0 else iter(()),
    # It is not said which sign a remainder has.
    "mod": lambda x, y: iter((x % y, math.fmod(x, y))) if y else iter(()),
    "fmod": lambda x, y: iter((x % y, math.fmod(x, y))) if y else iter(()),
}
UNARY: dict[str, Callable[[int], int]] = {
    "copy": lambda x: x,
    "abs": abs,
    "relu": lambda x: max(x, 0),
    "square": lambda x: x * x,
    "negative": lambda x: -x,
    "sign": lambda x: (x > 0) - (x < 0),
}


def contains(value: Value, number: float) -> bool:
    """True if a number is in one of the intervals; in an unknown value is any."""
    return value.known is None or any(one.low <= number <= one.high for one in value.known)


@pytest.mark.parametrize("operator", BINARY)
def test_numbers_of_two_intervals_give_numbers_of_the_result(operator: str) -> None:
    known = 0
    for one, other in product(INTERVALS, repeat=2):
        result = of_operator(operator, Value.between(*one), Value.between(*other))
        known += result.known is not None
        numbers = product(range(one[0], one[1] + 1), range(other[0], other[1] + 1))
        made = [made for x, y in numbers for made in BINARY[operator](x, y)]
        assert all(contains(result, number) for number in made), (one, other, result)
        if result.exact and result.known is not None:
            # A fault may be told of either end.
            assert {end for each in result.known for end in (each.low, each.high)} <= set(made), (one, other)
    assert known


@pytest.mark.parametrize("operator", UNARY)
def test_numbers_of_an_interval_give_numbers_of_the_result(operator: str) -> None:
    for low, high in INTERVALS:
        result = of_operator(operator, Value.between(low, high))
        assert result.known is not None
        made = [UNARY[operator](x) for x in range(low, high + 1)]
        assert all(contains(result, number) for number in made), (low, high, result)
        assert not result.exact or {end for each in result.known for end in (each.low, each.high)} <= set(made)


def several(*ends: tuple[object, object]) -> Value:
    """Numbers of several intervals."""
    return Value(tuple(Interval(low, high) for low, high in ends))  # type: ignore[arg-type]


@pytest.mark.parametrize("operator", ["add", "multiply", "maximum"])
def test_pairs_too_many_to_look_at_one_by_one_are_taken_together(operator: str) -> None:
    left = several(*((10 * number, 10 * number + 1) for number in range(5)))
    right = several(*((-3 * number, 2) for number in range(4)))
    result = of_operator(operator, left, right)
    numbers = product(*([x for one in value.known or () for x in (one.low, one.high)] for value in (left, right)))
    assert result.known is not None
    assert all(contains(result, made) for x, y in numbers for made in BINARY[operator](x, y))  # type: ignore[arg-type]


@pytest.mark.parametrize("at", [0, 1])
def test_of_many_pairs_with_ends_that_are_no_numbers_nothing_is_known(at: int) -> None:
    n = terms.dimension("n")
    left = several(*((10 * number, 10 * number + 1) for number in range(5)))
    for ends in ((n, 10), (10, n)):
        right = several(ends, *((number, number) for number in range(3)))
        pair = (left, right) if at else (right, left)
        assert of_operator("add", *pair).known is None


def test_a_product_of_intervals_of_either_sign_has_all_their_products() -> None:
    n, m = terms.dimension("n"), terms.dimension("m")
    left, right = Value.between(-n, m), Value.between(-m, n)  # type: ignore[arg-type,operator]
    (found,) = of_operator("multiply", left, right).known or ()
    for sizes in product((1, 2, 5), repeat=2):
        here = Valuation(dict(zip((*n.atoms, *m.atoms), sizes, strict=True)))
        low, high = (here.term(terms.add(end, terms.constant(0))) for end in (found.low, found.high))  # type: ignore[arg-type]
        first, second = sizes
        assert low <= min(-first * first, -second * second) and max(first * second, second * first) <= high
