"""Questions to Z3: an answer depends on the question alone, not on what was asked before nor on the clock."""

from __future__ import annotations

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.smt import Answer, Question


def product_is(one: Term, two: Term, number: int) -> list[Condition | bool]:
    """`one * two == number`, with both at least 2."""
    least = [conditions.at_most_zero(terms.add(terms.constant(2), factor, -1)) for factor in (one, two)]
    return [*least, conditions.equals_zero(terms.add(terms.multiply(one, two), terms.constant(-number)))]


N, M = terms.dimension("n"), terms.dimension("m")


def test_what_was_asked_before_changes_nothing() -> None:
    wanted = product_is(N, M, 35 * 11)
    first = Question(wanted, 500)
    assert first.satisfiable() is Answer.YES
    for number in range(60, 70):
        Question(product_is(M, N, number), 50).satisfiable()
    again = Question(wanted, 500)
    assert again.satisfiable() is Answer.YES
    assert again.model == first.model


def test_effort_is_not_time() -> None:
    # A large prime: no step too many is made, however much time there is.
    assert Question(product_is(N, M, 1_000_003), 1, seconds=1000).satisfiable() is Answer.UNKNOWN


def test_no_time_is_no_answer() -> None:
    assert Question(product_is(N, M, 1_000_003), 10_000, seconds=0.001).satisfiable() is Answer.UNKNOWN
