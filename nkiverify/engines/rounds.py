"""Shapes on which each loop goes round twice, and each condition goes either way, where the domain has such shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice, takewhile

from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Branch, DomainDimension, Loop, Program
from nkiverify.ir.walk import ways_to
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Hypotheses, Valuation, variants
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer

#: Bounds on all dimensions under which the solver looks for a shape, one after the other.
_REACHES = (64, 256, 1024, 4096, 1 << 14, 1 << 18)


@dataclass(slots=True)
class Goal:
    """A place of the program: the second round of a loop, or one way of a condition.

    It is reached where all conditions of one of its `ways` hold, which are those of the paths that come to it; `more`
    there are than are kept.
    """

    loop: bool
    ways: list[tuple[Condition | bool, ...]] = field(default_factory=list)
    more: bool = False

    def add(self, way: tuple[Condition | bool, ...]) -> None:
        """Another path comes to it."""
        if len(self.ways) < SearchingBudget.PATHS_TO_A_PLACE:
            self.ways.append(way)
        else:
            self.more = True

    def reached(self, dimensions: Sequence[DomainDimension], values: Mapping[str, int]) -> bool:
        """True if it is seen to be reached with these dimensions: in the first or second iterations around it."""
        base = Valuation({dimension.atom: values[dimension.atom.name] for dimension in dimensions})
        return any(next(variants(base, Hypotheses(way)), None) is not None for way in self.ways)


_Key = tuple[Site | None, object, int]


def goals(program: Program) -> list[Goal]:
    """The places to reach, loops first."""
    found: dict[_Key, Goal] = {}
    for path, loop in ways_to(program.body, Loop):
        found.setdefault((loop.site, Loop, 0), Goal(True)).add((*path.conditions, loop.runs_twice))
    for path, branch in ways_to(program.body, Branch):
        nth = sum(around.site == branch.site for around in path.branches)
        if nth < SearchingBudget.PLACES_ON_A_PATH:
            for taken, (condition, _) in zip((True, False), branch.arms, strict=True):
                found.setdefault((branch.site, taken, nth), Goal(False)).add((*path.conditions, condition))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Rounds:
    """Shapes that reach places of the program; `loops`: every loop that can go round twice does so on one of them."""

    shapes: tuple[dict[str, int], ...]
    loops: bool


def rounds(
    program: Program,
    dimensions: Sequence[DomainDimension],
    assumed: Sequence[Condition | bool],
    tried: Iterable[dict[str, int]],
    seconds: float,
) -> Rounds:
    """A few shapes that together reach what can be reached: those of `tried` first, then such as a solver finds."""
    deadline = now() + seconds

    def left() -> float:
        return deadline - now()

    in_time = takewhile(lambda values: left() > 0, tried)
    looked_at: list[dict[str, int]] = []
    further = islice(in_time, SearchingBudget.SHAPES_OF_A_PLACE)

    def candidates() -> Iterator[dict[str, int]]:
        yield from looked_at
        for values in further:
            looked_at.append(values)
            yield values

    shapes: list[dict[str, int]] = []
    loops, asked = True, 0
    for goal in goals(program):
        if any(goal.reached(dimensions, values) for values in shapes):
            continue
        values = next((values for values in candidates() if goal.reached(dimensions, values)), None)
        if values is None and dimensions:
            if asked >= SearchingBudget.PLACES_ASKED or left() <= 0:
                loops = loops and not goal.loop
                continue
            asked += 1
            values, sure = _solved(goal, dimensions, assumed, left)
            loops = loops and (values is not None or sure or not goal.loop)
        if values is not None:
            shapes.append(values)
    return Rounds(tuple(shapes), loops)


def small_shape(
    way: Sequence[Condition | bool], dimensions: Sequence[DomainDimension], left: Callable[[], float]
) -> dict[str, int] | None:
    """A small shape for which all conditions of `way` hold; None where none is found in the seconds that are `left`."""
    prover = Prover(way, BUDGETS.rounds, left)
    return _small(prover, dimensions) if prover.satisfiable() is Answer.YES else None


def _solved(
    goal: Goal, dimensions: Sequence[DomainDimension], assumed: Sequence[Condition | bool], left: Callable[[], float]
) -> tuple[dict[str, int] | None, bool]:
    """A small shape that reaches the place; without one, whether there surely is none."""
    sure = not goal.more
    for way in goal.ways:
        prover = Prover([*assumed, *way], BUDGETS.rounds, left)
        answer = prover.satisfiable()
        if answer is Answer.YES:
            return _small(prover, dimensions), True
        sure = sure and answer is Answer.NO
    return None, sure


def _small(prover: Prover, dimensions: Sequence[DomainDimension]) -> dict[str, int]:
    """Small dimensions for which the hypotheses hold, of which it is known that they can: as small as there is time
    for."""
    found = _values(prover, dimensions)
    for reach in _REACHES:
        if max(found.values()) <= reach or prover.left() <= 0:
            break
        if prover.satisfiable(*(dimension.at_most(reach) for dimension in dimensions)) is Answer.YES:
            found = _values(prover, dimensions)
    # Making one dimension small lets none of the others grow: an answer may be any shape within its bounds.
    reach = max(found.values())
    prover = prover.with_conditions([dimension.at_most(reach) for dimension in dimensions])
    for dimension in dimensions:
        low, high = dimension.smallest, found[dimension.atom.name]
        tried = low
        for _ in range(SearchingBudget.QUESTIONS_TO_NARROW):
            if low >= high or prover.left() <= 0:
                break
            if prover.satisfiable(dimension.at_most(tried)) is Answer.YES:
                found = _values(prover, dimensions)
                high = found[dimension.atom.name]
            else:
                low = tried + 1
            tried = (low + high) // 2
        prover = prover.with_conditions([dimension.at_most(high)])
    return found


def _values(prover: Prover, dimensions: Sequence[DomainDimension]) -> dict[str, int]:
    return {one.atom.name: prover.model.get(one.atom, one.smallest) for one in dimensions}
