"""Shapes at which a loop over whole tiles may drop the tail of an input, by what the program divides sizes by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm

from nkiverify.foundation.budget import MarksBudget
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.ir.walk import items, terms_in
from nkiverify.model.recorded import Executed
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Term


def tails(program: Program, dimensions: Sequence[DomainDimension]) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """Pairs of shapes, the second one larger: one dimension is no multiple of a constant of the program, then it is.

    The others are multiples of what they are divided by.
    """
    found = divisors_of(program)
    constants = {
        one.atom.name: sorted(found.get(one.atom, ()), reverse=True)[: MarksBudget.CONSTANTS_OF_A_DIMENSION]
        for one in dimensions
        if not one.choices
    }
    usual = {
        one.atom.name: _least(one)
        if one.choices
        else _legal(one, max(constants.get(one.atom.name) or [1]), 1) or _least(one)
        for one in dimensions
    }
    for one in dimensions:
        name = one.atom.name
        for constant in constants.get(name, ()):
            odd = next((value for value in _above(one, constant) if value % constant), None)
            whole = None if odd is None else _legal(one, constant, odd)
            if odd is not None and whole is not None:
                yield {**usual, name: odd}, {**usual, name: whole}


def _least(dimension: DomainDimension) -> int:
    step = dimension.multiple_of
    return 0 if dimension.choices else max(1, -(-dimension.low // step)) * step


def _above(dimension: DomainDimension, value: int) -> Iterator[int]:
    """A few values of a dimension above `value`."""
    high = dimension.greatest
    step = dimension.multiple_of
    first = max(_least(dimension), (value // step + 1) * step)
    yield from range(first, min(first + 4 * step, high + 1), step)


def _legal(dimension: DomainDimension, constant: int, above: int) -> int | None:
    """The least multiple of `constant` among the values of a dimension that is at least `above`."""
    high = dimension.greatest
    step = lcm(dimension.multiple_of, constant)
    value = -(-max(dimension.low, above, 1) // step) * step
    return value if value <= high else None


def divisors_of(program: Program) -> dict[Atom, set[int]]:
    """The numbers that the program divides each dimension by, greater than 1."""
    found: dict[Atom, set[int]] = {}
    seen: set[Atom] = set()
    waiting = [atom for term in _terms(program) for atom in term.atoms]
    while waiting:
        atom = waiting.pop()
        if atom in seen:
            continue
        seen.add(atom)
        divisor = atom.denominator.constant if isinstance(atom, Div) else None
        if isinstance(atom, Div) and divisor is not None and divisor > 1:
            for part in atom.numerator.atoms:
                if isinstance(part, Dimension):
                    found.setdefault(part, set()).add(divisor)
        waiting += [part for term in atom.arguments() for part in term.atoms]
    return found


def _terms(program: Program) -> Iterator[Term]:
    for item in items(program.body):
        yield from terms_in(item, claimed=False)
        if isinstance(item, Executed):
            for view in item.operation.reads.values():
                yield from (part for part in (*view.shape, *view.strides, view.offset) if isinstance(part, Term))
