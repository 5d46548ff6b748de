"""The facts on a path, and the cheap prover over them.

`Facts` keeps the hypotheses of a path in forms that decide most claims without a solver: equalities as substitutions
(`K == 128*div(K, 128)` replaces K), linear bounds of every atom, constant intervals. To prove `t >= 0`, atoms are
replaced one by one by the bound that makes `t` smallest, innermost first, minding the sign of their coefficient.
The prover never guesses: True means proved, False means "not proved here", and a step budget ends every search.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Monomial, Select, Term
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.evaluation import Undefined, Valuation

#: Steps one proof may take. Measured on the corpus: claims it can prove take fewer than 200.
STEP_BUDGET = 2000

#: How many bound substitutions a proof may nest, tried one after the other.
DEPTHS = (2, 4, 8, 14)

_INFINITY = float("inf")
_ANYTHING = (-_INFINITY, _INFINITY)

_ConditionT = TypeVar("_ConditionT", bound=Condition)

#: `(factor, rest)`: what is known of `factor * atom + rest`.
Bound = tuple[Term, Term]


@dataclass(slots=True)
class _Budget:
    """The budget that one proof still has, and what it has tried without success: facts and term, with the depth there
    was."""

    steps: int = STEP_BUDGET
    failed: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass(slots=True)
class Facts:
    """The hypotheses of a path. `extended` gives those of a longer path; a `Facts` itself does not change."""

    #: Atoms that an equality expresses by others. Replacements contain no replaced atom.
    replacements: dict[Atom, Term] = field(default_factory=dict)
    #: Per atom, `(c, r)` with `c*atom + r <= 0`.
    upper: dict[Atom, list[Bound]] = field(default_factory=dict)
    #: Per atom, `(c, r)` with `c*atom + r >= 0`.
    lower: dict[Atom, list[Bound]] = field(default_factory=dict)
    #: Terms known to be at most zero.
    at_most_zero: list[Term] = field(default_factory=list)
    #: Inclusive constant range per atom.
    ranges: dict[Atom, tuple[float, float]] = field(default_factory=dict)
    #: Conditions that hold, in no simpler form (disjunctions, inequalities), by uid.
    others: dict[int, Condition] = field(default_factory=dict)
    #: Atoms whose own properties have been added.
    described: set[Atom] = field(default_factory=set)
    contradictory: bool = False
    #: The conditions, by uid, whose simpler form is being looked for: these facts are a case of that proof, in which
    #: the same condition would be looked at without end.
    simplifying: frozenset[int] = frozenset()
    #: Values for which the facts hold, if some are known: what is false of them need not be tried to be proved.
    samples: tuple[Valuation, ...] = ()

    def extended(self, *added: Condition | bool) -> Facts:
        """The facts of the path on which `added` hold as well."""
        result = Facts(
            dict(self.replacements),
            {atom: list(bounds) for atom, bounds in self.upper.items()},
            {atom: list(bounds) for atom, bounds in self.lower.items()},
            list(self.at_most_zero),
            dict(self.ranges),
            dict(self.others),
            set(self.described),
            self.contradictory,
            self.simplifying,
        )
        for condition in added:
            result._add(condition)
        result.samples = tuple(sample for sample in self.samples if sample.satisfies(added))
        return result

    # --- adding ------------------------------------------------------------------------------------------------------

    def _add(self, condition: Condition | bool) -> None:
        if isinstance(condition, Condition):
            condition = condition.substitute(self.replacements)
        if isinstance(condition, bool):
            self.contradictory = self.contradictory or not condition
        elif isinstance(condition, Junction):
            if condition.conjunction:
                for part in condition.parts:
                    self._add(part)
            else:
                self._add_simpler(condition, self._add_disjunction)
        elif isinstance(condition, Comparison):
            self._describe(condition.term)
            if condition.relation is Relation.EQUAL:
                self._add_equality(condition.term)
            elif condition.relation is Relation.AT_MOST:
                self._add_at_most(condition.term)
            else:
                self._add_simpler(condition, self._add_unequal)

    def _add_simpler(self, condition: _ConditionT, add: Callable[[_ConditionT], None]) -> None:
        """Add a condition by what it comes to here; as it is where that is being looked for."""
        if condition.uid in self.simplifying:
            self.others[condition.uid] = condition
            return
        outer, self.simplifying = self.simplifying, self.simplifying | {condition.uid}
        add(condition)
        self.simplifying = outer

    def _add_disjunction(self, condition: Junction) -> None:
        open_parts = [part for part in condition.parts if not self.proves(part.negation())]
        if not open_parts:
            self.contradictory = True
        elif len(open_parts) == 1:
            self._add(open_parts[0])
        else:
            self.others[condition.uid] = condition

    def _add_unequal(self, condition: Comparison) -> None:
        budget = _Budget(200)
        term = condition.term
        # Not zero and not negative is at least one, and the other way round.
        if self._at_least_zero(term, budget, DEPTHS[-1]):
            self._add(conditions.at_most_zero(terms.add(terms.constant(1), term, -1)))
        elif self._at_least_zero(terms.scale(term, -1), budget, DEPTHS[-1]):
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
        low, high = self.ranges.get(atom, (-_INFINITY, _INFINITY))
        mapping = {atom: replacement}
        self.replacements = {
            key: terms.substitute(value, mapping) for key, value in self.replacements.items()
        } | mapping
        self._rewrite(mapping)
        self._describe(replacement)
        # What was known of the atom is known of its replacement.
        if low > -_INFINITY:
            self._add(conditions.at_most_zero(terms.add(terms.constant(int(low)), replacement, -1)))
        if high < _INFINITY:
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
            if best is None or _preference(atom) > _preference(best):
                best = atom
        return best

    def _rewrite(self, mapping: dict[Atom, Term]) -> None:
        """Bring every fact into terms without the newly replaced atom."""
        old_terms, old_others = self.at_most_zero, self.others
        self.at_most_zero, self.others = [], {}
        self.upper, self.lower = {}, {}
        for atom in mapping:
            self.ranges.pop(atom, None)
        described, self.described = self.described, set()
        for atom in described:
            if atom not in mapping and not isinstance(atom, Div | Min | Select):
                self.described.add(atom)
        for atom in described:
            if atom not in mapping:
                self._describe(terms.substitute(terms.of_atom(atom), mapping))
        for term in old_terms:
            replaced = conditions.at_most_zero(terms.substitute(term, mapping))
            self._add(replaced)
        for condition in old_others.values():
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

    def _bound_products(self, term: Term) -> None:
        """Constant bounds of the factors of a product that a hypothesis `a*x*y + r <= 0` bounds."""
        for monomial, coefficient in term.monomials.items():
            if len(monomial) < 2:
                continue
            rest = terms.add(term, terms.make({monomial: coefficient}), -1)
            least = self._range(rest)[0]
            if least == -_INFINITY or any(self.ranges.get(atom, (-1, 0))[0] < 0 for atom in monomial):
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

    def _tighten(self, atom: Atom, low: float = -_INFINITY, high: float = _INFINITY) -> None:
        old_low, old_high = self.ranges.get(atom, (-_INFINITY, _INFINITY))
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
                ranges = [self._range(part) for part in atom.terms]
                self._tighten(atom, min(low for low, _ in ranges), min(high for _, high in ranges))
            elif isinstance(atom, Select):
                self._describe(atom.when_true)
                self._describe(atom.when_false)
                one, two = self._range(atom.when_true), self._range(atom.when_false)
                self._tighten(atom, min(one[0], two[0]), max(one[1], two[1]))

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
        budget = _Budget(200)
        if not self._at_least_zero(terms.add(denominator, terms.constant(-1)), budget, 4):
            return
        low, high = self._range(numerator)
        small, large = self._range(denominator)
        # The proof that the denominator is at least 1 may rest on more than its constant range.
        small = max(small, 1)
        if low > -_INFINITY:
            self._tighten(atom, low=low // (large if low >= 0 else small) if large < _INFINITY or low < 0 else 0)
        if high < _INFINITY:
            self._tighten(atom, high=high // (small if high >= 0 else large) if large < _INFINITY or high >= 0 else -1)
        if denominator.constant is None:
            # A quotient of something not negative by something positive, and the like.
            for offset, bound in ((terms.scale(denominator, -1), 1), (terms.constant(0), 0)):
                if self._at_least_zero(terms.add(numerator, offset), _Budget(100), 4):
                    self._tighten(atom, low=bound)
                    self._add_at_most(terms.add(quotient, numerator, -1))
                    break
            for slack, bound in ((terms.constant(-1), -1), (terms.constant(0), 0)):
                if self._at_least_zero(terms.add(slack, numerator, -1), _Budget(100), 4):
                    self._tighten(atom, high=bound)
                    break
        # b*q <= a and a <= b*q + b - 1.
        self._add_at_most(terms.add(whole, numerator, -1))
        over = terms.add(terms.add(numerator, whole, -1), denominator, -1)
        self._add_at_most(terms.add(over, terms.constant(1)))

    # --- constant intervals ------------------------------------------------------------------------------------------

    def _range(self, term: Term) -> tuple[float, float]:
        low: float = 0
        high: float = 0
        for monomial, coefficient in term.monomials.items():
            least, most = self._monomial_range(monomial)
            if coefficient < 0:
                least, most = most, least
            low += coefficient * least
            high += coefficient * most
        return low, high

    def _monomial_range(self, monomial: Monomial) -> tuple[float, float]:
        if not monomial:
            return 1, 1
        if len(monomial) == 1:
            return self.ranges.get(monomial[0], _ANYTHING)
        low: float = 1
        high: float = 1
        for atom in monomial:
            least, most = self.ranges.get(atom, (-_INFINITY, _INFINITY))
            corners = [_times(one, two) for one in (low, high) for two in (least, most)]
            low, high = min(corners), max(corners)
        if len(monomial) == 2 and monomial[0] is monomial[1]:
            low = max(low, 0)
        return low, high

    # --- proving -----------------------------------------------------------------------------------------------------

    @of_stage(Stage.SIMPLIFYING)
    def proves(self, goal: Condition | bool) -> bool:
        """True if `goal` follows from the facts, as far as the cheap prover can see."""
        return self._proves(goal, _Budget())

    def _proves(self, goal: Condition | bool, budget: _Budget) -> bool:
        if self.contradictory:
            return True
        if isinstance(goal, Condition):
            goal = goal.substitute(self.replacements)
        if isinstance(goal, bool):
            return goal
        if goal.uid in self.others:
            return True
        budget.steps -= 1
        if budget.steps < 0:
            return False
        if isinstance(goal, Junction):
            if goal.conjunction:
                return all(self._proves(part, budget) for part in goal.parts)
            return self._proves_any(goal, budget)
        assert isinstance(goal, Comparison)
        working = self._with(goal.term)
        # Shallow proofs first: a deep search in a wrong direction would spend what a short right one needs.
        return any(working._proves_comparison(goal, budget, depth) for depth in DEPTHS)

    def _proves_comparison(self, goal: Comparison, budget: _Budget, depth: int) -> bool:
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

    def _proves_any(self, goal: Junction, budget: _Budget) -> bool:
        # One part must hold where all others fail. Whichever is singled out will do; conjunctions are asked last to be
        # hypotheses, as their negations are disjunctions.
        share = budget.steps // len(goal.parts)
        for part in sorted(goal.parts, key=lambda part: isinstance(part, Comparison)):
            others = [other.negation() for other in goal.parts if other is not part]
            extended = self.extended(*others)
            if extended.contradictory or extended._proves(part, _Budget(share)):
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

    def _at_least_zero(self, term: Term, budget: _Budget, depth: int) -> bool:
        """True if `term >= 0` can be proved."""
        value = term.constant
        if value is not None:
            return value >= 0
        budget.steps -= 1
        if budget.steps < 0:
            return False
        if self._range(term)[0] >= 0:
            return True
        key = (id(self), term.uid)
        if depth <= budget.failed.get(key, 0) or any(_is_negative(term, sample) for sample in self.samples):
            return False
        if self._follows_directly(term):
            return True
        if self._by_elimination(term, budget, depth):
            return True
        budget.failed[key] = depth
        return False

    def _at_once(self, term: Term, budget: _Budget) -> bool:
        """True if `term >= 0` can be proved without a search."""
        for shown in (self._by_quotient, self._at_ends):
            small = _Budget(max(0, min(200, budget.steps)))
            before = small.steps
            found = shown(term, small)
            budget.steps -= before - small.steps
            if found:
                return True
        return False

    def _at_ends(self, term: Term, budget: _Budget) -> bool:
        """True if `term >= 0` where each index is at one of its ends."""
        return self._at_least_zero(self._at_last_iterations(term), budget, 4)

    def _at_last_iterations(self, term: Term) -> Term:
        """A term that is never more: each index that makes `term` smaller the further it goes is where it ends,
        innermost first, and the others are 0.

        What a flattened address, `((b*S + s)*H + h)*D + d`, comes to at most is seen so at once; a search would try all
        indices in all orders.
        """
        for atom in sorted((one for one in term.atoms if isinstance(one, Index)), key=lambda one: -one.uid):
            split = terms.coefficient_of(term, atom)
            if split is None:
                return term
            factor, rest = split
            low, high = self._range(factor)
            if low >= 0:
                least = self.ranges.get(atom, _ANYTHING)[0]
                if least == -_INFINITY:
                    return term
                term = terms.add(rest, factor, int(least))
            elif high <= 0:
                ends = [r for size, r in self.upper.get(atom, ()) if size.constant == 1 and atom not in r.atoms]
                if not ends:
                    return term
                # The index is at most -r.
                term = terms.add(rest, terms.multiply(factor, ends[0]), -1)
            else:
                return term
        return term

    def _by_quotient(self, term: Term, budget: _Budget) -> bool:
        """True if `term >= 0` by what a quotient in it by a term is: `a // b <= x` just if `a <= b*x + b - 1`, and
        `a // b >= x` just if `a >= b*x`, for a positive `b`."""
        for atom in term.atoms:
            if not isinstance(atom, Div) or atom.denominator.constant is not None:
                continue
            factor, rest = terms.coefficient_of(term, atom) or (terms.constant(0), term)
            if factor.constant not in (1, -1):
                continue
            numerator = terms.substitute(atom.numerator, self.replacements)
            denominator = terms.substitute(atom.denominator, self.replacements)
            if not self._at_least_zero(terms.add(denominator, terms.constant(-1)), budget, 4):
                continue
            whole = terms.multiply(denominator, rest)
            if factor.constant == -1:
                goal = terms.add(terms.add(whole, terms.add(denominator, terms.constant(-1))), numerator, -1)
            else:
                goal = terms.add(whole, numerator)
            if self._at_least_zero(self._at_last_iterations(goal), budget, 4):
                return True
        return False

    def _by_elimination(self, term: Term, budget: _Budget, depth: int) -> bool:
        candidates = sorted(term.atoms, key=_elimination_order)
        for atom in candidates:
            if isinstance(atom, Min) and self._by_cases(term, atom, budget, depth):
                return True
            if isinstance(atom, Select) and self._by_condition(term, atom, budget, depth):
                return True
            split = terms.coefficient_of(term, atom)
            if split is not None and self._by_bounds(atom, split, budget, depth):
                return True
        return False

    def _follows_directly(self, term: Term) -> bool:
        # A hypothesis h <= 0 with term + h a constant or a term of constant range that is not negative.
        atoms = term.atoms
        return any(known.atoms <= atoms and self._least_of_sum(term, known) >= 0 for known in self.at_most_zero)

    def _least_of_sum(self, one: Term, two: Term) -> float:
        """The least of the range of `one + two`, without making the sum: most such sums are made for nothing else."""
        monomials = dict(one.monomials)
        for monomial, coefficient in two.monomials.items():
            monomials[monomial] = monomials.get(monomial, 0) + coefficient
        low: float = 0
        for monomial, coefficient in monomials.items():
            if coefficient:
                least, most = self._monomial_range(monomial)
                low += coefficient * (least if coefficient > 0 else most)
        return low

    def _by_bounds(self, atom: Atom, split: Bound, budget: _Budget, depth: int) -> bool:
        factor, rest = split
        size = factor.constant
        if size is not None:
            bounds = self.lower.get(atom, ()) if size > 0 else self.upper.get(atom, ())
            for bound_factor, bound_rest in bounds:
                bound_size = bound_factor.constant
                if bound_size is None or bound_size <= 0 or atom in bound_rest.atoms:
                    continue
                # s*(f*x + r) >= f'*(…): multiply the goal by the bound's factor, then put its bound in.
                smaller = terms.add(terms.scale(rest, bound_size), bound_rest, -size)
                if self._at_least_zero(smaller, budget, depth - 1):
                    return True
            limit = self.ranges.get(atom, (-_INFINITY, _INFINITY))[0 if size > 0 else 1]
            if abs(limit) < _INFINITY:
                return self._at_least_zero(terms.add(rest, terms.constant(size * int(limit))), budget, depth - 1)
            return False
        for known, positive in ((self.lower, True), (self.upper, False)):
            bounds = known.get(atom, ())
            signed = factor if positive else terms.scale(factor, -1)
            limit = self.ranges.get(atom, (-_INFINITY, _INFINITY))[0 if positive else 1]
            if abs(limit) < _INFINITY and self._at_least_zero(signed, budget, depth - 1):
                smaller = terms.add(rest, factor, int(limit))
                if self._at_least_zero(smaller, budget, depth - 1):
                    return True
            for bound_factor, bound_rest in bounds:
                cofactor = _exact_quotient(signed, bound_factor)
                if cofactor is None:
                    continue
                if not self._at_least_zero(cofactor, budget, depth - 1):
                    continue
                # cofactor*(f*x) >= -cofactor*r for a lower bound f*x + r >= 0, likewise above.
                part = terms.multiply(cofactor, bound_rest)
                smaller = terms.add(rest, part, -1 if positive else 1)
                if self._at_least_zero(smaller, budget, depth - 1):
                    return True
        return False

    def _by_cases(self, term: Term, atom: Min, budget: _Budget, depth: int) -> bool:
        # The minimum is one of its terms, whichever it is.
        return all(self._at_least_zero(terms.substitute(term, {atom: part}), budget, depth - 1) for part in atom.terms)

    def _by_condition(self, term: Term, atom: Select, budget: _Budget, depth: int) -> bool:
        for condition, value in (
            (atom.condition, atom.when_true),
            (atom.condition.negation(), atom.when_false),
        ):
            case = self.extended(condition)
            goal = terms.substitute(terms.substitute(term, {atom: value}), case.replacements)
            if not (case.contradictory or case._with(goal)._at_least_zero(goal, budget, depth - 1)):
                return False
        return True

    # --- constant values ---------------------------------------------------------------------------------------------

    def value_of(self, term: Term) -> int | None:
        """The one value the facts leave for `term`, if the cheap prover sees that there is only one."""
        low, high = self.range_of(term)
        return int(low) if low == high else None

    def range_of(self, term: Term) -> tuple[float, float]:
        """Between which values `term` is, as far as the cheap prover sees; infinity where it sees no bound."""
        term = terms.substitute(term, self.replacements)
        return self._with(term)._range(term)


def _is_negative(term: Term, sample: Valuation) -> bool:
    try:
        return sample.term(term) < 0
    except Undefined:
        return False


def _times(one: float, two: float) -> float:
    # 0 * inf is 0 here: the bound zero is reached, infinity is not.
    return 0 if one == 0 or two == 0 else one * two


def _functions(term: Term, skip: type[Atom]) -> list[Atom]:
    return [atom for atom in term.atoms if atom.arguments() and not isinstance(atom, skip)]


def _preference(atom: Atom) -> tuple[int, int]:
    kind = 2 if isinstance(atom, Dimension) else 1 if isinstance(atom, Index) else 0
    return kind, atom.uid


def _elimination_order(atom: Atom) -> tuple[int, int]:
    # Minima and conditional values first (their cases are exact), then indices, innermost first, then quotients.
    if isinstance(atom, Min | Select):
        rank = 0
    elif isinstance(atom, Index):
        rank = 1
    elif isinstance(atom, Div):
        rank = 2
    else:
        rank = 3
    return rank, -atom.uid


def _exact_quotient(term: Term, divisor: Term) -> Term | None:
    """`q` with `q * divisor == term` as polynomials, if `divisor` divides so."""
    value = divisor.constant
    if value is not None:
        if value == 0 or any(coefficient % value for coefficient in term.monomials.values()):
            return None
        return terms.make({monomial: part // value for monomial, part in term.monomials.items()})
    quotient = terms.divide(term, divisor)
    return quotient if terms.multiply(quotient, divisor) is term else None
