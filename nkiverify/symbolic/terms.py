"""Symbolic integers: canonical polynomials over hash-consed atoms.

An atom is something arithmetic does not look into: a dimension, a loop index, the floor of a division, a minimum, a
conditional value. A `SymInt` is a polynomial with integer coefficients over atoms, in one canonical form, so equal
terms are the same object. `a % b` is `a - b*div(a, b)`: divisibility facts and tile arithmetic meet in one form.

The functions of this module build terms and nothing else; what Python operators on `SymInt` mean, and what they
report to the run in progress, is in `nkiverify.symbolic.integers`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, KeysView, Mapping
from contextlib import contextmanager
from functools import reduce
from itertools import count
from weakref import WeakValueDictionary, ref

#: Largest value of an extent and of an integer of the NKI language: both are 32 bits wide.
INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)

_uids = count(1)

#: Atoms, each once, in the order in which they were met: a `set` would go through them by where they lie in memory.
Atoms = KeysView["Atom"]


class Atom:
    """Something with an integer value that polynomials treat as a variable. Equal atoms are the same object."""

    __slots__ = ("__weakref__", "uid")

    def __init__(self) -> None:
        self.uid = next(_uids)

    def arguments(self) -> tuple[Term, ...]:
        """The terms this atom is a function of."""
        return ()

    def __repr__(self) -> str:
        return str(self)


class Dimension(Atom):
    """A named integer of the domain: a symbolic extent, or any other parameter of a target."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __str__(self) -> str:
        return self.name


class Index(Atom):
    """An arbitrary iteration of a loop (`extent` is the trip count), or an arbitrary element of an index grid.

    `representative` indices stand for every element of a non-empty `range(extent)` wherever they occur; the range of
    a loop index holds inside its loop only.
    """

    __slots__ = ("extent", "name", "representative")

    def __init__(self, name: str, extent: Term, representative: bool) -> None:
        super().__init__()
        self.name = name
        self.extent = extent
        self.representative = representative

    def arguments(self) -> tuple[Term, ...]:
        # The extent of a loop index bounds it, but is no part of its value: substitution does not reach into it.
        return (self.extent,) if self.representative else ()

    def __str__(self) -> str:
        return self.name


class Div(Atom):
    """`floor(numerator / denominator)`. No value is assumed where the denominator is zero."""

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: Term, denominator: Term) -> None:
        super().__init__()
        self.numerator = numerator
        self.denominator = denominator

    def arguments(self) -> tuple[Term, ...]:
        return (self.numerator, self.denominator)

    def __str__(self) -> str:
        return f"{_bracketed(self.numerator)}//{_bracketed(self.denominator)}"


class Min(Atom):
    """The least of several terms. A maximum is the negated minimum of the negated terms."""

    __slots__ = ("terms",)

    def __init__(self, terms: tuple[Term, ...]) -> None:
        super().__init__()
        self.terms = terms

    def arguments(self) -> tuple[Term, ...]:
        return self.terms

    def __str__(self) -> str:
        # In the order of their texts: that of the terms depends on what else was made before.
        return f"min({', '.join(sorted(str(term) for term in self.terms))})"


class Condition:
    """A condition that is not known to be true or false. Equal conditions are the same object."""

    __slots__ = ("__weakref__", "_indices", "uid")

    uid: int
    _indices: dict[Index, None] | None

    def negation(self) -> Condition:
        """The opposite condition."""
        raise NotImplementedError

    def terms(self) -> Iterator[Term]:
        """The terms compared in the condition."""
        raise NotImplementedError

    def substitute(self, mapping: Mapping[Atom, Term]) -> Condition | bool:
        """The condition with atoms replaced, also inside other atoms."""
        raise NotImplementedError

    def atoms(self) -> Atoms:
        """Every atom of the condition, also those inside other atoms."""
        found: dict[Atom, None] = {}
        for term in self.terms():
            collect_atoms(term, found)
        return found.keys()

    def indices(self) -> KeysView[Index]:
        """The indices of the condition, also those inside other atoms."""
        if self._indices is None:
            self._indices = {atom: None for atom in self.atoms() if isinstance(atom, Index)}
        return self._indices.keys()


class Select(Atom):
    """`when_true` where `condition` holds, else `when_false`."""

    __slots__ = ("condition", "when_false", "when_true")

    def __init__(self, condition: Condition, when_true: Term, when_false: Term) -> None:
        super().__init__()
        self.condition = condition
        self.when_true = when_true
        self.when_false = when_false

    def arguments(self) -> tuple[Term, ...]:
        return (*self.condition.terms(), self.when_true, self.when_false)

    def __str__(self) -> str:
        return f"({self.when_true} if {self.condition} else {self.when_false})"


#: A product of atoms, ordered by uid; () is the constant 1.
Monomial = tuple[Atom, ...]


class Term:
    """A polynomial: monomials with their non-zero integer coefficients. Equal polynomials are the same object."""

    __slots__ = ("__weakref__", "_atoms", "monomials", "uid")

    monomials: dict[Monomial, int]
    uid: int
    _atoms: dict[Atom, None] | None

    @property
    def constant(self) -> int | None:
        """The value, if the polynomial has no atoms."""
        monomials = self.monomials
        if not monomials:
            return 0
        if len(monomials) == 1:
            return monomials.get(())
        return None

    @property
    def constant_part(self) -> int:
        """The coefficient of the constant monomial."""
        return self.monomials.get((), 0)

    @property
    def atoms(self) -> Atoms:
        """The atoms of the polynomial itself, without those inside other atoms."""
        if self._atoms is None:
            self._atoms = {atom: None for monomial in self.monomials for atom in monomial}
        return self._atoms.keys()

    def __repr__(self) -> str:
        return render(self)


TermKey = frozenset[tuple[Monomial, int]]


class _TermReference(ref["Term"]):
    """A weak reference that knows where it is kept."""

    __slots__ = ("key",)

    key: TermKey


def _forget(reference: ref[Term]) -> None:
    assert isinstance(reference, _TermReference)
    if _terms.get(reference.key) is reference:
        del _terms[reference.key]


#: Every living term. A dictionary of references rather than a WeakValueDictionary: looking a term up is the hottest
#: line of the whole program.
_terms: dict[TermKey, _TermReference] = {}
_atoms: WeakValueDictionary[tuple[object, ...], Atom] = WeakValueDictionary()
#: The first constants that were made: kept, as most are asked for again and again.
_constants: dict[int, Term] = {}
_MOST_CONSTANTS = 4096

_anew = False


@contextmanager
def anew() -> Iterator[None]:
    """Make the terms of the block as in a process that has made none before; within another such block, as they are.

    Atoms and terms are ordered by when they were first made, so those that are left of an earlier kernel would order
    those of the next, and with them what is tried first. Terms from before keep their meaning, but are no longer the
    same objects as equal ones that are made now: a block is around everything that compares terms.
    """
    global _anew, _terms, _atoms, _constants
    if _anew:
        yield
        return
    before = _terms, _atoms, _constants
    _terms, _atoms, _constants = {}, WeakValueDictionary(), {}
    _anew = True
    try:
        yield
    finally:
        _anew = False
        _terms, _atoms = {key: kept for key, kept in before[0].items() if kept() is not None}, before[1]
        _constants = before[2]


#: The class whose objects terms are. `integers` replaces it by `SymInt`, which adds Python's operators.
_term_class: type[Term] = Term


def use_term_class(cls: type[Term]) -> None:
    """Make terms objects of `cls` from now on (called once, when `integers` is imported)."""
    global _term_class
    _term_class = cls
    _constants.clear()


def _monomial_key(item: tuple[Monomial, int]) -> tuple[int, ...]:
    return (len(item[0]), *(atom.uid for atom in item[0]))


def make(monomials: dict[Monomial, int]) -> Term:
    """The term with these monomials. Zero coefficients must have been left out."""
    key = frozenset(monomials.items())
    reference = _terms.get(key)
    term = reference() if reference is not None else None
    if term is None:
        term = _term_class.__new__(_term_class)
        term.monomials = dict(sorted(key, key=_monomial_key) if len(key) > 1 else key)
        term.uid = next(_uids)
        term._atoms = None
        reference = _TermReference(term, _forget)
        reference.key = key
        _terms[key] = reference
    return term


def constant(value: int) -> Term:
    """The constant term `value`."""
    term = _constants.get(value)
    if term is None:
        term = make({(): value} if value else {})
        if len(_constants) < _MOST_CONSTANTS:
            _constants[value] = term
    return term


def of_atom(atom: Atom) -> Term:
    """The term that is just `atom`."""
    return make({(atom,): 1})


def add(left: Term, right: Term, factor: int = 1) -> Term:
    """`left + factor * right`."""
    if factor == 0 or not right.monomials:
        return left
    result = dict(left.monomials)
    for monomial, coefficient in right.monomials.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            del result[monomial]
    return make(result)


def scale(term: Term, factor: int) -> Term:
    """`factor * term`."""
    if factor == 1:
        return term
    if factor == 0:
        return make({})
    return make({monomial: factor * coefficient for monomial, coefficient in term.monomials.items()})


def multiply(left: Term, right: Term) -> Term:
    """`left * right`."""
    value = right.constant
    if value is not None:
        return scale(left, value)
    value = left.constant
    if value is not None:
        return scale(right, value)
    result: dict[Monomial, int] = {}
    for one, one_coefficient in left.monomials.items():
        for two, two_coefficient in right.monomials.items():
            monomial = tuple(sorted(one + two, key=lambda atom: atom.uid)) if one and two else one or two
            total = result.get(monomial, 0) + one_coefficient * two_coefficient
            if total:
                result[monomial] = total
            else:
                del result[monomial]
    return make(result)


def total(terms: Iterable[Term]) -> Term:
    """The sum of `terms`."""
    return reduce(add, terms, constant(0))


def _intern(key: tuple[object, ...], build: type[Atom], *arguments: object) -> Atom:
    atom = _atoms.get(key)
    if atom is None:
        atom = build(*arguments)
        _atoms[key] = atom
    return atom


def dimension(name: str) -> Term:
    """The dimension of this name."""
    return of_atom(_intern((Dimension, name), Dimension, name))


def index(name: str, extent: Term, key: object, representative: bool = False) -> Term:
    """The index identified by `key`: asking again gives the same atom."""
    return of_atom(_intern((Index, name, extent.uid, key, representative), Index, name, extent, representative))


def divide(numerator: Term, denominator: Term) -> Term:
    """`floor(numerator / denominator)`, with the exact part of the quotient taken out of the atom."""
    divisor = denominator.constant
    if divisor is None:
        return _divide_by_term(numerator, denominator)
    if divisor == 0:
        return _div_atom(numerator, denominator)
    if divisor < 0:
        return divide(scale(numerator, -1), constant(-divisor))
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in numerator.monomials.items():
        whole, part = divmod(coefficient, divisor)
        # A coefficient that is not a multiple stays whole: div(3*x, 2) reads better than x + div(x, 2).
        if part == 0 or not monomial:
            if whole:
                quotient[monomial] = whole
            if part:
                rest[monomial] = part
        else:
            rest[monomial] = coefficient
    if not rest or set(rest) == {()}:
        return make(quotient)
    common = math.gcd(divisor, *(coefficient for monomial, coefficient in rest.items() if monomial))
    if common > 1:
        rest = {monomial: coefficient // common for monomial, coefficient in rest.items() if coefficient // common}
        divisor //= common
    inner = make(rest)
    lone = _lone_atom(inner)
    if isinstance(lone, Div) and (value := lone.denominator.constant) is not None and value > 0:
        return add(make(quotient), divide(lone.numerator, constant(value * divisor)))
    return add(make(quotient), _div_atom(inner, constant(divisor)))


def _divide_by_term(numerator: Term, denominator: Term) -> Term:
    quotient = constant(0)
    rest = numerator
    # Take out multiples of the denominator's leading monomial: exact for every non-zero denominator.
    leading, leading_coefficient = max(denominator.monomials.items(), key=_monomial_key)
    for monomial, coefficient in sorted(numerator.monomials.items(), key=_monomial_key, reverse=True):
        cofactor = _without(monomial, leading)
        if cofactor is None or coefficient % leading_coefficient:
            continue
        part = make({cofactor: coefficient // leading_coefficient})
        smaller = add(rest, multiply(part, denominator), -1)
        if len(smaller.monomials) < len(rest.monomials):
            quotient, rest = add(quotient, part), smaller
    if not rest.monomials:
        # floor(q*b / b) is q for b != 0 only; for b == 0 the division has no value, and a claim says so.
        return quotient
    common = _common_factor(rest, denominator)
    if common.constant != 1:
        # So is floor(f*a / (f*b)) the floor of a / b.
        return add(quotient, divide(_by_factor(rest, common), _by_factor(denominator, common)))
    return add(quotient, _div_atom(rest, denominator))


def _common_factor(*parts: Term) -> Term:
    """The largest product that all monomials of the terms are multiples of, with a positive coefficient."""
    monomials = [monomial for part in parts for monomial in part.monomials]
    shared = list(monomials[0])
    for monomial in monomials[1:]:
        left = list(monomial)
        kept = []
        for atom in shared:
            if atom in left:
                left.remove(atom)
                kept.append(atom)
        shared = kept
    number = math.gcd(*(coefficient for part in parts for coefficient in part.monomials.values()))
    return make({tuple(shared): number})


def _by_factor(term: Term, factor: Term) -> Term:
    ((shared, number),) = factor.monomials.items()
    divided: dict[Monomial, int] = {}
    for monomial, coefficient in term.monomials.items():
        rest = _without(monomial, shared)
        assert rest is not None
        divided[rest] = coefficient // number
    return make(divided)


def _without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    remaining = list(monomial)
    for atom in factor:
        if atom not in remaining:
            return None
        remaining.remove(atom)
    return tuple(remaining)


def _lone_atom(term: Term) -> Atom | None:
    if len(term.monomials) == 1:
        ((monomial, coefficient),) = term.monomials.items()
        if coefficient == 1 and len(monomial) == 1:
            return monomial[0]
    return None


def _div_atom(numerator: Term, denominator: Term) -> Term:
    return of_atom(_intern((Div, numerator.uid, denominator.uid), Div, numerator, denominator))


def minimum(terms: Iterable[Term]) -> Term:
    """The least of `terms`, of which there is at least one."""
    distinct: list[Term] = []
    for term in terms:
        for position, other in enumerate(distinct):
            difference = add(term, other, -1).constant
            if difference is not None:
                if difference < 0:
                    distinct[position] = term
                break
        else:
            distinct.append(term)
    if len(distinct) == 1:
        return distinct[0]
    distinct.sort(key=lambda term: term.uid)
    return of_atom(_intern((Min, *(term.uid for term in distinct)), Min, tuple(distinct)))


def maximum(terms: Iterable[Term]) -> Term:
    """The greatest of `terms`, of which there is at least one."""
    return scale(minimum([scale(term, -1) for term in terms]), -1)


def select(condition: Condition, when_true: Term, when_false: Term) -> Term:
    """`when_true` where `condition` holds, else `when_false`."""
    if when_true is when_false:
        return when_true
    key = (Select, condition.uid, when_true.uid, when_false.uid)
    return of_atom(_intern(key, Select, condition, when_true, when_false))


def coefficient_of(term: Term, atom: Atom) -> tuple[Term, Term] | None:
    """`(c, r)` with `term == c*atom + r` and `atom` in neither; None where `atom` occurs in a higher power."""
    factor: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in term.monomials.items():
        occurrences = monomial.count(atom)
        if occurrences == 0:
            rest[monomial] = coefficient
        elif occurrences == 1:
            factor[tuple(other for other in monomial if other is not atom)] = coefficient
        else:
            return None
    return make(factor), make(rest)


def substitute(term: Term, mapping: Mapping[Atom, Term]) -> Term:
    """`term` with atoms replaced, also inside other atoms. Replacements are not themselves looked into."""
    return _substitute(term, mapping, {})


def _substitute(term: Term, mapping: Mapping[Atom, Term], done: dict[Atom, Term]) -> Term:
    changed = False
    for atom in term.atoms:
        if atom not in done:
            done[atom] = _substitute_atom(atom, mapping, done)
        changed = changed or done[atom] is not of_atom(atom)
    if not changed:
        return term
    result = constant(0)
    for monomial, coefficient in term.monomials.items():
        product = constant(coefficient)
        for atom in monomial:
            product = multiply(product, done[atom])
        result = add(result, product)
    return result


def _substitute_atom(atom: Atom, mapping: Mapping[Atom, Term], done: dict[Atom, Term]) -> Term:
    replacement = mapping.get(atom)
    if replacement is not None:
        return replacement
    if isinstance(atom, Div):
        return divide(_substitute(atom.numerator, mapping, done), _substitute(atom.denominator, mapping, done))
    if isinstance(atom, Min):
        return minimum([_substitute(term, mapping, done) for term in atom.terms])
    if isinstance(atom, Select):
        condition = atom.condition.substitute(mapping)
        when_true = _substitute(atom.when_true, mapping, done)
        when_false = _substitute(atom.when_false, mapping, done)
        if isinstance(condition, bool):
            return when_true if condition else when_false
        return select(condition, when_true, when_false)
    if isinstance(atom, Index) and atom.representative:
        extent = _substitute(atom.extent, mapping, done)
        if extent is not atom.extent:
            # One representative per extent: the same grid with another size is another grid.
            return index(atom.name, extent, ("of", atom.uid), representative=True)
    return of_atom(atom)


def all_atoms(term: Term) -> Atoms:
    """Every atom of `term`, also those inside other atoms."""
    found: dict[Atom, None] = {}
    collect_atoms(term, found)
    return found.keys()


def collect_atoms(term: Term, found: dict[Atom, None]) -> None:
    """Add every atom of `term` to `found`, also those inside other atoms."""
    for atom in term.atoms:
        if atom not in found:
            found[atom] = None
            for argument in atom.arguments():
                collect_atoms(argument, found)


def _bracketed(term: Term) -> str:
    text = render(term)
    return text if text.isalnum() else f"({text})"


def render(term: Term) -> str:
    """The term as Python source would write it, `128*k + 128`."""
    parts: list[str] = []
    # Highest degree first, the constant last, as one writes polynomials.
    for monomial, coefficient in sorted(term.monomials.items(), key=lambda item: (-len(item[0]), _monomial_key(item))):
        factors = [f"({atom})" if isinstance(atom, Div) and len(monomial) > 1 else str(atom) for atom in monomial]
        # A minus sign at the beginning binds closer than `//`.
        signed = abs(coefficient) != 1 or (coefficient < 0 and not parts)
        if len(monomial) == 1 and isinstance(monomial[0], Div) and signed:
            factors = [f"({monomial[0]})"]
        size = abs(coefficient)
        if size != 1 or not factors:
            factors.insert(0, str(size))
        sign = "-" if coefficient < 0 else "+"
        parts.append(f"{sign} {'*'.join(factors)}")
    if not parts:
        return "0"
    text = " ".join(parts)
    return text[2:] if text.startswith("+ ") else f"-{text[2:]}"
