"""Terms and conditions in the language of isl: quasi-affine expressions over parameters.

Dimensions and loop indices are parameters; floors of divisions by constants are isl's own. What is not affine (a
product of two dimensions, a division by one) is a parameter of its own that stands for the same number wherever the
same product occurs: nothing is known of it, which is sound where a statement has to hold for all values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import islpy as isl

from nkiverify.symbolic import Extent
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.terms import Atom, Dimension, Div, Index, Min, Monomial, Term, all_atoms, of_atom

_RELATIONS = {Relation.AT_MOST: "<=", Relation.EQUAL: "=", Relation.UNEQUAL: "!="}


@dataclass(slots=True)
class Names:
    """The parameters that stand for atoms and for what is not affine."""

    of: dict[Monomial, str] = field(default_factory=dict)
    #: Atoms that the number behind a parameter depends on.
    depends: dict[str, frozenset[Atom]] = field(default_factory=dict)

    def parameter(self, monomial: Monomial) -> str:
        """The parameter for an atom, or for a product of atoms."""
        name = self.of.get(monomial)
        if name is None:
            kind = "p" if len(monomial) == 1 and isinstance(monomial[0], Dimension | Index) else "q"
            name = self.of[monomial] = f"{kind}{len(self.of)}"
            found: set[Atom] = set()
            for atom in monomial:
                found |= all_atoms(of_atom(atom))
            self.depends[name] = frozenset(found)
        return name

    def on(self, atom: Atom) -> list[str]:
        """Every parameter whose number depends on `atom`, other than the parameter of the atom itself."""
        own = self.of.get((atom,))
        return [name for name, atoms in self.depends.items() if name != own and atom in atoms]


class Text:
    """Expressions and conditions as text, with the parameters they mention."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.parameters: dict[str, None] = {}

    def number(self, value: Extent | Term) -> str:
        """An integer or a term."""
        if not isinstance(value, Term):
            return str(int(value))
        parts = [self._product(monomial, coefficient) for monomial, coefficient in value.monomials.items()]
        return f"({' + '.join(parts)})" if parts else "0"

    def _product(self, monomial: Monomial, coefficient: int) -> str:
        if not monomial:
            return str(coefficient)
        inner = self._atom(monomial[0]) if len(monomial) == 1 else self._parameter(monomial)
        return inner if coefficient == 1 else f"{coefficient}*{inner}"

    def _parameter(self, monomial: Monomial) -> str:
        name = self._names.parameter(monomial)
        self.parameters[name] = None
        return name

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Div):
            divisor = atom.denominator.constant
            if divisor is not None and divisor > 0:
                return f"floor({self.number(atom.numerator)}/{divisor})"
        elif isinstance(atom, Min):
            text = self.number(atom.terms[0])
            for term in atom.terms[1:]:
                text = f"min({text}, {self.number(term)})"
            return text
        return self._parameter((atom,))

    def condition(self, condition: Condition | bool) -> str:
        """A condition."""
        if isinstance(condition, bool):
            return "0 = 0" if condition else "0 = 1"
        if isinstance(condition, Comparison):
            return f"{self.number(condition.term)} {_RELATIONS[condition.relation]} 0"
        assert isinstance(condition, Junction)
        word = " and " if condition.conjunction else " or "
        return word.join(f"({self.condition(part)})" for part in condition.parts)

    def head(self) -> str:
        """The declaration of the parameters mentioned."""
        return f"[{', '.join(self.parameters)}] -> "


class Sets:
    """Makes isl's sets for one program: all share the names of parameters."""

    def __init__(self) -> None:
        self.names = Names()
        self._context = isl.DEFAULT_CONTEXT
        self._conditions: dict[object, isl.Set] = {}

    def parameters_where(self, conditions: Iterable[Condition | bool]) -> isl.Set:
        """Values of the parameters for which all `conditions` hold: a set without coordinates."""
        result = isl.Set("{ : }")
        for condition in conditions:
            if condition is True:
                continue
            key = condition if condition is False else condition.uid
            found = self._conditions.get(key)
            if found is None:
                text = Text(self.names)
                stated = text.condition(condition)
                found = self._conditions[key] = isl.Set(f"{text.head()}{{ : {stated} }}")
            result = result.intersect(found)
        return result

    def parameter(self, atom: Atom) -> str:
        """The parameter of an atom."""
        return self.names.parameter((atom,))


def position(found: isl.Set, name: str) -> int:
    """Where the parameter `name` is in the space of a set, -1 if it is not there."""
    return int(found.find_dim_by_name(isl.dim_type.param, name))


def without(found: isl.Set, names: Iterable[str]) -> isl.Set:
    """The union of a set over all values of the parameters `names`."""
    for name in names:
        at = position(found, name)
        if at >= 0:
            found = found.project_out(isl.dim_type.param, at, 1)
    return found


def mentions(found: isl.Set, names: Iterable[str]) -> bool:
    """Whether a set depends on one of the parameters `names`."""
    return any((at := position(found, name)) >= 0 and found.involves_dims(isl.dim_type.param, at, 1) for name in names)


def renamed(found: isl.Set, name: str, other: str) -> isl.Set:
    """A set with the parameter `name` called `other`."""
    at = position(found, name)
    return found if at < 0 else found.set_dim_name(isl.dim_type.param, at, other)
