"""The parts of symbolic integers: atoms, conditions on them, and polynomials over them.

An atom is something arithmetic does not look into: a dimension, a loop index, the floor of a division, a minimum, a
conditional value. A `Term` is a polynomial with integer coefficients over atoms. Terms, atoms and conditions are made
by `nkiverify.symbolic.terms` and `nkiverify.symbolic.conditions`, where equal ones are the same object.
"""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping
from itertools import count

#: The numbers of atoms and terms, in the order in which they are made.
uids = count(1)

#: Atoms, each once, in the order in which they were met: a `set` would go through them by where they lie in memory.
Atoms = KeysView["Atom"]


class Atom:
    """Something with an integer value that polynomials treat as a variable. Equal atoms are the same object."""

    __slots__ = ("__weakref__", "uid")

    def __init__(self) -> None:
        self.uid = next(uids)

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
    a loop index holds inside its loop only. It is `least` or more: what asks the prover assumes it where it begins.
    """

    __slots__ = ("extent", "least", "name", "representative")

    def __init__(self, name: str, extent: Term, representative: bool, least: int = 0) -> None:
        super().__init__()
        self.name = name
        self.extent = extent
        self.representative = representative
        self.least = least

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

    __slots__ = ("__weakref__", "_about", "_indices", "uid")

    uid: int
    _indices: dict[Index, None] | None
    _about: frozenset[Atom] | None

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

    def about(self) -> frozenset[Atom]:
        """The dimensions and indices that the condition is about."""
        if self._about is None:
            self._about = frozenset(atom for atom in self.atoms() if isinstance(atom, Dimension | Index))
        return self._about

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


def collect_atoms(term: Term, found: dict[Atom, None]) -> None:
    """Add every atom of `term` to `found`, also those inside other atoms."""
    for atom in term.atoms:
        if atom not in found:
            found[atom] = None
            for argument in atom.arguments():
                collect_atoms(argument, found)


def monomial_key(item: tuple[Monomial, int]) -> tuple[int, ...]:
    """The place of a monomial among those of a term: by its degree, then by when its atoms were made."""
    monomial = item[0]
    # One of few factors without a generator: terms are sorted by it as they are made.
    if len(monomial) == 1:
        return 1, monomial[0].uid
    if len(monomial) == 2:
        return 2, monomial[0].uid, monomial[1].uid
    return (len(monomial), *(atom.uid for atom in monomial))


def _bracketed(term: Term) -> str:
    text = render(term)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def render(term: Term) -> str:
    """The term as Python source would write it, `128*k + 128`."""
    return _rendered(term.monomials)


def _rendered(monomials: Mapping[Monomial, int]) -> str:
    parts: list[str] = []
    # Highest degree first, the constant last, as one writes polynomials.
    for monomial, times in sorted(monomials.items(), key=lambda item: (-len(item[0]), monomial_key(item))):
        coefficient = times
        factors: list[str] = []
        for atom in monomial:
            greatest = _as_greatest(atom) if isinstance(atom, Min) else None
            coefficient = coefficient if greatest is None else -coefficient
            among = isinstance(atom, Div) and len(monomial) > 1
            factors.append(greatest or (f"({atom})" if among else str(atom)))
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


def _as_greatest(least: Min) -> str | None:
    """A minimum of terms that all begin with a minus sign, negated: the maximum of the terms without it."""
    if not all(render(term).startswith("-") for term in least.terms):
        return None
    negated = (_rendered({monomial: -times for monomial, times in term.monomials.items()}) for term in least.terms)
    return f"max({', '.join(sorted(negated))})"
