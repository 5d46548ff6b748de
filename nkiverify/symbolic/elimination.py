"""Proving that a term is not negative, by putting the bounds of its atoms in for them.

To prove `t >= 0`, atoms are replaced one by one by the bound that makes `t` smallest, innermost first, minding the sign
of their coefficient. The search never guesses: True means proved, False means "not proved here", and a step budget ends
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import STEPS_PER_MS, count_steps
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import identity
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Condition, Div, Index, Min, Monomial, Select, Term
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.generic_intervals import range_of, range_of_monomial

INFINITY = float("inf")
_ANYTHING = (-INFINITY, INFINITY)
_ONE = terms.constant(1)

#: A step of a proof, in those that allowances are counted in.
STEPS_OF_PROOF = STEPS_PER_MS // 100

#: `(factor, rest)`: what is known of `factor * atom + rest`.
Bound = tuple[Term, Term]


@dataclass(slots=True)
class Budget:
    """The budget that one proof still has, and what it has tried without success: facts and term, with the depth there
    was."""

    steps: int = ProvingBudget.STEPS
    failed: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass(slots=True)
class KnownBounds:
    """The bounds of atoms on a path, and what follows from them."""

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
    contradictory: bool = False
    #: Values for which the bounds hold, if some are known: what is false of them need not be tried to be proved.
    samples: tuple[Valuation, ...] = ()

    def extended(self, *added: Condition | bool, payer: Budget | None = None) -> KnownBounds:
        """The bounds of the path on which `added` hold as well; for a proof, its budget is the `payer`."""
        raise NotImplementedError

    def _with(self, term: Term) -> KnownBounds:
        """These bounds, with what the atoms of `term` say of themselves."""
        raise NotImplementedError

    # --- constant intervals ------------------------------------------------------------------------------------------

    def _range(self, term: Term) -> tuple[float, float]:
        return range_of(term, self._range_of_atom)

    def _range_of_atom(self, atom: Atom) -> tuple[float, float]:
        return self.ranges.get(atom, _ANYTHING)

    def _least(self, monomials: Mapping[Monomial, int]) -> float:
        """The least of the range of a sum of products."""
        low: float = 0
        for monomial, coefficient in monomials.items():
            if coefficient:
                least, most = range_of_monomial(monomial, self._range_of_atom)
                low += coefficient * (least if coefficient > 0 else most)
                if low == -INFINITY:
                    break
        return low

    # --- proving -----------------------------------------------------------------------------------------------------

    def _at_least_zero(self, term: Term, budget: Budget, depth: int) -> bool:
        """True if `term >= 0` can be proved."""
        value = term.constant
        if value is not None:
            return value >= 0
        budget.steps -= 1
        count_steps(STEPS_OF_PROOF)
        if budget.steps < 0:
            return False
        if self._least(term.monomials) >= 0:
            return True
        key = (identity(self), term.uid)
        if depth <= budget.failed.get(key, 0) or any(_is_negative(term, sample) for sample in self.samples):
            return False
        if self._follows_directly(term):
            return True
        if self._by_elimination(term, budget, depth):
            return True
        budget.failed[key] = depth
        return False

    def _sum_at_least_zero(self, one: Term, two: Term, times: int, budget: Budget, depth: int, scaled: int = 1) -> bool:
        """As `_at_least_zero`, of `scaled*one + times*two`. Where no search follows, the sum is not made: it would be
        for nothing else, and there are more such sums than others."""
        if depth > 0:
            return self._at_least_zero(terms.add(terms.scale(one, scaled), two, times), budget, depth)
        monomials = _sum(one, two, times, scaled)
        if not any(coefficient for monomial, coefficient in monomials.items() if monomial):
            return monomials.get((), 0) >= 0
        budget.steps -= 1
        count_steps(STEPS_OF_PROOF)
        return budget.steps >= 0 and self._least(monomials) >= 0

    def _at_once(self, term: Term, budget: Budget) -> bool:
        """True if `term >= 0` can be proved without a search."""
        for shown in (self._by_quotient, self._at_ends):
            small = Budget(max(0, min(200, budget.steps)))
            before = small.steps
            found = shown(term, small)
            budget.steps -= before - small.steps
            if found:
                return True
        return False

    def _at_ends(self, term: Term, budget: Budget) -> bool:
        """True if `term >= 0` where each index is at one of its ends."""
        # By what is known before by a search, in which ends that are no proof take what there is.
        if self._follows_at_ends(term, budget):
            return True
        # Those first in which most cancels.
        tried = sorted(self._without_minima(term, 2), key=lambda one: len(one.monomials))
        return any(self._at_least_zero(self._at_last_iterations(one), budget, 4) for one in tried)

    def _follows_at_ends(self, term: Term, budget: Budget) -> bool:
        """True if `term >= 0` is known, without any search, where each index is at one of its ends, whichever part the
        minima are that make it larger."""
        if budget.steps <= 0:
            return False
        for atom in term.atoms:
            split = terms.coefficient_of(term, atom) if isinstance(atom, Min) else None
            if isinstance(atom, Min) and split is not None and self._range(split[0])[0] >= 0:
                if self._range(term)[0] >= 0:
                    return True
                factor, rest = split
                parts = (terms.add(rest, terms.multiply(factor, part)) for part in atom.terms)
                return all(self._follows_at_ends(part, budget) for part in parts)
        for one in self._without_minima(term, 2):
            budget.steps -= 1
            count_steps(STEPS_OF_PROOF)
            end = self._at_last_iterations(one)
            if self._range(end)[0] >= 0 or self._follows_directly(end):
                return True
        return False

    def _where_iterations_end(self, term: Term, budget: Budget) -> bool:
        """True if `term >= 0` where each index is where it ends; where an index ends at a minimum, as in the last tile,
        that may be the part of it in which outer indices cancel."""
        found = (self._at_last_iterations(term, shortest) for shortest in (False, True))
        return any(self._at_least_zero(one, budget, 4) for one in found)

    def _without_minima(self, term: Term, most: int) -> Iterator[Term]:
        """Terms that are never more, and then `term` itself: of a minimum that makes it smaller the larger it is, each
        of its parts is put in for it, in at most this many of them.

        The end of a tile, `t*g + min(g, N - t*g)`, is at most N, in which the index is no more.
        """
        for atom in (one for one in term.atoms if most and isinstance(one, Min)):
            split = terms.coefficient_of(term, atom)
            if split is not None and self._range(split[0])[1] <= 0:
                factor, rest = split
                for part in atom.terms:
                    yield from self._without_minima(terms.add(rest, terms.multiply(factor, part)), most - 1)
                break
        yield term

    def _at_last_iterations(self, term: Term, shortest: bool = False) -> Term:
        """A term that is never more: each index that makes `term` smaller the further it goes is where it ends,
        innermost first, and the others are 0. With `shortest`, parts of minima are put in for them on the way.

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
                if least == -INFINITY:
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
            if shortest:
                term = min(self._without_minima(term, 2), key=lambda one: len(one.monomials))
        return term

    def _by_quotient(self, term: Term, budget: Budget) -> bool:
        """True if `term >= 0` by what a quotient in it by a term is: `a // b <= x` just if `a <= b*x + b - 1`, and
        `a // b >= x` just if `a >= b*x`, for a positive `b`."""
        for atom in term.atoms:
            if not isinstance(atom, Div):
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
            # By a number a search divides as well, but for the rest.
            by_number = denominator.constant is not None
            if self._follows_at_ends(goal, budget) if by_number else self._where_iterations_end(goal, budget):
                return True
        return False

    def _by_elimination(self, term: Term, budget: Budget, depth: int) -> bool:
        candidates = sorted(term.atoms, key=_elimination_order)
        for atom in candidates:
            if isinstance(atom, Min) and self._by_cases(term, atom, budget, depth):
                return True
            if isinstance(atom, Select) and self._by_condition(term, atom, budget, depth):
                return True
            split = terms.coefficient_of(term, atom)
            if split is not None and self._by_bounds(atom, split, budget, depth):
                return True
        # What is known of an atom may also be put in for one factor of its square: `n*n <= n*m` where `n <= m`.
        for atom in candidates:
            split = _with_one_of(term, atom)
            if split is not None and self._by_bounds(atom, split, budget, depth):
                return True
        return False

    def _follows_directly(self, term: Term) -> bool:
        # A hypothesis h <= 0 with term + h a constant or a term of constant range that is not negative.
        atoms = term.atoms
        return any(known.atoms <= atoms and self._least_of_sum(term, known) >= 0 for known in self.at_most_zero)

    def _least_of_sum(self, one: Term, two: Term) -> float:
        """The least of the range of `one + two`, without making the sum: most such sums are made for nothing else."""
        return self._least(_sum(one, two, 1))

    def _by_bounds(self, atom: Atom, split: Bound, budget: Budget, depth: int) -> bool:
        factor, rest = split
        size = factor.constant
        if size is not None:
            bounds = self.lower.get(atom, ()) if size > 0 else self.upper.get(atom, ())
            for bound_factor, bound_rest in bounds:
                bound_size = bound_factor.constant
                if bound_size is None or bound_size <= 0 or atom in bound_rest.atoms:
                    continue
                # s*(f*x + r) >= f'*(…): multiply the goal by the bound's factor, then put its bound in.
                if self._sum_at_least_zero(rest, bound_rest, -size, budget, depth - 1, bound_size):
                    return True
            limit = self.ranges.get(atom, (-INFINITY, INFINITY))[0 if size > 0 else 1]
            if abs(limit) < INFINITY:
                return self._sum_at_least_zero(rest, _ONE, size * int(limit), budget, depth - 1)
            return False
        for known, positive in ((self.lower, True), (self.upper, False)):
            bounds = known.get(atom, ())
            signed = factor if positive else terms.scale(factor, -1)
            limit = self.ranges.get(atom, (-INFINITY, INFINITY))[0 if positive else 1]
            within = abs(limit) < INFINITY and self._at_least_zero(signed, budget, depth - 1)
            if within and self._sum_at_least_zero(rest, factor, int(limit), budget, depth - 1):
                return True
            for bound_factor, bound_rest in bounds:
                cofactor = _exact_quotient(signed, bound_factor)
                if cofactor is None:
                    continue
                if not self._at_least_zero(cofactor, budget, depth - 1):
                    continue
                # cofactor*(f*x) >= -cofactor*r for a lower bound f*x + r >= 0, likewise above.
                part = terms.multiply(cofactor, bound_rest)
                if self._sum_at_least_zero(rest, part, -1 if positive else 1, budget, depth - 1):
                    return True
        return False

    def _by_cases(self, term: Term, atom: Min, budget: Budget, depth: int) -> bool:
        # The minimum is one of its terms, whichever it is.
        return all(self._at_least_zero(terms.substitute(term, {atom: part}), budget, depth - 1) for part in atom.terms)

    def _by_condition(self, term: Term, atom: Select, budget: Budget, depth: int) -> bool:
        for condition, value in (
            (atom.condition, atom.when_true),
            (atom.condition.negation(), atom.when_false),
        ):
            case = self.extended(condition, payer=budget)
            goal = terms.substitute(terms.substitute(term, {atom: value}), case.replacements)
            if not (case.contradictory or case._with(goal)._at_least_zero(goal, budget, depth - 1)):
                return False
        return True


def _is_negative(term: Term, sample: Valuation) -> bool:
    try:
        return sample.term(term) < 0
    except Undefined:
        return False


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


def _with_one_of(term: Term, atom: Atom) -> Bound | None:
    """`(c, r)` with `term == c*atom + r` where `atom` occurs in a higher power, and so in `c`; None where it does not.

    `_by_bounds` multiplies a bound of the atom by what it has shown not to be negative, which `atom` may be in.
    """
    factor: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    higher = False
    for monomial, coefficient in term.monomials.items():
        if atom not in monomial:
            rest[monomial] = coefficient
            continue
        at = monomial.index(atom)
        factor[monomial[:at] + monomial[at + 1 :]] = coefficient
        higher = higher or atom in monomial[at + 1 :]
    return (terms.make(factor), terms.make(rest)) if higher else None


def _exact_quotient(term: Term, divisor: Term) -> Term | None:
    """`q` with `q * divisor == term` as polynomials, if `divisor` divides so."""
    value = divisor.constant
    if value is not None:
        if value == 0 or any(coefficient % value for coefficient in term.monomials.values()):
            return None
        return terms.make({monomial: part // value for monomial, part in term.monomials.items()})
    if len(divisor.monomials) == 1:
        return _over_product(term, *next(iter(divisor.monomials.items())))
    # Most terms are none of its products, which two numbers nearly always show: dividing them takes a hundred times as
    # long.
    at = _at_a_point(divisor)
    if not divisor.atoms <= term.atoms or (at and _at_a_point(term) % at):
        return None
    quotient = terms.divide(term, divisor)
    return quotient if terms.multiply(quotient, divisor) is term else None


def _over_product(term: Term, product: Monomial, number: int) -> Term | None:
    """The quotient of a term by `number` times a product, if that divides each part of it."""
    found: dict[Monomial, int] = {}
    for monomial, coefficient in term.monomials.items():
        if coefficient % number:
            return None
        rest = terms.without(monomial, product)
        if rest is None:
            return None
        found[rest] = coefficient // number
    return terms.make(found)


def _sum(one: Term, two: Term, times: int, scaled: int = 1) -> dict[Monomial, int]:
    """The parts of `scaled*one + times*two`, those that cancel with 0."""
    found = dict(one.monomials) if scaled == 1 else {each: scaled * number for each, number in one.monomials.items()}
    for monomial, coefficient in two.monomials.items():
        found[monomial] = found.get(monomial, 0) + times * coefficient
    return found


def _at_a_point(term: Term) -> int:
    """The value of a polynomial where each of its atoms has a number of its own."""
    total = 0
    for monomial, product in term.monomials.items():
        for atom in monomial:
            product *= atom.uid % 1021 + 1009
        total += product
    return total
