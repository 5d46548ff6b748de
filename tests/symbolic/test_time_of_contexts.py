"""Contexts of an exploration whose time is over: what a solver would be asked is not known."""

from __future__ import annotations

import pytest

from nkiverify.symbolic import conditions, smt, terms
from nkiverify.symbolic.path_conditions import Context


@pytest.mark.parametrize(("seconds", "proved"), [(1.0, True), (0.0, False)])
def test_a_context_asks_no_solver_once_its_time_is_over(seconds: float, proved: bool) -> None:
    x, y = terms.dimension("x of a context"), terms.dimension("y of a context")
    square = terms.add(terms.add(terms.multiply(x, x), terms.multiply(y, y)), terms.multiply(x, y), -1)
    smt._answered.clear()
    context = Context(left=lambda: seconds).with_condition(conditions.at_most_zero(terms.scale(y, -1)))
    assert context.proves(conditions.at_most_zero(terms.scale(square, -1))) is proved
