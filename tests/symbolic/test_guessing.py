"""Guessed values: checked before they are given, and found where the domain is an ordinary one."""

from __future__ import annotations

from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.guessing import guessed_values


def _at_least(term: Term, bound: int) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.constant(bound), term, -1))


def _below(one: Term, other: Term) -> Condition | bool:
    return conditions.at_most_zero(terms.add(terms.add(one, terms.constant(1)), other, -1))


def _multiple(term: Term, of: int) -> Condition | bool:
    return conditions.equals_zero(terms.add(term, terms.divide(term, terms.constant(of)), -of))


def test_the_least_tile_of_a_multiple_is_found() -> None:
    (rows,) = (dimension := terms.dimension("rows")).atoms
    hypotheses = [_at_least(dimension, 1), _multiple(dimension, 128)]
    found = guessed_values(Facts().extended(*hypotheses), hypotheses)
    assert found is not None
    assert found.given == {rows: 128}


def test_a_second_iteration_is_tried_where_the_first_is_excluded() -> None:
    extent = terms.dimension("extent")
    index = terms.index("i", extent, "a loop")
    first = conditions.equals_zero(index)
    hypotheses = [_at_least(extent, 2), _at_least(index, 0), _below(index, extent), conditions.negate(first)]
    found = guessed_values(Facts().extended(*hypotheses), hypotheses)
    assert found is not None and found.satisfies(hypotheses)


def test_what_does_not_hold_is_not_given() -> None:
    one, other = terms.dimension("one"), terms.dimension("other")
    hypotheses = [_at_least(one, 1), _at_least(other, 1), _below(one, other), _below(other, one)]
    assert guessed_values(Facts(), hypotheses) is None
