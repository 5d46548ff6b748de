"""Limits of the hardware on the sizes of a domain: up to where shapes can be held, as refuted claims state it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import inf

from nkiverify.engines.embedded import Decision
from nkiverify.foundation.budget import DerivingBudget, SearchingBudget
from nkiverify.foundation.clock import Allowance
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.records import Violation
from nkiverify.ir.program import Program
from nkiverify.products.derive.domain_candidates import Candidate, at_last_iteration, is_upper_bound, readable
from nkiverify.symbolic.atoms import Atom, Div, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation, at_most_zero
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.terms import constant, make, of_atom
from nkiverify.verify.witness.sufficient import about_dimensions, plainer, without_implied


class CapacityLimits:
    """Upper bounds beyond the shapes that are run. `assumed` is what the unrestricted domain says, `guards` what the
    kernel requires itself."""

    def __init__(
        self,
        program: Program,
        decisions: Sequence[Decision],
        guards: Sequence[Condition],
        assumed: Sequence[Condition | bool],
    ) -> None:
        self._program = program
        self._decisions = decisions
        self._guards = guards
        self._assumed = assumed
        #: The claims that state limits, by these.
        self.places: dict[int, Decision] = {}
        #: All claims that each of them is enough for.
        self._stating: dict[int, list[Decision]] = {}
        #: Those that verdicts have shown, besides what claims state.
        self.shown: list[Candidate] = []
        #: Those that claims state, by the dimensions that have one value in a domain.
        self._stated: dict[tuple[tuple[Atom, int], ...], list[Candidate]] = {}

    def bound(self, limit: Candidate, failure: Violation) -> None:
        """A limit below a shape that fails, unless it is known."""
        if any(each.text == limit.text for each in self.known()):
            return
        places = [
            each
            for each in self._decisions
            if each.claim.contract.id == failure.contract
            and each.claim.site is not None
            and (each.claim.site.file, each.claim.site.line) == (failure.file, failure.line)
        ]
        self.shown.append(limit)
        for place in places[:1]:
            self.places.setdefault(limit.condition.uid, place)

    def holdable(self) -> Iterator[Candidate]:
        """Upper bounds that refuted claims about what the hardware can hold state."""
        found: dict[str, Candidate] = {}
        for one in self._decisions:
            rule = one.claim.contract
            for part in about(one) if rule.limit else ():
                text = readable(part, self._program)
                if text and is_upper_bound(part) and _bound_of(part) <= SearchingBudget.NEAR:
                    found.setdefault(text, Candidate(part, text, 1.0, rule.id))
        yield from found.values()

    def _capacity(self, fixed: Mapping[Atom, int]) -> list[Candidate]:
        """Upper bounds, beyond the shapes that are run, that refuted claims about limits of the hardware state where
        dimensions are `fixed`."""
        key = tuple(fixed.items())
        if key not in self._stated:
            self._stated[key] = self._stated_where({atom: constant(value) for atom, value in key})
        return self._stated[key]

    def _stated_where(self, fixed: dict[Atom, Term]) -> list[Candidate]:
        allowed = Allowance(DerivingBudget.LIMITS_MS)
        found: dict[int, Candidate] = {}
        for decision in self._decisions:
            stated = about(decision) if decision.claim.contract.limit else []
            within = (one for one in (each.substitute(fixed) for each in stated) if isinstance(one, Condition))
            for part in (simple for each in within for simple in self._simple(each)):
                with_text: Sequence[Condition] = ()
                try:
                    with_text = plainer(part, self._program, self._guards, allowed)
                except UnsupportedConstruct:
                    continue
                for plain in with_text:
                    text = readable(plain, self._program)
                    if text and _bound_of(plain) > SearchingBudget.NEAR:
                        found.setdefault(plain.uid, Candidate(plain, text, 1.0, decision.claim.contract.id))
                        self.places.setdefault(plain.uid, decision)
                        self._stating.setdefault(plain.uid, []).append(decision)
        return list(found.values())

    def known(self) -> list[Candidate]:
        """All limits, whatever they are limits within."""
        return [*self._capacity({}), *chain.from_iterable(self._stated.values()), *self.shown]

    def _fixed(self, chosen: Sequence[Candidate]) -> dict[Atom, int]:
        """The dimensions that have one value in a domain."""
        facts = Prover([*self._assumed, *(one.condition for one in chosen)], BUDGETS.statement).facts
        values = {one.atom: facts.value_of(of_atom(one.atom)) for one in self._program.dimensions}
        return {atom: value for atom, value in values.items() if value is not None}

    def _simple(self, part: Condition) -> Sequence[Condition]:
        """Upper bounds that are enough for `part`, without divisions by dimensions, which no proof gets past.

        Of alternatives it is the one that lets sizes go furthest; none is needed where one of them is known to hold.
        """
        if isinstance(part, Junction) and not part.conjunction:
            ways = [way.parts if isinstance(way, Junction) else (way,) for way in part.parts]
            known = Prover(self._assumed, BUDGETS.statement)
            left = [[one for one in way if not known.entails(one)] for way in ways]
            simple = [way for way in left if all(map(is_upper_bound, way))]
            return max(simple, key=lambda way: min(map(_bound_of, way), default=inf), default=())
        if isinstance(part, Comparison) and part.relation is Relation.AT_MOST:
            # What is subtracted is at least zero.
            kept = {key: factor for key, factor in part.term.monomials.items() if factor > 0 or not key}
            less = at_most_zero(make(kept)) if len(kept) < len(part.term.monomials) else part
            part = less if isinstance(less, Condition) else part
        quotients: dict[Atom, Term] = {
            atom: atom.numerator for atom in part.atoms() if isinstance(atom, Div) and atom.denominator.constant is None
        }
        whole = part.substitute(quotients)
        # The divisors are at least 1.
        return (whole,) if isinstance(whole, Condition) and is_upper_bound(whole) else ()

    def needed(self, chosen: Sequence[Candidate], within: Sequence[Condition] = ()) -> list[Candidate]:
        """The limits that do not follow from the rest, and from what all is `within`."""
        limits = [*self._capacity(self._fixed(chosen)), *self.shown]
        conditions = [*(one.condition for one in (*chosen, *limits)), *within]
        for one in limits:
            stating = self._stating.get(one.condition.uid, ())
            rest = [condition for condition in conditions if condition is not one.condition]
            # Of alternatives one is stated: another may hold wherever the rest does.
            if stating and all(_is_enough([*self._assumed, *rest], each) for each in stating):
                conditions = rest
        kept = {one.uid for one in without_implied(conditions, self._assumed)}
        return [one for one in limits if one.condition.uid in kept]


def about(decision: Decision) -> list[Condition]:
    """The part of a claim about dimensions alone, in its loops' last iterations where it is about iterations."""
    found = list(about_dimensions(decision.claim.condition))
    for one in at_last_iteration(decision.claim.condition):
        found += about_dimensions(one)
    return found


def _bound_of(condition: Condition) -> int:
    """The number that an upper bound compares with."""
    parts = condition.parts if isinstance(condition, Junction) else (condition,)
    return max((-term.constant_part for part in parts for term in part.terms()), default=0)


def _is_enough(conditions: Sequence[Condition | bool], decision: Decision) -> bool:
    """True if a claim about alternatives holds wherever these conditions do."""
    claimed = decision.claim.condition
    if not isinstance(claimed, Junction) or claimed.conjunction:
        return False
    return Prover([*decision.hypotheses, *conditions], BUDGETS.statement).proves(claimed)
