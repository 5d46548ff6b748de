"""The one form of a term and of a condition: what is simplified, to what, and that it has the same value everywhere."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from nkiverify.symbolic import all_of, any_of, conditions, terms
from nkiverify.symbolic.atoms import Div, Index, render
from nkiverify.symbolic.evaluation import Undefined, Valuation
from tests.symbolic.random_terms import DIMENSIONS, atom_of

X, Y, Z = (DIMENSIONS[name] for name in "xyz")
TWO, FOUR = terms.constant(2), terms.constant(4)


def made_of(text: str) -> Any:
    """The term or condition of a Python expression, made when a test runs."""
    return eval(text)


def value(term: Any, **values: int) -> int:
    return Valuation({atom_of(DIMENSIONS[name]): number for name, number in values.items()}).term(term)


@pytest.mark.parametrize("divisor", [-4, -3, -1, 1, 2, 3, 4, 6])
def test_a_linear_term_divided_by_a_number_has_the_value_of_python(divisor: int) -> None:
    for factor, offset in itertools.product(range(-6, 7), range(-7, 8)):
        quotient = terms.divide(factor * X + terms.constant(offset), terms.constant(divisor))
        for x in (-7, -2, -1, 0, 1, 3, 8):
            assert value(quotient, x=x) == (factor * x + offset) // divisor


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("X * Y + X + 1", "Y"),
        ("2 * X * Y + 3", "2 * Y"),
        ("3 * X * Y + X", "2 * Y"),
        ("X * X * Y + X * Y + Y + 1", "X * Y"),
        ("X * Y + Y + X + 1", "Y + 1"),
        ("X * Y - Y", "X - 1"),
        ("-2 * X * Y + Y", "-Y"),
        ("6 * X * Y + 4 * Y + 2", "4 * Y"),
        ("(X // Y) + 5", "Y"),
        ("3 * (X // 2)", "terms.constant(4)"),
        ("(X // 2) * Y", "terms.constant(3)"),
        ("(X // 2) + (Y // 3)", "terms.constant(2)"),
        ("X", "X * Y"),
        ("X + 7", "terms.constant(-2)"),
    ],
)
def test_a_term_divided_by_a_term_has_the_value_of_python(above: str, below: str) -> None:
    numerator, divisor = made_of(above), made_of(below)
    quotient = terms.divide(numerator, divisor)
    seen = 0
    for x, y in itertools.product(range(-5, 6), repeat=2):
        try:
            by = value(divisor, x=x, y=y)
            if by:
                seen += 1
                assert value(quotient, x=x, y=y) == value(numerator, x=x, y=y) // by
        except Undefined:
            continue
    assert seen > 50


@pytest.mark.parametrize(
    ("made", "simplest"),
    [
        # quotients by numbers: multiples and common factors come out, quotients of quotients are one
        ("6 * X // 3", "2 * X"),
        ("(6 * X + 7) // 3", "2 * X + 2 + terms.divide(terms.constant(1), terms.constant(3))"),
        ("(2 * X + 1) // 2", "X"),
        ("(2 * X + 1) // 4", "X // 2"),
        ("(4 * X + 6 * Y + 3) // 8", "(2 * X + 3 * Y + 1) // 4"),
        ("(X + 5) // 4 - (X + 1) // 4", "terms.constant(1)"),
        ("(4 * X + Y) // 4", "X + Y // 4"),
        ("X // 2 // 3", "X // 6"),
        ("X // -3", "-X // 3"),
        ("X // 1", "X"),
        ("X % 1", "terms.constant(0)"),
        ("X - 4 * (X // 4)", "X % 4"),
        # by terms: multiples of the divisor come out
        ("X * Y // Y", "X"),
        ("(X * Y + Y) // Y", "X + 1"),
        ("3 * X * Y // Y", "3 * X"),
        ("6 * X * Y // (2 * Y)", "3 * X"),
        ("(X * Y + Z) // Y", "X + Z // Y"),
        ("(X * X + 2 * X) // X", "X + 2"),
        ("(X * Y + X + Y + 1) // (Y + 1)", "X + 1"),
        ("(X * Y - X) // (Y - 1)", "X"),
        ("(2 * X * Y + 2 * X) // (Y + 1)", "2 * X"),
        # minima
        ("terms.minimum([X, X + 1])", "X"),
        ("terms.minimum([X + 1, X])", "X"),
        ("terms.minimum([X, Y, X - 1])", "terms.minimum([X - 1, Y])"),
        ("terms.minimum([Y, X])", "terms.minimum([X, Y])"),
        ("terms.maximum([X, X - 1])", "X"),
        ("terms.minimum([X])", "X"),
        # polynomials
        ("(X + Y) * (X - Y)", "X * X - Y * Y"),
        ("X * Y - Y * X", "terms.constant(0)"),
        ("0 * X", "terms.constant(0)"),
        ("terms.total([X, Y, X])", "2 * X + Y"),
        ("terms.multiply(TWO, X)", "X + X"),
        ("terms.multiply(X, TWO)", "X + X"),
        ("terms.select(X >= 1, Y, Y)", "Y"),
    ],
)
def test_equal_terms_have_one_form(made: str, simplest: str) -> None:
    assert made_of(made) is made_of(simplest)


@pytest.mark.parametrize("text", ["X // 3", "X % 4", "(X + 1) // 2", "X // Y", "X * Y // Z", "(X + 2 * Y) // 2 - Y"])
def test_a_quotient_that_is_not_exact_stays_one(text: str) -> None:
    assert any(isinstance(atom, Div) for atom in made_of(text).atoms)


def test_a_division_by_zero_has_no_value() -> None:
    for divided in (terms.divide(X, terms.constant(0)), terms.divide(terms.constant(4), terms.constant(0))):
        with pytest.raises(Undefined):
            value(divided, x=4)


def test_a_quotient_of_a_quotient_by_what_may_be_negative_is_left_alone() -> None:
    inner = terms.divide(X, Y)
    outer = terms.divide(inner, TWO)
    for x, y in itertools.product(range(-9, 10), (-3, -2, 1, 2)):
        assert value(outer, x=x, y=y) == x // y // 2


def test_substitution_reaches_into_every_kind_of_atom() -> None:
    mapping = {atom_of(X): 2 * Y}
    for before, after in (
        (X // 4, Y // 2),
        (terms.divide(Z, X), terms.divide(Z, 2 * Y)),
        (terms.minimum([X, Z]), terms.minimum([2 * Y, Z])),
        (terms.select(X >= 3, Z, X), terms.select(Y >= 2, Z, 2 * Y)),
        (terms.select(X == 3, Z, Y), Y),
        (terms.select(X != 3, Z, Y), Z),
        (X * X, 4 * Y * Y),
        (Z + 1, Z + 1),
    ):
        assert terms.substitute(before, mapping) is after
    # All at once: what is put in is not looked into.
    assert terms.substitute(X + 2 * Y, {atom_of(X): Y, atom_of(Y): X}) is Y + 2 * X


def test_substitution_makes_another_grid_of_a_grid_of_another_size() -> None:
    element = terms.index("g", X, "forms", representative=True)
    same, other = (terms.substitute(element, {atom_of(one): FOUR}) for one in (Y, X))
    assert same is element
    assert other is not element
    assert isinstance(found := atom_of(other), Index) and found.representative
    assert atom_of(X) in terms.all_atoms(element)
    assert atom_of(X) not in terms.all_atoms(other)
    # The trip count of a loop is no part of the value of its index.
    turn = terms.index("i", X, "forms")
    assert terms.substitute(turn, {atom_of(X): FOUR}) is turn
    assert terms.all_atoms(turn) == {atom_of(turn)}


def test_a_coefficient_is_of_the_first_power_only() -> None:
    x = atom_of(X)
    assert terms.coefficient_of(3 * X * Y + X + Z, x) == (3 * Y + 1, Z)
    assert terms.coefficient_of(Z, x) == (terms.constant(0), Z)
    assert terms.coefficient_of(X * X + X, x) is None


def test_terms_nobody_needs_are_forgotten() -> None:
    factors = [terms.constant(10**9 + number) for number in range(50)]  # constants may be kept
    count = len(terms._terms)
    made = [factor * X for factor in factors]
    assert len(terms._terms) > count + 45
    del made
    assert len(terms._terms) < count + 10


@pytest.mark.parametrize(
    "text",
    [
        *("x", "-x", "x - x", "x - x - 3", "2*x", "-2*x", "x + 1", "x - 1", "-x - y - 1", "x*y - 3*x", "x*x", "-x + y"),
        *("x//4", "-(x//4)", "-((-x)//5)", "3*(x//4)", "x - x//4", "x - 4*(x//4)", "-(x//4) + 1", "y*(x//4)"),
        *("x//y", "(x + 1)//y", "x//(y + 1)", "(x//3)//y", "(x*y)//3", "min(x, y)", "-min(x, y)", "min(x, y)//2"),
        *("-min(-x, -y)", "min(-1, -min(x, y))", "3 - x*min(-1, -y)", "min(-x, 3)", "min(-x - 1, -2)//3"),
    ],
)
def test_a_term_is_written_as_python_reads_it(text: str) -> None:
    least = lambda *parts: terms.minimum([terms.constant(one) if type(one) is int else one for one in parts])  # noqa: E731
    made = eval(text, {"x": X, "y": Y, "min": least})
    for x, y in itertools.product((-7, -2, 1, 5), (-3, 1, 4)):
        values = {"x": x, "y": y, "min": min, "max": max}
        assert eval(render(made), values) == eval(text, values)


def test_a_maximum_is_written_as_one() -> None:
    tile = terms.minimum([X, terms.constant(512)])
    least = terms.minimum([terms.constant(-1), terms.scale(tile, -1)])
    assert render(terms.scale(least, -1)) == "max(1, min(512, x))"
    assert render(terms.add(terms.constant(3), terms.multiply(Y, least))) == "-y*max(1, min(512, x)) + 3"


# --- conditions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "simplest"),
    [
        ("2 * X <= 7", "X <= 3"),
        ("2 * X >= 7", "X >= 4"),
        ("-3 * X <= 7", "X >= -2"),
        ("2 * X + 4 * Y <= 6", "X + 2 * Y <= 3"),
        ("2 * X + 4 * Y <= 7", "X + 2 * Y <= 3"),
        ("2 * X == 6", "X == 3"),
        ("-X == -3", "X == 3"),
        ("X - Y == 0", "Y - X == 0"),
        ("2 * X - 4 * Y != 6", "2 * Y - X != -3"),
        ("2 * X == 7", "False"),
        ("2 * X != 7", "True"),
        ("X - X <= 0", "True"),
        ("X - X <= -1", "False"),
        ("X - X == 0", "True"),
        ("X < Y", "X + 1 <= Y"),
        ("conditions.negate(X <= 3)", "X >= 4"),
        ("conditions.negate(X == 3)", "X != 3"),
        ("conditions.negate(X != 3)", "X == 3"),
        ("conditions.negate(any_of(X <= 3, Y == 2))", "all_of(X >= 4, Y != 2)"),
        ("all_of(X <= 3, X <= 3)", "X <= 3"),
        ("all_of(X <= 3, True)", "X <= 3"),
        ("all_of(X <= 3, False)", "False"),
        ("any_of(X <= 3, True)", "True"),
        ("any_of(X <= 3, False)", "X <= 3"),
        ("all_of(X <= 3, X >= 4)", "False"),
        ("any_of(X <= 3, X >= 4)", "True"),
        ("any_of(X == 3, X != 3)", "True"),
        ("all_of(all_of(X <= 3, Y <= 3), Z <= 3)", "all_of(X <= 3, Y <= 3, Z <= 3)"),
        ("any_of(any_of(X <= 3, Y <= 3), Z <= 3)", "any_of(Z <= 3, X <= 3, Y <= 3)"),
        ("all_of()", "True"),
        ("any_of()", "False"),
    ],
)
def test_equal_conditions_have_one_form(made: str, simplest: str) -> None:
    assert made_of(made) is made_of(simplest)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("X <= 3", "X <= 4"),
        ("X == 3", "X != 3"),
        ("all_of(X <= 3, Y <= 3)", "any_of(X <= 3, Y <= 3)"),
        ("all_of(any_of(X <= 3, Y <= 3), Z <= 3)", "any_of(X <= 3, Y <= 3, Z <= 3)"),
        ("any_of(all_of(X <= 3, Y <= 3), Z <= 3)", "all_of(X <= 3, Y <= 3, Z <= 3)"),
    ],
)
def test_other_conditions_have_other_forms(one: str, two: str) -> None:
    assert made_of(one) is not made_of(two)
    assert isinstance(made_of(one), conditions.Condition)
    assert isinstance(made_of(two), conditions.Condition)


def test_a_condition_keeps_its_truth_when_something_is_put_in() -> None:
    mapping = {atom_of(X): 2 * Y}
    for before, after in (
        (X <= 3, Y <= 1),
        (X == 3, False),
        (X != 3, True),
        (all_of(X <= 3, Z <= 3), all_of(Y <= 1, Z <= 3)),
        (any_of(X == 3, Z <= 3), Z <= 3),
        (all_of(X == 3, Z <= 3), False),
        (Z <= 3, Z <= 3),
        (all_of(Z <= 3, Y <= 3), all_of(Z <= 3, Y <= 3)),
    ):
        assert before.substitute(mapping) is after
