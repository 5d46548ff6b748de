"""The simplest shape of a domain on which phase 4 finds a fault, and whether there surely is no simpler one.

What is simpler is said once, in `nkiverify.engines.minimise`. Shapes in which the same dimensions are moved away from
their smallest values form a family. The walk shows of all shapes of a family up to a sum of dimensions that they have
no fault; from the first sum that it does not show on, shapes are run on the shadow memory one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from math import gcd

from nkiverify.analysis.sets.flow import Inconclusive, prove
from nkiverify.engines.minimise import Simplicity, simplicity
from nkiverify.foundation.budget import SetsBudget, SmallestBudget
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Assume, Block, DomainDimension, Program
from nkiverify.model.hardware import Hardware
from nkiverify.phases.dataflow.trial import Trial, attempt
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.symbolic.terms import INT32_MAX

_Dimensions = tuple[DomainDimension, ...]


def simplest(
    target: Target,
    program: Program,
    dimensions: Sequence[DomainDimension],
    hardware: Hardware,
    found: Trial,
    seconds: float,
    *,
    provable: bool,
    effort: float = 1.0,
) -> tuple[Trial, bool]:
    """The simplest run with a fault that is found, `found` being one; and whether no simpler shape has any.

    `dimensions` are those of the program, with a value where they are assumed to have it. `provable`: the walk over
    `program` is about all runs of the kernel. `effort` is the share of the usual number of runs that there may be.
    """
    return _Search(target, program, dimensions, hardware, found, seconds, provable, effort).run()


class _Search:
    def __init__(
        self,
        target: Target,
        program: Program,
        dimensions: Sequence[DomainDimension],
        hardware: Hardware,
        found: Trial,
        seconds: float,
        provable: bool,
        effort: float,
    ) -> None:
        self._target = target
        self._program = program
        self._hardware = hardware
        self._dimensions = tuple(dimensions)
        self._seconds = seconds
        self._provable = provable
        self._best = found
        self._simplest = simplicity(found.values, dimensions)
        self._proofs = SmallestBudget.PROOFS
        self._runs = round(SmallestBudget.RUNS * effort)
        self._work = round(SmallestBudget.WORK * effort)
        self._shapes_left = SmallestBudget.SHAPES
        #: What the target assumes before the kernel does anything.
        self._domain = program.domain
        #: Whether every simpler shape that was passed over is known to have no fault.
        self._sure = True

    def run(self) -> tuple[Trial, bool]:
        for size in range(len(self._dimensions) + 1):
            if size > self._simplest[0]:
                break
            families = list(combinations(self._dimensions, size))
            for moved in families:
                self._family(moved)
        return self._best, self._sure

    def _family(self, moved: _Dimensions) -> None:
        """Look for a simpler run among the shapes in which just the dimensions `moved` are not the smallest."""
        size, total, _, _ = self._simplest
        if len(moved) > size:
            return
        least = sum(each.smallest + each.multiple_of for each in moved)
        rest = sum(each.smallest for each in self._dimensions if each not in moved)
        # With as many dimensions moved, a larger sum is not simpler.
        most = total - rest if len(moved) == size else None
        if (most is not None and most < least) or self._is_empty(moved):
            return
        first = self._first_open(moved, least, most)
        if first is None:
            return
        for order, values in self._shapes(moved, first, most):
            if most is None and sum(values[each.atom.name] for each in moved) > least + SmallestBudget.REACH:
                self._sure = False
                return
            if order >= self._simplest:
                return
            if self._runs <= 0 or self._work <= 0 or self._shapes_left <= 0:
                self._sure = False
                return
            self._shapes_left -= 1
            if self._in_domain(values):
                self._try(values)

    # --- shapes -------------------------------------------------------------------------------------------------------

    def _shapes(self, moved: _Dimensions, first: int, most: int | None) -> Iterator[tuple[Simplicity, dict[str, int]]]:
        """The shapes of a family whose moved dimensions sum up to `first` or more, the simplest first."""
        others = {each.atom.name: each.smallest for each in self._dimensions if each not in moved}
        if not moved:
            yield simplicity(others, self._dimensions), others
            return
        limit = sum(each.greatest for each in moved)
        limit = limit if most is None else min(limit, most)
        step = gcd(*(each.multiple_of for each in moved))
        # All values are multiples of it, and their sums as well.
        for total in range(-(-first // step) * step, limit + 1, step):
            # No more of a sum than may be looked at: of four dimensions it has as many as its cube.
            left = self._shapes_left
            some = list(islice(_summing_up(moved, total), left + 1))
            together = ({**others, **values} for values in some)
            ranked = [(simplicity(values, self._dimensions), values) for values in together]
            yield from sorted(ranked, key=lambda one: one[0])
            if len(some) > left:
                self._sure = False
                return

    def _in_domain(self, values: Mapping[str, int]) -> bool:
        """True if the target allows the shape, as far as that is seen without running it."""
        at = Valuation({each.atom: values[each.atom.name] for each in self._dimensions})
        try:
            return all(at.holds(condition) for condition in self._domain)
        except Undefined:
            return True

    def _is_empty(self, moved: _Dimensions) -> bool:
        """True if no shape of the family is in the domain."""
        others = [each for each in self._dimensions if each not in moved]
        place = [*map(_is_smallest, others), *map(_is_larger, moved)]
        return Prover([*self._domain, *place], BUDGETS.statement).satisfiable() is Answer.NO

    def _try(self, values: dict[str, int]) -> None:
        if values == self._best.values:
            return
        self._runs -= 1
        trial = attempt(self._target, values, self._hardware, self._seconds, self._work, orders=False)
        self._work -= trial.work
        if trial.outside:
            return
        if trial.unusable or trial.findings.doubts:
            self._sure = False
        elif trial.findings.faults:
            self._best, self._simplest = trial, simplicity(trial.values, self._dimensions)

    # --- proofs -------------------------------------------------------------------------------------------------------

    def _first_open(self, moved: _Dimensions, least: int, most: int | None) -> int | None:
        """The first sum of `moved` up to which the walk does not show everything; None where it shows all of them."""
        if not moved or not self._provable:
            return least
        if self._shown(moved, most):
            return None
        low, reach = least, 1
        # Everything below `low` is shown, nothing is known from `high` on.
        high = most if most is not None else least + SmallestBudget.REACH
        while low < high:
            middle = min(low + reach - 1, (low + high) // 2)
            if self._shown(moved, middle):
                low, reach = middle + 1, reach * 2
            else:
                high, reach = middle, INT32_MAX
        return low

    def _shown(self, moved: _Dimensions, most: int | None) -> bool:
        """True if the walk shows that no shape of the family has a fault, up to the sum `most` of `moved`."""
        if self._proofs <= 0:
            return False
        self._proofs -= 1
        bounds = [_is_smallest(each) for each in self._dimensions if each not in moved]
        if most is not None:
            total = terms.constant(-most)
            for each in moved:
                total = terms.add(total, terms.of_atom(each.atom))
            bounds.append(conditions.at_most_zero(total))
        return proved_where(self._program, bounds, self._hardware.generation, self._seconds)


def proved_where(program: Program, conditions: Sequence[Condition | bool], generation: int, seconds: float) -> bool:
    """True if the walk shows all claims where the conditions hold."""
    body = Block([*(Assume(one) for one in conditions if one is not True), *program.body.items])
    restricted = Program(program.dimensions, body, program.paths)
    try:
        return not prove(restricted, generation, seconds, SetsBudget.OPERATIONS // 8).open
    except Inconclusive:
        return False


def _is_smallest(dimension: DomainDimension) -> Condition | bool:
    least = terms.constant(-dimension.smallest)
    return conditions.equals_zero(terms.add(terms.of_atom(dimension.atom), least))


def _is_larger(dimension: DomainDimension) -> Condition | bool:
    beyond = terms.constant(dimension.smallest + dimension.multiple_of)
    return conditions.at_most_zero(terms.add(beyond, terms.of_atom(dimension.atom), -1))


def _summing_up(moved: Sequence[DomainDimension], total: int) -> Iterator[Mapping[str, int]]:
    """Values of the dimensions beyond their smallest that sum up to `total`."""
    first, *others = moved
    name, step = first.atom.name, first.multiple_of
    low, high = first.smallest + step, first.greatest
    if not others:
        if low <= total <= high and total % step == 0:
            yield {name: total}
        return
    room = total - sum(each.smallest + each.multiple_of for each in others)
    for value in range(low, min(high, room) + 1, step):
        for rest in _summing_up(others, total - value):
            yield {name: value, **rest}
