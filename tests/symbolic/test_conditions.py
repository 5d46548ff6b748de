"""Conditions: negated, joined, tightened and replaced, they keep their meaning."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from nkiverify.symbolic import all_of, any_of, conditions, implies, negate, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from tests.symbolic.random_terms import (
    DIMENSIONS,
    NAMES,
    Twin,
    as_condition,
    atom_of,
    given_values,
    random_conditions,
    random_terms,
    random_values,
)


def holds(condition: object, values: dict[str, int]) -> bool | None:
    """True if `condition` holds; None where it has no value."""
    try:
        return Valuation(given_values(values)).holds(as_condition(condition))
    except Undefined:
        return None


@given(random_conditions(5), random_values())
def test_a_condition_has_the_truth_of_the_python_expression(twin: Twin, values: dict[str, int]) -> None:
    expected = twin.plain(values)
    assume(expected is not None)
    assert holds(twin.symbolic, values) is expected


@given(random_conditions(4), random_values())
def test_exactly_one_of_a_condition_and_its_negation_holds(twin: Twin, values: dict[str, int]) -> None:
    truth = holds(twin.symbolic, values)
    assume(truth is not None)
    opposite = negate(twin.symbolic)
    assert holds(opposite, values) is not truth
    assert negate(opposite) is twin.symbolic


@given(st.lists(random_conditions(3), max_size=4), random_values())
def test_junctions_are_all_and_any(twins: list[Twin], values: dict[str, int]) -> None:
    truths = [holds(twin.symbolic, values) for twin in twins]
    assume(None not in truths)
    parts = [twin.symbolic for twin in twins]
    assert holds(all_of(*parts), values) is all(truths)
    assert holds(any_of(*parts), values) is any(truths)
    if len(twins) > 1:
        assert holds(implies(parts[0], parts[1]), values) is (not truths[0] or truths[1])


@given(random_conditions(4), random_terms(4), st.sampled_from(NAMES), random_values())
def test_substitution_commutes_with_evaluation(
    twin: Twin, replacement: Twin, name: str, values: dict[str, int]
) -> None:
    value = replacement.plain(values)
    assume(value is not None and isinstance(twin.symbolic, Condition))
    expected = holds(twin.symbolic, {**values, name: value})
    assume(expected is not None)
    replaced = twin.symbolic.substitute({atom_of(DIMENSIONS[name]): replacement.symbolic})
    assert holds(replaced, values) is expected


@given(st.integers(-30, 30), st.integers(-30, 30), st.integers(-8, 8), st.integers(-8, 8), random_values(-40, 40))
def test_tightened_bounds_keep_every_integer_point(a: int, b: int, c: int, d: int, values: dict[str, int]) -> None:
    x, y, z = (DIMENSIONS[name] for name in NAMES)
    term = a * x + b * y + c * z + d * a + terms.constant(d)
    value = Valuation(given_values(values)).term(term)
    assert holds(conditions.at_most_zero(term), values) is (value <= 0)
    assert holds(conditions.equals_zero(term), values) is (value == 0)


@given(random_terms(4), random_terms(4))
def test_the_same_comparison_is_the_same_object(one: Twin, two: Twin) -> None:
    a, b = one.symbolic, two.symbolic
    assert (a <= b) is (b >= a)
    assert (a < b) is (a + 1 <= b)
    assert (a == b) is (b == a)
    assert (a != b) is negate(a == b)
    assert (3 * a <= 3 * b) is (a <= b)
    assert all_of(a <= b, b <= a) is all_of(b <= a, a <= b)
    assert all_of(a <= b, a > b) is False
    assert any_of(a <= b, a > b) is True
