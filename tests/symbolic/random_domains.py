"""Random sets of hypotheses with all the points that satisfy them."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from tests.symbolic.random_terms import (
    DIMENSIONS,
    NAMES,
    as_condition,
    atom_of,
    constant,
    random_conditions,
    random_terms,
)


@dataclass(frozen=True, eq=False)
class Domain:
    """Hypotheses, representatives of index grids, and every assignment that satisfies the hypotheses."""

    hypotheses: tuple[Condition | bool, ...]
    indices: tuple[Term, ...]
    points: tuple[Valuation, ...]

    def __repr__(self) -> str:
        return f"<{len(self.points)} points of {self.hypotheses} with {self.indices}>"

    def values(self, term: Term) -> list[int] | None:
        """The values of `term` at all points; None where it has none somewhere."""
        try:
            return [point.term(term) for point in self.points]
        except Undefined:
            return None

    def truths(self, condition: Condition | bool) -> list[bool] | None:
        """The truth of `condition` at all points; None where it has none somewhere."""
        try:
            return [point.holds(condition) for point in self.points]
        except Undefined:
            return None


def _linear(draw: st.DrawFn) -> Any:
    total: Any = terms.constant(draw(st.integers(-4, 4)))
    for name in NAMES:
        total = terms.add(total, DIMENSIONS[name], draw(st.integers(-2, 2)))
    return total


def _hypothesis(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(("equality", "divisible", "product", "inequality", "disjunction", "unequal", "any")))
    x = DIMENSIONS[draw(st.sampled_from(NAMES))]
    y = DIMENSIONS[draw(st.sampled_from(NAMES))]
    if kind == "equality":
        return x == draw(st.integers(-3, 3)) * y + draw(st.integers(-4, 4))
    if kind == "divisible":
        return _linear(draw) % draw(st.integers(2, 4)) == 0
    if kind == "product":
        return x * y <= _linear(draw)
    if kind == "inequality":
        return _linear(draw) <= 0
    if kind == "unequal":
        return _linear(draw) != 0
    if kind == "disjunction":
        return (_linear(draw) <= 0) | (_linear(draw) == 0)
    return draw(random_conditions(3)).symbolic


def _points(hypotheses: tuple[Any, ...], box: dict[Atom, range], indices: tuple[Term, ...]) -> Iterator[Valuation]:
    for choice in itertools.product(*box.values()):
        given = dict(zip(box, choice, strict=True))
        base = Valuation(given)
        try:
            sizes = [range(base.term(_index(index).extent)) for index in indices]
        except Undefined:
            continue
        for positions in itertools.product(*sizes):
            point = Valuation({**given, **dict(zip(map(_index, indices), positions, strict=True))})
            if point.satisfies(list(hypotheses)):
                yield point


def _index(term: Term) -> Index:
    atom = atom_of(term)
    assert isinstance(atom, Index)
    return atom


@st.composite
def domains(draw: st.DrawFn, with_indices: bool = True) -> Domain:
    """Hypotheses that leave each dimension a few values, and up to two representatives."""
    hypotheses: list[Condition | bool] = []
    box: dict[Atom, range] = {}
    for name in NAMES:
        low, width = draw(st.integers(-4, 4)), draw(st.integers(0, 4))
        term = DIMENSIONS[name]
        box[atom_of(term)] = range(low, low + width + 1)
        hypotheses += [as_condition(low <= term), as_condition(term <= low + width)]
    hypotheses += [as_condition(_hypothesis(draw)) for _ in range(draw(st.integers(0, 3)))]
    indices: tuple[Term, ...] = ()
    if with_indices:
        extents = [draw(random_terms(2)).symbolic for _ in range(draw(st.integers(0, 1)))]
        indices = tuple(
            terms.index(f"i{number}", extent, ("test", number), representative=True)
            for number, extent in enumerate(extents)
        )
    order = draw(st.permutations(hypotheses))
    return Domain(tuple(order), indices, tuple(_points(tuple(order), box, indices)))


@st.composite
def goals(draw: st.DrawFn, domain: Domain) -> Condition | bool:
    """Claims about a domain: near the edge of what holds, or anything."""
    if draw(st.booleans()):
        return as_condition(draw(random_conditions(4)).symbolic)
    twin = draw(random_terms(5))
    term = twin.symbolic
    for index in domain.indices:
        term = term + index * draw(st.sampled_from((constant(1), constant(-1), constant(3), twin))).symbolic
    values = domain.values(term)
    if not values:
        return as_condition(term <= draw(st.integers(-9, 9)))
    edge, relation = draw(
        st.sampled_from(
            (
                (max(values), operator.le),
                (min(values), operator.ge),
                (max(values), operator.eq),
                (max(values) + 1, operator.ne),
            )
        )
    )
    return as_condition(relation(term, edge + draw(st.integers(-2, 2))))
