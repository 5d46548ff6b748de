"""Random terms and conditions over a few atoms, each with a Python function that computes it."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from nkiverify.symbolic import all_of, any_of, maximum, minimum, negate, select, terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition

#: The dimensions random terms are over. `Any`: their operators give whatever Python's would.
NAMES = ("x", "y", "z")
DIMENSIONS: dict[str, Any] = {name: terms.dimension(name) for name in NAMES}

Values = Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Twin:
    """A term or condition, and the function that computes it in plain Python; None where it has no value."""

    symbolic: Any
    plain: Callable[[Values], Any]

    def __repr__(self) -> str:
        return f"<{self.symbolic!r}>"


def atom_of(term: Term) -> Atom:
    """The atom that `term` consists of."""
    (atom,) = term.atoms
    return atom


def given_values(values: Values) -> dict[Atom, int]:
    """`values` by atom."""
    return {atom_of(DIMENSIONS[name]): value for name, value in values.items()}


def _lift(function: Callable[..., Any], *parts: Twin) -> Callable[[Values], Any]:
    def compute(values: Values) -> Any:
        computed = [part.plain(values) for part in parts]
        if any(part is None for part in computed):
            return None
        try:
            return function(*computed)
        except ZeroDivisionError:
            return None

    return compute


def _apply(function: Callable[..., Any], *parts: Twin) -> Twin:
    return Twin(function(*(part.symbolic for part in parts)), _lift(function, *parts))


def constant(value: int) -> Twin:
    """A constant term."""
    return Twin(terms.constant(value), lambda values: value)


def dimension(name: str) -> Twin:
    """A dimension."""
    return Twin(DIMENSIONS[name], lambda values: values[name])


def _leaves() -> st.SearchStrategy[Twin]:
    return st.one_of(st.sampled_from(NAMES).map(dimension), st.integers(-9, 9).map(constant))


def _grown(inner: st.SearchStrategy[Twin]) -> st.SearchStrategy[Twin]:
    def divided(pair: tuple[Twin, Twin], modulo: bool) -> Twin:
        left, right = pair
        if right.symbolic.constant == 0:
            right = constant(3)
        return _apply(operator.mod if modulo else operator.floordiv, left, right)

    pairs = st.tuples(inner, inner)
    divisors = st.one_of(st.integers(-6, 6).filter(bool).map(constant), inner)
    quotients = st.tuples(inner, divisors)
    chosen = st.tuples(_comparisons(inner), inner, inner)
    return st.one_of(
        pairs.map(lambda pair: _apply(operator.add, *pair)),
        pairs.map(lambda pair: _apply(operator.sub, *pair)),
        pairs.map(lambda pair: _apply(operator.mul, *pair)),
        quotients.map(lambda pair: divided(pair, modulo=False)),
        quotients.map(lambda pair: divided(pair, modulo=True)),
        pairs.map(lambda pair: Twin(minimum(*(p.symbolic for p in pair)), _lift(min, *pair))),
        pairs.map(lambda pair: Twin(maximum(*(p.symbolic for p in pair)), _lift(max, *pair))),
        inner.map(lambda one: _apply(abs, one)),
        chosen.map(_selected),
    )


def _selected(parts: tuple[Twin, Twin, Twin]) -> Twin:
    test, one, two = parts
    return Twin(select(test.symbolic, one.symbolic, two.symbolic), _lift(lambda c, a, b: a if c else b, test, one, two))


_RELATIONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def _comparisons(inner: st.SearchStrategy[Twin]) -> st.SearchStrategy[Twin]:
    return st.tuples(st.sampled_from(_RELATIONS), inner, inner).map(lambda parts: _apply(parts[0], *parts[1:]))


def _combined(inner: st.SearchStrategy[Twin]) -> st.SearchStrategy[Twin]:
    def junction(parts: list[Twin], conjunction: bool) -> Twin:
        symbolic = (all_of if conjunction else any_of)(*(part.symbolic for part in parts))
        return Twin(symbolic, _lift(lambda *truths: (all if conjunction else any)(truths), *parts))

    several = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        several.map(functools.partial(junction, conjunction=True)),
        several.map(functools.partial(junction, conjunction=False)),
        inner.map(lambda one: Twin(negate(one.symbolic), _lift(operator.not_, one))),
    )


def random_terms(leaves: int = 6) -> st.SearchStrategy[Twin]:
    """Terms of up to about `leaves` leaves."""
    return st.recursive(_leaves(), _grown, max_leaves=leaves)


def random_conditions(leaves: int = 4) -> st.SearchStrategy[Twin]:
    """Conditions over `random_terms`."""
    return st.recursive(_comparisons(random_terms(leaves)), _combined, max_leaves=3)


def random_values(low: int = -12, high: int = 12) -> st.SearchStrategy[dict[str, int]]:
    """A value for every dimension."""
    return st.fixed_dictionaries({name: st.integers(low, high) for name in NAMES})


def as_condition(value: object) -> Condition | bool:
    """`value`, which is a condition or a truth value."""
    assert isinstance(value, Condition | bool)
    return value
