"""`if` statements whose arms leave nothing, in a symbolic run whose paths would be too many.

Each such statement splits the run in two, so that ten in a row are a thousand paths. An arm that leaves in Python what
it found is a loop of one iteration or none, and summarised as one: ten in a row are twenty bodies. One that leaves
more splits the run after all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.frontend.loops import PlainLoop
from nkiverify.frontend.paths import ArmNotMerged
from nkiverify.frontend.source_names import LoopNames
from nkiverify.frontend.summaries import SummarisedLoop
from nkiverify.symbolic import conditions
from nkiverify.symbolic.atoms import Term
from nkiverify.symbolic.conditions import Condition

if TYPE_CHECKING:
    from nkiverify.frontend.carried_guesses import BodyEnding
    from nkiverify.frontend.explorer import SymbolicExecution
    from nkiverify.model.known_numbers import AllocationKey


@dataclass(frozen=True, slots=True)
class Arms:
    """The arms of an `if` statement, as the loops that they are run as."""

    then: PlainLoop | MergedArm
    orelse: PlainLoop | MergedArm

    @staticmethod
    def plain(value: bool) -> Arms:
        """As Python runs them where the condition is `value`."""
        return Arms(_once(value), _once(not value))

    @staticmethod
    def of(
        test: Condition | Term,
        run: SymbolicExecution,
        site: Site,
        frame: FrameType,
        names: tuple[str, ...],
        grown: tuple[str, ...],
    ) -> Arms:
        """As they are run on the present path."""
        holds = conditions.negate(conditions.equals_zero(test)) if isinstance(test, Term) else test
        known = holds if isinstance(holds, bool) else run.context.truth(holds)
        if known is not None:
            return Arms.plain(known)
        assert isinstance(holds, Condition)
        both = (True, holds), (False, holds.negation())
        # Where an arm has been found to leave something the path is split: the same number of ordinals is taken.
        arms = [MergedArm(condition, run, site, which, frame, names, grown) for which, condition in both]
        return Arms(*arms)


def _once(taken: bool) -> PlainLoop:
    return PlainLoop((None,) if taken else ())


class _Once:
    """The sequence that an arm runs over: one element where its condition holds, else none."""

    parallel = False
    traced = False

    def __init__(self, condition: Condition) -> None:
        self._condition = condition

    def trip_count(self) -> Term:
        return conditions.as_number(self._condition)

    def bounds(self, index: Term) -> tuple[Condition | bool, ...]:
        return (conditions.equals_zero(index), self._condition)

    def element(self, index: Term) -> Any:
        return None


class MergedArm(SummarisedLoop):
    """An arm that is summarised; where it leaves something, it is run as it is on a path of its own."""

    def __init__(
        self,
        condition: Condition,
        run: SymbolicExecution,
        site: Site,
        which: bool,
        frame: FrameType,
        names: tuple[str, ...],
        grown: tuple[str, ...],
    ) -> None:
        super().__init__(_Once(condition), run, site, frame, LoopNames(names, names, grown=grown), "arm")
        self._condition = condition
        self._key = (site, which)
        #: Whether it runs as it is.
        self._plain = False
        #: Whether the arm is running, and not what summarises it.
        self._within = False

    def __iter__(self) -> Iterator[Any]:
        run = self._run
        if self._key in run.split_arms:
            run.next_ordinal()
        else:
            merged = super().__iter__()
            while True:
                self._within = False
                try:
                    item = next(merged, self)
                except ArmNotMerged:
                    self._abandon()
                    break
                if item is self:
                    if not self._paths:
                        # Every path through it ends in it.
                        run.assume(self._condition.negation(), f"the arm at line {self._site.line} is not taken")
                    return
                self._within = True
                yield item
        self._plain, self.restoring = True, False
        if run.decide(self._condition):
            yield None

    def absorb(self, error: BaseException) -> bool:
        """True if the exception that ended the arm ends only a path through it."""
        return not self._plain and super().absorb(error)

    def _verified(self, endings: list[BodyEnding], index: Term, looked_at: Mapping[AllocationKey, bool]) -> bool:
        """True if the arm leaves what it found."""
        found = super()._verified(endings, index, looked_at)
        if found and (self._state.forgets() or not self._state.independent()):
            # What has a closed form for the arm alone need not have one with others.
            self._give_up("it leaves something")
        return found

    def _abandon(self) -> None:
        """Put back what is as it was before the arm: it is run on a path of its own."""
        run = self._run
        while run.depth > self._depth:
            run.close_scope()
        if self._looked is not None:
            run.model.end_pass(self._looked)
        if self._snapshot is not None:
            self._restore(self._snapshot)
        if self in run.open_loops:
            run.open_loops.remove(self)

    def _give_up(self, reason: str) -> NoReturn:
        self._run.split_arms.add(self._key)
        raise self._run.arm_splits() if self._within else ArmNotMerged(reason)
