"""Values that probably satisfy the hypotheses of a path: trying them first saves asking a solver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nkiverify.symbolic.atoms import Atom, Dimension, Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Valuation, in_range
from nkiverify.symbolic.facts import Facts

#: How far above their least values dimensions, and indices, are tried: small shapes, then some with a few iterations.
_OFFSETS = ((0, 0), (0, 1), (64, 1))


def guessed_values(facts: Facts, hypotheses: Iterable[Condition | bool]) -> Valuation | None:
    """Values near the least that the constant ranges of `facts` allow, if some of them satisfy all `hypotheses`.

    Dimensions that an equality expresses by others (K by 128 times its tiles) follow from the values of those. What is
    found has been checked; None says nothing.
    """
    conditions = list(hypotheses)
    atoms = [atom for condition in conditions if isinstance(condition, Condition) for atom in condition.atoms()]
    given = [atom for atom in dict.fromkeys(atoms) if isinstance(atom, Dimension | Index)]
    for offset, index_offset in _OFFSETS:
        values: dict[Atom, int] = {}
        for atom in given:
            replacement = facts.replacements.get(atom, atom)
            if isinstance(replacement, Term):
                parts = {part: _near_least(part, facts, offset, index_offset) for part in replacement.atoms}
                values[atom] = _value(replacement, parts)
            else:
                values[atom] = _near_least(atom, facts, offset, index_offset)
        found = Valuation(values)
        if found.satisfies(conditions) and in_range(found, conditions):
            return found
    return None


def _near_least(atom: Atom, facts: Facts, offset: int, index_offset: int) -> int:
    low, high = facts.ranges.get(atom, (0, 0))
    value = int(low) if low > float("-inf") else 0
    value += index_offset if isinstance(atom, Index) else offset
    return min(value, int(high)) if high < float("inf") else value


def _value(term: Term, values: Mapping[Atom, int]) -> int:
    """The value of a polynomial all of whose atoms have one, quotients as well."""
    total = 0
    for monomial, coefficient in term.monomials.items():
        for atom in monomial:
            coefficient *= values[atom]
        total += coefficient
    return total
