"""Terms mean what Python's integers mean, and equal terms are the same object."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic import ceil_div, maximum, minimum, product, terms
from nkiverify.symbolic.atoms import render
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.execution import running
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from tests.symbolic.random_terms import (
    DIMENSIONS,
    NAMES,
    Twin,
    atom_of,
    given_values,
    random_terms,
    random_values,
)

#: Operands on both sides of zero, of multiples and of powers of two.
GRID = (*range(-17, 18), 31, 32, 33, -64, 127, 128, 129, 2**31 - 1, -(2**31))


def value_of(term: Any, **values: int) -> int:
    """The value of `term` for values of dimensions."""
    return Valuation(given_values(values)).term(term)


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "floor division": operator.floordiv,
    "modulus": operator.mod,
    "quotient of divmod": lambda a, b: divmod(a, b)[0],
    "remainder of divmod": lambda a, b: divmod(a, b)[1],
    "division rounded up": ceil_div,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_division_is_that_of_python_for_all_signs(name: str) -> None:
    x, y = DIMENSIONS["x"], DIMENSIONS["y"]
    operation = OPERATIONS[name]
    both = operation(x, y)
    for left, right in itertools.product(GRID, GRID):
        if right == 0:
            continue
        expected = operation(left, right)
        assert value_of(both, x=left, y=right) == expected
        assert value_of(operation(x, right), x=left) == expected
        assert value_of(operation(left, y), y=right) == expected
        assert operation(terms.constant(left), terms.constant(right)).constant == expected


ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
}


@pytest.mark.parametrize("name", ROUNDINGS)
def test_rounding_a_quotient_is_that_of_python_for_all_signs(name: str) -> None:
    rounded = ROUNDINGS[name]
    run = SymbolicExecution(hardware_named("trn2"), Limits(), {})
    with running(run):
        x = DIMENSIONS["x"]
        run.assume(x >= INT32_MIN)
        run.assume(x <= INT32_MAX)
        for right in GRID:
            if right == 0:
                continue
            quotient = rounded(x / right)
            moved = rounded(x / right + 3)
            for left in GRID:
                assert value_of(quotient, x=left) == rounded(left / right)
                assert value_of(moved, x=left) == rounded(left / right + 3)


def test_rounding_a_quotient_of_large_integers_is_refused() -> None:
    run = SymbolicExecution(hardware_named("trn2"), Limits(), {})
    with running(run), pytest.raises(UnsupportedConstruct):
        math.ceil(DIMENSIONS["x"] / 2)


def test_absolute_value_minimum_and_maximum_are_those_of_python() -> None:
    x, y = DIMENSIONS["x"], DIMENSIONS["y"]
    for left, right in itertools.product(GRID, GRID):
        assert value_of(abs(x), x=left) == abs(left)
        assert value_of(minimum(x, y, 5), x=left, y=right) == min(left, right, 5)
        assert value_of(maximum(x, y, -5), x=left, y=right) == max(left, right, -5)


@pytest.mark.parametrize("places", [0, 1, 7])
def test_shifts_and_masks_are_those_of_python(places: int) -> None:
    x = DIMENSIONS["x"]
    for left in GRID:
        assert value_of(x << places, x=left) == left << places
        assert value_of(x >> places, x=left) == left >> places
        assert value_of(x & (2**places - 1), x=left) == left & (2**places - 1)
        assert value_of(~x, x=left) == ~left


@given(random_terms(8), random_values())
def test_a_term_has_the_value_of_the_python_expression(twin: Twin, values: dict[str, int]) -> None:
    expected = twin.plain(values)
    assume(expected is not None)
    try:
        assert Valuation(given_values(values)).term(twin.symbolic) == expected
    except Undefined:
        pytest.fail("the term divides by zero where the expression does not")


@given(random_terms(6), random_terms(4), st.sampled_from(NAMES), random_values())
def test_substitution_commutes_with_evaluation(
    twin: Twin, replacement: Twin, name: str, values: dict[str, int]
) -> None:
    value = replacement.plain(values)
    assume(value is not None)
    moved = {**values, name: value}
    expected = twin.plain(moved)
    assume(expected is not None)
    replaced = terms.substitute(twin.symbolic, {atom_of(DIMENSIONS[name]): replacement.symbolic})
    assert Valuation(given_values(values)).term(replaced) == expected


@given(random_terms(6))
def test_substituting_nothing_changes_nothing(twin: Twin) -> None:
    assert terms.substitute(twin.symbolic, {}) is twin.symbolic
    assert terms.substitute(twin.symbolic, {atom_of(DIMENSIONS["x"]): DIMENSIONS["x"]}) is twin.symbolic


@given(random_terms(4), random_terms(4), random_terms(4))
def test_equal_terms_are_the_same_object(one: Twin, two: Twin, three: Twin) -> None:
    a, b, c = one.symbolic, two.symbolic, three.symbolic
    assert a + b is b + a
    assert (a + b) + c is a + (b + c)
    assert a * b is b * a
    assert (a * b) * c is a * (b * c)
    assert a * (b + c) is a * b + a * c
    assert a - a is terms.constant(0)
    assert a + 0 is a
    assert a * 1 is a
    assert terms.scale(-a, -1) is a
    assert minimum(a, b) is minimum(b, a)
    assert minimum(a, a) is a
    assert maximum(a, b) is -minimum(-a, -b)
    assert product([a, b, c]) is a * b * c


@given(random_terms(4), st.integers(1, 40), st.integers(1, 9))
def test_quotients_of_multiples_are_exact(twin: Twin, divisor: int, factor: int) -> None:
    term = twin.symbolic
    assert terms.divide(terms.scale(term, divisor * factor), terms.constant(divisor)) is terms.scale(term, factor)
    assert (term * divisor + divisor - 1) // divisor is term
    assert (DIMENSIONS["x"] // divisor) // factor is DIMENSIONS["x"] // (divisor * factor)
    assert (term * divisor) % divisor is terms.constant(0)


@given(random_terms(5), random_terms(5))
def test_a_term_is_linear_in_an_atom_only_if_it_says_so(one: Twin, two: Twin) -> None:
    x = DIMENSIONS["x"]
    term = one.symbolic * x + two.symbolic
    split = terms.coefficient_of(term, atom_of(x))
    if split is not None:
        factor, rest = split
        assert factor * x + rest is term
        assert atom_of(x) not in factor.atoms | rest.atoms


@given(random_terms(6), random_values())
def test_the_text_of_a_term_is_python(twin: Twin, values: dict[str, int]) -> None:
    expected = twin.plain(values)
    assume(expected is not None)
    text = render(twin.symbolic)
    assert eval(text, {"min": min, **values}) == expected
