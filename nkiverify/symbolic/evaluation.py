"""The value of terms and conditions where every dimension and index has one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from nkiverify.symbolic.atoms import Atom, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation


class Undefined(Exception):
    """A term has no value: an atom is not given one, or it divides by zero."""


class Valuation:
    """Integers for atoms; quotients, minima and conditional values follow from those of their parts."""

    def __init__(self, given: Mapping[Atom, int]) -> None:
        #: The values that others follow from.
        self.given = {atom: value for atom, value in given.items() if not isinstance(atom, Div | Min | Select)}
        self._values: dict[Atom, int] = dict(self.given)

    def with_values(self, changes: Mapping[Atom, int]) -> Valuation:
        """These values, with others or new ones for some dimensions and indices."""
        made = Valuation.__new__(Valuation)
        made.given = {**self.given, **changes}
        made._values = dict(made.given)
        return made

    def extended_for(self, conditions: Iterable[Condition | bool]) -> Valuation | None:
        """These values and 0 for the indices of `conditions` that have none, if `conditions` then hold."""
        conditions = list(conditions)
        indices = _indices_of(conditions)
        added: dict[Atom, int] = {atom: 0 for atom in indices if atom not in self.given}
        extended = self.with_values(added) if added else self
        return extended if extended.satisfies(conditions) and _are_elements(extended, indices) else None

    def term(self, term: Term) -> int:
        """The value of `term`. Raises `Undefined`."""
        values = self._values
        total = 0
        for monomial, product in term.monomials.items():
            for atom in monomial:
                value = values.get(atom)
                product *= self._atom(atom) if value is None else value
            total += product
        return total

    def _atom(self, atom: Atom) -> int:
        """The value of an atom that is not known yet."""
        if isinstance(atom, Div):
            bottom = self.term(atom.denominator)
            if bottom == 0:
                raise Undefined
            value = self.term(atom.numerator) // bottom
        elif isinstance(atom, Min):
            value = min(self.term(part) for part in atom.terms)
        elif isinstance(atom, Select):
            value = self.term(atom.when_true if self.holds(atom.condition) else atom.when_false)
        else:
            raise Undefined
        self._values[atom] = value
        return value

    def holds(self, condition: Condition | bool) -> bool:
        """True if `condition` holds. Raises `Undefined`."""
        # Most conditions are comparisons. Asking whether something is a bool is slow where it is none, but says so.
        if isinstance(condition, Comparison):
            value = self.term(condition.term)
            relation = condition.relation
            if relation is Relation.AT_MOST:
                return value <= 0
            return value == 0 if relation is Relation.EQUAL else value != 0
        if condition is True or condition is False:
            return condition
        assert isinstance(condition, Junction)
        parts = (self.holds(part) for part in condition.parts)
        return all(parts) if condition.conjunction else any(parts)

    def satisfies(self, conditions: Iterable[Condition | bool]) -> bool:
        """True if all `conditions` hold; False where one has no value."""
        try:
            for condition in conditions:
                if not self.holds(condition):
                    return False
        except Undefined:
            return False
        return True


class Hypotheses(tuple[Condition | bool, ...]):
    """Conditions that hold together, and those of them that are about each index."""

    @cached_property
    def about(self) -> dict[Index, list[Condition]]:
        """By index, the conditions that mention it, in their order."""
        found: dict[Index, list[Condition]] = {}
        for condition in self:
            if isinstance(condition, Condition):
                for atom in condition.indices():
                    found.setdefault(atom, []).append(condition)
        return found


def variants(base: Valuation, hypotheses: Hypotheses, *mentioned: Condition) -> Iterator[Valuation]:
    """Valuations near `base` that satisfy `hypotheses`: indices it leaves open are first iterations, then second ones.

    Most of what satisfies the hypotheses around a loop does so inside, in its first iterations: looking there first
    saves asking a solver. A valuation is made when it is asked for.
    """
    indices = sorted({*hypotheses.about, *_indices_of(mentioned)}, key=_uid)
    open_indices = [atom for atom in indices if atom not in base.given]
    grids = [atom for atom in indices if atom.representative]
    first = base.with_values(dict.fromkeys(open_indices, 0)) if open_indices else base
    holds = first.satisfies(hypotheses)
    if holds and _are_elements(first, grids):
        yield first
    if open_indices:
        second = base.with_values(dict.fromkeys(open_indices, 1))
        if second.satisfies(hypotheses) and _are_elements(second, grids):
            yield second
    for atom in indices:
        # Where the rest holds already, only what the index occurs in needs to be examined again.
        changed = hypotheses.about.get(atom, ()) if holds else hypotheses
        given = base.given.get(atom, 0)
        for value in (0, given + 1):
            if value != given:
                moved = first.with_values({atom: value})
                if moved.satisfies(changed) and _are_elements(moved, grids):
                    yield moved


def in_range(values: Valuation, stated: Iterable[Condition | bool]) -> bool:
    """True if each element of a grid that `stated` is about is one: no hypothesis says so of a representative."""
    return _are_elements(values, _indices_of(stated))


def _are_elements(values: Valuation, indices: Iterable[Index]) -> bool:
    """True if those of `indices` that stand for the elements of a grid each have the number of one."""
    grids = [atom for atom in indices if atom.representative]
    try:
        return all(0 <= values.given.get(atom, -1) < values.term(atom.extent) for atom in grids)
    except Undefined:
        return False


def _uid(atom: Atom) -> int:
    return atom.uid


def _indices_of(conditions: Iterable[Condition | bool]) -> set[Index]:
    found: set[Index] = set()
    for condition in conditions:
        if isinstance(condition, Condition):
            found |= condition.indices()
    return found
