"""The facts on a path, and the cheap prover over them.

`Facts` keeps the hypotheses of a path in forms that decide most claims without a solver: equalities as substitutions
(`K == 128*div(K, 128)` replaces K), linear bounds of every atom, constant intervals. A claim is proved by eliminating
atoms (`nkiverify.symbolic.elimination`): True means proved, False means "not proved here".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import TypeVar

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import count_steps
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.elimination import INFINITY, STEPS_OF_PROOF, Budget, KnownBounds

#: How many bound substitutions a proof may nest, tried one after the other.
DEPTHS = (2, 4, 8, 14)

_ConditionT = TypeVar("_ConditionT", bound=Condition)


@dataclass(slots=True)
class Facts(KnownBounds):
    """The hypotheses of a path. `extended` gives those of a longer path; a `Facts` itself does not change."""

    #: Conditions that hold, in no simpler form (disjunctions, inequalities), by uid.
    others: dict[int, Condition] = field(default_factory=dict)
    #: Atoms whose own properties have been added.
    described: set[Atom] = field(default_factory=set)
    #: The conditions, by uid, whose simpler form is being searched for: these facts are a case of that proof, in which
    #: the same condition would be examined without end.
    simplifying: frozenset[int] = frozenset()
    #: What has been proved of them, by uid: of a long kernel the same is claimed again and again.
    proved: set[int] = field(default_factory=set)
    #: The budget of the proof for which something is being added, which pays for what adding it takes.
    payer: Budget | None = None

    def extended(self, *added: Condition | bool, payer: Budget | None = None) -> Facts:
        """The facts of the path on which `added` hold as well; for a proof, its budget is the `payer`."""
        result = Facts(
            dict(self.replacements),
            {atom: list(bounds) for atom, bounds in self.upper.items()},
            {atom: list(bounds) for atom, bounds in self.lower.items()},
            list(self.at_most_zero),
            dict(self.ranges),
            self.contradictory,
            others=dict(self.others),
            described=set(self.described),
            simplifying=self.simplifying,
            payer=payer,
        )
        # They hold of what is being added as well: where a part holds of one, its negation need not be tried.
        result.samples = tuple(sample for sample in self.samples if sample.satisfies(added))
        for condition in added:
            result._add(condition)
        result.payer = None
        return result

    def _within(self, steps: int, proof: Callable[[Budget], bool]) -> bool:
        """The result of a `proof` in so many steps, or in what the payer still has."""
        budget = Budget(steps if self.payer is None else max(0, min(steps, self.payer.steps)))
        given = budget.steps
        found = proof(budget)
        if self.payer is not None:
            self.payer.steps -= given - budget.steps
        return found

    def _is_at_least_zero(self, term: Term, steps: int, depth: int) -> bool:
        """True if `term >= 0` can be proved in so many steps."""
        return self._within(steps, lambda budget: self._at_least_zero(term, budget, depth))

    # --- adding ------------------------------------------------------------------------------------------------------

    def _add(self, condition: Condition | bool) -> None:
        if isinstance(condition, Condition):
            condition = condition.substitute(self.replacements)
        if not isinstance(condition, Condition):
            self.contradictory = self.contradictory or not condition
        elif isinstance(condition, Comparison):
            self._describe(condition.term)
            if condition.relation is Relation.EQUAL:
                self._add_equality(condition.term)
            elif condition.relation is Relation.AT_MOST:
                self._add_at_most(condition.term)
            else:
                self._add_simpler(condition, self._add_unequal)
        elif isinstance(condition, Junction):
            if condition.conjunction:
                for part in condition.parts:
                    self._add(part)
            else:
                self._add_simpler(condition, self._add_disjunction)

    def _add_simpler(self, condition: _ConditionT, add: Callable[[_ConditionT], None]) -> None:
        """Add a condition by what it comes to here; as it is where that is being searched for."""
        if condition.uid in self.simplifying:
            self.others[condition.uid] = condition
            return
        outer, self.simplifying = self.simplifying, self.simplifying | {condition.uid}
        add(condition)
        self.simplifying = outer

    def _add_disjunction(self, condition: Junction) -> None:
        # Within the search for the simpler form of another, each part is a proof within the proof of a part of that.
        within = len(self.simplifying) - 1
        steps = ProvingBudget.STEPS_OF_A_PART // ProvingBudget.SHARE_WITHIN**within
        open_parts = [
            part
            for part in condition.parts
            if any(sample.satisfies([part]) for sample in self.samples)
            or not self._within(steps, partial(self._proves, part.negation()))
        ]
        if not open_parts:
            self.contradictory = True
        elif len(open_parts) == 1:
            self._add(open_parts[0])
        else:
            self.others[condition.uid] = condition
            if self.payer is None and not within:
                self._bound_by_parts(open_parts)

    def _bound_by_parts(self, parts: Sequence[Condition]) -> None:
        """The constant ranges of atoms that all `parts` leave, of which one holds."""
        shared = [atom for atom in parts[0].atoms() if all(atom in part.atoms() for part in parts)]
        cases = [self.extended(part) for part in parts] if shared else []
        for atom in shared:
            ranges = [case.range_of(terms.of_atom(atom)) for case in cases if not case.contradictory]
            if ranges:
                self._tighten(atom, min(low for low, _ in ranges), max(high for _, high in ranges))

    def _add_unequal(self, condition: Comparison) -> None:
        term = condition.term
        # Not zero and not negative is at least one, and the other way round.
        if self._is_at_least_zero(term, 200, DEPTHS[-1]):
            self._add(conditions.at_most_zero(terms.add(terms.constant(1), term, -1)))
        elif self._is_at_least_zero(terms.scale(term, -1), 200, DEPTHS[-1]):
            self._add(conditions.at_most_zero(terms.add(term, terms.constant(1))))
        else:
            self.others[condition.uid] = condition

    def _add_equality(self, term: Term) -> None:
        atom = self._replaceable(term)
        if atom is None:
            self._add_at_most(term)
            self._add_at_most(terms.scale(term, -1))
            return
        split = terms.coefficient_of(term, atom)
        assert split is not None
        factor, rest = split
        sign = factor.constant
        assert sign in (1, -1)
        replacement = terms.scale(rest, -sign)
        low, high = self.ranges.get(atom, (-INFINITY, INFINITY))
        mapping = {atom: replacement}
        self.replacements = {
            key: terms.substitute(value, mapping) for key, value in self.replacements.items()
        } | mapping
        self._rewrite(mapping)
        self._describe(replacement)
        # What was known of the atom is known of its replacement.
        if low > -INFINITY:
            self._add(conditions.at_most_zero(terms.add(terms.constant(int(low)), replacement, -1)))
        if high < INFINITY:
            self._add(conditions.at_most_zero(terms.add(replacement, terms.constant(-int(high)))))

    def _replaceable(self, term: Term) -> Atom | None:
        # A dimension is replaced by its tiles rather than the other way round; among equals, the newest atom.
        best: Atom | None = None
        for monomial, coefficient in term.monomials.items():
            if len(monomial) != 1 or abs(coefficient) != 1:
                continue
            atom = monomial[0]
            split = terms.coefficient_of(term, atom)
            if split is None or split[0].constant is None:
                continue
            # An atom that is a function of others may stand for them (K by K//128), but not inside itself.
            if any(atom in terms.all_atoms(terms.of_atom(inner)) for inner in _functions(split[1], skip=Div)):
                continue
            # A function of itself that is no other function then (K//128 of 128*(K//128)) would be replaced for ever.
            value = terms.scale(split[1], -split[0].constant)
            within = (
                one for one in value.atoms if isinstance(one, Div) and atom in terms.all_atoms(terms.of_atom(one))
            )
            if any(terms.substitute(terms.of_atom(one), {atom: value}) is not terms.of_atom(one) for one in within):
                continue
            if best is None or _preference(atom) > _preference(best):
                best = atom
        return best

    def _rewrite(self, mapping: dict[Atom, Term]) -> None:
        """Bring the facts that are about the newly replaced atom into terms without it."""
        done: dict[Atom, Term] = {}

        def stays(term: Term) -> bool:
            return terms.substitute(term, mapping, done) is term

        old_terms = [term for term in self.at_most_zero if not stays(term)]
        old_others = [one for one in self.others.values() if not all(map(stays, one.terms()))]
        old_atoms = [atom for atom in self.described if not stays(terms.of_atom(atom))]
        self.at_most_zero = [term for term in self.at_most_zero if stays(term)]
        for condition in old_others:
            del self.others[condition.uid]
        for known in (self.upper, self.lower):
            for atom, bounds in [*known.items()]:
                left = [bound for bound in bounds if all(map(stays, bound))] if stays(terms.of_atom(atom)) else []
                if left:
                    known[atom] = left
                else:
                    del known[atom]
        self.described.difference_update(old_atoms)
        for atom in mapping:
            self.ranges.pop(atom, None)
        for atom in old_atoms:
            if atom not in mapping:
                self._describe(terms.substitute(terms.of_atom(atom), mapping, done))
        for term in old_terms:
            self._add(conditions.at_most_zero(terms.substitute(term, mapping, done)))
        for condition in old_others:
            self._add(condition)

    def _add_at_most(self, term: Term) -> None:
        value = term.constant
        if value is not None:
            self.contradictory = self.contradictory or value > 0
            return
        if any(known is term for known in self.at_most_zero):
            return
        self.at_most_zero.append(term)
        for atom in term.atoms:
            split = terms.coefficient_of(term, atom)
            if split is None:
                continue
            factor, rest = split
            size = factor.constant
            if size is None:
                self.upper.setdefault(atom, []).append((factor, rest))
                self.lower.setdefault(atom, []).append((terms.scale(factor, -1), terms.scale(rest, -1)))
            elif size > 0:
                self.upper.setdefault(atom, []).append((factor, rest))
                self._tighten(atom, high=-self._range(rest)[0] // size)
            else:
                self.lower.setdefault(atom, []).append((terms.scale(factor, -1), terms.scale(rest, -1)))
                # -s*x + r <= 0 is x >= r/s.
                self._tighten(atom, low=-(-self._range(rest)[0] // -size))
        if self._range(term)[0] > 0:
            self.contradictory = True
        self._bound_products(term)
        for atom in term.atoms:
            if isinstance(atom, Min):
                self._add_only_part(atom, term)

    def _add_only_part(self, atom: Min, term: Term) -> None:
        """A minimum that can be only one of its parts where `term` is at most 0 is that one: `min(128, N - t) <= 127`
        bounds N, and `min(128, N) < N` is one of 128."""
        most = self.ranges.get(atom, (-INFINITY, INFINITY))[1]

        def possible_as(part: Term) -> bool:
            return self._range(part)[0] <= most and self._range(terms.substitute(term, {atom: part}))[0] <= 0

        possible = [part for part in atom.terms if possible_as(part)]
        if not possible:
            self.contradictory = True
        elif len(possible) == 1:
            self._add_at_most(terms.add(possible[0], terms.of_atom(atom), -1))

    def _bound_products(self, term: Term) -> None:
        """Constant bounds of the factors of a product that a hypothesis `a*x*y + r <= 0` bounds."""
        for monomial, coefficient in term.monomials.items():
            if len(monomial) < 2:
                continue
            rest = terms.add(term, terms.make({monomial: coefficient}), -1)
            least = self._range(rest)[0]
            if least == -INFINITY or any(self.ranges.get(atom, (-1, 0))[0] < 0 for atom in monomial):
                continue
            if coefficient < 0 and least > 0:
                # The product of factors that are not negative is at least 1: so is every factor.
                for atom in monomial:
                    self._tighten(atom, low=1)
            elif coefficient > 0:
                for atom in monomial:
                    others = [other for other in monomial if other is not atom]
                    smallest = coefficient * math.prod(int(self.ranges[other][0]) for other in others)
                    if smallest > 0 and monomial.count(atom) == 1:
                        self._tighten(atom, high=-least // smallest)
                if monomial.count(monomial[0]) == len(monomial) == 2:
                    self._tighten(monomial[0], high=math.isqrt(int(max(0, -least // coefficient))))

    def _tighten(self, atom: Atom, low: float = -INFINITY, high: float = INFINITY) -> None:
        old_low, old_high = self.ranges.get(atom, (-INFINITY, INFINITY))
        # -inf // n is nan in Python.
        low = old_low if low != low else max(low, old_low)
        high = old_high if high != high else min(high, old_high)
        self.ranges[atom] = (low, high)
        if low > high:
            self.contradictory = True

    # --- what atoms say of themselves ------------------------------------------------------------------------------

    def _describe(self, term: Term) -> None:
        for atom in term.atoms:
            if atom in self.described:
                continue
            self.described.add(atom)
            if isinstance(atom, Dimension):
                continue
            if isinstance(atom, Index):
                self._describe_index(atom)
            elif isinstance(atom, Div):
                self._describe_division(atom)
            elif isinstance(atom, Min):
                for part in atom.terms:
                    self._describe(part)
                    self._add_at_most(terms.add(terms.of_atom(atom), part, -1))
                low, high = (min(ends) for ends in zip(*map(self._range, atom.terms), strict=True))
                self._tighten(atom, low, high)
                if low < 1 <= high and self._has_iterations(atom):
                    self._tighten(atom, low=1)
            elif isinstance(atom, Select):
                self._describe(atom.when_true)
                self._describe(atom.when_false)
                one, two = self._range(atom.when_true), self._range(atom.when_false)
                self._tighten(atom, min(one[0], two[0]), max(one[1], two[1]))

    def _has_iterations(self, atom: Min) -> bool:
        """True if a minimum is at least 1 in all iterations: the extent of a tile, `min(t, N - t*g)`, is, as there is a
        tile just where something is left."""

        def proof(budget: Budget) -> bool:
            one = terms.constant(-1)
            return all(
                self._range(part)[0] >= 1 or self._follows_at_ends(terms.add(part, one), budget) for part in atom.terms
            )

        indexed = any(isinstance(inner, Index) for part in atom.terms for inner in part.atoms)
        return indexed and self._within(ProvingBudget.STEPS_OF_A_LEAST_TILE, proof)

    def _describe_index(self, atom: Index) -> None:
        self._tighten(atom, low=0)
        if atom.representative:
            self._describe(atom.extent)
            self._add(
                conditions.at_most_zero(terms.add(terms.add(terms.of_atom(atom), terms.constant(1)), atom.extent, -1))
            )

    def _describe_division(self, atom: Div) -> None:
        quotient = terms.of_atom(atom)
        numerator = terms.substitute(atom.numerator, self.replacements)
        denominator = terms.substitute(atom.denominator, self.replacements)
        self._describe(numerator)
        self._describe(denominator)
        whole = terms.multiply(denominator, quotient)
        if not self._is_at_least_zero(terms.add(denominator, terms.constant(-1)), 200, 4):
            return
        low, high = self._range(numerator)
        small, large = self._range(denominator)
        # The proof that the denominator is at least 1 may rest on more than its constant range.
        small = max(small, 1)
        if large < small:
            return  # The facts contradict each other, which is for others to find: nothing is said of the quotient.
        if low > -INFINITY:
            self._tighten(atom, low=low // (large if low >= 0 else small) if large < INFINITY or low < 0 else 0)
        if high < INFINITY:
            self._tighten(atom, high=high // (small if high >= 0 else large) if large < INFINITY or high >= 0 else -1)
        if denominator.constant is None:
            # A quotient of something not negative by something positive, and the like.
            for offset, bound in ((terms.scale(denominator, -1), 1), (terms.constant(0), 0)):
                if self._is_at_least_zero(terms.add(numerator, offset), 100, 4):
                    self._tighten(atom, low=bound)
                    self._add_at_most(terms.add(quotient, numerator, -1))
                    break
            for slack, bound in ((terms.constant(-1), -1), (terms.constant(0), 0)):
                if self._is_at_least_zero(terms.add(slack, numerator, -1), 100, 4):
                    self._tighten(atom, high=bound)
                    break
        # b*q <= a and a <= b*q + b - 1.
        self._add_at_most(terms.add(whole, numerator, -1))
        over = terms.add(terms.add(numerator, whole, -1), denominator, -1)
        self._add_at_most(terms.add(over, terms.constant(1)))

    # --- proving -----------------------------------------------------------------------------------------------------

    @of_stage(Stage.SIMPLIFYING)
    def proves(self, goal: Condition | bool) -> bool:
        """True if `goal` follows from the facts, as far as the cheap prover can see."""
        if not isinstance(goal, Condition):
            return self._proves(goal, Budget())
        if goal.uid not in self.proved and self._proves(goal, Budget()):
            self.proved.add(goal.uid)
        return goal.uid in self.proved

    def proves_soon(self, goal: Condition) -> bool | None:
        """The answer of `proves` about `goal` where a few steps tell; None where they do not."""
        if goal.uid in self.proved:
            return True
        budget = Budget(ProvingBudget.FIRST_STEPS)
        if self._proves(goal, budget):
            self.proved.add(goal.uid)
            return True
        return None if budget.steps <= 0 else False

    def _proves(self, goal: Condition | bool, budget: Budget) -> bool:
        if self.contradictory:
            return True
        if isinstance(goal, Condition):
            goal = goal.substitute(self.replacements)
        if not isinstance(goal, Condition):
            return goal
        if goal.uid in self.others:
            return True
        budget.steps -= 1
        count_steps(STEPS_OF_PROOF)
        if budget.steps < 0:
            return False
        if not isinstance(goal, Comparison):
            assert isinstance(goal, Junction)
            if goal.conjunction:
                return all(self._proves(part, budget) for part in goal.parts)
            return self._proves_any(goal, budget)
        working = self._with(goal.term)
        # Shallow proofs first: a deep search in a wrong direction would spend what a short right one needs.
        return any(working._proves_comparison(goal, budget, depth) for depth in DEPTHS)

    def _proves_comparison(self, goal: Comparison, budget: Budget, depth: int) -> bool:
        opposite = terms.scale(goal.term, -1)
        if goal.relation is Relation.AT_MOST:
            if depth == DEPTHS[0] and self._at_once(opposite, budget):
                return True
            return self._at_least_zero(opposite, budget, depth)
        if goal.relation is Relation.EQUAL:
            return self._at_least_zero(goal.term, budget, depth) and self._at_least_zero(opposite, budget, depth)
        one = terms.constant(-1)
        return self._at_least_zero(terms.add(goal.term, one), budget, depth) or self._at_least_zero(
            terms.add(opposite, one), budget, depth
        )

    def _proves_any(self, goal: Junction, budget: Budget) -> bool:
        # One part must hold where all others fail. Whichever is singled out will do; conjunctions are asked last to be
        # hypotheses, as their negations are disjunctions.
        share = budget.steps // len(goal.parts)
        for part in sorted(goal.parts, key=lambda part: isinstance(part, Comparison)):
            others = [other.negation() for other in goal.parts if other is not part]
            extended = self.extended(*others, payer=budget)
            if extended.contradictory or extended._proves(part, Budget(share)):
                return True
        budget.steps = 0
        return False

    def _with(self, term: Term) -> Facts:
        """These facts, with what the atoms of `term` say of themselves."""
        if all(atom in self.described for atom in terms.all_atoms(term)):
            return self
        result = self.extended()
        result._describe(term)
        return result

    # --- constant values ---------------------------------------------------------------------------------------------

    def value_of(self, term: Term) -> int | None:
        """The one value the facts leave for `term`, if the cheap prover sees that there is only one."""
        low, high = self.range_of(term)
        return int(low) if low == high else None

    def range_of(self, term: Term) -> tuple[float, float]:
        """Between which values `term` is, as far as the cheap prover sees; infinity where it sees no bound."""
        term = terms.substitute(term, self.replacements)
        return self._with(term)._range(term)


def _functions(term: Term, skip: type[Atom]) -> list[Atom]:
    return [atom for atom in term.atoms if atom.arguments() and not isinstance(atom, skip)]


def _preference(atom: Atom) -> tuple[int, int]:
    kind = 2 if isinstance(atom, Dimension) else 1 if isinstance(atom, Index) else 0
    return kind, atom.uid
