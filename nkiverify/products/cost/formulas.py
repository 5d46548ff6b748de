"""The cost of a program: what each operation takes, summed over the loops around it, as formulas.

Every figure is exact, or between bounds; a sum without a closed form is a number at shapes only, for which its loops
are gone through. What a program does that nobody described is `unknown`, with its place: no total is complete then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import pairwise
from math import prod

from nkiverify.foundation.budget import CostingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import CARRIED, Drawn, Loop, Program
from nkiverify.ir.walk import Path, carries_state, of_kind, walk
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed, programs
from nkiverify.products.cost.counting import ZERO, Amount, CostFigures, UnknownCost, figures_of
from nkiverify.products.cost.sums import at_least_zero, sum_over
from nkiverify.symbolic.atoms import Atom, Condition, Dimension, Index, Term
from nkiverify.symbolic.enumeration import LoopPoints
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.terms import add, all_atoms, select
from nkiverify.symbolic.values import as_term


class NoNumber(Exception):
    """A figure is no number at a shape, or takes too many iterations to count."""


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """A loop around an operation, all programs of a launch, or the condition on which it is executed; with a prover of
    what holds before it."""

    index: Index | None
    extent: Term
    condition: Condition | bool
    prover: Prover
    loop: Loop | None = None

    def known(self, atoms: Iterable[Atom]) -> bool:
        """True if the condition is about dimensions, and these."""
        if not isinstance(self.condition, Condition):
            return True
        within = set(atoms)
        return all(
            isinstance(atom, Dimension) or atom in within or not isinstance(atom, Index)
            for atom in self.condition.atoms()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """A term, summed over the loops and conditions of `nest`, outermost first: those around an operation that have no
    closed form, with the sum over those within them as `term`. `closed` is the whole where it has one."""

    term: Term
    nest: tuple[Around, ...]
    closed: Term | None = None

    def at(self, values: Mapping[Atom, int]) -> int:
        """The number for these values of the dimensions. Raises `NoNumber` and `Undefined`."""
        if self.closed is not None:
            return Valuation(values).term(self.closed)
        iterations = LoopPoints(values)
        for around in self.nest:
            if around.index is None:
                iterations = iterations.where(around.condition)
                continue
            inner = iterations.of_loop(around.index, around.extent, CostingBudget.ITERATIONS)
            if inner is None:
                raise NoNumber(f"more than {CostingBudget.ITERATIONS} iterations")
            iterations = inner
        return iterations.total(self.term)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A figure of one operation, over all its executions."""

    executed: Executed
    figure: CostFigures
    each: Amount
    low: Sum
    high: Sum

    @property
    def exact(self) -> bool:
        """True if it is known."""
        return self.low is self.high


@dataclass(frozen=True, slots=True)
class Unknown:
    """A place whose cost is not known, and why."""

    site: Site | None
    what: str


@dataclass(slots=True)
class Cost:
    """The cost of a program."""

    program: Program
    counted: list[Counted] = field(default_factory=list)
    #: The operations, with what is around each.
    nests: list[tuple[Executed, tuple[Around, ...]]] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    #: A prover of what holds in the whole domain, one for all that is asked of it.
    prover: Prover = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.prover = Prover(self.program.assumed, CostingBudget.MILLISECONDS)

    @property
    def dimensions(self) -> dict[str, Atom]:
        """The dimensions by name."""
        return {one.atom.name: one.atom for one in self.program.dimensions}

    def of(self, figure: CostFigures) -> Iterator[Counted]:
        """The contributions of operations to a figure."""
        return (one for one in self.counted if one.figure is figure)

    def programs_at(self, values: Mapping[Atom, int]) -> int:
        """How many programs a launch has for values of the dimensions."""
        here = Valuation(values)
        return prod(here.term(atom.extent) for atom in programs(self.program.body))

    def formula(self, figure: CostFigures) -> tuple[Term | None, Term | None]:
        """The total of a figure, at least and at most; None for what has no closed form."""
        low: Term | None = ZERO
        high: Term | None = ZERO
        for one in self.of(figure):
            low = None if low is None or one.low.closed is None else add(low, one.low.closed)
            high = None if high is None or one.high.closed is None else add(high, one.high.closed)
        return low, high

    def at(self, figure: CostFigures, values: Mapping[Atom, int]) -> tuple[int, int]:
        """The total of a figure for values of the dimensions, at least and at most. Raises `NoNumber`, `Undefined`."""
        low = high = 0
        for one in self.of(figure):
            number = one.low.at(values)
            low += number
            high += number if one.exact else one.high.at(values)
        return low, high


def cost_of(program: Program) -> Cost:
    """The cost of a program."""
    cost = Cost(program)
    for drawn in of_kind(program.body, Drawn):
        cost.unknown.append(Unknown(drawn.site, "what is done for elements of a range that are taken outside its loop"))
    for searched in program.searches:
        cost.unknown.append(Unknown(searched, "a number that a `while` statement makes smaller until it fits"))
    if carries_state(program):
        cost.unknown.append(Unknown(None, CARRIED))
    summing = _Summing()
    for path, item in walk(program.body):
        if not isinstance(item, Executed):
            continue
        nest = summing.nest(path, item.operation)
        cost.nests.append((item, nest))
        try:
            figures = figures_of(item.operation)
        except UnknownCost as reason:
            cost.unknown.append(Unknown(item.site, f"{item.operation.name}: {reason}"))
            continue
        for figure, each in figures.items():
            low = summing.sum(each.low, nest, least=True)
            high = low if each.exact and summing.decided(nest) else None
            cost.counted.append(Counted(item, figure, each, low, high or summing.sum(each.high, nest, least=False)))
    return cost


class _Summing:
    """Sums terms over the loops and conditions around operations; each sum is made once."""

    def __init__(self) -> None:
        self._provers: dict[tuple[int, ...], Prover] = {}
        self._kept: list[object] = []
        self._sums: dict[tuple[int, ...], Sum] = {}

    def nest(self, path: Path, operation: Operation) -> tuple[Around, ...]:
        """The loops and conditions around the item at a path, outermost first."""
        found: list[Around] = []
        for coordinate in operation.program:
            term = as_term(coordinate)
            atoms = () if term is None else tuple(atom for atom in term.atoms if isinstance(atom, Index))
            for atom in atoms:
                if all(around.index is not atom for around in found):
                    found.append(Around(atom, atom.extent, True, self._prover(())))
        steps = path.steps
        for step, inner in pairwise(steps):
            held = path.conditions[: step.held]
            if step.loop is not None:
                prover = self._prover(held)
                found.append(Around(step.loop.index, at_least_zero(step.loop.extent, prover), True, prover, step.loop))
            elif step.branch is not None:
                condition = step.branch.condition
                holds: Condition | bool = condition if inner.block is step.branch.then else condition.negation()
                found.append(Around(None, ZERO, holds, self._prover(held)))
        return tuple(found)

    def decided(self, nest: tuple[Around, ...]) -> bool:
        """True if it is known of all conditions when they hold."""
        indices = [around.index for around in nest if around.index is not None]
        return all(around.known(indices) for around in nest)

    def sum(self, term: Term, nest: tuple[Around, ...], *, least: bool) -> Sum:
        """A term over what is around it. Where nobody knows whether a condition holds, it is taken not to for the
        `least`, and to hold otherwise."""
        indices = [around.index for around in nest if around.index is not None]
        if not self.decided(nest):
            if least:
                return Sum(ZERO, (), ZERO)
            nest = tuple(around for around in nest if around.known(indices))
        key = (term.uid, *(self._key(around) for around in nest))
        found = self._sums.get(key)
        if found is None:
            self._kept += (term, nest)
            found = self._sums[key] = _summed(term, nest)
        return found

    @staticmethod
    def _key(around: Around) -> int:
        if around.index is not None:
            return around.index.uid
        return -around.condition.uid if isinstance(around.condition, Condition) else -int(around.condition)

    def _prover(self, held: tuple[Condition | bool, ...]) -> Prover:
        key = tuple(condition.uid for condition in held if isinstance(condition, Condition))
        found = self._provers.get(key)
        if found is None:
            self._kept.append(held)
            found = self._provers[key] = Prover(held, CostingBudget.MILLISECONDS)
        return found


def _summed(term: Term, nest: tuple[Around, ...]) -> Sum:
    """The sum of a term, in closed form as far as there is one, from the inside."""
    found = Sum(term, nest)
    for depth in reversed(range(len(nest))):
        around = nest[depth]
        if around.index is None:
            if isinstance(around.condition, Condition):
                term = select(around.condition, term, ZERO)
            elif not around.condition:
                return Sum(ZERO, (), ZERO)
            continue
        total = sum_over(term, around.index, around.extent, around.prover)
        if total is None:
            return found
        term = total
        found = Sum(term, nest[:depth])
    closed = all(not isinstance(atom, Index) or atom.representative for atom in all_atoms(term))
    return Sum(term, (), term) if closed else found
