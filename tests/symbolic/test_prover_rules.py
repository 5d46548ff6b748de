"""What each rule of the cheap prover proves: a bound, and not the next tighter one, which is false somewhere.

The bounds are the least and the greatest value over a grid of points, so the tables cannot be wrong themselves.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.symbolic import all_of, any_of, negate, select, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.elimination import Budget, _exact_quotient
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.facts import Facts
from tests.symbolic.random_terms import DIMENSIONS, atom_of

X, Y, Z = (DIMENSIONS[name] for name in "xyz")
#: An iteration of a loop of X iterations, and any element of a grid of Y.
TURN: Any = terms.index("i", X, "rules")
CELL: Any = terms.index("g", Y, "rules", representative=True)

GRID = range(-4, 12)


def points(hypotheses: list[Any], term: Any) -> list[int]:
    """The values of `term` at the points of the grid that satisfy `hypotheses`."""
    atoms = set().union(terms.all_atoms(term), *(part.atoms() for part in hypotheses if isinstance(part, Condition)))
    free = [atom for atom in (atom_of(one) for one in (X, Y, Z, TURN, CELL)) if atom in atoms]
    if atom_of(TURN) in free and atom_of(X) not in free:
        free.append(atom_of(X))
    hypotheses = [
        *hypotheses,
        *([TURN >= 0] if atom_of(TURN) in free else []),
        *([CELL >= 0, CELL < Y] if atom_of(CELL) in free else []),
    ]
    found = []
    for values in itertools.product(GRID, repeat=len(free)):
        point = Valuation(dict(zip(free, values, strict=True)))
        if point.satisfies(hypotheses):
            try:
                found.append(point.term(term))
            except Undefined:
                continue
    return found


def within(value: Any, low: int, high: int) -> list[Any]:
    return [value >= low, value <= high]


ANY = None

TWO = terms.constant(2)

#: min(X, Y), with the operators of a symbolic integer.
LEAST: Any = terms.minimum([X, Y])

#: What is known, a term, and its least and greatest value; ANY where the facts leave none, or the prover knows none.
RULES: dict[str, tuple[list[Any], Any, int | None, int | None]] = {
    "bounds of a dimension": (within(X, 2, 9), X, 2, 9),
    "no bounds": ([X >= 2], X, 2, ANY),
    "one value": (within(X, 3, 3), 2 * X + 1, 7, 7),
    "a sum": ([*within(X, 2, 9), *within(Y, -1, 4)], X + Y, 1, 13),
    "a difference": ([*within(X, 2, 9), *within(Y, -1, 4)], X - Y, -2, 10),
    "multiples": (within(X, 2, 9), 3 * X - 1, 5, 26),
    "negative multiples": (within(X, 2, 9), 7 - 2 * X, -11, 3),
    "a chain of bounds": ([X <= Y, Y <= Z, Z <= 5, X >= 1], X - 6, -5, -1),
    "a difference that is bounded": ([X >= Y + 2, X <= Y + 4], X - Y, 2, 4),
    "a multiple of a difference": ([X >= Y + 2, X <= Y + 4], 3 * X - 3 * Y, 6, 12),
    "bounds with coefficients": ([*within(Y, 0, 5), X >= 0, 2 * X <= 3 * Y], X, 0, 7),
    "lower bounds with coefficients": ([Y >= 5, X <= 9, 2 * X >= 3 * Y], X, 8, 9),
    "bounds of bounds": ([*within(X, 0, 9), 2 * X <= 3 * Y, Y <= Z, Z <= 4], X, 0, 6),
    # equalities
    "an equality": ([X == Y + 3, *within(Y, 1, 4)], X, 4, 7),
    "an equality after its bounds": ([*within(X, 3, 9), X == 2 * Y], Y, 2, 4),
    "an equality of both signs": ([*within(X, 1, 9), X + Y == 10], Y, 1, 9),
    "a chain of equalities": ([X == 2 * Y, Y == 3 * Z, *within(Z, 1, 1)], X, 6, 6),
    "equalities the other way round": ([Y == 3 * Z, X == 2 * Y, *within(Z, 1, 1)], X, 6, 6),
    "what was known before an equality": ([X <= Z, *within(Z, 0, 9), X == 2 * Y], 2 * Y - Z, ANY, 0),
    "an equality without a lone variable": ([2 * X == 3 * Y, *within(Y, 2, 4)], 2 * X - 3 * Y, 0, 0),
    "a negative equality": ([-X == Y, *within(X, 1, 4)], Y, -4, -1),
    "an equality with a product": ([X == Y * Z, *within(Y, 2, 2), *within(Z, 1, 4)], X, 2, 8),
    "an equality of squares": ([*within(X, 0, 9), X * X == 1], X, 1, 1),
    "an equality that says nothing of itself": ([LEAST == X, *within(Y, 0, 5)], X, ANY, 5),
    "an equality with a multiple of itself": ([*within(Y, 0, 1), *within(X, 3, 6), X + X * Y == 6], X, 3, 6),
    "an equality with its square": ([*within(X, 0, 5), X * X + X == 6], X, 2, 2),
    "an equality after a bound of its square": ([Z >= 0, Z * Z <= 17, Z == X + Y], X + Y, 0, 4),
    "an equality after it was a positive factor": ([Z >= 0, X >= 0, X * Z >= 1, Z == Y - 1], Y, 2, ANY),
    "one of several after an equality": ([Y >= 1, any_of(X <= 0, Z >= 3), X == 2 * Y], Z, 3, ANY),
    "a quotient after an equality": ([*within(X, 0, 9), X // 4 >= 1, X == Y + Z], Y + Z, 4, 9),
    # inequalities, junctions
    "not zero, not negative": ([*within(X, 0, 9), X != 0], X, 1, 9),
    "not zero, not positive": ([*within(X, -4, 0), X != 0], X, -4, -1),
    "not equal at the end": ([X <= Y, X != Y], X - Y, ANY, -1),
    "all of several": ([all_of(X >= 1, Y >= 2, X + Y <= 9)], X + Y, 3, 9),
    "the one that is left of several": ([X >= 1, *within(Y, -4, 8), any_of(X <= 0, Y >= 3)], Y, 3, 8),
    "one of several": ([any_of(X <= 0, Y >= 3), *within(X, -4, 8), *within(Y, -4, 8)], Y, -4, 8),
    # products
    "a product": ([*within(X, 2, 3), *within(Y, 1, 4)], X * Y, 2, 12),
    "a product by one": ([*within(X, 3, 5), *within(Y, 1, 1)], X * Y, 3, 5),
    "a product of both signs": ([*within(X, 2, 3), *within(Y, -1, 4)], X * Y, -3, 12),
    "a product of two of both signs": ([*within(X, -2, 3), *within(Y, -1, 4)], X * Y, -8, 12),
    "a product with no bound": ([X >= 2, Y >= 3], X * Y, 6, ANY),
    "a negative product with no bound": ([X <= -2, Y >= 3], X * Y, ANY, -6),
    "a square": (within(X, -2, 3), X * X, 0, 9),
    "no square of a sign": ([], X * X, 0, ANY),
    "a factor of a positive product": ([X >= 0, Y >= 0, X * Y >= 1], X, 1, ANY),
    "a factor of a bounded product": ([X >= 2, Y >= 1, X * Y <= 10], Y, 1, 5),
    "a factor of a bounded multiple of a product": ([*within(X, 1, 9), Y >= 1, 3 * X * Y <= 10], Y, 1, 3),
    "a factor beside something": ([Z <= 10, X >= 2, Y >= 1, X * Y <= Z], Y, 1, 5),
    "a factor of a square": ([X >= 0, X * X <= 17], X, 0, 4),
    "a factor beside a square": ([X >= 3, Y >= 1, X * X * Y <= 50], Y, 1, 5),
    "a factor that may be zero": ([X >= 0, *within(Y, 0, 11), X * Y <= 10], Y, 0, 11),
    "a factor of either sign of a positive product": ([*within(X, -3, 3), *within(Y, -3, 3), X * Y >= 1], X, -3, 3),
    "a positive factor beside one of either sign": ([*within(X, -3, 8), *within(Y, 1, 8), X * Y <= 10], Y, 1, 8),
    "a factor of either sign beside a positive one": ([*within(X, 1, 8), *within(Y, -3, 8), X * Y <= 10], X, 1, 8),
    "a factor of a product that may be zero": ([*within(X, 0, 8), *within(Y, 0, 8), X * Y >= 0], X, 0, 8),
    "a factor of a product that is more than something": (
        [*within(X, 0, 8), *within(Y, 0, 8), *within(Z, -3, 3), X * Y >= Z],
        X,
        0,
        8,
    ),
    "a factor with a least value of its own": ([X >= 2, Y >= 2, X * Y <= 10], Y, 2, 5),
    "a square that is nothing": ([X >= 0, X * X <= 0], X, 0, 0),
    "a bound times an extent": ([*within(TURN, 0, 9), TURN < X, Y >= 1], X * Y - TURN * Y - Y, 0, ANY),
    "a bound times a negative": ([*within(X, 1, 9), *within(Z, -3, -1), X <= Y], X * Z - Y * Z, 0, ANY),
    "a symbolic bound": ([X * Y <= Z, Y >= 1, X >= 0], Z - X, 0, ANY),
    "a product less than a product": ([X <= Y - 1, X >= 0, Z >= 1], Y * Z - X * Z - Z, 0, ANY),
    "a product of a known range": ([*within(Y, 2, 3), *within(X, 1, 5)], X * Y - 2 * X, 0, 5),
    # indices
    "an iteration": ([TURN < X, X <= 9], TURN, 0, 8),
    "an element of a grid": ([Y <= 9], CELL, 0, 8),
    "the last of a grid": ([Y >= 1], Y - CELL, 1, ANY),
    "tiles of a grid": ([Y <= 5, Y >= 1], 2 * Y - 2 * CELL - 2, 0, 8),
    # quotients
    "a quotient by a number": (within(X, 3, 11), X // 4, 0, 2),
    "a negative quotient by a number": (within(X, -3, 11), X // 2, -2, 5),
    "the rest": ([], X % 3, 0, 2),
    "the rest by an extent": ([Y >= 1, Y <= 4], Y - X % Y, 1, 4),
    "a multiple that is no more": ([], X - 4 * (X // 4), 0, 3),
    "rounded up": (within(X, 1, 9), -(-X // 4), 1, 3),
    "rounded up is no less": ([], 4 * -(-X // 4) - X, 0, 3),
    "a quotient by an extent": ([*within(X, 4, 11), *within(Y, 2, 3)], X // Y, 1, 5),
    "a negative quotient by an extent": ([*within(X, -4, -3), *within(Y, 2, 3)], X // Y, -2, -1),
    "a quotient of both signs": ([*within(X, -4, 7), *within(Y, 2, 3)], X // Y, -2, 3),
    "a quotient by an extent that may be one": ([*within(X, 3, 11), *within(Y, 1, 3)], X // Y, 1, 11),
    "a negative quotient by an extent that may be one": ([*within(X, -4, -3), *within(Y, 1, 3)], X // Y, -4, -1),
    "a quotient by what is more than something positive": ([Y >= Z, Z >= 1, *within(X, 0, 11)], X // Y, 0, 11),
    "a quotient of minus one": ([X >= -1, Y >= 1], X // Y, -1, ANY),
    "a quotient of one": ([X <= 1, Y >= 1], X // Y, ANY, 1),
    "a quotient of nothing": ([*within(X, 0, 0), Y >= 1], X // Y, 0, 0),
    "a quotient by any extent": ([*within(X, 1, 7), Y >= 2], X // Y, 0, 3),
    "a negative quotient by any extent": ([*within(X, -4, -1), Y >= 2], X // Y, -2, -1),
    "a quotient of something larger": ([X >= Y, Y >= 1], X // Y, 1, ANY),
    "a quotient of something that is not negative": ([X >= 0, Y >= 1], X // Y, 0, ANY),
    "a quotient of something that is not positive": ([X <= 0, Y >= 1], X // Y, ANY, 0),
    "a quotient of something negative": ([X <= -1, Y >= 1], X // Y, ANY, -1),
    "a quotient is no more": ([X >= 0, Y >= 1], X - X // Y, 0, ANY),
    "a quotient times the divisor": ([Y >= 1], X - Y * (X // Y), 0, ANY),
    "a multiple": ([X % 4 == 0, *within(X, 1, 11)], X, 4, 8),
    "a multiple of another": ([X % 4 == 0, Y == X // 4, *within(X, 1, 11)], X - 4 * Y, 0, 0),
    "tiles": ([TURN < X // 4, *within(X, 1, 11)], X - 4 * TURN - 4, 0, 7),
    "rounded tiles": ([TURN < -(-X // 4), *within(X, 1, 11)], X - 4 * TURN, 1, 11),
    # minima and conditional values
    "a minimum": ([*within(X, 2, 9), *within(Y, 3, 5)], terms.minimum([X, Y]), 2, 5),
    "a maximum": ([*within(X, 2, 9), *within(Y, 3, 5)], terms.maximum([X, Y]), 3, 9),
    "a minimum is no more than either": ([], Y - terms.minimum([X, Y]), 0, ANY),
    "a minimum is one of them": ([X >= Z + 1, Y >= Z + 2], terms.minimum([X, Y]) - Z, 1, ANY),
    "the last tile": ([TURN <= 2, TURN >= 0, TURN * 4 < X], terms.minimum([4 * TURN + 4, X]) - 4 * TURN, 1, 4),
    "a bounded minimum": ([LEAST >= 3], X, 3, ANY),
    "a conditional value": (within(X, 0, 9), select(X >= 3, 7, 2), 2, 7),
    "a conditional value under its condition": (within(X, 3, 9), select(X >= 3, 7, 2), 7, 7),
    "a conditional value without its condition": (within(X, 0, 2), select(X >= 3, 7, 2), 2, 2),
    "a conditional value that depends": (within(X, 0, 9), select(X >= 3, X, 3), 3, 9),
    "one or the other": (within(X, 0, 9), select(X >= 3, X - 3, 9 - X), 0, 9),
    "a conditional value of others, exchanged": ([*within(X, 1, 4), *within(Y, 5, 9)], select(Z >= 0, Y, X), 1, 9),
    "a conditional value of others": ([*within(X, 1, 4), *within(Y, 5, 9)], select(Z >= 0, X, Y), 1, 9),
}


@pytest.mark.parametrize("name", RULES)
def test_a_bound_is_proved_and_the_next_tighter_one_is_not(name: str) -> None:
    hypotheses, term, low, high = RULES[name]
    values = points(hypotheses, term)
    facts = Facts().extended(*hypotheses)
    # Added one by one, in any order, they are the same hypotheses.
    backwards = Facts()
    for hypothesis in reversed(hypotheses):
        backwards = backwards.extended(hypothesis)
    for known in (facts, backwards):
        assert not known.contradictory
        for bound, least in ((low, True), (high, False)):
            if bound is None:
                assert not any(known.proves(term >= edge if least else term <= edge) for edge in (-999, 0, 999))
                continue
            assert bound == (min(values) if least else max(values))
            assert not known.proves(term >= bound + 1 if least else term <= bound - 1)
    for bound, least in ((low, True), (high, False)):
        if bound is not None:
            assert facts.proves(term >= bound if least else term <= bound)
            assert facts.proves(term != bound - 1 if least else term != bound + 1)
    if low is not None and low == high:
        assert facts.proves(term == low)
        assert facts.value_of(term) in (low, None)
    elif low is not None:
        assert not facts.proves(term == low)
        assert not facts.proves(term != low)
        assert facts.value_of(term) is None


#: What is known, what follows from it, and what nearly does.
GOALS: dict[str, tuple[list[Any], Any, Any]] = {
    "both": ([X >= 1, Y >= 2], all_of(X >= 1, Y >= 2), all_of(X >= 1, Y >= 3)),
    "either": ([X >= 1], any_of(Y >= 1, X >= 1), any_of(Y >= 1, X >= 2)),
    "one way or the other": ([], any_of(X <= 5, X >= 6), any_of(X <= 5, X >= 7)),
    "where the other fails": ([Y == X + 1], any_of(X <= 5, Y >= 7), any_of(X <= 5, Y >= 8)),
    "all of some, or another": (
        [X >= 1],
        any_of(all_of(X >= 1, Y >= 1), Y <= 0),
        any_of(all_of(X >= 2, Y >= 1), Y <= 0),
    ),
    "what was said as it was": ([any_of(X == 3, Y == 5)], any_of(X == 3, Y == 5), any_of(X == 3, Y == 4)),
    "unequal as it was said": ([X != 3], X != 3, X != 4),
    "unequal by being more": ([X >= 4], X != 3, X != 4),
    "unequal by being less": ([X <= 2], X != 3, X != 2),
    "equal by two bounds": ([X <= Y, X >= Y], X == Y, X == Y + 1),
    "a multiple that does not divide": ([2 * X <= Z, X >= 1, Y >= 1], Y * Z >= 2 * X * Y, Y * Z >= 3 * X * Y),
    "multiples of which one does not divide": (
        [2 * X <= Z, X >= 1, Y >= 1],
        (Y + 1) * Z >= (2 * Y + 2) * X,
        (Y + 1) * Z >= (2 * Y + 3) * X,
    ),
    "a bound that does not divide": ([X * Y <= Z, Y >= 2, X >= 1], Y * Z >= Y * Y * X, Y * Z >= (Y * Y + 1) * X),
    "a condition of a conditional value": ([select(X >= 3, 1, 0) == 1], select(X >= 3, 1, 0) >= 1, X >= 4),
}


@pytest.mark.parametrize("name", GOALS)
def test_what_follows_is_proved_and_what_nearly_does_is_not(name: str) -> None:
    hypotheses, goal, wrong = GOALS[name]
    facts = Facts().extended(*hypotheses)
    assert facts.proves(goal)
    assert not facts.proves(wrong)
    assert not facts.proves(negate(goal))


#: Hypotheses that exclude each other, and the nearest that do not.
CONTRADICTIONS: dict[str, tuple[list[Any], list[Any]]] = {
    "false": ([False], [True]),
    "bounds": ([X >= 4, X <= 3], [X >= 3, X <= 3]),
    "bounds of terms": (
        [*within(X, 0, 3), *within(Y, 0, 3), X + Y >= 7],
        [*within(X, 0, 3), *within(Y, 0, 3), X + Y >= 6],
    ),
    "numbers": ([X == 3, X >= 4], [X == 3, X >= 3]),
    "an equality and a bound": ([X == Y + 1, X <= Y], [X == Y + 1, X <= Y + 1]),
    "all of several": ([X >= 1, any_of(X <= 0, X == -5)], [X >= 1, any_of(X <= 0, X == 5)]),
    "unequal and equal": ([*within(X, 3, 3), X != 3], [*within(X, 3, 4), X != 3]),
    "a product": ([X >= 0, *within(Y, 0, 0), X * Y >= 1], [X >= 0, *within(Y, 1, 1), X * Y >= 1]),
    "a quotient": ([*within(X, 0, 7), X // 4 >= 2], [*within(X, 0, 8), X // 4 >= 2]),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_contradiction_is_seen_and_what_can_hold_is_none(name: str) -> None:
    impossible, possible = CONTRADICTIONS[name]
    facts = Facts().extended(*impossible)
    assert facts.contradictory
    # From what is impossible everything follows.
    assert facts.proves(X >= 1000)
    assert facts.proves(False)
    assert not Facts().extended(*possible).contradictory
    assert not Facts().extended(*possible).proves(False)


def test_facts_do_not_change_when_they_are_extended() -> None:
    facts = Facts().extended(X >= 1, Y == 2 * X, any_of(Z == 1, Z == 5))
    longer = facts.extended(X >= 5, Z == Y, any_of(X == 5, X == 9))
    assert longer.proves(Z >= 10)
    for goal in (X >= 2, Y >= 3, Z == Y, any_of(X == 5, X == 9)):
        assert not facts.proves(goal)
    assert facts.proves(Y >= 2)


def test_a_sample_saves_a_proof_and_never_makes_one() -> None:
    at_three, at_nine = (Valuation({atom_of(X): value}) for value in (3, 9))
    facts = Facts(samples=(at_three, at_nine)).extended(X >= 3)
    assert facts.samples == (at_three, at_nine)
    assert facts.extended(X >= 4).samples == (at_nine,)
    assert facts.proves(X >= 3)
    assert not facts.proves(X <= 9)
    assert not facts.proves(X >= 4)
    # Where a sample does not say, it is not asked: X // Y has no value where Y is zero.
    undefined = Facts(samples=(Valuation({atom_of(X): 4, atom_of(Y): 0}),)).extended()
    assert undefined.proves(X - 3 * (X // 3) >= 0)
    assert not undefined.proves(X // Y >= 0)


def test_what_the_budget_does_not_reach_is_not_proved() -> None:
    facts = Facts().extended(X >= 0, Y >= 0)
    true = [X + 2 * Y + number >= 0 for number in range(1, ProvingBudget.STEPS)]
    assert facts.proves(all_of(*true[:100]))
    assert not facts.proves(all_of(*true[:100], X >= 1))
    # Each takes more than one step.
    assert not facts.proves(all_of(*true, X >= 1))
    assert not facts.proves(all_of(*true))
    # What is left of it decides a single one.
    for spent in range(6):
        budget = Budget(spent)
        assert not facts._proves(X >= 1, budget)


def test_only_an_exact_quotient_of_polynomials_is_one() -> None:
    for term, divisor, quotient in ((Y * Y, Y, Y), (6 * Y * X, 2 * X, 3 * Y), (4 * Y + 2, TWO, 2 * Y + 1)):
        assert _exact_quotient(term, divisor) is quotient
    for term, divisor in ((Y * Y + 1, Y), (X, Y), (3 * Y, TWO), (2 * Y + 3, TWO), (Y, terms.constant(0))):
        assert _exact_quotient(term, divisor) is None


def test_a_division_by_what_may_be_zero_says_nothing() -> None:
    for known in ([X >= 4, Y >= 0], [X >= 4], [X >= 4, Y != 0]):
        facts = Facts().extended(*known)
        assert not facts.proves(X // Y >= 0)
        assert not facts.proves(X // Y <= X)
        assert not facts.proves(Y * (X // Y) <= X)


def test_the_one_value_is_told_where_the_range_leaves_one() -> None:
    facts = Facts().extended(*within(X, 3, 3), *within(Y, 1, 2), Z == X + 1)
    assert facts.value_of(X) == 3
    assert facts.value_of(Z * X) == 12
    assert facts.value_of(Y) is None
    assert facts.value_of(Y // 4) == 0
    assert facts.value_of(terms.constant(7)) == 7
