"""Deciding conditions on small index grids by looking at every element, with NumPy."""

from __future__ import annotations

from typing import Any

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.late import numpy as np
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.facts import Facts


def counterexample(condition: Condition | bool) -> dict[Index, int] | None:
    """An element of the grid, per representative, for which `condition` is false; None if it holds everywhere.

    All other atoms must have been replaced by numbers. Raises `UnsupportedConstruct` for a grid too large to look at.
    """
    if isinstance(condition, bool):
        return None if condition else {}
    if isinstance(condition, Junction) and condition.conjunction:
        for part in condition.parts:
            found = counterexample(part)
            if found is not None:
                return found
        return None
    if Facts().proves(condition):
        return None
    axes = sorted(condition.indices(), key=lambda atom: atom.uid)
    sizes = [_size(axis) for axis in axes]
    if any(size <= 0 for size in sizes):
        return None
    if np.prod(sizes, dtype=float) > ProvingBudget.GRID:
        raise UnsupportedConstruct(f"an index grid of {' x '.join(map(str, sizes))} elements")
    values: dict[Atom, Any] = {}
    for position, (axis, size) in enumerate(zip(axes, sizes, strict=True)):
        shape = [1] * len(axes)
        shape[position] = size
        values[axis] = np.arange(size, dtype=np.int64).reshape(shape)
    truth = np.broadcast_to(_condition(condition, values), sizes)
    if truth.all():
        return None
    first = np.unravel_index(int(np.argmin(truth)), truth.shape) if sizes else ()
    return {axis: int(position) for axis, position in zip(axes, first, strict=True)}


def _size(axis: Index) -> int:
    size = axis.extent.constant
    if size is None:
        raise UnsupportedConstruct(f"a grid axis of the unknown size {axis.extent}")
    return size


def _term(term: Term, values: dict[Atom, Any]) -> Any:
    total: Any = np.int64(0)
    for monomial, coefficient in term.monomials.items():
        product: Any = np.int64(coefficient)
        for atom in monomial:
            product = product * _atom(atom, values)
        total = total + product
    return total


def _atom(atom: Atom, values: dict[Atom, Any]) -> Any:
    if atom not in values:
        if isinstance(atom, Div):
            values[atom] = np.floor_divide(_term(atom.numerator, values), _term(atom.denominator, values))
        elif isinstance(atom, Min):
            parts = [_term(part, values) for part in atom.terms]
            least = parts[0]
            for part in parts[1:]:
                least = np.minimum(least, part)
            values[atom] = least
        elif isinstance(atom, Select):
            chosen = _condition(atom.condition, values)
            values[atom] = np.where(chosen, _term(atom.when_true, values), _term(atom.when_false, values))
        else:
            raise UnsupportedConstruct(f"the unknown value {atom} in a concrete run")
    return values[atom]


def _condition(condition: Condition, values: dict[Atom, Any]) -> Any:
    if isinstance(condition, Comparison):
        value = _term(condition.term, values)
        if condition.relation is Relation.AT_MOST:
            return value <= 0
        return value == 0 if condition.relation is Relation.EQUAL else value != 0
    assert isinstance(condition, Junction)
    parts = [_condition(part, values) for part in condition.parts]
    result = parts[0]
    for part in parts[1:]:
        result = np.logical_and(result, part) if condition.conjunction else np.logical_or(result, part)
    return result
