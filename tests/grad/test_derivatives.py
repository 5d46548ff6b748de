"""Dual numbers: the derivative of every function beside differences, and what has none is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nkiverify.analysis.values import numbers as floats
from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.definitions import DEFINED, DERIVATIVES, STEPS
from nkiverify.analysis.values.duals import Duals
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.known_residues import Mode
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.model.dtypes import float32, int32

POINTS = np.array([0.31, 0.77, 1.29, 2.41])
STEP = 1e-6
#: What is made of other functions in `Duals`, and conversions.
MADE = {"copy", "abs", "relu", "negative"}


def duals(directions: int = 1) -> Duals:
    return Duals(Pieces(Fields(3, roundings=False, mode=Mode.LOGARITHMIC)), directions)


def moving(n: Duals, values: Array, *along: Array) -> Array:
    """Elements of random residues, with these floats, that move so."""
    fields = n.base.exactly
    assert isinstance(fields, Fields)

    def drawn(floats: Array, seed: int) -> Array:
        random = np.random.default_rng(seed)
        return n.base.joined(fields.random_elements(random, floats.shape, float32), floats[None])

    return n.dual(drawn(values, 1), *(drawn(part, 2 + place) for place, part in enumerate(along)))


def derivative(n: Duals, x: Array) -> Array:
    found: Array = n.base.floats(n.derivatives(x)[0])[0]
    return found


def value(n: Duals, x: Array) -> Array:
    found: Array = n.base.floats(n.value(x))[0]
    return found


def test_every_function_has_a_rule_or_a_definition() -> None:
    assert set(floats._UNARY) == set(DEFINED) | set(DERIVATIVES) | STEPS | MADE


@pytest.mark.parametrize("name", sorted(set(floats._UNARY) - STEPS))
def test_functions_of_one_number(name: str) -> None:
    n = duals()
    for points in (POINTS, -POINTS) if name not in ("log", "sqrt", "rsqrt") else (POINTS,):
        found = derivative(n, n.unary(name, moving(n, points, np.full(4, 2.0))))
        function = floats._UNARY[name]
        differences = (function(points + STEP) - function(points - STEP)) / STEP
        np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", sorted(STEPS))
def test_steps_stay_where_they_are(name: str) -> None:
    n = duals()
    assert not derivative(n, n.unary(name, moving(n, POINTS, np.ones(4)))).any()


TWO: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mod": np.mod,
    "fmod": np.fmod,
    "abs_max": lambda x, y: np.maximum(np.abs(x), np.abs(y)),
    "abs_min": lambda x, y: np.minimum(np.abs(x), np.abs(y)),
}


@pytest.mark.parametrize("name", sorted(TWO))
def test_functions_of_two_numbers(name: str) -> None:
    n, function = duals(), TWO[name]
    y, x_moves, y_moves = np.array([0.9, -0.4, 0.7, 3.1]), np.array([1.0, 2.0, -1.0, 0.5]), np.array([0.3, 1.0, 2.0, 1])
    found = derivative(n, n.binary(name, moving(n, POINTS, x_moves), moving(n, y, y_moves)))
    ahead, behind = (function(POINTS + step * x_moves, y + step * y_moves) for step in (STEP, -STEP))
    np.testing.assert_allclose(found, (ahead - behind) / (2 * STEP), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("exponent", [3.0, -2.0, 0.5, -0.5, 1.7])
def test_powers(exponent: float) -> None:
    n = duals()
    found = derivative(n, n.binary("power", moving(n, POINTS, np.ones(4)), n.constant(exponent, 2)))
    np.testing.assert_allclose(found, exponent * POINTS ** (exponent - 1), rtol=1e-9)


def test_products_of_matrices_and_reductions() -> None:
    n = duals(2)
    random = np.random.default_rng(0)
    x, y, along, other = (random.uniform(-1, 1, (3, 4)) for _ in range(4))
    left, right = moving(n, x, along, 0 * along), moving(n, y, 0 * along, other)
    product = n.matmul(left, right)
    for number, wanted in enumerate((along.T @ y, x.T @ other)):
        np.testing.assert_allclose(n.base.floats(n.derivatives(product)[number])[0], wanted, rtol=1e-12)
    greatest = derivative(n, n.reduce("maximum", left))
    np.testing.assert_array_equal(greatest[:, 0], along[np.arange(3), x.argmax(axis=1)])
    factors = derivative(n, n.reduce("multiply", left))
    np.testing.assert_allclose(factors[:, 0], x.prod(axis=1) * (along / x).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize(
    ("construct", "apply"),
    [
        ("the derivative of power by its exponent", lambda n, x: n.binary("power", x, x)),
        ("the derivative of bitwise_and", lambda n, x: n.binary("bitwise_and", x, x)),
        ("the derivative of a conversion to int32", lambda n, x: n.rounded(x, int32)),
        ("abs, which has no derivative", lambda n, x: n.unary("abs", n.binary("subtract", x, n.constant(0.31, 2)))),
        ("maximum, which has no derivative", lambda n, x: n.binary("maximum", x, n.constant(0.77, 2))),
        ("greater, which has no derivative", lambda n, x: n.binary("greater", x, n.constant(1.29, 2))),
    ],
)
def test_what_has_no_derivative_is_refused(construct: str, apply: Callable[[Duals, Array], Array]) -> None:
    n = duals()
    with pytest.raises(UnsupportedConstruct, match=construct):
        apply(n, moving(n, POINTS, np.ones(4)))


def test_a_function_without_a_rule_is_refused_and_not_taken_for_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    n = duals()
    monkeypatch.delitem(DERIVATIVES, "sin")
    with pytest.raises(UnsupportedConstruct, match="the derivative of sin"):
        n.unary("sin", moving(n, POINTS, np.ones(4)))
    np.testing.assert_allclose(value(n, n.unary("sin", moving(n, POINTS))), np.sin(POINTS))


@pytest.mark.parametrize(("exponent", "decided"), [(-1e30, False), (-9984.0, False), (-1000.0, True), (-700.0, False)])
def test_exponentials_that_vanish_are_of_masks_or_are_decided(exponent: float, decided: bool) -> None:
    n = duals()
    found = n.unary("exp", n.binary("add", moving(n, POINTS, np.ones(4)), n.constant(exponent, 2)))
    assert n.base.decided is decided
    assert not found.any() if exponent < -745 else value(n, found).all()


def test_constants_may_be_where_a_slope_is_infinite() -> None:
    n = duals()
    x = np.concatenate([n.constant(0, 2), moving(n, POINTS, np.ones(4))], axis=1)
    found = derivative(n, n.unary("sqrt", x))
    np.testing.assert_allclose(found, [0, *(0.5 / np.sqrt(POINTS))])
