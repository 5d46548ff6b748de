"""The prover: each rung answers what it can, the next is asked for the rest, and all answers agree with Z3's."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.symbolic import conditions, prover, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition, negate
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.prover import BUDGETS, Prover, Rung
from nkiverify.symbolic.smt import Answer, Question
from tests.symbolic.random_domains import domains, goals
from tests.symbolic.random_terms import NAMES, given_values

N, M = terms.dimension("n"), terms.dimension("m")


def at_most(term: Term, value: int) -> Condition | bool:
    return conditions.at_most_zero(terms.add(term, terms.constant(-value)))


def at_least(term: Term, value: int) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.constant(value), term, -1))


def product_is(number: int) -> Condition | bool:
    return conditions.equals_zero(terms.add(terms.multiply(N, M), terms.constant(-number)))


@pytest.fixture
def without_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(self: Question, *given: object) -> Answer:
        raise AssertionError("the solver is asked")

    monkeypatch.setattr(Question, "satisfiable", asked)


@pytest.mark.usefixtures("without_solver")
def test_constants_are_folded() -> None:
    some = Prover([at_least(N, 1)], BUDGETS.claim)
    assert some.satisfiable(False) is Answer.NO
    assert some.rung is Rung.CONSTANT
    assert some.proves(True) and some.refutes(False)


@pytest.mark.usefixtures("without_solver")
def test_facts_refute_before_values_are_looked_for() -> None:
    some = Prover([at_least(N, 4)], BUDGETS.claim)
    assert some.satisfiable(at_most(N, 3)) is Answer.NO
    assert some.rung is Rung.SIMPLIFIER
    assert some.proves(at_least(N, 4)) and some.entails(at_least(N, 3))
    assert not some.entails(at_least(N, 5))


@pytest.mark.usefixtures("without_solver")
def test_values_near_the_least_satisfy() -> None:
    some = Prover([at_least(N, 4), at_least(M, 2)], BUDGETS.claim)
    assert some.satisfiable() is Answer.YES
    assert Valuation(some.model).satisfies(some.hypotheses)
    assert some.satisfiable(at_most(N, 4)) is Answer.YES
    assert Valuation(some.model).satisfies([*some.hypotheses, at_most(N, 4)])


@pytest.mark.usefixtures("without_solver")
def test_what_satisfied_one_prover_serves_those_made_from_it() -> None:
    around = Prover([at_least(N, 4), at_most(N, 9)], BUDGETS.claim)
    assert around.satisfiable() is Answer.YES
    inside = around.with_conditions([at_most(N, 8)])
    assert inside.satisfiable() is Answer.YES
    assert inside.hypotheses == (*around.hypotheses, at_most(N, 8))


def test_the_solver_is_asked_last() -> None:
    some = Prover([at_least(N, 20), at_least(M, 20), product_is(23 * 29)], BUDGETS.claim)
    assert some.satisfiable() is Answer.YES
    assert {some.model[atom] for term in (N, M) for atom in term.atoms} == {23, 29}
    assert some.proves(at_most(N, 29))


def test_hypotheses_that_cannot_hold_prove_everything_and_refute_everything() -> None:
    none = Prover([at_least(N, 2), at_most(N, 1)], BUDGETS.claim)
    assert none.satisfiable() is Answer.NO
    assert none.proves(False) and none.refutes(True)


def test_what_is_not_known_is_neither_proved_nor_refuted() -> None:
    large = [at_least(N, 2), at_least(M, 2), product_is(1_000_003)]
    for short in (Prover(large, 1), Prover(large, BUDGETS.claim, left=lambda: 0.0)):
        assert short.satisfiable() is Answer.UNKNOWN
        assert not short.proves(at_most(N, 5000)) and not short.refutes(at_most(N, 5000))


def test_the_only_value_of_a_term() -> None:
    some = Prover([at_least(N, 20), at_least(M, 20), product_is(23 * 29), at_most(N, 25)], BUDGETS.claim)
    assert some.value(N) == 23
    assert Prover([at_least(N, 20)], BUDGETS.claim).value(N) is None


@pytest.mark.usefixtures("without_solver")
def test_a_factor_that_has_few_values_is_replaced_by_each_of_them() -> None:
    two = terms.constant(2)
    halves = terms.add(terms.divide(N, two), terms.divide(terms.add(N, terms.constant(-1)), two))
    # Both floors of halves are n - 1 together, whatever n is, and m is any number.
    none = terms.multiply(M, terms.add(terms.add(halves, N, -1), terms.constant(1)))
    some = Prover([at_least(N, 1), at_most(N, 200), at_least(M, 1)], BUDGETS.claim, cases=ProvingBudget.CASES)
    assert some.proves(conditions.equals_zero(none))
    assert some.satisfiable(at_least(terms.add(none, M), 7)) is Answer.YES
    assert some.model[next(iter(M.atoms))] >= 7


def test_each_budget_is_one_number() -> None:
    assert all(isinstance(getattr(BUDGETS, name), int) for name in prover.Budgets.__slots__)


@pytest.mark.every_case
@given(st.data())
def test_the_ladder_decides_as_looking_at_every_point_does(data: st.DataObject) -> None:
    domain = data.draw(domains(with_indices=False))
    asked = Prover(domain.hypotheses[:1], BUDGETS.domain).with_conditions(domain.hypotheses[1:])
    for goal in (data.draw(goals(domain)), data.draw(goals(domain))):
        truths = domain.truths(goal)
        assume(truths is not None)
        assert truths is not None
        answer = asked.satisfiable(negate(goal))
        if answer is Answer.NO:
            assert all(truths)
        if answer is Answer.YES:
            found = Valuation({**given_values(dict.fromkeys(NAMES, 0)), **asked.model})
            assert found.satisfies([*domain.hypotheses, negate(goal)])
            assert not all(truths)
        if isinstance(goal, Condition):
            known = asked.truth(goal)
            assert known is None or not truths or set(truths) == {known}
