"""Shapes of a domain that are worth being run: the simplest, and such as let each loop go round twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice

from nkiverify.engines.embedded import Decision
from nkiverify.engines.rounds import Rounds, rounds, small_shape
from nkiverify.engines.shapes import Shapes, TooManyShapes, domain_of
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Claim, DomainDimension, Program
from nkiverify.ir.walk import ways_to
from nkiverify.phases import SHAPES
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Hypotheses, Valuation, variants
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.verify.exploration import Exploration

#: How many times as far as a bound shapes are run, to see if more goes wrong there.
_TIMES_PAST = (1, 2, 4, 8, 16)


def _rising(chain: Iterable[dict[str, int] | None]) -> list[dict[str, int]]:
    """The shapes of a chain, each once, the smallest first."""
    found = {tuple(shape.values()): shape for shape in chain if shape is not None}
    return sorted(found.values(), key=lambda shape: sum(shape.values()))


@dataclass(frozen=True, slots=True)
class DomainPart:
    """A part of a domain: all its shapes in which no dimension is beyond its bound, if it has one."""

    bounds: Mapping[str, int]

    @property
    def is_all(self) -> bool:
        """True if no shape of the domain is left out."""
        return not self.bounds

    def __str__(self) -> str:
        return ", ".join(f"{name} <= {value}" for name, value in self.bounds.items())


def shapes_show_nothing(tried: int) -> str:
    """The words about shapes that were run, and prove nothing."""
    return f"running the kernel on {tried} shape{'s' if tried > 1 else ''} shows no fault"


def no_fault_up_to(furthest: Mapping[str, int]) -> str:
    """The words about shapes past a bound that were run, up to the one that goes furthest, and prove nothing."""
    values = ", ".join(f"{name} = {value}" for name, value in furthest.items())
    return f"running the kernel on shapes beyond, up to {values}, shows no fault"


def proved_for(run: DomainPart | None, solved: DomainPart | None = None) -> str:
    """The words about a part of the domain that is proved, to be added to others; none where there is none.

    Of one every shape was `run`, of another one a solver was asked: the one that goes further is named.
    """
    if run is not None and run.is_all:
        return ""
    if solved is not None and (run is None or sum(solved.bounds.values()) > sum(run.bounds.values())):
        return f"; proved for {solved}"
    return "" if run is None else f"; proved for {run}, of which every shape was run"


class Candidates:
    """The shapes of a program's domain in the order in which they are tried; some may not be in the domain."""

    def __init__(self, program: Program, assumptions: Iterable[str]) -> None:
        self._program = program
        self.assumed = domain_of(program, assumptions)
        self.shapes = Shapes(program.dimensions, self.assumed)
        self._reached: Rounds | None = None
        #: The conditions under which claims are broken that break a shape which was run.
        self._broken: list[Hypotheses] = []

    @property
    def asked(self) -> bool:
        """True if the shapes on which loops go round twice have been asked for."""
        return self._reached is not None

    def reached(self, seconds: float) -> Rounds:
        """The shapes on which loops go round twice, as far as they are found within this many seconds."""
        if self._reached is None:
            shapes = self.shapes
            self._reached = rounds(self._program, shapes.dimensions, self.assumed, shapes.tried(), seconds)
        return self._reached

    def tried(
        self, left: Callable[[], float], found_none: Callable[[], bool], costly: Callable[[], bool]
    ) -> Iterator[dict[str, int]]:
        """The shapes, while there are seconds `left`; such as a solver finds where so far `found_none` is legal. Where
        the first ones are `costly`, a small one takes as much as a large one: then the large ones are not the last."""
        shapes = self.shapes
        looked_at = islice(shapes.tried(), SearchingBudget.VALUES_OF_A_DIMENSION)
        simplest = islice(filter(self._may_be_run, looked_at), SearchingBudget.SHAPES)
        first = len(shapes.dimensions) + 1
        while first > 0 and (shape := next(simplest, None)) is not None:
            known = len(self._broken)
            yield shape
            # One of which it is known by now why it shows nothing stands for no other.
            first -= len(self._broken) == known
        reached = self.reached(left()).shapes
        # Large ones last: one may take all the work that there is.
        near = [shape for shape in reached if max(shape.values(), default=0) <= SearchingBudget.NEAR]
        if costly():
            for shape in reached:
                # What does not divide is left out, if anything is, on the first shape past those that go round twice.
                past = self.shapes.nearest({name: value + 1 for name, value in shape.items()})
                yield from (one for one in (past, shape) if one is not None)
        found = solved(shapes.dimensions, self.assumed, found_none)
        yield from chain(filter(self._may_be_run, near), simplest, filter(self._may_be_run, reached), found)

    def leave_out(self, values: Mapping[str, int]) -> None:
        """Let no further shape be tried that breaks, as a run on `values` does, a claim of phase 1: nothing is to be
        seen of what comes after it. A claim is seen to be broken in the first or second iterations of loops; where it
        is not, shapes are tried for nothing."""
        self._broken += [one for one in self._breaking if self._meets(one, values)]

    @cached_property
    def _breaking(self) -> list[Hypotheses]:
        return [
            Hypotheses((*path.hypotheses(claim), conditions.negate(claim.condition)))
            for path, claim in ways_to(self._program.body, Claim)
            if claim.phase == SHAPES.number and claim.condition is not True and _refutes(claim)
        ]

    def _may_be_run(self, values: Mapping[str, int]) -> bool:
        return not any(self._meets(one, values) for one in self._broken)

    def _meets(self, stated: Hypotheses, values: Mapping[str, int]) -> bool:
        base = Valuation({one.atom: values[one.atom.name] for one in self.shapes.dimensions})
        return next(variants(base, stated), None) is not None

    def parts(
        self, reached: Rounds, goes_on: Callable[[dict[str, int]], bool], most: int = SearchingBudget.ALL_SHAPES
    ) -> Iterator[DomainPart]:
        """Ever larger parts of the domain, each once `goes_on` was true of all its shapes, what is `reached` among
        them. Ends after the whole domain, and where there are more than `most` shapes."""
        least: dict[str, int] = {}
        for shape in reached.shapes:
            least = {name: max(value, least.get(name, value)) for name, value in shape.items()}
        level, before = 1, None
        with suppress(TooManyShapes):
            while True:
                bounds = self.shapes.bounds(level, least)
                if bounds is None:
                    return
                if bounds != before:
                    shapes = list(islice(self.shapes.within(bounds), most + 1))
                    if len(shapes) > most or not all(map(goes_on, shapes)):
                        return
                    part = DomainPart(self.shapes.beyond(bounds))
                    yield part
                    if part.is_all:
                        return
                if level == most:
                    return
                level, before = min(most, level + max(1, level // 3)), bounds

    def past(self, bases: Iterable[Mapping[str, int]]) -> Iterator[list[dict[str, int]]]:
        """Chains of shapes, each larger than the one before it: such as go further and further past the shapes `bases`,
        and the ends of the domain."""
        least = self.shapes.nearest({})
        if least is None:
            return
        for base in bases:
            chain = []
            for times in _TIMES_PAST:
                wanted = {name: least[name] + times * (value - least[name]) for name, value in base.items()}
                moved = {name: value for name, value in wanted.items() if value > least[name]}
                first = self.shapes.nearest(moved)
                chain += [first, self.shapes.nearest({name: (first or moved)[name] + 1 for name in moved})]
            yield _rising(chain)
        ends = self.shapes.ends
        each: list[dict[str, int]] = [{name: value} for name, value in ends.items()] if len(ends) > 1 else []
        for wanted in (*each, ends):
            if wanted and max(wanted.values()) <= SearchingBudget.NEAR:
                yield _rising([least, self.shapes.nearest(wanted)])

    def between(self, low: Mapping[str, int], high: Mapping[str, int]) -> dict[str, int] | None:
        """A shape between two others, about in the middle; None where none is found."""
        found = self.shapes.nearest({name: (low[name] + value) // 2 for name, value in high.items()})
        return None if found in (None, low, high) else found

    def every(self, most: int = SearchingBudget.ALL_SHAPES) -> list[dict[str, int]] | None:
        """All shapes of the domain; None where there are more than `most`, or it cannot be known that these are all."""
        try:
            bounds = self.shapes.bounds(most, {})
            if bounds is None or self.shapes.beyond(bounds):
                return None
            found = list(islice(self.shapes.within(bounds), most + 1))
        except TooManyShapes:
            return None
        return found if len(found) <= most else None

    def by_size(self, left: Callable[[], float], found_none: Callable[[], bool]) -> Iterator[dict[str, int]]:
        """The same shapes, the smallest first."""
        shapes = self.shapes
        reached = self.reached(left()).shapes
        found = {tuple(shape.values()): shape for shape in (*islice(shapes.tried(), SearchingBudget.SHAPES), *reached)}
        yield from sorted(found.values(), key=lambda shape: sum(shape.values()))
        yield from solved(shapes.dimensions, self.assumed, found_none)


def _refutes(claim: Claim) -> bool:
    """True if a kernel is wrong that breaks the claim: it asks for no more than its contract does."""
    return claim.decides and not (claim.open or claim.sufficient or claim.unwinding)


def just_past(open_loops: Sequence[Decision], exploration: Exploration, seconds: float) -> list[dict[str, int]]:
    """A small shape for each loop that was unrolled, on which it goes round more often."""
    dimensions = Candidates(exploration.run.program, exploration.assumptions).shapes.dimensions
    loops = {one.claim.site: one for one in reversed(open_loops)}
    deadline = now() + seconds
    found = []
    for one in [*loops.values()][: SearchingBudget.LOOPS_BEYOND_BOUNDS]:
        way = [*one.hypotheses, conditions.negate(one.claim.condition)]
        shape = small_shape(way, dimensions, lambda: deadline - now()) if dimensions else None
        if shape is not None and shape not in found:
            found.append(shape)
    return found


def solved(
    dimensions: Sequence[DomainDimension], domain: Sequence[Condition | bool], wanted: Callable[[], bool]
) -> Iterator[dict[str, int]]:
    """Shapes that a solver finds in the domain; for domains in which small numbers alone do not fit together."""
    assumed = list(domain)
    while dimensions and wanted() and len(assumed) < len(domain) + SearchingBudget.SHAPES:
        prover = Prover(assumed, BUDGETS.domain)
        if prover.satisfiable() is not Answer.YES:
            return
        model = [(one.atom, prover.model.get(one.atom, one.smallest)) for one in dimensions]
        yield {atom.name: value for atom, value in model}
        same = [conditions.equals_zero(terms.add(terms.of_atom(a), terms.constant(-value))) for a, value in model]
        assumed.append(conditions.negate(conditions.conjunction(same)))
