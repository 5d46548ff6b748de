"""Terms and conditions in the language of isl: affine expressions over parameters.

Dimensions and loop indices are parameters; so are floors of divisions by constants, minima and conditional values,
which have definitions: sets in which the parameter has the value it stands for. Definitions are applied where a
question is asked, or where what they depend on goes out of sight, so that the sets themselves stay simple. So has a
product with a factor of few values, as `program_id * rows`: it is one of this many multiples of the rest. What else is
not affine (a product of two dimensions, a division by one) is a parameter that stands for the same number wherever the
same product occurs. Of it, only what holds for all products is known.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

import islpy as isl

from nkiverify.analysis.sets.products import Products
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import identity
from nkiverify.symbolic import Extent
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Monomial, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.path_conditions import Context
from nkiverify.symbolic.terms import all_atoms, make, of_atom

_T = TypeVar("_T")
#: All values of the parameters. One object, as what is done with it is looked up by it.
EVERYWHERE = isl.Set("{ : }")
_RELATIONS = {Relation.AT_MOST: "<=", Relation.EQUAL: "=", Relation.UNEQUAL: "!="}


@dataclass(frozen=True, slots=True)
class Multiple:
    """A product of a factor that has few values, and the rest of the product."""

    factor: Atom
    values: range
    rest: Monomial


Definition: TypeAlias = "Div | Min | Select | Multiple"


@dataclass(slots=True)
class Names:
    """The parameters that stand for atoms and for what is not affine."""

    products: Products
    of: dict[Monomial, str] = field(default_factory=dict)
    #: Atoms that the number behind a parameter depends on.
    depends: dict[str, frozenset[Atom]] = field(default_factory=dict)
    #: What the parameters that have definitions are.
    defined: dict[str, Definition] = field(default_factory=dict)
    #: The parameters, other than of dimensions and indices, that have no definition.
    unknown: set[str] = field(default_factory=set)
    monomials: dict[str, Monomial] = field(default_factory=dict)

    def parameter(self, monomial: Monomial) -> str:
        """The parameter for an atom, or for a product of atoms."""
        name = self.of.get(monomial)
        if name is None:
            kind = "p" if len(monomial) == 1 and isinstance(monomial[0], Dimension | Index) else "q"
            lone = monomial[0] if len(monomial) == 1 else None
            name = self.of[monomial] = f"{kind}{len(self.of)}"
            if isinstance(lone, Min | Select) or (isinstance(lone, Div) and (lone.denominator.constant or 0) > 0):
                self.defined[name] = lone
            elif (multiple := self._multiple(monomial)) is not None:
                self.defined[name] = multiple
            elif kind == "q":
                self.unknown.add(name)
            self.monomials[name] = monomial
            found: set[Atom] = set()
            for atom in monomial:
                found |= all_atoms(of_atom(atom))
            self.depends[name] = frozenset(found)
        return name

    def _multiple(self, monomial: Monomial) -> Multiple | None:
        """A product by its factor with the fewest values, if there is one with few."""
        if len(monomial) < 2:
            return None
        few = [(atom, values) for atom in monomial if (values := self.products.values(atom)) is not None]
        if not few:
            return None
        factor, values = min(few, key=lambda one: (len(one[1]), str(one[0])))
        rest = list(monomial)
        rest.remove(factor)
        return Multiple(factor, values, tuple(rest))

    def term(self, name: str) -> Term:
        """The number a parameter stands for."""
        return make({self.monomials[name]: 1})

    def on(self, atom: Atom) -> list[str]:
        """Every parameter whose number depends on `atom`, other than the parameter of the atom itself."""
        own = self.of.get((atom,))
        return [name for name, atoms in self.depends.items() if name != own and atom in atoms]


class AffineText:
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
        inner = self._parameter(monomial)
        return inner if coefficient == 1 else f"{coefficient}*{inner}"

    def _parameter(self, monomial: Monomial) -> str:
        name = self._names.parameter(monomial)
        self.parameters[name] = None
        return name

    def definition(self, atom: Definition, name: str) -> str:
        """That the parameter `name` is the value of `atom`."""
        self.parameters[name] = None
        if isinstance(atom, Multiple):
            factor, rest = self._parameter((atom.factor,)), self._parameter(atom.rest)
            return " or ".join(f"({factor} = {value} and {name} = {value}*{rest})" for value in atom.values)
        if isinstance(atom, Div):
            rest = f"{self.number(atom.numerator)} - {atom.denominator.constant}*{name}"
            return f"0 <= {rest} < {atom.denominator.constant}"
        if isinstance(atom, Min):
            values = [self.number(term) for term in atom.terms]
            below = [f"{name} <= {value}" for value in values]
            return " and ".join([*below, f"({' or '.join(f'{name} = {value}' for value in values)})"])
        holds, fails = self.condition(atom.condition), self.condition(atom.condition.negation())
        one, other = self.number(atom.when_true), self.number(atom.when_false)
        return f"(({holds}) and {name} = {one}) or (({fails}) and {name} = {other})"

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

    def __init__(self, products: Products) -> None:
        self.names = Names(products)
        self.products = products
        #: What has no conditions: those of paths are made from it, so that the same ones are one object.
        self.beginning = Context()
        self._conditions: dict[object, isl.Set] = {}
        self._known: dict[str, isl.Set] = {}
        #: The parameters that the definition of one mentions, and theirs.
        self._used: dict[str, set[str]] = {}
        #: What `once` has found, with what it was found for: that keeps its identity from being given to another set.
        self._found: dict[tuple[object, ...], tuple[tuple[object, ...], Any]] = {}
        #: The sets that `same` knows, by isl's hash of their constraints.
        self._by_hash: dict[int, list[isl.Set]] = {}
        self._kept = 0
        self._maps: dict[str, isl.Map] = {}
        #: Names of parameters, so that the same ones are one object.
        self._tuples: dict[tuple[str, ...], tuple[str, ...]] = {}

    def once(self, ask: Callable[..., _T], *about: Any) -> _T:
        """`ask(*about)`, done once for the same objects.

        A walk does the same again and again: operations read what others have read, tiles of one shape are filled
        the same, passes of a loop differ in little, what a body defines is both known and its own. The answer has to
        depend on `about` alone, and on what never changes for these sets; one that is a set is what `same` makes of it.
        Only the effort depends on what was asked before.
        """
        key = (ask, *map(identity, about))
        found = self._found.get(key)
        if found is None:
            answer: Any = ask(*about)
            if isinstance(answer, isl.Set):
                answer = self.same(answer)
            found = self._found[key] = about, answer
            self._keep(1)
        return found[1]  # type: ignore[no-any-return]

    def same(self, found: isl.Set) -> isl.Set:
        """The set with these constraints that was met first.

        Sets with the same elements may be written in several ways: these are distinguished.
        """
        uniform = self._by_hash.setdefault(hash(found), [])
        for other in uniform:
            if found.plain_is_equal(other):
                return other
        uniform.append(found)
        self._keep(found.n_basic_set())
        return found

    def _keep(self, more: int) -> None:
        self._kept += more
        if self._kept > SetsBudget.ANSWERS_KEPT:
            self._found.clear()
            self._by_hash.clear()
            self._kept = 0

    def map(self, text: str) -> isl.Map:
        """The map that a text says, read once."""
        found = self._maps.get(text)
        if found is None:
            found = self._maps[text] = isl.Map(text)
        return found

    def both(self, found: isl.Set, other: isl.Set) -> isl.Set:
        """The values of the parameters in two sets of them."""
        if other is EVERYWHERE:
            return found
        return other if found is EVERYWHERE else self.once(isl.Set.intersect, found, other)

    def where(self, found: isl.Set, context: isl.Set) -> isl.Set:
        """The elements of a set for the values of the parameters in `context`."""
        return found if context is EVERYWHERE else self.once(isl.Set.intersect_params, found, context)

    def joined(self, found: isl.Set, more: isl.Set) -> isl.Set:
        """The elements of two sets, in few parts."""
        return found if found is more else self.once(_joined, found, more)

    def less(self, found: isl.Set, fewer: isl.Set) -> isl.Set:
        """The elements of a set that are not in another one."""
        return self.once(isl.Set.subtract, found, fewer)

    def parameters_where(self, conditions: Iterable[Condition | bool]) -> isl.Set:
        """Values of the parameters for which all `conditions` hold: a set without coordinates.

        Parameters that have definitions have the values these say.
        """
        result = EVERYWHERE
        for condition in conditions:
            if condition is not True:
                stated = self.stated(condition)
                result = self.completed(self.both(result, stated), stated)
        return result

    def stated(self, condition: Condition | bool) -> isl.Set:
        """Values of the parameters for which a condition holds, whatever these are defined to be."""
        if isinstance(condition, bool):
            return EVERYWHERE if condition else isl.Set("{ : 0 = 1 }")
        found = self._conditions.get(condition.uid)
        if found is None:
            text = AffineText(self.names)
            stated = text.condition(condition)
            found = self._conditions[condition.uid] = isl.Set(f"{text.head()}{{ : {stated} }}")
        return found

    def parameter(self, atom: Atom) -> str:
        """The parameter of an atom."""
        return self.names.parameter((atom,))

    def known(self, name: str) -> isl.Set:
        """Where the parameter `name` has a value that it may have; just one, if it has a definition."""
        found = self._known.get(name)
        if found is None:
            text = AffineText(self.names)
            if name in self.names.defined:
                stated = text.definition(self.names.defined[name], name)
            else:
                cases = self.products.cases(self.names.monomials[name])
                each = [" and ".join(f"{text.number(term)} >= 0" for term in case) or "0 = 0" for case in cases]
                stated = " or ".join(f"({case})" for case in each)
            found = self._known[name] = isl.Set(f"{text.head()}{{ : {stated} }}")
        return found

    def completed(self, context: isl.Set, *about: isl.Set) -> isl.Set:
        """`context` where the parameters that `about` mentions have values that they may have."""
        for name in dict.fromkeys(name for found in about for name in self.once(self._behind, found)):
            context = self.both(context, self.known(name))
        return context

    def _behind(self, found: isl.Set) -> list[str]:
        """The parameters that a set mentions of which something is known, and those that this mentions."""
        pending, done = [found], dict[str, None]()
        while pending:
            for name in mentioned(pending.pop(), self.names.defined.keys() | self.names.unknown):
                if name not in done:
                    done[name] = None
                    pending.append(self.known(name))
        return list(done)

    def spelt_out(self, found: isl.Set, names: Sequence[str]) -> isl.Set:
        """A set without those of the parameters `names` that have definitions, which come in their place."""
        while defined := mentioned(found, set(names) & self.names.defined.keys()):
            # One that others are defined by comes after them.
            name = next(one for one in defined if not any(self._uses(other, one) for other in defined if other != one))
            found = without(found.intersect_params(self.known(name)), [name])
        return found

    def _uses(self, name: str, other: str) -> bool:
        """True if the value of a parameter is defined by that of another."""
        return other in self._mentioned_by(name)

    def _mentioned_by(self, name: str) -> set[str]:
        found = self._used.get(name)
        if found is None:
            text = AffineText(self.names)
            text.definition(self.names.defined[name], name)
            direct = text.parameters.keys() - {name}
            defined = direct & self.names.defined.keys()
            found = self._used[name] = set(direct).union(*map(self._mentioned_by, defined))
        return found

    def apart(self, one: isl.Set, context: isl.Set) -> bool:
        """True if no values of the parameters are both in `one` and in `context`."""
        return self.once(self._apart, one, context)

    def _apart(self, one: isl.Set, context: isl.Set) -> bool:
        if one.is_empty():
            return True
        context = self._seen_by(context, one)
        both = one.intersect(context)
        return bool(both.is_empty() or both.intersect(self.completed(context, one)).is_empty())

    def empty(self, found: isl.Set, context: isl.Set) -> bool:
        """True if a set has no element for the values of the parameters in `context`."""
        return self.once(self._empty, found, context)

    def _empty(self, found: isl.Set, context: isl.Set) -> bool:
        context = self._seen_by(context, found)
        known = self.where(found, context)
        return bool(known.is_empty() or known.intersect_params(self.completed(context, found)).is_empty())

    def within(self, found: isl.Set, known: isl.Set | None, context: isl.Set) -> bool:
        """True if all elements of `found` are in `known`, for the values of the parameters in `context`."""
        if known is None:
            return self.empty(found, context)
        return found is known or self.once(self._within, found, known, context)

    def _within(self, found: isl.Set, known: isl.Set, context: isl.Set) -> bool:
        context = self._seen_by(context, found, known)
        wanted = self.where(found, context)
        if wanted.is_subset(known):
            return True
        return bool(wanted.intersect_params(self.completed(context, found, known)).is_subset(known))

    def _seen_by(self, context: isl.Set, *about: isl.Set) -> isl.Set:
        """`context` as far as it says something of the parameters that `about` mentions, and of those behind them: what
        follows about these is the same, and of many parts that differ in others few are left."""
        if context.n_basic_set() == 1:
            return context
        seen = {name for found in about for name in parameters(found)}
        for name in {name for found in about for name in self.once(self._behind, found)}:
            seen |= {name, *parameters(self.known(name))}
        unseen = tuple(name for name in parameters(context) if name not in seen)
        return self.once(_without, context, self._tuples.setdefault(unseen, unseen)) if unseen else context


def _without(found: isl.Set, names: tuple[str, ...]) -> isl.Set:
    return without(found, names).coalesce()


def _joined(found: isl.Set, more: isl.Set) -> isl.Set:
    return found.union(more).coalesce()


def parameters(found: isl.Set) -> list[str]:
    """The parameters that a set depends on."""
    kind = isl.dim_type.param
    every = range(found.dim(kind))
    return [str(found.get_dim_name(kind, at)) for at in every if found.involves_dims(kind, at, 1)]


def mentioned(found: isl.Set, names: Container[str]) -> list[str]:
    """Those of `names` that a set depends on."""
    return [name for name in parameters(found) if name in names]


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
    """True if a set depends on one of the parameters `names`."""
    return any((at := position(found, name)) >= 0 and found.involves_dims(isl.dim_type.param, at, 1) for name in names)


def renamed(found: isl.Set, name: str, other: str) -> isl.Set:
    """A set with the parameter `name` called `other`."""
    at = position(found, name)
    return found if at < 0 else found.set_dim_name(isl.dim_type.param, at, other)
