"""The verdict of phase 4: a proof for all shapes, a concrete run that shows a fault, or runs of all shapes of a part.

What the walk over the shape program shows holds for every shape. Where it leaves a claim open, shapes of the domain
are run concretely, the simplest first, with the shadow memory: a fault found there is a refutation. Some shapes are no
proof: the domain is decided where all of its shapes are run, up to bounds where all within these are, else it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING

from nkiverify.analysis.effects import rounds_sums, runs_on_cores
from nkiverify.analysis.sets.flow import Inconclusive, OutOfTime
from nkiverify.analysis.sets.proof import Proof, Stated
from nkiverify.analysis.sets.unread_inputs import UnreadInput, unread
from nkiverify.analysis.sets.used import all_used
from nkiverify.engines.embedded import EmbeddedEngine
from nkiverify.engines.shapes import Shapes, domain_of
from nkiverify.foundation.budget import SearchingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import BOUNDED, SAMPLED, Basis, KernelWarning, Run, Verdict, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.observe import key_of
from nkiverify.ir.contract import Contract, Severity
from nkiverify.ir.program import CARRIED, Iteration, Program
from nkiverify.ir.walk import items, of_kind
from nkiverify.model.contracts import contract
from nkiverify.model.policy import AppliedPolicy, applied_policy
from nkiverify.phases import ARITHMETIC, DATAFLOW, SHAPES
from nkiverify.phases.dataflow.tails import tails
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.smt import Answer
from nkiverify.verify.dataflow_question import DataflowQuestion, FaultSearch
from nkiverify.verify.evidence import Evidence, concluded, recorded
from nkiverify.verify.tolerated import Tolerated, told_of
from nkiverify.verify.verdicts import ADVICE_TIME, NOT_CONFIRMED, advice_on

if TYPE_CHECKING:
    # Concrete runs, and NumPy with them, are imported as late as they are made: a proof needs none.
    from nkiverify.phases.dataflow.trial import Seen, Trial

#: Simple shapes at which a part of an input may be left out, and the sizes of one at which every other column is no
#: range.
_INPUTS, _SEVERAL = 4, 37
#: What can be done where all shapes up to some bounds were run.
ADVICE_WITHIN = (
    "bound the dimensions, so that all shapes can be run, or write the index in a way that can be followed; "
    f"--accept {BOUNDED} takes the verdict as it is"
)
#: What can be done where the shapes that were run are not all there are.
ADVICE_BOUND = "bound the dimensions, so that all shapes can be run, or leave this phase out: --phase 1,2,3"


def verdict_of(question: DataflowQuestion) -> Run:
    """The verdict of phase 4, with what it warns of."""
    proof, ended = question.claimed.proof, question.claimed.ended
    policy = applied_policy()
    left = [one for one in proof.open if policy.severity(contract(one.contract), one.site) is not Severity.CLAIM]
    proof = replace(proof, stated=[one for one in proof.stated if one not in left])
    handed = _hands_on(question) if not proof.open and question.trial is None else ""
    if handed:
        proof.stated.append(Stated("df.affine_range", None, handed))
    searched = question.limit is not None or ended is not None or proof.open or question.bounded is not None
    search = _searched(question) if searched else None
    smallest = _most_telling(question, ended, search) if search is not None and search.found is not None else True
    found = concluded(RULES, DataflowFacts(question, proof, ended, search, smallest))
    run = recorded(question.target, DATAFLOW.number, EmbeddedEngine.name, found)
    run = replace(run, assumptions=question.assumptions)
    if run.is_bounded:
        part = search.part if search is not None else None
        within = tuple(f"{name} <= {bound}" for name, bound in part.bounds.items()) if part is not None else ()
        run = replace(run, suffices=question.within or within)
    run = _tolerated(question, left, search, policy).attached(run)
    if run.verdict not in (Verdict.SUCCESSFUL, Verdict.FAILED):
        return run
    if run.verdict is Verdict.FAILED and search is not None and search.found is not None:
        seconds = max(1.0, question.seconds)
        from nkiverify.phases.dataflow.trial import stores

        trial = search.found
        reported = stores(question.target, trial.values, question.hardware, seconds, trial.recorded)
        run = replace(run, coverage=reported, suffices=_suffices(question, trial))
    return replace(run, warnings=(*run.warnings, *_warnings(question, proof, search)))


def _searched(question: DataflowQuestion) -> FaultSearch:
    from nkiverify.verify.dataflow_search import Searching

    return Searching(question).run()


def _most_telling(question: DataflowQuestion, ended: Inconclusive | None, search: FaultSearch) -> bool:
    """Let the run that was found be the simplest with a fault, but for one that shows a store; whether there is no
    simpler one."""
    from nkiverify.phases.dataflow.smallest import simplest

    assert search.found is not None
    dimensions = Shapes(question.program.dimensions, domain_of(question.program, question.assumptions)).dimensions
    found, smallest = simplest(
        question.target,
        question.program,
        dimensions,
        question.hardware,
        search.found,
        question.seconds,
        provable=question.provable and ended is None,
        effort=question.effort,
    )
    search.found = found
    if question.effort < 1:
        return smallest
    from nkiverify.verify.witness.unwritten import storing  # as late as this: most runs show no fault

    search.found = storing(question.target, question.program, dimensions, question.hardware, found, question.seconds)
    return smallest and search.found is found


def _suffices(question: DataflowQuestion, trial: Trial) -> tuple[str, ...]:
    if not question.provable or question.effort < 1:
        return ()
    from nkiverify.verify.witness.unwritten import enough

    return enough(question.program, question.hardware, trial, question.seconds)


def _tolerated(
    question: DataflowQuestion, left: Sequence[Stated], search: FaultSearch | None, policy: AppliedPolicy
) -> Tolerated:
    """The findings that are reported of faults that the verdict does not depend on, and of claims `left` open that it
    does not."""
    trial = search.tolerated if search is not None else None
    if trial is None and left:
        trial = _tolerated_at_some(question)
    seen: list[tuple[Contract, Site | None, Violation | None]] = []
    if trial is not None:
        shown = replace(trial, findings=replace(trial.findings, faults=list(trial.tolerated)))
        for one, violation in _violations(question, shown, smallest=False):
            seen.append((contract(one.fault.contract), one.site, violation))
    known = {key_of(rule.id, site) for rule, site, _ in seen}
    for claim in left:
        if key_of(claim.contract, claim.site) not in known:
            known.add(key_of(claim.contract, claim.site))
            seen.append((contract(claim.contract), claim.site, None))
    return told_of(seen, policy)


def _tolerated_at_some(question: DataflowQuestion) -> Trial | None:
    """A run with such a fault, on one of the simplest shapes."""
    from nkiverify.phases.dataflow.trial import attempt
    from nkiverify.verify.shape_search import OracleAnswer, Search

    found: Trial | None = None

    def about(values: dict[str, int], seconds: float) -> OracleAnswer:
        nonlocal found
        trial = attempt(question.target, values, question.hardware, seconds)
        found = trial if trial.tolerated else None
        return OracleAnswer(work=1, continues=found is None)

    shapes = Shapes(question.program.dimensions, domain_of(question.program, question.assumptions))
    Search(about, question.seconds, SearchingBudget.SHAPES_OF_WARNINGS).through(shapes.tried())
    return found


#: What the proof does not see of a loop without an order.
_UNROLLED = "what iterations of an affine_range that is unrolled leave for others in Python"


def _hands_on(question: DataflowQuestion) -> str:
    """Why an iteration of a loop of the legacy API may hand something on in Python; "" if none does. Where such a loop
    is summarised, the proof sees all but what changes from one iteration to the next; where not, runs have to show it
    of each shape."""
    if question.hands_on():
        return CARRIED
    return _UNROLLED if any(of_kind(question.program.body, Iteration)) else ""


def _warnings(question: DataflowQuestion, proof: Proof, search: FaultSearch | None) -> tuple[KernelWarning, ...]:
    """The kernel's dead stores, and the like. A kernel that has a fault is examined on the shape that shows it."""
    assumed = domain_of(question.program, question.assumptions)
    shapes = Shapes(question.program.dimensions, assumed)
    proved = search is None and not question.bounded
    none_dead = proved and all_used(question.program, question.claimed.proof)
    left = unread(question.program) if question.limit is None else None
    inputs = list(_inputs(left, shapes))
    quiet = none_dead and not proof.read_unwritten
    quiet = quiet and not inputs and not any(tails(question.program, shapes.dimensions))
    executed = question.trial.recorded if question.trial is not None else list(items(question.program.body))
    if quiet and not runs_on_cores(executed) and not rounds_sums(executed):
        # Nothing is left that a run could show.
        return ()
    from nkiverify.phases.dataflow.warned import Subject, warnings
    from nkiverify.verify.domain_parts import solved

    subject = Subject(
        question.target,
        question.program,
        question.hardware,
        question.seconds,
        proved,
        dimensions=tuple(shapes.dimensions),
        made=question.trial,
        none_dead=none_dead,
    )
    if search is not None and search.found is not None:
        return warnings(replace(subject, at_fault=True, made=search.found), [search.found.values], (), search.found)
    small = chain(
        islice(shapes.tried(), SearchingBudget.SHAPES), islice(solved(shapes.dimensions, assumed, lambda: True), 1)
    )
    unwritten = bool(proof.read_unwritten) if search is None else search.unwritten or False
    return warnings(subject, small, shapes.larger(), unwritten, inputs)


def _inputs(left: UnreadInput | None, shapes: Shapes) -> Iterator[dict[str, int]]:
    """Shapes at which a range of an input may never be read; where sets do not tell which, a few of all."""
    if left is not None and left.reported and not left.any:
        return
    several = shapes.nearest({one.atom.name: _SEVERAL for one in shapes.dimensions if not one.choices})
    for values in (*islice(shapes.tried(), _INPUTS), *shapes.larger(), *([several] if several is not None else [])):
        if left is None or not left.reported or left.has(values):
            yield values
    if left is not None:
        yield from left.some()


# --- from what is known to a verdict ----------------------------------------------------------------------------------


@dataclass
class DataflowFacts:
    """The facts known when the verdict is made. `search` is None where the proof left nothing open."""

    question: DataflowQuestion
    proof: Proof
    ended: Inconclusive | None
    search: FaultSearch | None
    #: No simpler shape has the fault that was found.
    smallest: bool

    @cached_property
    def searched(self) -> FaultSearch | None:
        """The search, where it is for what the proof leaves open: of what is shown up to a bound it is for shapes
        beyond it, and in a domain that may be empty it finds none."""
        return None if nothing_to_follow(self) or self.is_within or self.is_empty else self.search

    @cached_property
    def is_within(self) -> bool:
        """True if all is shown up to a bound, and not every shape was run."""
        return self.search is not None and not self.search.complete and self.question.shown_within

    @cached_property
    def is_empty(self) -> bool:
        """True if no shape is in the domain."""
        search, limit = self.search, self.question.limit
        return search is not None and limit is None and not search.inside and _is_empty(self.question.program)

    @property
    def reason(self) -> str:
        """Why nothing is proved for all shapes."""
        return _why(self.question, self.proof, self.ended)

    def unknown(self, basis: Basis, qualifier: str, advice: str = "", reason: str = "") -> Evidence:
        """Evidence of no verdict, at the first claim that is open."""
        advice = advice_on(self.question.program, advice, dataflow=True)
        site = next((claim.site for claim in self.proof.open if claim.site is not None), None)
        return Evidence(basis, qualifier, reason or self.reason, site, advice)


def nothing_to_follow(known: DataflowFacts) -> Evidence | None:
    """No tensor is read, written or returned."""
    if (known.search is not None and known.question.bounded is None) or (known.question.reached and known.proof.claims):
        return None
    return Evidence(Basis.UNREACHED, reason="no tensor is read, written or returned")


def proved(known: DataflowFacts) -> Evidence | None:
    """The walk shows all claims for all shapes."""
    if known.search is not None or known.proof.open or known.ended is not None:
        return None
    claims = known.proof.claims
    return Evidence(Basis.PROVED, claims=claims, closed_by={"sets": claims})


def proved_within(known: DataflowFacts) -> Evidence | None:
    """The walk shows all claims as far as loops have been unrolled, and no shape beyond that was run has a fault."""
    search, bounded = known.search, known.question.bounded
    if search is None or bounded is None or not known.is_within:
        return None
    claims = known.proof.claims
    reported = [bounded.reason]
    if search.doubt:
        reported.append(search.doubt)
    elif search.furthest:
        from nkiverify.verify.domain_parts import no_fault_up_to

        reported.append(no_fault_up_to(search.furthest))
    return replace(bounded, claims=claims, closed_by={"sets": claims}, reason="; ".join(reported))


def empty(known: DataflowFacts) -> Evidence | None:
    """No shape is in the domain."""
    if not known.is_empty:
        return None
    return Evidence(Basis.EMPTY, reason="no run comes to its end: the domain is empty")


def shown(known: DataflowFacts) -> Evidence | None:
    """A shape was run that has a fault."""
    if known.search is None or known.search.found is None:
        return None
    violations = [reported for _, reported in _violations(known.question, known.search.found, known.smallest)]
    if not violations:
        values = ", ".join(f"{name} = {value}" for name, value in known.search.found.values.items())
        return known.unknown(
            Basis.NOT_CONFIRMED, NOT_CONFIRMED, reason=f"a run for {values} has a fault that a second one does not show"
        )
    return Evidence(Basis.REFUTED, claims=max(known.proof.claims, 1), violations=violations)


def not_understood(known: DataflowFacts) -> Evidence | None:
    """The exploration ended at something it does not understand, or out of time, and not all of the domain was run."""
    limit, search = known.question.limit, known.search
    if limit is None or (search is not None and search.complete):
        return None
    reason = known.reason
    if search is not None and search.tried:
        from nkiverify.verify.domain_parts import proved_for, shapes_show_nothing

        reason = f"{reason}; {shapes_show_nothing(search.tried)}{proved_for(search.part)}"
    return Evidence(Basis.UNSUPPORTED, limit.construct, reason, limit.site, limit.advice)


def late(known: DataflowFacts) -> Evidence | None:
    """Time was over before the proof, or the search, was at its end."""
    late = known.searched is not None and known.searched.late
    if not late and not isinstance(known.ended, OutOfTime):
        return None
    return known.unknown(Basis.TIME_OUT, Basis.TIME_OUT.value, ADVICE_TIME)


def doubtful(known: DataflowFacts) -> Evidence | None:
    """A shape was run of which nothing can be known."""
    doubt = known.searched.doubt if known.searched is not None else ""
    if not doubt:
        return None
    reason = known.reason if doubt in known.reason else f"{known.reason}; {doubt}"
    # Whatever other phases are about comes first.
    other = known.searched is not None and known.searched.broken_phase in (SHAPES.number, ARITHMETIC.number)
    return known.unknown(Basis.NOT_KNOWN, doubt, "mend what that phase finds" if other else "", reason)


def not_run(known: DataflowFacts) -> Evidence | None:
    """No shape could be run."""
    if known.searched is None or known.searched.tried:
        return None
    return known.unknown(Basis.SAMPLED, "no shape could be run")


def all_run(known: DataflowFacts) -> Evidence | None:
    """Every shape of the domain was run, and has no fault."""
    search = known.searched
    if search is None or not search.complete:
        return None
    looked = {"shapes": search.tried}
    return Evidence(Basis.PROVED, claims=search.claims, closed_by=looked)


def all_run_within(known: DataflowFacts) -> Evidence | None:
    """Every shape of the domain up to some bounds was run, and has no fault."""
    search = known.searched
    if search is None or not search.up_to_bounds:
        return None
    looked = {"shapes": search.tried}
    bounds, reason = f"{BOUNDED} {search.part}", known.reason
    if search.furthest:
        from nkiverify.verify.domain_parts import no_fault_up_to

        reason = f"{reason}; {no_fault_up_to(search.furthest)}"
    site = next((claim.site for claim in known.proof.open if claim.site is not None), None)
    return Evidence(Basis.BOUNDED, bounds, reason, site, ADVICE_WITHIN, search.claims, looked)


def sampled(known: DataflowFacts) -> Evidence | None:
    """Some shapes were run, and have no fault: that is no proof."""
    search = known.searched
    if search is None or search.complete or search.up_to_bounds:
        return None
    from nkiverify.verify.domain_parts import proved_for

    reason = f"{known.reason}{proved_for(search.part)}"
    shapes = f"{search.tried} shape{'s' if search.tried > 1 else ''}"
    return known.unknown(Basis.SAMPLED, f"{SAMPLED} {shapes}", ADVICE_BOUND, reason)


#: All that may be evidence about phase 4.
RULES: tuple[Callable[[DataflowFacts], Evidence | None], ...] = (
    nothing_to_follow,
    proved,
    empty,
    shown,
    proved_within,
    not_understood,
    late,
    doubtful,
    not_run,
    all_run,
    all_run_within,
    sampled,
)


def _is_empty(program: Program) -> bool:
    """True if no values of the dimensions satisfy all that is assumed on every path."""
    return Prover(program.assumed, BUDGETS.domain).satisfiable() is Answer.NO


# --- the record -------------------------------------------------------------------------------------------------------


def _violations(question: DataflowQuestion, trial: Trial, smallest: bool) -> list[tuple[Seen, Violation]]:
    """The faults that a run shows, each with the violation that is reported of it."""
    from nkiverify.verify.witness.faults import violations  # as late as this: most runs show none

    seconds = max(1.0, question.seconds)
    assumed = domain_of(question.program, question.assumptions) if question.provable else None
    return list(violations(question.target, question.program, question.hardware, seconds, trial, smallest, assumed))


def _why(question: DataflowQuestion, proof: Proof, ended: Inconclusive | None) -> str:
    if question.limit is not None:
        place = f" at {question.limit.site}" if question.limit.site is not None else ""
        return f"{question.limit.construct}{place}"
    if ended is not None:
        return str(ended)
    if not proof.open:
        return ""
    first = proof.open[0]
    place = f" at {first.site}" if first.site is not None else ""
    return (
        f"{len(proof.open)} of {proof.claims} claims are open for all shapes: {first.contract}{place}, {first.reason}"
    )
