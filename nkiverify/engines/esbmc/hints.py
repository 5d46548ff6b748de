"""Theorems about products that a solver for unbounded integers does not find by itself.

That `i*W + j < H*W` follows from `i <= H - 1` and `j <= W - 1` takes the product of two facts, `(H - 1 - i) * W >= 0`.
A hint states such a product in the lowered program, as an implication which is true of all integers: the product of
two numbers that are not negative is not negative. It can therefore take nothing away from what is verified, whatever
the facts are and wherever it stands; but only where integers are unbounded, since products of 64-bit integers wrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nkiverify.symbolic import terms
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.terms import Atom, Div, Monomial, Term

#: Most hints for one claim; each is a product that the solver has to carry along.
MOST_HINTS = 40


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
    """Pairs of facts whose product speaks of the products of variables in `claim`, and hardly of any others."""
    known = {fact.uid: fact for fact in facts if fact.constant is None}
    asked = _products_in(claim)
    occurring = asked.union(*map(nonlinear, known.values()))
    factors = [fact for fact in known.values() if not _bounds_one_variable_from_above(fact)]
    # By their uids: comparing terms makes conditions.
    found: dict[tuple[int, int], tuple[Term, Term]] = {}
    reached = set(asked)
    # `a*a <= b*c` follows from `a <= b` and `a <= c` by way of `a*b`: the first round may bring in such a bridge.
    for bridges in (1, 0):
        brought: set[Monomial] = set()
        for position, one in enumerate(factors):
            for other in factors[position:]:
                key = (one.uid, other.uid)
                if key not in found and _worth_multiplying(one, other, reached):
                    spoken = nonlinear(terms.multiply(one, other))
                    if spoken & reached and len(spoken - occurring) <= bridges:
                        found[key] = (one, other)
                        brought |= spoken
        reached |= brought
        occurring |= brought
    return list(found.values())[:MOST_HINTS]


def _products_in(condition: Condition | bool) -> set[Monomial]:
    if isinstance(condition, bool):
        return set()
    return set().union(*map(nonlinear, condition.terms()))


def _bounds_one_variable_from_above(fact: Term) -> bool:
    return len(fact.atoms) == 1 and all(factor < 0 for atoms, factor in fact.monomials.items() if atoms)


def _worth_multiplying(one: Term, other: Term, reached: set[Monomial]) -> bool:
    """Whether the product can contain one of the products `reached`, told from the variables alone."""
    variables = one.atoms | other.atoms
    return any(variables.issuperset(atoms) for atoms in reached)
