"""Terms and conditions for all elements of an index grid, or all iterations of loops, at once, with NumPy.

Numbers are exact: where one could leave 64 bits, Python's integers take over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.late import numpy as np
from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.facts import Facts
from nkiverify.symbolic.terms import constant, select, substitute

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers: TypeAlias = npt.NDArray[np.int64]

#: Numbers below this are added and multiplied in 64 bits.
_SAFE = 2**62


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
    try:
        truth = np.broadcast_to(_condition(condition, values), sizes)
    except Undefined:
        raise UnsupportedConstruct("a division by zero on an index grid") from None
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
            denominator = _term(atom.denominator, values)
            if np.any(denominator == 0):
                raise Undefined
            values[atom] = np.floor_divide(_term(atom.numerator, values), denominator)
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


class LoopPoints:
    """The iterations of loops within one another: for each index, the numbers that it has in them."""

    __slots__ = ("_given", "_indices", "length")

    def __init__(
        self, given: Mapping[Atom, int], indices: Mapping[Atom, Numbers] | None = None, length: int = 1
    ) -> None:
        #: The numbers of dimensions.
        self._given = given
        self._indices = indices or {}
        self.length = length

    def of_loop(self, index: Index, extent: Term, most: int) -> LoopPoints | None:
        """In each of these, those of a loop; None where they are more than `most`. Raises `Undefined`."""
        counts = np.maximum(self._numbers(extent), 0)
        length = sum(counts.tolist())
        if length > most:
            return None
        counts = counts.astype(np.int64)
        indices = {atom: np.repeat(numbers, counts) for atom, numbers in self._indices.items()}
        indices[index] = np.arange(length) - np.repeat(np.cumsum(counts) - counts, counts)
        return LoopPoints(self._given, indices, length)

    def where(self, condition: Condition | bool) -> LoopPoints:
        """Those in which `condition` holds. Raises `Undefined`."""
        if isinstance(condition, bool):
            return self if condition else LoopPoints(self._given, {}, 0)
        holds = self._numbers(select(condition, constant(1), constant(0))) == 1
        indices = {atom: numbers[holds] for atom, numbers in self._indices.items()}
        return LoopPoints(self._given, indices, int(np.count_nonzero(holds)))

    def total(self, term: Term) -> int:
        """The sum of `term` over them. Raises `Undefined`."""
        return sum(self._numbers(term).tolist())

    def _numbers(self, term: Term) -> Numbers:
        known = substitute(term, {atom: constant(number) for atom, number in self._given.items()})
        greatest = {atom: int(numbers.max(initial=1)) for atom, numbers in self._indices.items()}
        if _greatest(known, greatest) < _SAFE:
            return np.broadcast_to(_term(known, dict(self._indices)), self.length)
        rows = ({atom: int(numbers[at]) for atom, numbers in self._indices.items()} for at in range(self.length))
        return np.array([Valuation(row).term(known) for row in rows], object)


def _greatest(term: Term, greatest: dict[Atom, int]) -> int:
    """A bound of the absolute values of a term, and of all that is computed for it; `greatest` are those of atoms, 1 at
    least, which gains those of others. Raises `Undefined` for an atom that has no value."""
    total = 0
    for monomial, coefficient in term.monomials.items():
        product = abs(coefficient)
        for atom in monomial:
            if atom not in greatest:
                greatest[atom] = max(1, _greatest_of_atom(atom, greatest))
            product *= greatest[atom]
        total += product
    return total


def _greatest_of_atom(atom: Atom, greatest: dict[Atom, int]) -> int:
    if isinstance(atom, Div):
        # A quotient is rounded down: of -1 it is -1.
        return max(_greatest(part, greatest) for part in (atom.numerator, atom.denominator))
    if isinstance(atom, Min):
        return max(_greatest(part, greatest) for part in atom.terms)
    if isinstance(atom, Select):
        return max(_greatest(part, greatest) for part in (atom.when_true, atom.when_false, *atom.condition.terms()))
    raise Undefined
