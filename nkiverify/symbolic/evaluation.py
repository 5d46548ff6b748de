"""The value of terms and conditions where every dimension and index has one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.terms import Atom, Div, Index, Min, Select, Term


class Undefined(Exception):
    """A term has no value: an atom is not given one, or it divides by zero."""


class Valuation:
    """Integers for atoms; quotients, minima and conditional values follow from those of their parts."""

    def __init__(self, given: Mapping[Atom, int]) -> None:
        #: The values that others follow from.
        self.given = {atom: value for atom, value in given.items() if not isinstance(atom, Div | Min | Select)}
        self._values: dict[Atom, int] = dict(self.given)

    def extended_for(self, conditions: Iterable[Condition | bool]) -> Valuation | None:
        """These values and 0 for the indices of `conditions` that have none, if `conditions` then hold."""
        conditions = list(conditions)
        added: dict[Atom, int] = {
            atom: 0 for atom in _atoms_of(conditions) if isinstance(atom, Index) and atom not in self.given
        }
        extended = Valuation({**self.given, **added}) if added else self
        return extended if extended.satisfies(conditions) else None

    def term(self, term: Term) -> int:
        """The value of `term`. Raises `Undefined`."""
        total = 0
        for monomial, coefficient in term.monomials.items():
            product = coefficient
            for atom in monomial:
                product *= self._atom(atom)
            total += product
        return total

    def _atom(self, atom: Atom) -> int:
        value = self._values.get(atom)
        if value is None:
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
        """Whether `condition` holds. Raises `Undefined`."""
        if isinstance(condition, bool):
            return condition
        if isinstance(condition, Comparison):
            value = self.term(condition.term)
            if condition.relation is Relation.AT_MOST:
                return value <= 0
            return value == 0 if condition.relation is Relation.EQUAL else value != 0
        assert isinstance(condition, Junction)
        parts = (self.holds(part) for part in condition.parts)
        return all(parts) if condition.conjunction else any(parts)

    def satisfies(self, conditions: Iterable[Condition | bool]) -> bool:
        """Whether all `conditions` hold; False where one has no value."""
        try:
            return all(self.holds(condition) for condition in conditions)
        except Undefined:
            return False


def variants(base: Valuation, hypotheses: list[Condition | bool], *mentioned: Condition) -> Iterator[Valuation]:
    """Valuations near `base` that satisfy `hypotheses`: indices it leaves open are first iterations, then second ones.

    Most of what satisfies the hypotheses around a loop does so inside, in its first iterations: looking there first
    saves asking a solver.
    """
    indices = {atom for atom in _atoms_of([*hypotheses, *mentioned]) if isinstance(atom, Index)}
    open_indices = indices - base.given.keys()
    candidates = [base] if not open_indices else []
    for value in (0, 1) if open_indices else ():
        candidates.append(Valuation({**base.given, **dict.fromkeys(open_indices, value)}))
    for atom in indices:
        moved = base.given.get(atom, 0)
        candidates.extend(
            Valuation({**dict.fromkeys(open_indices, 0), **base.given, atom: other})
            for other in (0, moved + 1)
            if other != moved
        )
    yield from (candidate for candidate in candidates if candidate.satisfies(hypotheses))


def _atoms_of(conditions: Iterable[Condition | bool]) -> set[Atom]:
    found: set[Atom] = set()
    for condition in conditions:
        if isinstance(condition, Condition):
            found |= condition.atoms()
    return found
