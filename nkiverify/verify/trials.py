"""Shapes of a domain concrete run, for phases 1 to 3: a fault that no proof has come to is found all the same.

A symbolic run that stops says nothing of what comes after, and a solver that gives up nothing of its claim. The
simplest shapes of the domain, and such as let loops go round twice, are run as they are. What they show is a
refutation; that they show nothing is no proof, but of the part of the domain of which every shape was run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace

from nkiverify.engines.embedded import Decision, EmbeddedEngine
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct, UsageError
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.explorer import TargetRaised
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Assume, Block
from nkiverify.phases import SHAPES
from nkiverify.symbolic import conditions, terms
from nkiverify.verify.domain_parts import Candidates, DomainPart
from nkiverify.verify.ends import refuted_at_ends
from nkiverify.verify.exploration import Exploration, played
from nkiverify.verify.shape_search import OracleAnswer, Search
from nkiverify.verify.tolerated import Tolerated
from nkiverify.verify.verdicts import PhaseVerdict

#: Contracts that may be examined in one of them.
_WORK_OF_SHAPE = 5 * SearchingBudget.CONTRACTS
#: Values of each dimension within the bounds that are tried.
_LEVELS = (2, 8, 32, 128, 512)
#: Contracts that may be examined in all shapes of a domain that has few.
_WORK_OF_ALL = 20 * SearchingBudget.CONTRACTS


@dataclass(slots=True)
class Trials:
    """The shapes that have been run: how many were, and the run of the first that has a fault, by phase."""

    tried: int = 0
    found: dict[int, Run] = field(default_factory=dict)
    #: The part of the domain on all of whose shapes a phase holds.
    parts: dict[int, DomainPart] = field(default_factory=dict)
    #: What is wrong with nkiverify itself, seen in one of the runs.
    fault: str = ""
    #: The largest shape beyond a bound that was run, if any.
    furthest: dict[str, int] = field(default_factory=dict)
    #: Phases that hold on every shape of the domain.
    whole: frozenset[int] = frozenset()
    #: The most claims of a phase that hold on a shape.
    claims: dict[int, int] = field(default_factory=dict)
    #: What is reported next to these.
    tolerated: dict[int, Tolerated] = field(default_factory=dict)


def trials(exploration: Exploration, phases: frozenset[int], seconds: float, every: bool) -> Trials:
    """Run shapes of the domain until each of `phases` has a fault, or enough has been done; in this many `seconds`."""
    return _Trying(exploration, phases, seconds, every).run()


def beyond(
    exploration: Exploration, phases: frozenset[int], bases: Sequence[Mapping[str, int]], seconds: float, every: bool
) -> Trials:
    """Run shapes past a bound up to which `phases` hold, from `bases` just past it on, and those at the ends of the
    domain; all of the domain where it has few."""
    return _Trying(exploration, phases, seconds, every).past(bases)


class _Trying:
    """Runs shapes, the smallest first; then all up to some bounds, as long as a phase holds on every one of them."""

    def __init__(self, exploration: Exploration, phases: frozenset[int], seconds: float, every: bool) -> None:
        self._exploration = exploration
        self._phases = phases
        self._every = every
        self._candidates = Candidates(exploration.run.program, exploration.assumptions)
        self._search = Search(self._about, seconds, SearchingBudget.CONTRACTS)
        self._open = set(phases)
        #: Whether a shape was in the domain: a solver is asked for some where none of the simplest is.
        self._inside = False
        #: Phases that hold, or have nothing to claim, on each shape that was run.
        self._holding = set(phases)
        self.result = Trials()

    def run(self) -> Trials:
        """Try shapes, then run all of them up to as large a bound as work allows."""
        search, candidates = self._search, self._candidates
        search.through(candidates.by_size(lambda: search.seconds, lambda: not self._inside))
        goes_on = lambda values: bool(self._holding) and search.asks(values)  # noqa: E731
        for part in candidates.parts(candidates.reached(search.seconds), goes_on, SearchingBudget.SHAPES):
            for phase in sorted(self._holding & self._open):
                self.result.parts[phase] = part
        self._in_full()
        return self.result

    def past(self, bases: Sequence[Mapping[str, int]]) -> Trials:
        """Run shapes past a bound, and all of the domain where it has few and nothing is wrong with them."""
        for chain in self._candidates.past(bases):
            before: dict[str, int] | None = None
            was_open = set(self._open)
            for values in self._search.along(chain):
                failed = was_open - self._open
                if failed and before is not None:
                    self._smaller(before, values, failed)
                before, was_open = values, set(self._open)
                if sum(values.values()) > sum(self.result.furthest.values()):
                    self.result.furthest = values
        self._in_full()
        return self.result

    def _in_full(self) -> None:
        """Run all of the domain where it has few shapes and nothing is wrong with them. One that the kernel rejects is
        wrong: by an assert that the symbolic run may not have come to, so that nobody knows which shapes there are."""
        every = self._candidates.every() if self._holding & self._open and not self.result.fault else None
        if every:
            self._search.allow(_WORK_OF_ALL)
            if self._search.through(every):
                self.result.whole = frozenset(self._holding & self._open)

    def _smaller(self, passing: dict[str, int], failing: dict[str, int], failed: set[int]) -> None:
        """Look for a smaller shape on which the phases fail that `failed`, between one on which they do and one on
        which they do not."""

        def fails(middle: dict[str, int]) -> bool | None:
            known = {phase: self.result.found.pop(phase) for phase in failed}
            self._open |= failed
            goes_on = self._search.asks(middle)
            fails = failed <= self.result.found.keys()
            self.result.found = {**known, **self.result.found}
            self._open -= failed
            return True if fails else False if goes_on else None

        self._search.shrink(self._candidates.between, passing, failing, fails)

    def _about(self, values: dict[str, int], seconds: float) -> OracleAnswer:
        """Run a shape."""
        if not self._open or self.result.fault:
            return OracleAnswer(continues=False, final=False)
        try:
            shape = _run(self._exploration, values, self._phases, seconds)
        except (UsageError, TargetRaised):
            # The target, for these values: no fault of the kernel.
            self._holding.clear()
            return OracleAnswer()
        except InternalError as error:
            self.result.fault = f"{error}"
            return OracleAnswer(continues=False)
        if shape is None:
            # By an assert of the kernel that the symbolic run may not have come to.
            self._holding.clear()
            return OracleAnswer()
        self._look(shape, values)
        assert isinstance(shape.run, ConcreteExecution)
        return OracleAnswer(shape.run.looked_at)

    def _look(self, shape: Exploration, values: dict[str, int]) -> None:
        """Look at the verdict of each phase about a shape."""
        assert isinstance(shape.run, ConcreteExecution)
        self._inside = True
        if shape.run.unsupported_construct is None:
            self.result.tried += 1
        if shape.run.raised is not None:
            # What comes after has not been run.
            self._holding.clear()
        for phase in sorted(self._open):
            run = _verdict_on(shape, phase, values, self._search.seconds, self._every)
            unsure = run is None or run.verdict is Verdict.UNKNOWN
            if phase == SHAPES.number and self.result.tried <= SearchingBudget.SHAPES_AT_ENDS and unsure:
                run = refuted_at_ends(shape, self._play, phase, values, self._search.seconds, self._every) or run
            if run is not None and run.verdict is Verdict.FAILED:
                self._open.discard(phase)
                self.result.found[phase] = replace(run, assumptions=self._exploration.assumptions)
            if not _holds(run):
                self._holding.discard(phase)
            elif run is not None:
                self.result.claims[phase] = max(run.claims, self.result.claims.get(phase, 0))
                self.result.tolerated[phase] = self.result.tolerated.get(phase, Tolerated()).joined(run)

    def _play(self, values: Mapping[str, int], seconds: float) -> Exploration | None:
        with suppress(UsageError, TargetRaised):
            return _run(self._exploration, values, self._phases, seconds)
        return None


def proved_within(exploration: Exploration, still_open: Sequence[Decision], seconds: float) -> DomainPart | None:
    """The largest part of the domain that is found on which the claims hold that were left open; None if none is.

    The solver is asked about them again, with bounds on the dimensions besides, and no harder than at first.
    """
    end = now() + seconds
    program = exploration.run.program
    shapes = Candidates(program, exploration.assumptions).shapes
    atoms = {one.atom.name: one.atom for one in program.dimensions}
    claims = {one.claim for one in still_open}
    found = None
    for level in _LEVELS:
        bounds = shapes.bounds(level, {}) if now() < end else None
        part = None if bounds is None else DomainPart(shapes.beyond(bounds))
        if part is None or part.is_all:
            break
        within = [
            Assume(conditions.at_most_zero(terms.add(terms.of_atom(atoms[name]), terms.constant(-bound))))
            for name, bound in part.bounds.items()
        ]
        engine = EmbeddedEngine(replace(program, body=Block([*within, *program.body.items])))
        engine.limit(end - now())
        if not engine.holds(claims):
            break
        found = part
    return found


def _holds(run: Run | None) -> bool:
    """True if all that a phase claims of a shape holds, if anything is claimed."""
    return run is not None and (run.verdict is Verdict.VACUOUS or run.basis is Basis.PROVED) and not run.qualifier


def _run(
    exploration: Exploration,
    values: Mapping[str, int],
    phases: frozenset[int],
    seconds: float,
) -> Exploration | None:
    """The run on `values`, its program about them alone; None where they are not in the domain."""
    limits = Limits(seconds=seconds, claims=_WORK_OF_SHAPE)
    found = played(exploration.target, exploration.hardware, limits, phases, values)
    if found is None:
        return None
    program = found.run.program
    program.dimensions.extend(exploration.run.program.dimensions)
    stated = [
        Assume(conditions.equals_zero(terms.add(terms.of_atom(one.atom), terms.constant(-values[one.atom.name]))))
        for one in program.dimensions
    ]
    program.body.items[:0] = stated
    return found


def _verdict_on(shape: Exploration, phase: int, values: Mapping[str, int], seconds: float, every: bool) -> Run | None:
    """The verdict of a phase about one shape; there may be simpler ones. None where it is beyond us."""
    engine = EmbeddedEngine(shape.run.program)
    try:
        run = PhaseVerdict(shape.target, shape, engine, shape.hardware, phase, max(0.0, seconds), every, values).run()
    except (UnsupportedConstruct, RecursionError):
        return None
    return replace(run, violations=tuple(replace(one, smallest=False) for one in run.violations), suffices=())
