"""Closed forms of sums are what adding up gives."""

from __future__ import annotations

import itertools

import pytest

from nkiverify.products.cost.sums import sum_over
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.prover import Prover

N, M = terms.dimension("n"), terms.dimension("m")
I = terms.index("i", N, "a loop of these tests")  # noqa: E741 (an index)
INDEX = next(atom for atom in I.atoms if isinstance(atom, Index))


def number(value: int) -> Term:
    return terms.constant(value)


def less(one: Term, other: Term) -> object:
    return conditions.at_most_zero(terms.add(terms.add(one, number(1)), other, -1))


def chosen(condition: object, one: Term, other: Term) -> Term:
    return terms.select(condition, one, other)  # type: ignore[arg-type]


LEFT = terms.add(M, terms.scale(I, 3), -1)
SUMMED = {
    "a constant": number(7),
    "a dimension": M,
    "a polynomial": terms.total([terms.multiply(I, terms.multiply(I, I)), terms.multiply(M, I), number(2)]),
    "the fourth power": terms.multiply(terms.multiply(I, I), terms.multiply(I, I)),
    "a last tile": terms.minimum([number(3), LEFT]),
    "a last tile, or none": terms.minimum([number(3), terms.maximum([LEFT, number(0)])]),
    "a product of a last tile": terms.multiply(I, terms.minimum([number(3), LEFT])),
    "the first iteration": chosen(conditions.equals_zero(I), M, number(1)),
    "all but iteration m": chosen(conditions.negate(conditions.equals_zero(terms.add(I, M, -1))), I, number(100)),
    "some of the first iterations": chosen(less(I, M), I, number(5)),
    "some of the last iterations": chosen(less(M, terms.scale(I, 2)), M, terms.scale(I, -1)),
    "what is between": chosen(conditions.conjunction((less(number(1), I), less(I, M))), number(1), number(0)),  # type: ignore[arg-type]
    "what is outside": chosen(conditions.disjunction((less(I, number(2)), less(M, I))), I, number(0)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", SUMMED)
def test_a_closed_form_is_the_sum(what: str) -> None:
    term = SUMMED[what]
    closed = sum_over(term, INDEX, N, Prover((conditions.at_most_zero(terms.scale(N, -1)),), 100))
    assert closed is not None
    for n, m in itertools.product(range(8), range(-2, 14)):
        values = {atom: value for of, value in ((N, n), (M, m)) for atom in of.atoms}
        added = sum(Valuation({**values, INDEX: i}).term(term) for i in range(n))
        assert Valuation(values).term(closed) == added, (n, m, closed)


STEPS = {
    "rises": lambda step: terms.minimum([terms.multiply(step, I), M]),
    "falls": lambda step: terms.maximum([terms.add(M, terms.multiply(step, I), -1), number(0)]),
    "the first of many steps": lambda step: chosen(conditions.equals_zero(terms.multiply(step, I)), M, I),
    "all but the first step": lambda step: chosen(
        conditions.negate(conditions.equals_zero(terms.multiply(step, I))), M, I
    ),
}


@pytest.mark.parametrize("what", STEPS)
def test_a_step_may_be_a_dimension_that_is_not_zero(what: str) -> None:
    step = terms.dimension("step")
    term = STEPS[what](step)
    positive = conditions.at_most_zero(terms.add(number(1), step, -1))
    not_negative = conditions.at_most_zero(terms.scale(N, -1))
    assert sum_over(term, INDEX, N, Prover((not_negative,), 100)) is None
    closed = sum_over(term, INDEX, N, Prover((not_negative, positive), 100))
    assert closed is not None
    for n, m, s in itertools.product(range(7), range(-2, 14), range(1, 6)):
        values = {atom: value for of, value in ((N, n), (M, m), (step, s)) for atom in of.atoms}
        added = sum(Valuation({**values, INDEX: i}).term(term) for i in range(n))
        assert Valuation(values).term(closed) == added, (n, m, s, closed)


def test_a_rounded_quotient_has_no_closed_form_in_a_loop_of_any_length() -> None:
    assert sum_over(terms.divide(terms.multiply(I, M), number(3)), INDEX, N, Prover((), 100)) is None


def test_a_loop_of_few_iterations_is_added_up() -> None:
    closed = sum_over(terms.divide(terms.add(I, M), number(3)), INDEX, number(5), Prover((), 100))
    assert closed is not None
    (m,) = M.atoms
    assert Valuation({m: 4}).term(closed) == sum((i + 4) // 3 for i in range(5))


def test_tiles_of_which_the_last_is_cut_off_are_what_they_cover() -> None:
    left = terms.add(M, terms.scale(I, 128), -1)
    tiles = terms.divide(terms.add(M, number(127)), number(128))
    given = (conditions.at_most_zero(terms.scale(M, -1)),)
    for cut in (left, terms.maximum([left, number(0)])):
        part = terms.minimum([number(128), cut])
        assert sum_over(terms.scale(part, 4), INDEX, tiles, Prover(given, 100)) is terms.scale(M, 4)
