"""All values of a few atoms with few values: a question about them is answered by trying them all, not by a solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import STEPS_PER_MS, count_steps
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.facts import Facts

_STEPS_PER_LOOK = STEPS_PER_MS // 100


class TooMany(Exception):
    """There are too many values to try, or some of them give a term no value."""


def satisfying(
    facts: Facts, stated: Iterable[Condition | bool], *about: Term, looks: int = ProvingBudget.CONDITIONS
) -> Iterator[Valuation]:
    """Every valuation of the atoms in `stated` and in `about` for which all of `stated` holds.

    At most this many `looks` are taken at conditions. `facts` follow from `stated`: they say between which values atoms
    are. Raises `TooMany`, perhaps after some.
    """
    rest = [one for one in stated if one is not True]
    if any(one is False for one in rest):
        return
    conditions = [one for one in rest if isinstance(one, Condition)]
    mentioned = [condition.atoms() for condition in conditions]
    atoms: set[Atom] = set().union(*mentioned, *(terms.all_atoms(term) for term in about))
    free = [atom for atom in atoms if not isinstance(atom, Div | Min | Select)]
    ranges: dict[Atom, range] = {}
    for atom in free:
        if not isinstance(atom, Dimension | Index) or (isinstance(atom, Index) and atom.representative):
            raise TooMany
        low, high = facts.range_of(terms.of_atom(atom))
        if not high - low < looks:
            raise TooMany
        ranges[atom] = range(int(low), int(high) + 1)
    order = sorted(free, key=lambda atom: (len(ranges[atom]), atom.uid))
    position = {atom: number for number, atom in enumerate(order)}
    # A condition is examined as soon as all that it is about has a value.
    ready: list[list[Condition]] = [[] for _ in range(len(order) + 1)]
    for condition, found in zip(conditions, mentioned, strict=True):
        ready[max((position[atom] + 1 for atom in found if atom in position), default=0)].append(condition)
    sizes = [len(ranges[atom]) for atom in order]
    all_looks = sum(prod(sizes[:number]) * (len(some) + 1) for number, some in enumerate(ready))
    if max(sizes, default=0) > ProvingBudget.VALUES_OF_AN_ATOM and all_looks > looks:
        raise TooMany
    left = [looks]
    try:
        yield from _assigned(order, ranges, ready, {}, left)
    finally:
        count_steps((looks - left[0]) * _STEPS_PER_LOOK)


def _assigned(
    order: Sequence[Atom],
    ranges: dict[Atom, range],
    ready: Sequence[Sequence[Condition]],
    given: dict[Atom, int],
    left: list[int],
) -> Iterator[Valuation]:
    values = Valuation(given)
    left[0] -= len(ready[len(given)]) + 1
    if left[0] < 0:
        raise TooMany
    try:
        if not all(values.holds(condition) for condition in ready[len(given)]):
            return
    except Undefined:
        raise TooMany from None
    if len(given) == len(order):
        yield values
        return
    atom = order[len(given)]
    for value in ranges[atom]:
        yield from _assigned(order, ranges, ready, {**given, atom: value}, left)


def factors(stated: Iterable[Condition], facts: Facts, most: int) -> Iterator[tuple[Atom, range]]:
    """The factors of products, and the divisors, in what is stated of which the facts leave two values to `most`."""
    found: dict[Atom, None] = {}
    for condition in stated:
        replaced = condition.substitute(facts.replacements)
        if isinstance(replaced, Condition):
            for term in replaced.terms():
                _collect_factors(term, found)
    for atom in sorted(found, key=lambda atom: atom.uid):
        low, high = facts.range_of(terms.of_atom(atom))
        if 1 <= high - low < most:
            yield atom, range(int(low), int(high) + 1)


def _collect_factors(term: Term, found: dict[Atom, None]) -> None:
    for monomial in term.monomials:
        if len(monomial) > 1:
            found.update(dict.fromkeys(monomial))
    for atom in term.atoms:
        if isinstance(atom, Div):
            found.update(dict.fromkeys(terms.all_atoms(atom.denominator)))
        for inner in atom.arguments():
            _collect_factors(inner, found)
