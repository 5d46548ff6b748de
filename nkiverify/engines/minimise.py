"""Making a witness small.

Of two witnesses for a claim the *simpler* one is, in this order,

1. the one with fewer dimensions away from their smallest legal value,
2. the one with the smaller sum of all its dimensions,
3. the one with more dimensions that are multiples of a tile (512, else 128),
4. the one with the smaller dimension where they first differ, in the order in which the target names them.

With the dimensions settled, the loops are in the first iteration that fails, outer loops before inner ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from nkiverify.engines.embedded import Decision, dimension_values
from nkiverify.foundation.budget import ProvingBudget
from nkiverify.foundation.clock import Allowance
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import DomainDimension, Program
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Index, Term
from nkiverify.symbolic.conditions import Condition, negate
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer

#: Columns of a moving operand and partitions of a tile: round numbers for a reader who knows the hardware.
TILES = (512, 128)


#: What `simplicity` gives: compares like the witnesses do.
Simplicity = tuple[int, int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Witness:
    """Values of all dimensions for which a claim fails, by name.

    `assignment` has in addition the loop indices of the iteration that fails. `smallest`: no simpler witness exists;
    otherwise the search ran out of steps, or the solver did not know.
    """

    values: dict[str, int]
    assignment: dict[Atom, int]
    smallest: bool

    @staticmethod
    def unexplained(values: Mapping[str, int], program: Program) -> Witness:
        """Values that are known to fail, but not in which iteration, nor whether there are simpler ones."""
        atoms: dict[Atom, int] = {dimension.atom: values[dimension.atom.name] for dimension in program.dimensions}
        return Witness(dict(values), atoms, smallest=False)


def simplicity(values: Mapping[str, int], dimensions: Sequence[DomainDimension]) -> Simplicity:
    """The order in which witnesses are preferred, least first; see the text at the head of the module."""
    numbers = [values.get(dimension.atom.name, dimension.smallest) for dimension in dimensions]
    moved = [value for value, dimension in zip(numbers, dimensions, strict=True) if value != dimension.smallest]
    uneven = sum(next((rank for rank, tile in enumerate(TILES) if value % tile == 0), len(TILES)) for value in moved)
    return len(moved), sum(numbers), uneven, tuple(numbers)


def smallest_witness(program: Program, decision: Decision, allowed: Allowance) -> Witness:
    """The simplest witness of a refuted claim that is found within what is `allowed`."""
    return _Search(program, decision, allowed).run()


class _Search:
    def __init__(self, program: Program, decision: Decision, allowed: Allowance) -> None:
        self._dimensions = program.dimensions
        self._failing = [*decision.hypotheses, negate(decision.claim.condition)]
        # The failure is one of the hypotheses: its facts are made once, not for each question.
        self._hypotheses = Prover(self._failing, BUDGETS.witness)
        self._allowed = allowed
        self._found = dict(decision.values)
        lows = {dimension.atom.name: dimension.smallest for dimension in program.dimensions}
        self._start = lows | dimension_values(decision)
        self._indices = sorted(
            {
                atom
                for condition in self._failing
                if isinstance(condition, Condition)
                for atom in condition.atoms()
                if isinstance(atom, Index)
            },
            key=lambda atom: atom.uid,
        )
        #: Whether the solver has answered everything so far.
        self._sure = True

    def run(self) -> Witness:
        values = self._simplest() if self._dimensions else {}
        sure = self._sure
        return Witness(values, self._first_iteration(values), sure)

    # --- dimensions --------------------------------------------------------------------------------------------------

    def _simplest(self) -> dict[str, int]:
        best = self._start
        for size in range(len(self._dimensions) + 1):
            if size > simplicity(best, self._dimensions)[0] or not self._may_ask():
                break
            if size == 2:
                # Many subsets lie ahead: a good witness bounds how many dimensions have to move, and serves where
                # nothing more may be asked.
                best = self._one_by_one(best)
            moving = [found for subset in combinations(self._dimensions, size) if (found := self._with_free(subset))]
            if moving:
                return min([*moving, best], key=lambda values: simplicity(values, self._dimensions))
        return best

    def _one_by_one(self, values: dict[str, int]) -> dict[str, int]:
        """A witness from which no single dimension can be made smaller, the earlier ones brought down first."""
        prover = self._hypotheses
        self._answer(prover)
        result: dict[str, int] = {}
        for dimension in self._dimensions:
            low = dimension.smallest
            known = self._value_in(prover, dimension, values)
            result[dimension.atom.name] = self._least(prover, terms.of_atom(dimension.atom), low, known)
            prover = prover.with_conditions([dimension.equals(result[dimension.atom.name])])
        return result

    def _with_free(self, free: Sequence[DomainDimension]) -> dict[str, int] | None:
        """The simplest witness in which only the dimensions `free` differ from their smallest legal values."""
        prover = self._hypotheses.with_conditions(
            other.equals(other.smallest) for other in self._dimensions if other not in free
        )
        if not self._answer(prover):
            return None
        if len(free) > 1:
            total = terms.constant(0)
            for dimension in free:
                total = terms.add(total, terms.of_atom(dimension.atom))
            found = sum(self._value_in(prover, dimension, {}) for dimension in free)
            least = self._least(prover, total, sum(one.smallest for one in free), found)
            settled = prover.with_conditions([conditions.equals_zero(terms.add(total, terms.constant(-least)))])
            prover = self._preferring_tiles(settled, free)
        values = {dimension.atom.name: dimension.smallest for dimension in self._dimensions}
        for dimension in free:
            atom = terms.of_atom(dimension.atom)
            known = self._value_in(prover, dimension, {})
            if len(free) == 1:
                tried = self._tried(dimension, values, known)
                if tried is not None:
                    return {**values, dimension.atom.name: tried}
            values[dimension.atom.name] = self._least(prover, atom, dimension.smallest, known)
            prover = prover.with_conditions([dimension.equals(values[dimension.atom.name])])
        return values

    def _tried(self, dimension: DomainDimension, others: Mapping[str, int], known: int) -> int | None:
        """The least value that fails, where it is among the first and the claim is about nothing but dimensions.

        Computing is exact and fast where a solver of products and remainders is neither.
        """
        if self._indices:
            return None
        atoms: dict[Atom, int] = {other.atom: others[other.atom.name] for other in self._dimensions}
        first, step = dimension.smallest, dimension.multiple_of
        for value in range(first, min(first + ProvingBudget.VALUES_BEFORE_THE_SOLVER * step, known + 1), step):
            if Valuation({**atoms, dimension.atom: value}).satisfies(self._failing):
                return value
        return None

    def _preferring_tiles(self, prover: Prover, free: Sequence[DomainDimension]) -> Prover:
        for dimension in free:
            atom = terms.of_atom(dimension.atom)
            for tile in TILES:
                quotient = terms.divide(atom, terms.constant(tile))
                even = conditions.equals_zero(terms.add(atom, terms.scale(quotient, tile), -1))
                if self._answer(prover, even):
                    prover = prover.with_conditions([even])
                    break
        return prover

    # --- iterations --------------------------------------------------------------------------------------------------

    def _first_iteration(self, values: Mapping[str, int]) -> dict[Atom, int]:
        assignment: dict[Atom, int] = {dimension.atom: values[dimension.atom.name] for dimension in self._dimensions}
        indices = self._indices
        if not indices:
            return assignment
        prover = self._hypotheses.with_conditions(
            dimension.equals(values[dimension.atom.name]) for dimension in self._dimensions
        )
        if not self._answer(prover):
            found = {atom: self._found[atom] for atom in indices if self._same(values, atom)}
            return assignment | (found or self._at_ends(assignment))
        for atom in indices:
            term = terms.of_atom(atom)
            assignment[atom] = self._least(prover, term, 0, prover.model.get(atom, self._found.get(atom, 0)))
            prover = prover.with_conditions(
                [conditions.equals_zero(terms.add(term, terms.constant(-assignment[atom])))]
            )
        return assignment

    def _at_ends(self, assignment: dict[Atom, int]) -> dict[Atom, int]:
        """An iteration that fails, where each loop is in its first, its second or its last one; nothing if there is
        none such."""
        tried = [Valuation(assignment)]
        for atom in self._indices:
            tried = [one.with_values({atom: value}) for one in tried for value in _ends(atom, one)]
            if len(tried) > ProvingBudget.VALUES_BEFORE_THE_SOLVER:
                return {}
        failing = next((one for one in tried if one.satisfies(self._failing)), None)
        return {} if failing is None else {atom: failing.given[atom] for atom in self._indices}

    def _same(self, values: Mapping[str, int], atom: Index) -> bool:
        return atom in self._found and values == self._start

    # --- asking ------------------------------------------------------------------------------------------------------

    def _may_ask(self) -> bool:
        if not self._allowed.used_up:
            return True
        self._sure = False
        return False

    def _answer(self, prover: Prover, *more: Condition | bool) -> bool:
        """True if there is surely such a witness; `prover.model` is then one, else it stays as it was."""
        if not self._may_ask():
            return False
        answer = prover.satisfiable(*more)
        self._sure = self._sure and answer is not Answer.UNKNOWN
        return answer is Answer.YES

    def _value_in(self, prover: Prover, dimension: DomainDimension, otherwise: Mapping[str, int]) -> int:
        name = dimension.atom.name
        return prover.model.get(dimension.atom, otherwise.get(name, dimension.smallest))

    def _least(self, prover: Prover, term: Term, low: int, high: int) -> int:
        """The least value of `term` from `low` up that the prover allows, `high` being one it allows."""
        if low < high:
            # What the facts rule out need not be asked value by value: often the least that is left is the one.
            least, _ = prover.facts.range_of(term)
            low = int(min(max(low, least), high))
        # Small values first: most counterexamples have them.
        reach = 1
        while low < high and self._may_ask():
            middle = min(low + reach - 1, (low + high) // 2) if reach else (low + high) // 2
            bounded = conditions.at_most_zero(terms.add(term, terms.constant(-middle)))
            if self._answer(prover, bounded):
                high, reach = min(middle, high), 0
                value = _value(term, prover.model)
                high = value if value is not None and low <= value <= high else high
            else:
                low, reach = middle + 1, reach * 2
        return high


def _value(term: Term, model: Mapping[Atom, int]) -> int | None:
    """The value of a sum of atoms, where the model has them all."""
    total = 0
    for monomial, coefficient in term.monomials.items():
        for atom in monomial:
            if atom not in model:
                return None
            coefficient *= model[atom]
        total += coefficient
    return total


def _ends(atom: Index, known: Valuation) -> list[int]:
    """The first, the second and the last number of an index, as far as there are any."""
    try:
        count = known.term(atom.extent)
    except Undefined:
        count = 1
    return [value for value in dict.fromkeys((0, 1, count - 1)) if 0 <= value < count]
