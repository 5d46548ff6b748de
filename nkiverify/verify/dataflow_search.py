"""The search for a fault of phase 4 among the shapes of a domain, where a proof leaves a claim open."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from nkiverify.engines.rounds import Rounds
from nkiverify.foundation.budget import RunningBudget, SearchingBudget
from nkiverify.phases.dataflow.trial import attempt
from nkiverify.verify.dataflow_question import DataflowQuestion, FaultSearch
from nkiverify.verify.domain_parts import Candidates, DomainPart


class Searching:
    """Runs shapes of the domain, the simplest first, until one shows a fault or enough work has been done."""

    def __init__(self, question: DataflowQuestion) -> None:
        self._question = question
        self._candidates = Candidates(question.program, question.assumptions)
        self._shapes = self._candidates.shapes
        self._deadline = time.process_time() + question.seconds
        self._ran: set[tuple[int, ...]] = set()
        self._work = 0
        self._most_work = SearchingBudget.WORK * question.effort
        #: Whether all shapes up to some bounds are run, after those that are tried.
        self._all_shapes = False
        self.result = FaultSearch()

    def run(self) -> FaultSearch:
        """Try shapes, then run all of them up to as large a bound as work allows, and some beyond."""
        result = self.result
        if self._question.shown_within:
            self._past(self._question.bases)
            return result
        self._tried()
        # What is not understood is UNKNOWN however many shapes are run; a part of them is worth telling.
        limit = self._question.limit
        if limit is not None and not self._shapes.dimensions:
            return result
        if result.found is None and not result.doubt and result.tried and not result.late:
            # Where there is less effort, few shapes were tried before: all up to some bounds say more than others.
            asked = self._candidates.asked or self._question.effort < 1
            reached = self._candidates.reached(self._left()) if asked else Rounds((), loops=False)
            self._work, self._all_shapes = 0, True
            self._all(reached)
            if result.part is not None and result.found is None and not result.doubt and not result.complete:
                bounds = result.part.bounds
                self._past([{name: value + 1} for name, value in bounds.items()])
        return result

    def _past(self, bases: Sequence[Mapping[str, int]]) -> None:
        """Run shapes beyond a bound, and all of the domain where it has few."""
        result = self.result
        self._work, self._all_shapes = 0, True
        for chain in self._candidates.past(bases):
            for values in chain:
                if not self._goes_on(values):
                    break
                if sum(values.values()) > sum((result.furthest or {}).values()):
                    result.furthest = values
            if result.found is not None or result.doubt:
                return
        every = self._candidates.every()
        if every is not None and not result.late:
            self._work, self._most_work = 0, SearchingBudget.TIMES_IN_FULL * self._most_work
            if all(self._goes_on(values) for values in every) and not result.doubt:
                result.part = DomainPart({})

    def _tried(self) -> None:
        """Run the simplest shapes, and those on which loops go round twice."""
        for values in self._candidates.tried(self._left, lambda: not self.result.inside):
            if not self._goes_on(values):
                break

    def _all(self, reached: Rounds) -> None:
        """Run all shapes of the domain up to bounds that are made larger as long as there is work left."""
        self.result.twice = reached.loops
        most = SearchingBudget.ALL_SHAPES if self._question.limit is None else SearchingBudget.SHAPES
        for part in self._candidates.parts(reached, self._goes_on, most):
            if self.result.doubt:
                return
            self.result.part = part

    def _left(self) -> float:
        return max(0.0, self._deadline - time.process_time())

    def _goes_on(self, values: dict[str, int]) -> bool:
        """Run a shape, unless it has been run; whether there is reason to run others."""
        result, key = self.result, tuple(values.values())
        if key in self._ran:
            return True
        left = self._deadline - time.process_time()
        result.late = left <= 0
        if result.late or self._work >= self._most_work:
            return False
        allowed = RunningBudget.WORK_OF_A_SHAPE if values else SearchingBudget.WORK_OF_THE_ONLY_SHAPE
        trial = self._question.trial
        if trial is None:
            # What iterations hand on in Python is searched for in the shapes on which loops go round twice: behind what
            # ended the exploration nobody knows which these are.
            orders = not self._all_shapes or self._question.limit is not None
            trial = attempt(self._question.target, values, self._question.hardware, left, allowed, orders=orders)
        self._work += trial.work
        if trial.outside:
            self._ran.add(key)
            # The assert that keeps it out may be one that the symbolic run has not come to.
            return not self._all_shapes or self._question.limit is None
        result.late = bool(trial.unusable) and time.process_time() > self._deadline
        if result.late or (trial.large and result.tried):
            return False
        self._ran.add(key)
        result.inside += 1
        if trial.unusable:
            result.doubt = result.doubt or trial.unusable
            return True
        findings = trial.findings
        if findings.doubts and not findings.shows_fault:
            result.doubt = findings.doubts[0]
            return True
        result.tried += 1
        result.claims = max(result.claims, findings.looked_at)
        if findings.origins and result.unwritten is None:
            result.unwritten = trial
        if trial.tolerated and result.tolerated is None:
            result.tolerated = trial
        if findings.faults:
            result.found = trial
        return result.found is None
