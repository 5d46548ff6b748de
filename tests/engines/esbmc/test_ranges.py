"""No value that a term can have lies outside the range that is computed for it, and what is said to fit does."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from lab.programs import Writer, atom, dimension, index
from nkiverify.engines.esbmc.atom_ranges import LARGEST, AtomRanges, sides, writable
from nkiverify.symbolic import any_of, minimum, select
from nkiverify.symbolic.atoms import render
from nkiverify.symbolic.evaluation import Undefined, Valuation

LARGE = 2**31 - 1


def ranges(**bounds: tuple[int, int]) -> AtomRanges:
    """What `low <= name <= high` tells."""
    known = AtomRanges()
    for name, (low, high) in bounds.items():
        known.learn(dimension(name) >= low)
        known.learn(dimension(name) <= high)
    return known


def bounds_of(known: AtomRanges, value: Any) -> tuple[float, float]:
    return known.term(value)


@pytest.mark.parametrize("seed", range(300))
def test_no_value_lies_outside_its_range(seed: int) -> None:
    writer = Writer(random.Random(seed))
    writer._variables = [dimension("m"), dimension("n")]
    value, hypothesis = writer._value(), writer._condition()
    known = ranges(m=(-3, 4), n=(-2, 5))
    known.learn(hypothesis)
    low, high = bounds_of(known, value)
    for m, n in product(range(-3, 5), range(-2, 6)):
        here = Valuation({atom(dimension("m")): m, atom(dimension("n")): n})
        try:
            if here.holds(hypothesis):
                assert low <= here.term(value) <= high
        except Undefined:
            continue


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda a, b: a * b, (-40, 30)),
        (lambda a, b: a // 3, (-2, 1)),
        (lambda a, b: b // 4, (1, 2)),
        (lambda a, b: a // b, (-1, 0)),
        (lambda a, b: 100 // b, (10, 20)),
        (lambda a, b: minimum(a, b - 3), (-4, 3)),
        (lambda a, b: select(a <= 0, b, -b), (-10, 10)),
        # Where a denominator may be zero, the quotient is still no larger than the numerator.
        (lambda a, b: b // a, (-10, 10)),
    ],
)
def test_ranges_of_terms(value: Any, expected: tuple[int, int]) -> None:
    known = ranges(a=(-4, 3), b=(5, 10))
    assert bounds_of(known, value(dimension("a"), dimension("b"))) == expected


def test_hypotheses_that_bound_a_variable() -> None:
    n, k = dimension("n"), dimension("k")
    known = ranges(n=(1, 1000))
    assert bounds_of(known, k) == (float("-inf"), float("inf"))
    known.learn(k >= 0)
    known.learn(k < n // 128)
    assert bounds_of(known, k) == (0, 6)
    known.learn(n != 1)
    assert bounds_of(known, n) == (2, 1000)
    known.learn(2 * n == 50)
    assert bounds_of(known, n) == (25, 25)


def test_a_representative_index_has_the_range_of_its_extent() -> None:
    element = index("element", dimension("n"), representative=True)
    assert bounds_of(ranges(n=(1, 8)), element) == (0, 7)


def test_the_largest_product_that_fits_and_the_smallest_that_does_not() -> None:
    x, y = dimension("x"), dimension("y")
    assert ranges(x=(0, 2**31), y=(0, 2**31)).fits(x * y <= 5)
    assert not ranges(x=(0, 2**31 + 1), y=(0, 2**31)).fits(x * y <= 5)
    assert not ranges(x=(0, 2**31), y=(0, 2**31)).fits(x * y + x <= 5)


def test_what_is_inside_a_quotient_has_to_fit_as_well() -> None:
    x, y = dimension("x"), dimension("y")
    known = ranges(x=(0, LARGE), y=(1, LARGE))
    assert known.fits((x * y) // 2**40 <= 5)
    assert not known.fits((x * x * y) // 2**70 <= 5)
    # -x // y takes a product of the quotient with y.
    assert known.fits((-x) // y <= 5)
    assert not ranges(x=(0, 2**50), y=(1, 2**20)).fits((-x) // y <= 5)


def test_nothing_of_an_unbounded_variable_fits_but_it_can_be_bounded() -> None:
    n, k = dimension("n"), dimension("k")
    known = AtomRanges()
    assert not known.fits(n <= 5)
    assert known.hypothesis_fits(n <= 5)
    assert known.hypothesis_fits(k <= n)
    assert not known.hypothesis_fits(k <= n + 1)
    assert not known.hypothesis_fits(2 * n + 3 * k <= 5)
    assert not known.hypothesis_fits(n <= LARGEST + 1)
    assert known.hypothesis_fits(any_of(n <= 5, n == 9))
    assert ranges(n=(0, 5)).hypothesis_fits(k <= 3 * n + 1)


def test_numbers_that_cannot_be_written() -> None:
    n = dimension("n")
    assert writable(n <= LARGEST)
    assert not writable(n <= LARGEST + 1)
    assert not writable((n + 2**70) // 3 <= 5)


def test_enormous_numbers_are_as_good_as_infinite() -> None:
    n = dimension("n")
    known = ranges(n=(0, 10**400))
    assert bounds_of(known, n * 10**400 + 10**300) == (float("inf"), float("inf"))
    assert not known.fits(n * 10**400 <= 10**300)


def test_sides_of_a_comparison_subtract_nothing_but_a_constant() -> None:
    k, n = dimension("k"), dimension("n")
    left, right = sides((128 * k + 128 <= n).term)
    assert (render(left), render(right)) == ("128*k", "n - 128")
    left, right = sides((n >= 1).term)
    assert (render(left), render(right)) == ("1", "n")
