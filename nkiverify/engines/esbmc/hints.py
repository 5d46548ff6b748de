"""Theorems about products that a solver for unbounded integers does not find by itself.

That `i*W + j < H*W` follows from `i <= H - 1` and `j <= W - 1` takes the product of two facts, `(H - 1 - i) * W >= 0`.
A hint states such a product in the lowered program, as an implication which is true of all integers: the product of
two numbers that are not negative is not negative. It can therefore take nothing away from what is verified, whatever
the facts are and wherever it stands; but only where integers are unbounded, since products of 64-bit integers wrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Div, Monomial, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation


def facts_of(condition: Condition | bool) -> Iterator[Term]:
    """Terms that are at least zero where `condition` holds."""
    if isinstance(condition, Junction) and condition.conjunction:
        for part in condition.parts:
            yield from facts_of(part)
    elif isinstance(condition, Comparison) and condition.relation is not Relation.UNEQUAL:
        yield terms.scale(condition.term, -1)
        if condition.relation is Relation.EQUAL:
            yield condition.term


def facts_about(atom: Atom) -> Iterator[Term]:
    """Terms that are at least zero by the definition of `atom`: the remainder of a division by a positive number."""
    if isinstance(atom, Div):
        remainder = terms.add(atom.numerator, terms.multiply(atom.denominator, terms.of_atom(atom)), -1)
        yield remainder
        yield terms.add(terms.add(atom.denominator, remainder, -1), terms.constant(-1))


def nonlinear(term: Term) -> set[Monomial]:
    """The products of variables in `term`."""
    return {atoms for atoms in term.monomials if len(atoms) > 1}


def products(facts: Iterable[Term], claim: Condition | bool) -> list[tuple[Term, Term]]:
    """Pairs of facts whose product may help with `claim`: it speaks of the products of variables that the claim does.

    Every hint burdens the solver. So none has a higher degree than the claim, and one that brings in a product of
    variables which occurs nowhere is taken only as a bridge: `a*a <= b*c` follows from `a <= b` and `a <= c` by way of
    `a*b`.
    """
    asked = _products_in(claim)
    if not asked:
        return []
    known = {fact.uid: fact for fact in facts if fact.constant is None}
    candidates = _Candidates(list(known.values()), max(map(len, asked)))
    occurring = asked.union(*map(nonlinear, known.values()))
    found = candidates.speaking_of(asked, occurring, bridges=0)
    spoken = asked.union(*found.values())
    missing = asked.difference(*found.values())
    if missing:
        bridges = candidates.speaking_of(missing, occurring, bridges=1)
        spoken = spoken.union(*bridges.values())
        found |= bridges
    # What the first have brought in is to be bounded as well.
    found |= candidates.speaking_of(spoken, occurring | spoken, bridges=0)
    return [(candidates.facts[one], candidates.facts[other]) for one, other in list(found)[: SecondEngineBudget.HINTS]]


class _Candidates:
    """Facts to multiply with each other, for products of at most a certain degree."""

    def __init__(self, facts: list[Term], degree: int) -> None:
        #: Bounds of one variable from above are constants; multiplied, they only make the numbers larger.
        self.facts = [fact for fact in facts if not _bounds_one_variable_from_above(fact)]
        self._degree = degree

    def speaking_of(
        self, wanted: set[Monomial], occurring: set[Monomial], bridges: int
    ) -> dict[tuple[int, int], set[Monomial]]:
        """Pairs of facts, by position, with the products of variables in their product.

        One of those is `wanted`, and at most `bridges` of them do not occur anywhere.
        """
        found: dict[tuple[int, int], set[Monomial]] = {}
        for first, one in enumerate(self.facts):
            for second in range(first + 1, len(self.facts)):
                other = self.facts[second]
                if _degree(one) + _degree(other) > self._degree or not _may_speak_of(one, other, wanted):
                    continue
                spoken = nonlinear(terms.multiply(one, other))
                if spoken & wanted and len(spoken - occurring) <= bridges:
                    found[first, second] = spoken
        return found


def _products_in(condition: Condition | bool) -> set[Monomial]:
    if isinstance(condition, bool):
        return set()
    return set().union(*map(nonlinear, condition.terms()))


def _bounds_one_variable_from_above(fact: Term) -> bool:
    return len(fact.atoms) == 1 and all(factor < 0 for atoms, factor in fact.monomials.items() if atoms)


def _degree(term: Term) -> int:
    return max(map(len, term.monomials))


def _may_speak_of(one: Term, other: Term, wanted: set[Monomial]) -> bool:
    """True if the product can contain one of `wanted`, as the variables alone say."""
    variables = one.atoms | other.atoms
    return any(variables.issuperset(atoms) for atoms in wanted)
