"""Answers about terms that are made once: they are those that are made each time."""

import random

from nkiverify.symbolic import SymInt, conditions, equal, negate, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.values import at_most, less
from nkiverify.symbolic.values import equal as equal_terms


def some_terms(seed: int) -> list[Term]:
    """Terms over two dimensions, some of them equal, or equal but for a constant."""
    numbers = random.Random(seed)
    one, two = terms.dimension("one"), terms.dimension("two")
    found = [terms.constant(number) for number in (0, 1, 2)]
    for _ in range(12):
        part = terms.scale(numbers.choice((one, two)), numbers.randrange(-2, 3))
        found.append(terms.add(numbers.choice(found), part))
    return found


def test_answers_are_those_that_are_made_each_time() -> None:
    with terms.fresh():
        found = some_terms(1)
        for _ in range(2):  # the second time, they are remembered
            for left in found:
                for right in found:
                    difference = terms.add(left, right, -1)
                    assert equal_terms(left, right) is conditions.equals_zero(difference)
                    assert at_most(left, right) is conditions.at_most_zero(difference)
                    assert less(left, right) is conditions.at_most_zero(terms.add(difference, terms.constant(1)))
                    stated = at_most(left, right)
                    opposite = stated.negation() if isinstance(stated, Condition) else not stated
                    assert negate(stated) is opposite


def test_answers_are_about_the_terms_that_are_asked_about_and_no_others() -> None:
    for low in (1, 2):  # the same dimension is another term in each block
        with terms.fresh():
            size = terms.dimension("size")
            assert isinstance(size, SymInt)
            assert str(equal(size, low)) == f"size == {low}"
            assert str(size <= low) == f"size <= {low}"
