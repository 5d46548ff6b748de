"""Saying on which domain refuted claims hold: `N <= 65536`, where the solver has confirmed it.

A claim about dimensions alone holds where its own condition does. For one about the iterations of a loop the tiles of
the kernel are tried as divisors, and the value before that of the witness as a bound. What is said suffices: a larger
domain may do as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nkiverify.engines.embedded import Decision
from nkiverify.foundation.budget import WitnessBudget
from nkiverify.foundation.clock import Allowance
from nkiverify.frontend.domain.expressions import check_condition
from nkiverify.frontend.domain.expressions import condition as meaning
from nkiverify.frontend.domain.syntax import TextError, parse
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Dimension, Div, Index, Min, Select, Term, render
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.terms import of_atom
from nkiverify.verify.witness.generalise import divisors


def sufficient(
    program: Program, open_claims: Sequence[Decision], witnesses: Iterable[Mapping[str, int]], allowed: Allowance
) -> tuple[str, ...]:
    """Conditions on the dimensions, written as `check --where` reads them, under which all `open_claims` hold.

    These are the claims that are refuted or undecided, `witnesses` values for which some of them fail. Empty where no
    such conditions are found within what is `allowed`, and where they would leave no shape.
    """
    tried = list(_tried(program, open_claims, witnesses))
    found: dict[int, Condition] = {}
    for decision in open_claims[: WitnessBudget.CLAIMS] if len(open_claims) <= WitnessBudget.CLAIMS else ():
        parts = about_dimensions(decision.claim.condition) or _enough(decision, [*found.values()], tried, allowed)
        if not parts:
            return ()
        found.update((part.uid, part) for part in parts)
    assumed = program.assumed
    plain = {each.uid: each for condition in found.values() for each in plainer(condition, program, assumed, allowed)}
    needed = without_implied(list(plain.values()), assumed)
    texts = [as_text(condition, program) for condition in needed]
    return (
        tuple(texts) if len(texts) <= WitnessBudget.CONDITIONS and all(texts) and _possible([*assumed, *needed]) else ()
    )


def _enough(
    decision: Decision, found: Sequence[Condition], tried: Sequence[Condition], allowed: Allowance
) -> tuple[Condition, ...]:
    """Conditions under which a claim holds: those found for others, or else one that is tried; none if none will do."""
    for parts in (tuple(found), *((each,) for each in tried)):
        if parts and not allowed.used_up and _holds(decision, parts):
            return parts
    return ()


def about_dimensions(condition: Condition | bool) -> tuple[Condition, ...]:
    """The parts of a condition that is about nothing but dimensions; none of any other."""
    if isinstance(condition, bool) or any(isinstance(atom, Index | Select) for atom in condition.atoms()):
        return ()
    return tuple(plain_parts(condition))


def plain_parts(condition: Condition | bool) -> Iterator[Condition]:
    """The conditions that together say the same, without a minimum or a quotient that is compared: `N <= 384` for
    `N <= min(384, N)`, `A*B <= 640` for `-5 <= (-A*B)//128`."""
    if isinstance(condition, Junction) and condition.conjunction:
        for part in condition.parts:
            yield from plain_parts(part)
    elif isinstance(condition, Comparison) and (same := _without_one(condition)) is not None:
        for one in same:
            yield from plain_parts(one)
    elif isinstance(condition, Condition):
        yield condition


def _without_one(condition: Comparison) -> list[Condition | bool] | None:
    """Conditions that together say the same without a minimum that bounds the rest, or the one quotient; None without
    such."""
    monomials = condition.term.monomials
    for key, factor in monomials.items() if condition.relation is Relation.AT_MOST else ():
        atom = key[0] if len(key) == 1 else None
        if isinstance(atom, Min) and factor < 0:
            rest = terms.make({other: number for other, number in monomials.items() if other != key})
            return [conditions.at_most_zero(terms.add(rest, each, factor)) for each in atom.terms]
        divisor = atom.denominator.constant if isinstance(atom, Div) and len(monomials) <= 2 else None
        if isinstance(atom, Div) and divisor is not None and divisor > 0 and not set(monomials) - {key, ()}:
            bound = -condition.term.constant_part // factor if factor > 0 else -(condition.term.constant_part // factor)
            beyond = bound * divisor + divisor - 1 if factor > 0 else bound * divisor
            difference = terms.add(atom.numerator, terms.constant(beyond), -1)
            return [conditions.at_most_zero(difference if factor > 0 else terms.scale(difference, -1))]
    return None


def _tried(
    program: Program, open_claims: Sequence[Decision], witnesses: Iterable[Mapping[str, int]]
) -> Iterator[Condition]:
    """The conditions that may keep a domain away from the witnesses, the least restrictive first."""
    mentioned = [part for one in open_claims for part in (*one.hypotheses, one.claim.condition)]
    values = [dict(witness) for witness in witnesses]
    seen = set()
    candidates = [
        (dimension, dimension.is_multiple(divisor))
        for dimension in program.dimensions
        for divisor in sorted(divisors(dimension, mentioned))
        if any(witness.get(dimension.atom.name, 0) % divisor for witness in values)
    ]
    candidates += [
        (dimension, dimension.at_most(witness[dimension.atom.name] - dimension.multiple_of))
        for dimension in program.dimensions
        for witness in values
        if witness.get(dimension.atom.name, 0) > dimension.smallest
    ]
    for dimension, condition in candidates:
        if isinstance(condition, Condition) and not dimension.choices and condition.uid not in seen:
            seen.add(condition.uid)
            yield condition


def _holds(decision: Decision, given: Sequence[Condition]) -> bool:
    """True if the claim holds wherever `given` does."""
    return Prover([*decision.hypotheses, *given], BUDGETS.statement).proves(decision.claim.condition)


def plainer(
    condition: Condition, program: Program, assumed: Sequence[Condition | bool], allowed: Allowance
) -> tuple[Condition, ...]:
    """Conditions that suffice for `condition` and say more to a reader, where there are some; else itself.

    Of alternatives the upper bound of a dimension is taken that lets it go furthest; what is about one dimension, such
    as `S//128 <= 207`, is said as the largest value of it up to which all pass.
    """
    if isinstance(condition, Junction) and not condition.conjunction:
        ways = [part.parts if isinstance(part, Junction) else (part,) for part in condition.parts]
        bounds = [way for way in ways if all(_is_bound(part) for part in way)]
        return max(bounds, key=_reach, default=(condition,))
    dimensions = [each for each in program.dimensions if each.atom in condition.atoms() and not each.choices]
    if len(dimensions) != 1 or _is_bound(condition) or allowed.used_up:
        return (condition,)
    bound = _bound(condition, dimensions[0])
    enough = isinstance(bound, Condition) and Prover([*assumed, bound], BUDGETS.statement).proves(condition)
    return (bound,) if enough and isinstance(bound, Condition) else (condition,)


def _is_bound(condition: Condition) -> bool:
    """True if it is a bound of one dimension: `N <= 65536`."""
    if not isinstance(condition, Comparison) or condition.relation is not Relation.AT_MOST:
        return False
    return [*map(type, condition.atoms())] == [Dimension]


def _reach(bounds: Sequence[Condition]) -> int:
    """The least of the values up to which bounds of one dimension each let it go."""
    return min(
        -term.constant_part // factor
        for one in bounds
        for term in one.terms()
        for key, factor in term.monomials.items()
        if key
    )


def _bound(condition: Condition, dimension: DomainDimension) -> Condition | bool:
    """The dimension up to the largest value below the first one that fails, if it is found by halving."""
    step, low = dimension.multiple_of, dimension.smallest // dimension.multiple_of
    high = dimension.greatest // step

    def passes(count: int) -> bool:
        try:
            return Valuation({dimension.atom: count * step}).holds(condition)
        except Undefined:
            return False

    if high < low or not passes(low) or passes(high):
        return False
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return dimension.at_most(low * step)


def _possible(given: Sequence[Condition | bool]) -> bool:
    """True if some values surely satisfy all of `given`."""
    return Prover(given, BUDGETS.statement).satisfiable() is Answer.YES


def without_implied(found: list[Condition], assumed: Sequence[Condition | bool]) -> list[Condition]:
    """`found` without what follows from the rest."""
    needed = list(found)
    for condition in found:
        others = [other for other in needed if other is not condition]
        if others and Prover([*assumed, *others], BUDGETS.statement).entails(condition):
            needed = others
    return needed


# --- as text ----------------------------------------------------------------------------------------------------------


def as_text(condition: Condition, program: Program) -> str:
    """`condition` as `--where` reads it; empty where it cannot be said so."""
    text = _written(condition)
    dimensions = {each.atom.name: of_atom(each.atom) for each in program.dimensions if not each.choices}
    try:
        read, node = parse("", text)
        check_condition(node, read, dimensions)
    except TextError:
        return ""
    return text if meaning(node, dimensions) is condition else ""


def _written(condition: Condition) -> str:
    if isinstance(condition, Junction):
        word = " and " if condition.conjunction else " or "
        return word.join(f"({text})" if " or " in text else text for text in map(_written, condition.parts))
    if isinstance(condition, Comparison) and condition.relation is not Relation.AT_MOST:
        for atom in condition.term.atoms:
            if isinstance(atom, Div):
                rest = terms.add(atom.numerator, terms.multiply(of_atom(atom), atom.denominator), -1)
                whole = conditions.equals_zero(rest)
                # Conditions compare by identity: `==` of two is a condition.
                if whole is condition or whole is condition.negation():
                    top, divisor = (
                        text if text.isidentifier() or text.isdigit() else f"({text})"
                        for text in (render(_nearest(atom)), render(atom.denominator))
                    )
                    return f"{top} % {divisor} {condition.relation.value} 0"
    return repr(condition)


def _nearest(atom: Div) -> Term:
    """The numerator of a quotient without rest, its constant the nearest to zero: `n - 1` for `n + 511` of 512."""
    divisor, known = atom.denominator.constant, atom.numerator.constant_part
    above = divisor is not None and 2 * known > divisor and atom.numerator.constant is None
    return terms.add(atom.numerator, terms.constant(-divisor)) if divisor is not None and above else atom.numerator
