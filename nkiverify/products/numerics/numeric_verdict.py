"""The verdict of phase 5: a proof for all shapes, runs on ranges that show nothing, inputs that show a fault, or none.

A domain with dimensions is proved by a walk over its program, in which one interval stands for all elements of a tile
(`analysis.ranges.range_walk`); or shape by shape, where they are few. Each shape is run once with every element an
interval: where that rules all faults out, the shape is proved. Where it does not, inputs of the ranges are run in the
simulator; a fault seen there is a refutation. Some shapes are no proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import islice

from nkiverify.analysis.ranges.range_findings import ElementFault
from nkiverify.analysis.ranges.range_run import RangeLimits, first_lines
from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.engines.shapes import TooManyShapes
from nkiverify.foundation.budget import NumericsBudget, SearchingBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import BOUNDED, SAMPLED, Basis, Run, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.model.contracts import contract
from nkiverify.phases import DATAFLOW, NUMERICS, SHAPES
from nkiverify.phases.dataflow.claims import DataflowClaims
from nkiverify.products.numerics.numeric_trial import (
    Cut,
    NumericTrial,
    on_every_shape,
    on_inputs,
    on_masked,
    on_other_fills,
    on_ranges,
)
from nkiverify.products.numerics.search import Inputs, again, inputs
from nkiverify.verify.domain_parts import Candidates
from nkiverify.verify.evidence import Evidence, concluded, recorded
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.shape_search import OracleAnswer, Search
from nkiverify.verify.verdicts import ADVICE_TIME

__all__ = ["again", "verdict_of"]

_OPEN = (Outcome.REFUTED, Outcome.UNDECIDED)
_ADVICE_RANGE = "state a range that the inputs are in: --arg x='f32[…] in -10..10'"
_ADVICE_SHAPES = "bound the dimensions, or give sizes, so that all shapes can be run"


@dataclass(frozen=True, slots=True)
class SimulatedFault:
    """A fault that a run in the simulator shows, with its inputs as text."""

    finding: ElementFault
    inputs: str
    values: Mapping[str, int]


@dataclass(slots=True)
class NumericFacts:
    """The facts known when the verdict is made."""

    #: How many shapes were run, and were proved; whether these are all there are.
    tried: int = 0
    proved: int = 0
    complete: bool = False
    lines: int = 0
    shown: list[SimulatedFault] = field(default_factory=list)
    #: The first shape that is not proved, as far as ranges show.
    still_open: NumericTrial | None = None
    #: The largest magnitude of floats that is proved there, and that of all inputs.
    largest: float | None = None
    #: The largest magnitude that is proved for all shapes.
    largest_for_all: float | None = None
    #: Inputs that were run in the simulator.
    runs: int = 0
    late: bool = False
    #: The walk for all shapes, if it was made and shows that nothing goes wrong; else why it does not.
    every: NumericTrial | None = None
    open: str = ""
    #: How far loops were unrolled for it, if that may not have been enough.
    bounded: str = ""

    @property
    def by_shapes(self) -> bool:
        """True if shapes were run, and each of them is proved."""
        return self.every is None and self.tried > 0 and self.still_open is None

    @property
    def is_all(self) -> bool:
        """True if all shapes of the domain were run, and are proved."""
        return self.complete and self.proved == self.tried


def verdict_of(exploration: Exploration, engine: EmbeddedEngine, seconds: float, largest: bool) -> Run:
    """The verdict of phase 5; `engine` decides the claims of other phases that a proof for all shapes rests on.

    `largest`: the largest range is searched for on which a kernel is proved that is not.
    """
    deciding = _Deciding(exploration, engine, seconds)
    known = deciding.run()
    if largest:
        deciding.find_largest()
    found = recorded(exploration.target, NUMERICS.number, EmbeddedEngine.name, concluded(RULES, known))
    return replace(found, assumptions=exploration.assumptions)


class _Deciding:
    """Runs shapes of the domain, the simplest first, until one has a fault or enough has been done."""

    def __init__(self, exploration: Exploration, engine: EmbeddedEngine, seconds: float) -> None:
        self._engine = engine
        self._target = exploration.target
        self._hardware = exploration.hardware
        self._exploration = exploration
        self._end = now() + seconds
        self._work = 0
        self._known = NumericFacts()
        #: The shape that is open, once there is one.
        self._open_at: Mapping[str, int] = {}
        #: The walk for all shapes, once it was made.
        self._walked: NumericTrial | None = None

    def run(self) -> NumericFacts:
        """Decide all shapes at once, or as many as there is time for."""
        known = self._known
        known.open = self._not_for_all()
        if known.every is not None:
            return known
        search = Search(self._about, max(0.0, self._end - now()), NumericsBudget.WORK)
        through = search.through(self._shapes())
        known.complete = known.complete and (through or known.still_open is not None)
        known.late = known.late or search.late
        return known

    def _about(self, values: dict[str, int], seconds: float) -> OracleAnswer:
        """Decide one shape. Of one that is not proved more is reported than of many."""
        known, begun = self._known, self._work
        trial = self._refuted(values) or self._on_ranges(values)
        if not trial.outside:
            known.tried += 1
            known.lines = max(known.lines, trial.lines)
            if _is_proved(trial) and trial.fills:
                trial = self._on_masked(values)
            if _is_proved(trial):
                known.proved += 1
            else:
                known.still_open, self._open_at = trial, values
                if not known.shown:
                    self._search(values, trial, inputs())
        return OracleAnswer(self._work - begun, known.still_open is None)

    def _refuted(self, values: Mapping[str, int]) -> NumericTrial | None:
        """The walk for all shapes, where it leaves something open of which a few inputs of the first shape show that
        it is so: then nothing is to be proved of this one."""
        trial = self._walked
        if trial is None or not trial.findings or trial.unusable or self._known.tried:
            return None
        for choice in islice(inputs(), NumericsBudget.INPUTS_BEFORE):
            self._search(values, trial, [choice])
            if self._known.shown:
                return trial
        return None

    def find_largest(self) -> None:
        """Find out up to which magnitude of the floats what is open is proved."""
        known, trial = self._known, self._known.still_open
        if trial is not None and (known.shown or trial.findings):
            known.largest = self._largest(trial, self._holds)
        if known.every is None and not known.is_all:
            known.largest_for_all = self._largest_for_all()

    def _holds(self, cut: float) -> bool:
        """True if the shape that is open is proved where floats are cut down to a magnitude."""
        trial = self._on_ranges(self._open_at, cut)
        return _is_proved(trial) and (not trial.fills or _is_proved(self._on_masked(self._open_at, cut)))

    def _largest_for_all(self) -> float | None:
        """The largest magnitude of floats up to which all shapes are proved; None where that is not known."""
        trial, program = self._walked, self._exploration.run.program
        if trial is None or not trial.findings or trial.unusable or self._unrolled() or self._why_not_legal():
            return None
        return self._largest(trial, lambda cut: _is_proved(on_every_shape(program, self._end, cut)))

    def _not_for_all(self) -> str:
        """The reason that nothing is proved for all shapes at once; empty where it is."""
        run, left = self._exploration.run, max(0.1, (self._end - now()) / 2)
        if isinstance(run, ConcreteExecution) or not run.program.dimensions:
            return "the sizes are numbers"
        if run.unsupported_construct is not None:
            return run.unsupported_construct.construct
        trial = self._walked = on_every_shape(run.program, now() + left)
        if not _is_proved(trial):
            return _first_of(trial)
        if not trial.lines:
            return "no operation computes anything"
        reason = self._why_not_legal()
        if reason:
            return reason
        self._known.every = trial
        if self._unrolled():
            self._known.bounded = f"{BOUNDED} {run.limits.unwind}"
        return ""

    def _why_not_legal(self) -> str:
        """The phase that is not proved for all shapes, which says that of kernels that are not legal, or that read what
        nothing has written, nothing is known; empty where both are."""
        left = max(0.1, (self._end - now()) / 2)
        self._engine.limit(left)
        if any(one.outcome in _OPEN and one.claim.decides for one in self._engine.decide(SHAPES.number)):
            return f"phase {SHAPES.number} is not proved"
        claimed = self._exploration.claimed(DATAFLOW, left)
        if not isinstance(claimed, DataflowClaims) or claimed.ended is not None or claimed.proof.open:
            return f"phase {DATAFLOW.number} is not proved for all shapes"
        return ""

    def _unrolled(self) -> bool:
        """True if a loop may go round more often than it was unrolled."""
        return any(one.outcome in _OPEN for one in self._engine.decide_unwinding())

    def _over(self) -> bool:
        self._known.late = now() > self._end
        return self._known.late or self._work > NumericsBudget.WORK

    def _on_ranges(self, values: Mapping[str, int], cut: Cut = None) -> NumericTrial:
        trial = on_ranges(self._target, values, self._hardware, self._limits(), cut)
        self._work += trial.work
        return trial

    def _on_masked(self, values: Mapping[str, int], cut: Cut = None) -> NumericTrial:
        trial = on_masked(self._target, values, self._hardware, self._limits(), cut)
        self._work += trial.work
        return trial

    def _limits(self) -> RangeLimits:
        return RangeLimits(max(0.1, self._end - now()), NumericsBudget.WORK_OF_A_SHAPE)

    def _shapes(self) -> Iterator[dict[str, int]]:
        """Shapes of the domain: all, where they are few."""
        run = self._exploration.run
        if isinstance(run, ConcreteExecution) or not run.program.dimensions:
            self._known.complete = True
            yield {}
            return
        candidates = Candidates(run.program, self._exploration.assumptions)
        try:
            every = list(islice(candidates.shapes.within({}), SearchingBudget.SHAPES + 1))
        except TooManyShapes:
            every = []
        if 0 < len(every) <= SearchingBudget.SHAPES and run.unsupported_construct is None:
            self._known.complete = True
            yield from sorted(every, key=lambda shape: sum(shape.values()))
            return
        tried = candidates.by_size(lambda: max(0.0, self._end - now()), lambda: not self._known.tried)
        yield from islice(tried, SearchingBudget.SHAPES)

    def _search(self, values: Mapping[str, int], trial: NumericTrial, tried: Iterable[Inputs]) -> None:
        """Run inputs, until there is one for each line that may be at fault, or all have been run."""
        known = self._known
        wanted = {finding.key for finding in trial.findings}
        # Which numbers an operation that is not followed may be given, a scale for one, is not known.
        unfollowed = {site for _, site in trial.unfollowed}
        found: dict[tuple[str, Site | None], SimulatedFault] = {}
        begun = self._work
        for number, choice in enumerate(tried):
            dear = number >= NumericsBudget.INPUTS_FIRST and self._work - begun > NumericsBudget.WORK_OF_A_SHAPE
            if dear or self._over() or (found and wanted <= found.keys()):
                break
            given = self._target, values, self._hardware, self._limits()
            if trial.fills:
                seen = on_other_fills(*given, choice.fill, choice.again().fill)
            else:
                seen = on_inputs(*given, choice.fill)
            self._work += seen.work
            known.runs += 1
            for finding in seen.findings if seen.findings and seen.findings[0].site not in unfollowed else ():
                found.setdefault(finding.key, SimulatedFault(finding, str(choice), values))
        # What follows from another fault is not reported besides.
        known.shown = list(found.values())

    def _largest(self, trial: NumericTrial, proves: Callable[[float], bool]) -> float | None:
        """The largest magnitude of the floats of a trial up to which something is proved, found by halving."""
        most = max((max(abs(low), abs(high)) for low, high in trial.ranges.values()), default=0.0)
        if not most:
            return None
        low, high, proved = NumericsBudget.LEAST_CUT, math.log2(most), None
        if high <= low or not proves(2.0**low):
            return None
        for _ in range(NumericsBudget.CUTS):
            if self._over():
                break
            middle = (low + high) / 2
            cut = float(f"{2.0**middle:.3g}")
            if proves(cut):
                low, proved = middle, cut
            else:
                high = middle
        return proved


def _is_proved(trial: NumericTrial) -> bool:
    return not (trial.findings or trial.unfollowed or trial.unusable or trial.outside)


def _first_of(trial: NumericTrial) -> str:
    """The first thing that a walk for all shapes leaves open."""
    if trial.findings:
        return f"{trial.findings[0].contract} is not ruled out for all sizes: {trial.findings[0]}"
    if trial.unfollowed:
        return f"not followed for all sizes: {first_lines(trial.unfollowed)}"
    return str(trial.unusable or "")


def _proved_where(known: NumericFacts) -> str:
    """The magnitudes of inputs up to which something is proved, as the end of a sentence; empty where nothing is."""
    one, every = (f"{number or 0.0:.3g}" for number in (known.largest, known.largest_for_all))
    floats = "where the floats of the arguments are at most"
    if known.largest is None or (known.largest_for_all is not None and every == one):
        return f"for all sizes {floats} {every} in magnitude" if known.largest_for_all is not None else ""
    rest = f", for all sizes where they are at most {every}" if known.largest_for_all is not None else ""
    return f"{floats} {one} in magnitude{rest}"


# --- from what is known to a verdict ----------------------------------------------------------------------------------


def proved_for_all(known: NumericFacts) -> Evidence | None:
    """The walk over the program shows that nothing goes wrong, for all shapes."""
    if known.every is None:
        return None
    lines = known.every.lines
    basis = Basis.BOUNDED if known.bounded else Basis.PROVED
    return Evidence(basis, known.bounded, claims=lines, closed_by={"ranges": lines})


def nothing_to_run(known: NumericFacts) -> Evidence | None:
    """No shape of the domain was run."""
    if known.tried or known.every is not None:
        return None
    if known.late:
        return Evidence(Basis.TIME_OUT, Basis.TIME_OUT.value, "no shape was run in time", advice=ADVICE_TIME)
    if known.complete:
        return Evidence(Basis.EMPTY, reason="the domain is empty")
    return Evidence(Basis.SAMPLED, "no shape could be run", advice=_ADVICE_SHAPES)


def shown(known: NumericFacts) -> Evidence | None:
    """Inputs were run that show a fault."""
    if not known.shown:
        return None
    where = _proved_where(known)
    note = f"it holds {where}" if where else ""
    violations = [_violation(one, note) for one in known.shown]
    return Evidence(Basis.REFUTED, claims=max(known.lines, 1), violations=violations)


def nothing_computed(known: NumericFacts) -> Evidence | None:
    """The kernel computes nothing."""
    if not known.by_shapes or known.lines:
        return None
    return Evidence(Basis.UNREACHED, reason="no operation computes anything")


def not_usable(known: NumericFacts) -> Evidence | None:
    """A run tells nothing of the kernel."""
    trial = known.still_open
    if trial is None or not trial.unusable:
        return None
    advice = _ADVICE_SHAPES
    if trial.unusable.phase == SHAPES.number:
        advice = "mend what that phase finds"
    elif trial.unusable.phase == DATAFLOW.number:
        advice = "such numbers are not followed; phase 4 says whether an output depends on them"
    return Evidence(Basis.NOT_KNOWN, str(trial.unusable), place=trial.place, advice=advice)


def not_followed(known: NumericFacts) -> Evidence | None:
    """An operation has no ranges."""
    trial = known.still_open
    if trial is None or trial.unusable or not trial.unfollowed:
        return None
    construct, site = trial.unfollowed[0]
    reason = f"not followed: {first_lines(trial.unfollowed)}; {_no_input(known)}"
    return Evidence(Basis.UNSUPPORTED, construct, reason, site, "leave this phase out: --phase 1,2,3,4")


def not_proved(known: NumericFacts) -> Evidence | None:
    """Ranges do not rule a fault out, and no input shows one."""
    trial = known.still_open
    if trial is None or not trial.findings:
        return None
    first = trial.findings[0]
    where = _proved_where(known)
    proved = f"; proved {where}" if where else ""
    reason = f"{contract(first.contract).id} is not ruled out: {first}; {_no_input(known)}{proved}"
    undeclared = trial.ranges.keys() - trial.declared
    advice = _ADVICE_RANGE if undeclared else "check smaller ranges, or bound the number by nl.minimum or nl.maximum"
    return Evidence(Basis.UNDECIDED, first.contract, reason, first.site, advice)


def proved(known: NumericFacts) -> Evidence | None:
    """All shapes of the domain are proved."""
    if not known.by_shapes or not known.is_all:
        return None
    return Evidence(Basis.PROVED, claims=known.lines, closed_by={"ranges": known.lines})


def sampled(known: NumericFacts) -> Evidence | None:
    """Some shapes are proved: that is no proof for the domain."""
    if not known.by_shapes or not known.lines or known.is_all:
        return None
    count = f"{known.proved} shape{'s' if known.proved > 1 else ''}"
    if known.late:
        return Evidence(
            Basis.TIME_OUT, Basis.TIME_OUT.value, f"{count} proved, each for all inputs", advice=ADVICE_TIME
        )
    reason = f"each of {count} is proved for all inputs, the others of the domain are not: {known.open}"
    where = _proved_where(known)
    reason += f"; proved {where}" if where else ""
    return Evidence(Basis.SAMPLED, f"{SAMPLED} {count}", reason, advice=_ADVICE_SHAPES)


#: All that may be evidence about phase 5.
RULES: tuple[Callable[[NumericFacts], Evidence | None], ...] = (
    proved_for_all,
    nothing_to_run,
    shown,
    not_usable,
    not_followed,
    not_proved,
    nothing_computed,
    proved,
    sampled,
)


def _no_input(known: NumericFacts) -> str:
    return f"none of {known.runs} inputs that were run shows a fault"


def _violation(one: SimulatedFault, note: str) -> Violation:
    rule, site = contract(one.finding.contract), one.finding.site
    return Violation(
        contract=rule.id,
        statement=rule.statement,
        source=rule.source,
        file=site.file if site is not None else "",
        line=site.line if site is not None else 0,
        message=f"{one.finding}; {one.inputs}",
        witness=dict(one.values),
        column=site.column if site is not None else -1,
        end_line=site.end_line if site is not None else -1,
        end_column=site.end_column if site is not None else -1,
        replayed=True,
        note=note,
        values=dict(one.values),
        comparison=f"{one.finding.function} of {one.finding.operands}",
        function=site.function if site is not None else "",
    )
