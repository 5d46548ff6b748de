"""Answers of a context in those that are made from it: what is certain stays so, all else is asked again."""

from __future__ import annotations

import pytest

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.path_conditions import Context
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.smt import Answer


def at_least(term: Term, low: int) -> Condition:
    stated = conditions.at_most_zero(terms.add(terms.constant(low), term, -1))
    assert isinstance(stated, Condition)
    return stated


def test_what_is_certain_is_not_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = terms.dimension("x of a parent"), terms.dimension("y of a child")
    around = Context().with_condition(at_least(x, 2)).with_condition(conditions.at_most_zero(terms.add(x, y, -1)))
    assert around.truth(at_least(x, 1)) is True
    assert around.truth(at_least(terms.scale(x, -1), 0)) is False
    assert around.entails(at_least(y, 2))
    for question in (Prover.truth, Prover.entails, Prover.proves):
        monkeypatch.setattr(Prover, question.__name__, lambda *_: pytest.fail("it is proved again"))
    within = around.with_condition(at_least(y, 7)).with_condition(at_least(x, 3))
    for condition, holds in ((at_least(x, 1), True), (at_least(terms.scale(x, -1), 0), False), (at_least(y, 2), True)):
        assert within.truth(condition) is holds
        assert within.entails(condition) is holds
        assert within.proves(condition) is holds


def test_what_is_not_certain_is_asked_again_and_of_no_other_path() -> None:
    x = terms.dimension("x of two paths")
    around = Context().with_condition(at_least(x, 0))
    asked = at_least(x, 5)
    assert around.truth(asked) is None
    assert not around.entails(asked)
    one, other = around.with_condition(at_least(x, 6)), around.with_condition(at_least(terms.scale(x, -1), -8))
    assert one.truth(asked) is True
    assert one.entails(asked)
    # What one path decides, neither the one around it nor another one does.
    assert around.truth(asked) is None
    assert other.truth(asked) is None
    assert not other.proves(asked)
    assert other.with_condition(at_least(terms.scale(x, -1), -4)).truth(asked) is False


def test_the_only_value_of_a_term_is_that_of_all_paths_made_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    x = terms.dimension("x of one value")
    around = Context().with_condition(at_least(x, 4))
    assert around.value(x) is None
    one = around.with_condition(at_least(terms.scale(x, -1), -4))
    assert one.value(x) == 4
    assert around.value(x) is None
    monkeypatch.setattr(Prover, "value", lambda *_: pytest.fail("it is found again"))
    assert one.with_condition(at_least(x, 1)).value(x) == 4


def test_what_a_solver_refutes_is_refuted_where_all_that_it_needed_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, z = (terms.dimension(name) for name in ("x of two", "y of two", "z of none"))
    apart = terms.add(x, y, -1)
    goal, by_three = at_least(terms.multiply(apart, apart), 9), at_least(apart, 3)
    root = Context()
    first = root.with_condition(by_three).with_condition(at_least(z, 5))
    assert not first.entails(goal)
    assert first.proves(goal)
    with monkeypatch.context() as patched:
        # What holds of z has nothing to do with it.
        patched.setattr(Prover, "_asked_of_solver", lambda *_: pytest.fail("the solver is asked again"))
        for other in (by_three, at_least(terms.scale(z, -1), -4)), (at_least(z, 7), at_least(z, 6), by_three):
            within = root.with_all(other)
            assert within.proves(goal)
            assert within.truth(goal) is True
            assert within.truth(goal.negation()) is False
    # What holds of x and y has.
    for fewer in (), (at_least(apart, 2),), (at_least(apart, -3), at_least(x, 3)):
        within = root.with_all((at_least(z, 5), *fewer))
        assert not within.proves(goal)
        assert within.truth(goal) is None
    assert first.truth(at_least(terms.multiply(apart, apart), 10)) is None


def test_points_that_a_solver_has_found_are_points_of_the_paths_around() -> None:
    x, y = terms.dimension("x of a sum"), terms.dimension("y of a sum")
    root = Context()
    assert root.points()
    rare = conditions.equals_zero(terms.add(terms.add(terms.scale(x, 7919), y, -6869), terms.constant(-13)))
    assert isinstance(rare, Condition)
    far = root.with_condition(at_least(x, 2)).with_condition(at_least(y, 2))
    assert far.satisfiable(rare) is Answer.YES
    assert any(point.satisfies([rare]) for point in root.points())
    # Filtered by what another path adds.
    near = root.with_condition(at_least(terms.scale(x, -1), -1))
    assert all(point.term(x) <= 1 for point in near.points())
