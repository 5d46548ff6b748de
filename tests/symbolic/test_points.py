"""Points of a path: each satisfies its hypotheses; they show that something is possible, never that it follows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import pytest

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.symbolic import conditions, smt, terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.smt import Answer


def _at_least(term: Term, bound: int) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.constant(bound), term, -1))


def _at_most(term: Term, bound: int) -> Condition | bool:
    return conditions.at_most_zero(terms.add(term, terms.constant(-bound)))


def _multiple(term: Term, of: int) -> Condition | bool:
    return conditions.equals_zero(terms.add(term, terms.divide(term, terms.constant(of)), -of))


def _dimensions(*names: str) -> list[Term]:
    return [terms.dimension(name) for name in names]


def _prover(*hypotheses: Condition | bool) -> Prover:
    """A prover of a path with these conditions, met one after the other."""
    return reduce(lambda prover, one: prover.with_conditions([one]), hypotheses, Prover([], 20))


def _domain(*dimensions: Term) -> list[Condition | bool]:
    return [bound for one in dimensions for bound in (_at_least(one, 1), _at_most(one, terms.INT32_MAX))]


@pytest.fixture
def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> Answer:
        raise AssertionError("the solver is asked")

    monkeypatch.setattr(smt.Question, "satisfiable", asked)


def test_points_of_a_long_path_satisfy_all_of_it() -> None:
    b, s, h = _dimensions("b", "s", "h")
    tiles = terms.divide(terms.multiply(b, s), terms.constant(2))
    product = terms.multiply(b, s)
    i = terms.index("i", tiles, "a loop")
    path = _prover(
        *_domain(b, s, h),
        _multiple(h, 256),
        _at_least(product, 11),
        _multiple(product, 2),
        _at_most(h, 2048),
        _at_least(i, 1),
        conditions.at_most_zero(terms.add(terms.add(i, terms.constant(1)), tiles, -1)),
    )
    assert 1 < len(path.points()) <= ProvingBudget.POINTS
    assert all(point.satisfies(path.hypotheses) for point in path.points())


def test_an_equality_that_is_asked_about_does_not_move_a_point_off_its_path() -> None:
    k, t = _dimensions("k", "t")
    path = _prover(*_domain(k, t), _at_most(k, 100))
    equal = conditions.equals_zero(terms.add(k, t, -128))
    assert path.satisfiable(equal) is Answer.NO


def test_two_values_at_two_points_are_not_forced(no_solver: None) -> None:
    b, s, h = _dimensions("b", "s", "h")
    path = _prover(*_domain(b, s, h), _multiple(h, 256))
    quotient = terms.divide(terms.multiply(terms.multiply(b, s), h), terms.add(b, s))
    assert path.value(quotient) is None


def test_a_branch_that_points_take_both_ways_is_one_without_the_solver(no_solver: None) -> None:
    b, s, h = _dimensions("b", "s", "h")
    path = _prover(*_domain(b, s, h), _multiple(h, 256))
    assert path.satisfiable(_at_least(terms.multiply(s, h), 2**31)) is Answer.YES
    assert path.satisfiable(_at_most(terms.multiply(s, h), 5000)) is Answer.YES


@pytest.mark.parametrize("bound", [2**31 - 3, 1_000_003, 77_777])
def test_what_holds_at_all_points_but_one_shape_does_not_follow(bound: int) -> None:
    b, s = _dimensions("b", "s")
    # Nothing is drawn to be just this one.
    path = _prover(*_domain(b, s), _at_most(b, bound), _at_least(s, 3))
    other = conditions.negate(conditions.equals_zero(terms.add(terms.multiply(b, s), terms.constant(-3 * bound))))
    assert not path.proves(other)


def test_the_same_question_is_asked_of_the_solver_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[smt.Question] = []
    original = smt.Question._asked

    def counted(question: smt.Question, stated: Iterable[Condition | bool]) -> tuple[Answer, dict[Atom, int], int]:
        asked.append(question)
        return original(question, stated)

    monkeypatch.setattr(smt.Question, "_asked", counted)
    b, s = _dimensions("b", "s")
    # No square is twice another.
    same = conditions.equals_zero(terms.add(terms.multiply(b, b), terms.multiply(s, s), -2))
    first, before = _prover(*_domain(b, s), same).satisfiable(), len(asked)
    assert before > 0
    assert _prover(*_domain(b, s), same).satisfiable() is first and len(asked) == before


def test_what_is_false_at_a_point_is_not_tried_to_be_proved_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    dimensions = _dimensions("B", "S", "D", "E", "F")
    b1, s1, d1, e1, f1 = dimensions
    products = [(b1, s1, d1, e1), (e1, f1, s1, d1), (b1, d1, s1, f1)]
    known = [
        conditions.at_most_zero(terms.add(terms.multiply(one, two), terms.multiply(three, four), -1))
        for one, two, three, four in products
    ]
    b, d, s, e, f = (
        terms.index(name, extent, ("long", name)) for name, extent in zip("bdsef", (b1, d1, s1, e1, f1), strict=True)
    )
    within = [
        bound
        for one, extent in zip((b, d, s, e, f), (b1, d1, s1, e1, f1), strict=True)
        for bound in (
            _at_least(one, 0),
            conditions.at_most_zero(terms.add(terms.add(one, terms.constant(1)), extent, -1)),
        )
    ]
    prover = _prover(*_domain(*dimensions), *known, *within)
    left = terms.add(reduce(terms.multiply, (b, s1, d1)), reduce(terms.multiply, (s, e1, f1)))
    right = terms.add(reduce(terms.multiply, (b1, s1, f1)), reduce(terms.multiply, (d, e, f)))
    goal = conditions.at_most_zero(terms.add(left, right, -1))
    assert isinstance(goal, Condition) and prover.facts.proves_soon(goal) is None

    def proves(*_: object) -> bool:
        raise AssertionError("a long proof is tried")

    monkeypatch.setattr(Facts, "proves", proves)
    assert not prover.entails(goal)


def test_a_product_that_leaves_32_bits_is_found_beside_others_that_are_bounded(no_solver: None) -> None:
    """As in a kernel whose arguments fit a device: the other dimensions of a tensor are small there."""
    batch, _, rows, columns = dimensions = _dimensions("batch", "heads", "rows", "columns")
    fits = _at_most(reduce(terms.multiply, dimensions), 2**35)
    number = terms.index("number", batch, ("grown", "number"))
    last = terms.add(terms.add(number, terms.constant(1)), batch, -1)
    prover = _prover(
        *_domain(*dimensions), _multiple(rows, 256), fits, _at_least(number, 0), conditions.at_most_zero(last)
    )
    assert prover.satisfiable(_at_least(terms.multiply(number, rows), 2**31)) is Answer.YES
    assert prover.satisfiable(_at_least(terms.multiply(terms.multiply(rows, columns), number), 2**31)) is Answer.YES


def test_a_multiple_that_is_large_is_drawn_from_its_least_on(no_solver: None) -> None:
    """A dimension that is expressed by its tiles has the bounds of those: few numbers of 31 bits are in a band."""
    t, h, i = _dimensions("t", "h", "i")
    path = _prover(
        *_domain(t, h, i),
        _multiple(h, 256),
        _multiple(t, 16),
        _at_least(h, 16384),
        _at_most(terms.multiply(terms.multiply(t, h), i), 100_663_296),
        _at_least(i, 129),
    )
    assert len(path.points()) >= ProvingBudget.FEW_POINTS
    assert path.value(terms.divide(terms.add(h, terms.constant(1023)), terms.constant(1024))) is None
    assert path.value(terms.divide(terms.add(i, terms.constant(127)), terms.constant(128))) is None


@pytest.mark.parametrize("known_before", [True, False], ids=["known before", "all at once"])
def test_the_element_of_a_grid_is_one_whatever_is_assumed_of_it(known_before: bool) -> None:
    (cores,) = _dimensions("cores")
    program = terms.index("program", cores, ("points", known_before), representative=True)
    few, second = [_at_least(cores, 1), _at_most(cores, 1)], _at_least(program, 1)
    prover = _prover(*few, second) if known_before else Prover([*few, second], 20)
    # No condition says that there is no second program of one.
    assert prover.satisfiable() is Answer.NO
    assert _prover(*few, _at_most(program, 0)).satisfiable() is Answer.YES
    more = _prover(_at_least(cores, 1), _at_most(cores, 2), second)
    assert more.satisfiable() is Answer.YES and more.model[_atom(cores)] == 2


def _atom(term: Term) -> Atom:
    (atom,) = term.atoms
    return atom
