"""The search for a fault of phase 4 among the shapes of a domain, where a proof leaves a claim open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nkiverify.engines.rounds import Rounds
from nkiverify.foundation.budget import RunningBudget, SearchingBudget
from nkiverify.phases.dataflow.trial import attempt
from nkiverify.verify.dataflow_question import DataflowQuestion, FaultSearch
from nkiverify.verify.domain_parts import Candidates, DomainPart
from nkiverify.verify.shape_search import OracleAnswer, Search


class Searching:
    """Runs shapes of the domain, the simplest first, until one shows a fault or enough work has been done."""

    def __init__(self, question: DataflowQuestion) -> None:
        self._question = question
        self._most_work = SearchingBudget.WORK * question.effort
        self._candidates = Candidates(question.program, question.assumptions)
        self._search = Search(self._about, question.seconds, self._most_work)
        #: Whether all shapes up to some bounds are run, after those that are tried.
        self._all_shapes = False
        #: Whether an assert kept out a shape of what the symbolic run, which stopped, takes for the domain.
        self._rejected = False
        self.result = FaultSearch()

    def run(self) -> FaultSearch:
        """Try shapes, then run all of them up to as large a bound as work allows, and some beyond."""
        if self._question.shown_within:
            self._past(self._question.bases)
        else:
            self._some_then_all()
        self.result.late = self._search.late
        return self.result

    def _some_then_all(self) -> None:
        result, search = self.result, self._search

        def costly() -> bool:
            return search.left * SearchingBudget.FEW_SHAPES < self._most_work * (SearchingBudget.FEW_SHAPES - 1)

        search.through(self._candidates.tried(lambda: search.seconds, lambda: not result.inside, costly))
        # Of what is not understood the shapes alone tell anything: all of them, or a part that is worth telling.
        limit = self._question.limit
        if limit is not None and (self._rejected or not self._candidates.shapes.dimensions):
            return
        if result.found is None and not result.doubt and result.tried and not search.late:
            # Where there is less effort, few shapes were tried before: all up to some bounds say more than others.
            asked = self._candidates.asked or self._question.effort < 1
            self._all(self._candidates.reached(search.seconds) if asked else Rounds((), loops=False))
            if limit is not None:
                self._in_full()
            elif result.part is not None and result.found is None and not result.doubt and not result.complete:
                bounds = result.part.bounds
                self._past([{name: value + 1} for name, value in bounds.items()])

    def _all(self, reached: Rounds) -> None:
        """Run all shapes of the domain up to bounds that are made larger as long as there is work left."""
        self._begin_all()
        self.result.twice = reached.loops
        most = SearchingBudget.ALL_SHAPES if self._question.limit is None else SearchingBudget.SHAPES
        for part in self._candidates.parts(reached, self._search.asks, most):
            if self.result.doubt:
                return
            self.result.part = part

    def _past(self, bases: Sequence[Mapping[str, int]]) -> None:
        """Run shapes beyond a bound, and all of the domain where it has few."""
        result, search = self.result, self._search
        self._begin_all()
        for chain in self._candidates.past(bases):
            for values in search.along(chain):
                if sum(values.values()) > sum((result.furthest or {}).values()):
                    result.furthest = values
            if result.found is not None or result.doubt:
                return
        self._in_full()

    def _in_full(self) -> None:
        """Run all of the domain where it has few shapes."""
        result, search = self.result, self._search
        every = self._candidates.every()
        if not every or search.late:
            return
        search.allow(SearchingBudget.TIMES_IN_FULL * self._most_work)
        if search.through(every) and not (self._rejected or result.found or result.doubt):
            result.part = DomainPart({})

    def _begin_all(self) -> None:
        self._search.allow(self._most_work)
        self._all_shapes = True

    def _about(self, values: dict[str, int], seconds: float) -> OracleAnswer:
        """Run a shape."""
        result = self.result
        allowed = RunningBudget.WORK_OF_A_SHAPE if values else SearchingBudget.WORK_OF_THE_ONLY_SHAPE
        trial = self._question.trial
        if trial is None:
            # What iterations hand on in Python is searched for in the shapes on which loops go round twice: behind what
            # ended the exploration nobody knows which these are.
            orders = not self._all_shapes or self._question.limit is not None
            trial = attempt(self._question.target, values, self._question.hardware, seconds, allowed, orders=orders)
        if trial.outside:
            # The assert that keeps it out may be one that the symbolic run has not come to: then nobody knows which
            # shapes there are.
            self._rejected = self._question.limit is not None
            return OracleAnswer(trial.work, not (self._all_shapes and self._rejected))
        if (trial.unusable and self._search.seconds <= 0) or (trial.large and result.tried):
            return OracleAnswer(trial.work, continues=False, final=False)
        result.inside += 1
        if trial.unusable:
            if not result.doubt:
                result.doubt, result.broken_phase = str(trial.unusable), trial.unusable.phase
            self._candidates.leave_out(values)
            return OracleAnswer(trial.work)
        findings = trial.findings
        if findings.doubts and not findings.shows_fault:
            result.doubt = findings.doubts[0]
            return OracleAnswer(trial.work)
        result.tried += 1
        result.claims = max(result.claims, findings.looked_at)
        if findings.origins and result.unwritten is None:
            result.unwritten = trial
        if trial.tolerated and result.tolerated is None:
            result.tolerated = trial
        if findings.faults:
            result.found = trial
        return OracleAnswer(trial.work, result.found is None)
