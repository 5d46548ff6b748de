"""Sums over iterations with NumPy are what adding up gives, in numbers of any size."""

from __future__ import annotations

import pytest

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Condition, Index, Term
from nkiverify.symbolic.enumeration import LoopPoints
from nkiverify.symbolic.evaluation import Undefined, Valuation

N, M = terms.dimension("n"), terms.dimension("m")
I = terms.index("i", N, "an outer loop of these tests")  # noqa: E741 (an index)
J = terms.index("j", terms.add(I, terms.constant(1)), "an inner loop of these tests")


def atom_of(term: Term) -> Index:
    return next(atom for atom in term.atoms if isinstance(atom, Index))


def number(value: int) -> Term:
    return terms.constant(value)


def at_most(one: Term, other: Term) -> Condition:
    found = conditions.at_most_zero(terms.add(one, other, -1))
    assert isinstance(found, Condition)
    return found


SUMMED = {
    "a number": number(7),
    "a dimension": M,
    "a product": terms.multiply(terms.multiply(M, I), J),
    "a quotient": terms.divide(terms.add(terms.multiply(J, M), number(5), -1), number(3)),
    "a minimum": terms.minimum([terms.multiply(I, J), M]),
    "a choice": terms.select(at_most(I, J), M, I),
}


@pytest.mark.parametrize("m", [11, -4, 2**31 - 1, 2**61, 2**70])
@pytest.mark.parametrize("what", SUMMED)
def test_a_sum_over_iterations_is_what_adding_up_gives(what: str, m: int) -> None:
    term, odd = SUMMED[what], at_most(terms.multiply(J, J), terms.multiply(I, M))
    for n in range(5):
        given = {atom: value for of, value in ((N, n), (M, m)) for atom in of.atoms}
        rows = [Valuation({**given, atom_of(I): i, atom_of(J): j}) for i in range(n) for j in range(i + 1)]
        outer = LoopPoints(given).of_loop(atom_of(I), N, 100)
        assert outer is not None
        inner = outer.of_loop(atom_of(J), atom_of(J).extent, 100)
        assert inner is not None and inner.length == len(rows)
        assert inner.total(term) == sum(row.term(term) for row in rows)
        assert inner.where(odd).total(term) == sum(row.term(term) for row in rows if row.holds(odd))


def test_a_loop_that_is_not_entered_has_no_iterations() -> None:
    (n,) = N.atoms
    for count in (0, -3):
        found = LoopPoints({n: count}).of_loop(atom_of(I), N, 100)
        assert found is not None and (found.length, found.total(I)) == (0, 0)


def test_too_many_iterations_are_not_gone_through() -> None:
    (n,) = N.atoms
    assert LoopPoints({n: 100}).of_loop(atom_of(I), N, 100) is not None
    assert LoopPoints({n: 101}).of_loop(atom_of(I), N, 100) is None
    assert LoopPoints({n: 2**80}).of_loop(atom_of(I), N, 100) is None


@pytest.mark.parametrize("term", [terms.divide(M, I), terms.multiply(J, I)], ids=["by zero", "no number"])
def test_what_has_no_value_is_said(term: Term) -> None:
    given = {atom: 3 for of in (N, M) for atom in of.atoms}
    found = LoopPoints(given).of_loop(atom_of(I), N, 100)
    assert found is not None
    with pytest.raises(Undefined):
        found.total(term)
