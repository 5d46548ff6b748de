"""The cheap prover proves nothing that is false, whatever the hypotheses, and Z3 says the same."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import Allowance
from nkiverify.symbolic import conditions, negate, terms
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.smt import Answer, Question
from tests.symbolic.random_domains import domains, goals
from tests.symbolic.random_terms import (
    DIMENSIONS,
    NAMES,
    Twin,
    as_condition,
    given_values,
    random_terms,
    random_values,
)

#: Milliseconds Z3 may take for a question of these tests.
QUESTION_MS = 2000


@pytest.mark.every_case
@given(st.data())
def test_what_is_proved_holds_at_every_point(data: st.DataObject) -> None:
    domain = data.draw(domains())
    facts = Facts().extended(*domain.hypotheses)
    if facts.contradictory:
        assert not domain.points
    assume(domain.points)
    for _ in range(4):
        goal = data.draw(goals(domain))
        truths = domain.truths(goal)
        if truths is not None and facts.proves(goal):
            assert all(truths), goal


@given(st.data())
@settings(max_examples=30)
def test_what_is_added_one_by_one_proves_nothing_false(data: st.DataObject) -> None:
    """An equality that comes after other facts rewrites those that are about its atom: in any order."""
    domain = data.draw(domains())
    facts = Facts()
    for one in data.draw(st.permutations(list(domain.hypotheses))):
        facts = facts.extended(one)
    if facts.contradictory:
        assert not domain.points
    assume(domain.points)
    for _ in range(4):
        goal = data.draw(goals(domain))
        truths = domain.truths(goal)
        if truths is not None and facts.proves(goal):
            assert all(truths), goal


@pytest.mark.parametrize("bounded_by", ["above", "below"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_condition_of_a_value_that_bounds_what_it_is_about_ends(bounded_by: str, whole: bool) -> None:
    y, x, seven = terms.dimension("y"), terms.dimension("x"), terms.constant(7)
    unequal = negate(conditions.equals_zero(terms.add(y, seven, -1)))
    either = conditions.disjunction((unequal, conditions.at_most_zero(x)))
    condition = unequal if whole else either
    assert isinstance(condition, Condition)
    value = terms.select(condition, x, terms.constant(3))
    difference = terms.add(y, value, -1 if bounded_by == "above" else 1)
    facts = Facts().extended(conditions.at_most_zero(difference), condition)
    assert facts.proves(condition)
    assert not facts.contradictory


def test_a_quotient_by_something_that_has_no_value_is_no_error() -> None:
    x, y = DIMENSIONS["x"], DIMENSIONS["y"]
    assert Facts().extended(*map(as_condition, (x <= 0, x >= 1, 8 // x <= y))).contradictory


@settings(max_examples=max(1, settings().max_examples // 2))
@given(st.data())
def test_hypotheses_added_one_by_one_are_the_same_hypotheses(data: st.DataObject) -> None:
    domain = data.draw(domains())
    facts = Facts()
    for hypothesis in domain.hypotheses:
        facts = facts.extended(hypothesis)
    if facts.contradictory:
        assert not domain.points
    assume(domain.points)
    goal = data.draw(goals(domain))
    truths = domain.truths(goal)
    if truths is not None and facts.proves(goal):
        assert all(truths), goal


@given(st.data())
def test_the_one_value_of_a_term_is_its_value_at_every_point(data: st.DataObject) -> None:
    domain = data.draw(domains())
    facts = Facts().extended(*domain.hypotheses)
    assume(domain.points)
    term = data.draw(random_terms(4)).symbolic
    values = domain.values(term)
    found = facts.value_of(term)
    if values is not None and found is not None:
        assert set(values) == {found}


@given(st.data())
def test_z3_decides_as_looking_at_every_point_does(data: st.DataObject) -> None:
    domain = data.draw(domains(with_indices=False))
    goal = data.draw(goals(domain))
    truths = domain.truths(goal)
    assume(truths is not None)
    assert truths is not None
    question = Question(domain.hypotheses, QUESTION_MS)
    answer = question.satisfiable(negate(goal))
    if answer is Answer.NO:
        assert all(truths)
    if answer is Answer.YES:
        found = Valuation({**given_values(dict.fromkeys(NAMES, 0)), **question.model})
        assert found.satisfies([*domain.hypotheses, negate(goal)])
        assert not all(truths)


def _claim(draw: st.DrawFn) -> Any:
    """A comparison of terms as kernels make them: linear parts, products of extents and tile counts."""
    x, y, z = (DIMENSIONS[name] for name in draw(st.permutations(NAMES)))
    tile = draw(st.sampled_from((2, 3, 4, 128)))
    pieces: tuple[Any, ...] = (
        x,
        y,
        x * y,
        y * z,
        x * x,
        x // tile,
        tile * (x // tile),
        x % tile,
        -(-x // tile),
        tile * -(-x // tile),
        x // y,
        y * (x // y),
        x % y,
        (x * y) // tile,
        x * (y // tile),
        terms.minimum([x, y]),
        terms.maximum([x, terms.constant(tile)]),
        terms.constant(tile),
    )
    left: Any = terms.constant(draw(st.integers(-2, 2)))
    for _ in range(draw(st.integers(1, 4))):
        piece = pieces[draw(st.integers(0, len(pieces) - 1))]
        left = terms.add(left, piece, draw(st.sampled_from((-2, -1, -1, 1, 1, 2))))
    relation = draw(st.sampled_from((operator.le, operator.le, operator.ge, operator.eq, operator.ne)))
    return relation(left, 0)


@st.composite
def _claims(draw: st.DrawFn) -> object:
    return _claim(draw)


@settings(max_examples=max(1, settings().max_examples // 2))
@given(st.data())
def test_claims_over_unbounded_dimensions_are_not_refuted_once_proved(data: st.DataObject) -> None:
    hypotheses = [as_condition(DIMENSIONS[name] >= data.draw(st.integers(-1, 2))) for name in NAMES]
    hypotheses += [as_condition(data.draw(_claims())) for _ in range(data.draw(st.integers(0, 3)))]
    facts = Facts().extended(*hypotheses)
    samples = [Valuation(given_values(data.draw(random_values(-2, 300)))) for _ in range(8)]
    inside = [sample for sample in samples if sample.satisfies(hypotheses)]
    if facts.contradictory:
        assert not inside
    for _ in range(4):
        goal = as_condition(data.draw(_claims()))
        if not facts.proves(goal):
            continue
        assert all(sample.satisfies([goal]) for sample in inside), goal
        question = Question(hypotheses, 200)
        if question.satisfiable(negate(goal)) is Answer.YES:
            # No value is assumed where a term divides by zero, neither here nor there.
            assert not Valuation(question.model).satisfies([*hypotheses, negate(goal)]), (goal, question.model)


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        (lambda x, y, z: [x >= 1, x % 128 == 0], lambda x, y, z: x >= 128),
        (lambda x, y, z: [y >= 0, y < x // 128], lambda x, y, z: 128 * y + 128 <= x),
        (lambda x, y, z: [y >= 0, y < -(-x // 128)], lambda x, y, z: 128 * y < x),
        (lambda x, y, z: [x >= 0, x < y, z >= 0, z < 5], lambda x, y, z: 5 * x + z < 5 * y),
        (lambda x, y, z: [x >= 0, x < y, z >= 1], lambda x, y, z: x * z + z <= y * z),
        (lambda x, y, z: [x >= 0, y >= 1], lambda x, y, z: (x // y) * y <= x),
        (lambda x, y, z: [x >= 0, y >= 1], lambda x, y, z: x % y < y),
        (lambda x, y, z: [x == 2 * y, y == 3 * z, z >= 1], lambda x, y, z: x >= 6),
        (lambda x, y, z: [terms.minimum([x, y]) >= z], lambda x, y, z: x >= z),
        (lambda x, y, z: [x >= 0, x <= y, x <= z, y * z <= 2147483647], lambda x, y, z: x * x <= 2147483647),
        (lambda x, y, z: [x >= 0, x <= y], lambda x, y, z: x * x * x <= x * x * y),
        (lambda x, y, z: [y >= 0, x >= y], lambda x, y, z: x * x >= y * y),
        (lambda x, y, z: [x >= 1, y >= 1, x <= y], lambda x, y, z: x * x <= y * x * y),
    ],
)
def test_what_the_corpus_needs_is_proved(hypotheses: Any, goal: Any) -> None:
    x, y, z = (DIMENSIONS[name] for name in NAMES)
    facts = Facts().extended(*hypotheses(x, y, z))
    assert facts.proves(goal(x, y, z))


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        (lambda x, y, z: [x >= 1, x % 128 == 0], lambda x, y, z: x >= 129),
        (lambda x, y, z: [y >= 0, y < -(-x // 128)], lambda x, y, z: 128 * y + 128 <= x),
        (lambda x, y, z: [x >= 0, x < y, z >= 0, z <= 5], lambda x, y, z: 5 * x + z < 5 * y),
        (lambda x, y, z: [x >= 0, x < y], lambda x, y, z: x * z + z <= y * z),
        (lambda x, y, z: [x >= 0], lambda x, y, z: (x // y) * y <= x),
        (lambda x, y, z: [x >= 0, y >= 1], lambda x, y, z: x % y < y - 1),
        (lambda x, y, z: [x <= y, x <= z, y * z <= 2147483647], lambda x, y, z: x * x <= 2147483647),
        (lambda x, y, z: [x >= 0, x <= y, x <= z, y * z <= 2147483647], lambda x, y, z: x * x <= 2147483646),
        (lambda x, y, z: [x <= y], lambda x, y, z: x * x <= x * y),
        (lambda x, y, z: [x >= y], lambda x, y, z: x * x >= y * y),
        (lambda x, y, z: [x <= y], lambda x, y, z: x * x * x <= x * x * y - 1),
        (lambda x, y, z: [y >= 0, x >= y], lambda x, y, z: x * x >= y * y + 1),
    ],
)
def test_what_is_false_somewhere_is_not_proved(hypotheses: Any, goal: Any) -> None:
    x, y, z = (DIMENSIONS[name] for name in NAMES)
    facts = Facts().extended(*hypotheses(x, y, z))
    assert not facts.proves(goal(x, y, z))


@given(random_terms(5), random_values())
def test_facts_without_hypotheses_prove_tautologies_only(twin: Twin, values: dict[str, int]) -> None:
    expected = twin.plain(values)
    assume(expected is not None)
    facts = Facts()
    for goal in (twin.symbolic <= expected - 1, twin.symbolic >= expected + 1, twin.symbolic != expected):
        assert not facts.proves(as_condition(goal))


def test_an_equality_does_not_replace_a_number_within_itself_for_ever() -> None:
    """Rows that their number of blocks divides: rows == -(rows//128)*(-rows//(rows//128))."""
    rows = terms.dimension("rows")
    blocks = terms.divide(rows, terms.constant(128))
    whole = terms.multiply(blocks, terms.divide(terms.scale(rows, -1), blocks))
    facts = Facts().extended(
        conditions.at_most_zero(terms.add(terms.constant(1), blocks, -1)),
        conditions.equals_zero(terms.add(rows, whole)),
    )
    assert not facts.contradictory
    assert facts.proves(conditions.at_most_zero(terms.add(terms.constant(128), rows, -1)))


def test_proofs_within_proofs_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    # Room for three tensors in the quadrants of the partitions, two of them as large as the larger of two others.
    rows = [terms.dimension("x0"), terms.dimension("b0")]
    columns = [terms.dimension("x1"), terms.dimension("b1")]
    given = [conditions.at_most_zero(terms.add(terms.constant(1), one, -1)) for one in (*rows, *columns)]
    for kind in (rows, columns):
        kind.append(terms.scale(terms.minimum(terms.scale(one, -1) for one in kind), -1))

    def more_than(limit: int, *added: Term) -> Condition | bool:
        return conditions.at_most_zero(
            functools.reduce(lambda one, two: terms.add(one, two, -1), added, terms.constant(limit + 1))
        )

    first, second, third = columns
    splits = [((first,), (second, third)), ((first, second), (third,)), ((first, third), (second,))]
    full = [conditions.disjunction(more_than(1000, *part) for part in split) for split in splits]
    quadrants = list(itertools.product((0, 32, 64, 96), repeat=2))
    failure = conditions.disjunction(
        conditions.conjunction([more_than(one, rows[0]), more_than(two, rows[2]), *full]) for one, two in quadrants
    )

    looked = 0
    at_least_zero = Facts._at_least_zero

    def counted(self: Facts, *arguments: Any) -> bool:
        nonlocal looked
        looked += 1
        return at_least_zero(self, *arguments)

    monkeypatch.setattr(Facts, "_at_least_zero", counted)
    facts = Facts().extended(*given, failure)
    assert not facts.contradictory
    assert facts.proves(failure)
    assert looked < 10_000


def test_what_cases_add_is_paid_by_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each case of the goal is searched under the negations of the others, which are disjunctions of products.
    ones = [terms.dimension(name) for name in "abcdef"]
    facts = Facts().extended(*(conditions.at_most_zero(terms.add(terms.constant(1), one, -1)) for one in ones))

    def products(first: int, second: int) -> Condition | bool:
        def product(start: int) -> Term:
            return functools.reduce(terms.multiply, (ones[(start + at) % 6] for at in range(3)))

        return conditions.at_most_zero(terms.add(product(first), product(second), -1))

    goal = conditions.disjunction(
        conditions.conjunction([products(at, at + 1), products(at + 2, at)]) for at in range(4)
    )
    assert isinstance(goal, Condition)
    looked = 0
    at_least_zero = Facts._at_least_zero

    def counted(self: Facts, *arguments: Any) -> bool:
        nonlocal looked
        looked += 1
        return at_least_zero(self, *arguments)

    monkeypatch.setattr(Facts, "_at_least_zero", counted)
    allowed = Allowance(0.5)
    assert facts.proves_soon(goal) is None
    assert looked < 20 * ProvingBudget.FIRST_STEPS
    # What the simplifier does counts in what a search is allowed.
    assert allowed.used_up


def test_an_equality_rewrites_the_facts_that_are_about_its_atom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts that are about others stay as they are, with what they say of the bounds of atoms."""
    rows, columns, tiles, other = (terms.dimension(name) for name in ("rows", "columns", "tiles", "other"))
    halves = terms.divide(other, terms.constant(2))
    facts = Facts().extended(
        *(conditions.at_most_zero(terms.add(terms.constant(1), one, -1)) for one in (rows, columns, tiles, other)),
        conditions.at_most_zero(terms.add(rows, columns, -1)),
        conditions.at_most_zero(terms.add(halves, columns, -1)),
        conditions.disjunction(
            [conditions.at_most_zero(terms.add(other, terms.constant(-9))), conditions.equals_zero(halves)]
        ),
    )
    added: list[Condition | bool] = []
    add = Facts._add

    def counted(self: Facts, condition: Condition | bool) -> None:
        added.append(condition)
        add(self, condition)

    monkeypatch.setattr(Facts, "_add", counted)
    whole = facts.extended(conditions.equals_zero(terms.add(rows, tiles, -128)))
    # The equality, what was known of the rows (a lower and an upper end), and what it says of the tiles.
    assert all(isinstance(one, Condition) and not one.atoms() & other.atoms for one in added)
    assert whole.proves(conditions.at_most_zero(terms.add(terms.scale(tiles, 128), columns, -1)))
    assert whole.proves(conditions.at_most_zero(terms.add(terms.constant(128), columns, -1)))
    assert whole.proves(conditions.at_most_zero(terms.add(halves, columns, -1)))
    assert not whole.proves(conditions.at_most_zero(terms.add(terms.scale(tiles, 129), columns, -1)))
    # The rows are no atom of any fact any more.
    assert not any(rows.atoms & term.atoms for term in whole.at_most_zero)
    assert not any(
        rows.atoms & part.atoms
        for known in (whole.upper, whole.lower)
        for bounds in known.values()
        for bound in bounds
        for part in bound
    )


@pytest.mark.parametrize(("beyond", "proved"), [(0, True), (1, False)], ids=["last tile", "one more"])
def test_a_tile_has_an_element_just_where_it_begins_within(beyond: int, proved: bool) -> None:
    """Tiles of a tile, `min(t, H - t*i)` with `t = min(H, 1024)`: seen in a few steps, and for the tiles there are."""
    size, one = terms.dimension("H"), terms.constant(1)
    tile = terms.minimum([size, terms.constant(1024)])
    last = terms.divide(terms.add(size, one, -1), tile)
    number = terms.index("i", terms.add(last, one), "i")
    extent = terms.minimum([tile, terms.add(size, terms.multiply(tile, number), -1)])
    inner = terms.divide(terms.add(extent, terms.constant(511)), terms.constant(512))
    facts = Facts().extended(
        conditions.at_most_zero(terms.add(one, size, -1)),
        conditions.at_most_zero(terms.scale(number, -1)),
        conditions.at_most_zero(terms.add(terms.add(number, last, -1), terms.constant(-beyond))),
    )
    for least in (extent, inner):
        goal = conditions.at_most_zero(terms.add(one, least, -1))
        assert isinstance(goal, Condition)
        assert facts.proves_soon(goal) is (True if proved else None)


def _at_most(term: Term, other: Term | int, more: int = 0) -> Condition:
    other = other if isinstance(other, Term) else terms.constant(other)
    condition = conditions.at_most_zero(terms.add(terms.add(term, other, -1), terms.constant(-more)))
    assert isinstance(condition, Condition)
    return condition


def test_a_minimum_below_all_its_parts_but_one_is_that_one() -> None:
    size, number = terms.dimension("size"), terms.dimension("number")
    # What is left of the rows after 128 of them is no full tile: after 256 nothing is.
    left = terms.add(size, terms.scale(number, 512), -1)
    first, second = (
        terms.minimum([terms.constant(128), terms.add(left, terms.constant(-after))]) for after in (128, 256)
    )
    facts = Facts().extended(_at_most(first, 127))
    assert facts.proves_soon(_at_most(second, -1))
    assert not facts.proves(_at_most(second, -2))
    # Not below all: it may be either.
    facts = Facts().extended(_at_most(first, 128))
    assert not facts.proves(_at_most(second, 127))


def test_a_minimum_below_one_of_its_parts_is_another_one() -> None:
    size = terms.dimension("rows behind a tile")
    tile = terms.minimum([terms.constant(128), size])
    full = _at_most(terms.constant(128), tile)
    assert Facts().extended(_at_most(tile, size, -1)).proves_soon(full)
    assert Facts().extended(_at_most(tile, size, -1)).proves_soon(_at_most(terms.constant(129), size))
    assert not Facts().extended(_at_most(tile, size)).proves(full)
    third = terms.minimum([terms.constant(128), size, terms.dimension("a third part")])
    assert not Facts().extended(_at_most(third, size, -1)).proves(_at_most(terms.constant(128), third))


def test_a_quotient_by_a_number_is_rounded_where_it_is_compared() -> None:
    """Tiles of 128 up to the end of a chunk of 512 are more than those of the chunks before it."""
    size, chunk = terms.dimension("size"), terms.index("chunk", terms.dimension("n"), "chunk")
    chunks = terms.divide(terms.add(size, terms.constant(511)), terms.constant(512))
    end = terms.minimum([size, terms.add(terms.scale(chunk, 512), terms.constant(512))])
    tiles = terms.divide(terms.add(end, terms.constant(127)), terms.constant(128))
    domain = [_at_most(terms.constant(1), size), _at_most(terms.constant(0), chunk)]
    before = terms.scale(chunk, 4)
    facts = Facts().extended(*domain, _at_most(terms.add(chunk, terms.constant(1)), chunks))
    assert facts.proves_soon(_at_most(terms.add(before, terms.constant(1)), tiles))
    assert not facts.proves(_at_most(terms.add(before, terms.constant(2)), tiles))
    # One chunk more than there are.
    facts = Facts().extended(*domain, _at_most(chunk, chunks))
    assert not facts.proves(_at_most(terms.add(before, terms.constant(1)), tiles))


def test_a_disjunction_bounds_what_all_its_parts_bound() -> None:
    width, other = terms.dimension("width"), terms.dimension("other")
    even = conditions.equals_zero(terms.add(width, terms.divide(width, terms.constant(2)), -2))
    assert isinstance(even, Condition)
    wide = conditions.conjunction([_at_most(width, 256), even])
    facts = Facts().extended(_at_most(terms.constant(1), width), conditions.disjunction([_at_most(width, 128), wide]))
    assert facts.range_of(width) == (1, 256)
    # A part that says nothing of it.
    facts = Facts().extended(_at_most(terms.constant(1), width), conditions.disjunction([_at_most(other, 1), wide]))
    assert facts.range_of(width) == (1, float("inf"))
