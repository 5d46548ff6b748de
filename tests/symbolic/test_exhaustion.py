"""Few values of few dimensions are all tried: what follows needs no solver, and is what looking at each one gives."""

from __future__ import annotations

import pytest

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.exhaustion import TooMany, satisfying
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer, Question

N, M = terms.dimension("n"), terms.dimension("m")
ONE = terms.constant(1)


def between(low: int, term: Term, high: int) -> list[Condition | bool]:
    return [
        conditions.at_most_zero(terms.add(terms.constant(low), term, -1)),
        conditions.at_most_zero(terms.add(term, terms.constant(-high))),
    ]


def equal(left: Term, right: Term) -> Condition | bool:
    return conditions.equals_zero(terms.add(left, right, -1))


@pytest.fixture
def without_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(self: Question, *given: object) -> Answer:
        raise AssertionError("the solver is asked")

    monkeypatch.setattr(Question, "satisfiable", asked)


def points(*stated: Condition | bool, about: tuple[Term, ...] = ()) -> set[tuple[int, int]]:
    found = satisfying(Facts().extended(*stated), stated, *about)
    return {(values.term(N), values.term(M)) for values in found}


def test_every_point_that_satisfies_and_no_other() -> None:
    stated = [*between(1, N, 9), *between(0, M, 5), equal(terms.multiply(N, M), terms.constant(8))]
    assert points(*stated) == {(n, m) for n in range(1, 10) for m in range(6) if n * m == 8}
    assert points(*between(1, N, 3), *between(2, M, 1)) == set()


@pytest.mark.parametrize(
    "stated",
    [
        # No bound, or too many values.
        between(1, N, 9),
        [*between(1, N, 9), *between(0, M, 10_000)],
        # Some of the values give a quotient no value.
        [*between(1, N, 9), *between(0, M, 5), equal(terms.divide(N, M), ONE)],
    ],
)
def test_what_cannot_be_tried_is_left_to_others(stated: list[Condition | bool]) -> None:
    with pytest.raises(TooMany):
        list(satisfying(Facts().extended(*stated), stated, N, M))


@pytest.mark.usefixtures("without_solver")
def test_products_of_few_dimensions_are_decided_without_the_solver() -> None:
    some = Prover([*between(1, N, 8), *between(1, M, 8)], BUDGETS.claim)
    square = terms.multiply(N, N)
    twice = terms.scale(terms.multiply(M, M), 2)
    assert some.refutes(equal(square, twice))
    assert some.truth(equal(square, twice)) is False  # type: ignore[arg-type]
    assert some.satisfiable(equal(square, terms.multiply(M, terms.constant(7)))) is Answer.YES
    assert some.satisfiable(equal(square, terms.add(twice, ONE))) is Answer.YES


@pytest.mark.usefixtures("without_solver")
def test_the_only_value_that_few_dimensions_leave() -> None:
    hypotheses = [*between(1, N, 8), *between(1, M, 8), equal(terms.multiply(N, M), terms.constant(35))]
    some = Prover(hypotheses, BUDGETS.claim)
    assert some.value(terms.add(N, M)) == 12
    assert some.value(N) is None
    assert some.value(terms.divide(terms.add(N, M), terms.constant(10))) == 1
