"""The degrees that are counted bound those of what is computed: along a line through the arguments every result is a
quotient of polynomials of at most these degrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.fields import Fields

#: Points of the line: more than any of the degrees below, twice.
POINTS = 60

Computed = Callable[[Any, Any, Any], Any]
OPERATORS = ("add", "subtract", "multiply", "divide")


def _two(name: str, other: str) -> Computed:
    return lambda n, x, y: n.binary(other, n.binary(name, x, y), y)


def _power(exponent: int) -> Computed:
    return lambda n, x, y: n.binary("add", n.binary("power", x, n.constant(exponent, 3)), n.binary("divide", x, y))


def _reduced(name: str) -> Computed:
    return lambda n, x, y: n.reduce(name, n.binary("divide", x, y))


def _power_of_a_quotient(n: Any, x: Any, y: Any) -> Any:
    """With an exponent that only residues know for an integer."""
    return n.binary("power", x, n.binary("divide", n.constant(6, 3), n.constant(2, 3)))


def _product(n: Any, x: Any, y: Any) -> Any:
    return n.matmul(n.binary("divide", x, y).swapaxes(1, 2), n.unary("reciprocal", y).swapaxes(1, 2))


#: Results of two arguments (lanes, 1, elements), by names for the reader.
CASES: dict[str, Computed] = {
    **{f"{name} {other}": _two(name, other) for name in OPERATORS for other in ("add", "multiply", "divide")},
    **{f"power {exponent}": _power(exponent) for exponent in (0, 1, 2, 5, 9, -1, -2, -5)},
    **{f"sum {name}": _reduced(name) for name in ("add", "multiply", "subtract")},
    "power of a quotient": _power_of_a_quotient,
    "reciprocal": lambda n, x, y: n.binary("add", n.unary("reciprocal", x), n.unary("reciprocal", y)),
    "square": lambda n, x, y: n.binary("add", n.unary("square", x), n.unary("reciprocal", n.unary("square", y))),
    "product of matrices": _product,
    "scan": lambda n, x, y: n.scan("multiply", "add", x, n.unary("reciprocal", y), n.constant(2, 3)),
    "scan of quotients": lambda n, x, y: n.scan("divide", "subtract", x, y, n.constant(2, 3)),
    "choice": lambda n, x, y: n.choose(n.constant(1, 3), n.binary("divide", x, y), y),
}


def along_a_line(fields: Fields, random: np.random.Generator, at: int) -> tuple[Any, Any]:
    """Both arguments at a point of the line."""
    start, step = (random.integers(1, 1 << 22, (2, fields.lanes, 1, 3)).astype(np.float64) for _ in range(2))
    x, y = (fields.add(start[part], fields.multiply(step[part], fields.constant(at, 3))) for part in (0, 1))
    return x, y


def is_quotient(values: list[int], prime: int, top: int, bottom: int) -> bool:
    """True if values at 0, 1, 2, … are p(t) / q(t), of degrees at most `top` and `bottom`: p(t) = v(t) q(t) has a
    solution that is not zero."""
    rows = [
        [pow(at, power, prime) for power in range(top + 1)]
        + [-value * pow(at, power, prime) % prime for power in range(bottom + 1)]
        for at, value in enumerate(values)
    ]
    for column in range(top + bottom + 2):
        pivot = next((row for row in rows if row[column]), None)
        if pivot is None:
            return True
        inverse = pow(pivot[column], -1, prime)
        pivot = [part * inverse % prime for part in pivot]
        rows = [[(one - row[column] * two) % prime for one, two in zip(row, pivot, strict=True)] for row in rows]
    return False


@pytest.mark.parametrize("case", CASES)
def test_degrees_are_bounds(case: str) -> None:
    fields = Fields(1)
    prime = fields.primes[0]
    found = []
    for at in range(POINTS):
        x, y = along_a_line(fields, np.random.default_rng(2), at)
        found.append(fields.canonical(CASES[case](fields, x, y))[0].ravel().astype(np.int64) % prime)
    degrees = Degrees()
    counted = CASES[case](degrees, degrees.variables((1, 3)), degrees.variables((1, 3)))
    for element, (top, bottom) in enumerate(zip(counted[0].ravel(), counted[1].ravel(), strict=True)):
        values = [int(numbers[element]) for numbers in found]
        # Of an exponent that is not known the bound is 64 times too great.
        most = min(int(top), 12), min(int(bottom), 12)
        assert sum(most) + 2 < POINTS // 2
        assert is_quotient(values, prime, *most), (case, element, most)


def test_the_test_tells_degrees_that_are_too_small() -> None:
    """1 / (t + 5) + t² is no quotient of degrees 2 and 1, and one of 3 and 1."""
    prime = 8388617
    values = [(pow(at + 5, -1, prime) + at * at) % prime for at in range(POINTS)]
    assert is_quotient(values, prime, 3, 1)
    assert not is_quotient(values, prime, 2, 1)


def test_a_power_that_may_be_a_reciprocal_root_has_a_denominator() -> None:
    degrees = Degrees()
    x = degrees.variables((1, 3))
    assert degrees.binary("power", x, degrees.constant(-0.5, 3))[1].max() == 1
    assert degrees.binary("power", x, degrees.variables((1, 3)))[1].max() == 1
    assert degrees.binary("power", x, degrees.constant(0.3, 3))[1].max() == 0
