"""A concrete launch whose loops go round often, decided by one run of each loop's body for all its iterations.

This errs on the side of the concrete run, which decides wherever it gives no answer: it can only say SUCCESSFUL.
It says so where every loop is summarised, every claim is proved at the first try, nothing is bounded or accepted, and
nothing is to be warned of that no iteration keeps. Dead stores are searched for in neither, as such launches are too
long, or the walk over sets shows that there are none.
What it may take is counted in steps, never seconds: the contracts, decisions and rounds of the run, isl's operations,
and the first try of each claim.
"""

from __future__ import annotations

from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.records import Basis, Run
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import Hardware
from nkiverify.phases import DATAFLOW, PHASES
from nkiverify.verify.exploration import Exploration, explore


def summarised(target: Target, hardware: Hardware, limits: Limits, phases: frozenset[int]) -> Exploration | None:
    """The symbolic run of a concrete launch; None where it leaves anything out, assumes anything, or a loop is not
    summarised."""
    try:
        found = explore(target, hardware, limits, phases, most=1)
    except (Exception, UnsupportedConstruct):  # whatever is wrong with it, Python itself decides
        return None
    run = found.run
    assert isinstance(run, SymbolicExecution)
    if run.unsupported_construct is not None or run.raised_within or run.program.dimensions:
        return None
    return None if found.assumptions else found


def settled(explored: Exploration, engine: EmbeddedEngine, phase: int, seconds: float, used: bool) -> bool:
    """True if each claim of the phase holds at the first try, or is one that the verdict does not depend on and that no
    iteration keeps, so that none of them has to be searched for in a run; where `used` says so, nor dead stores."""
    try:
        # As many operations of isl as of a proof for all shapes: the run of the launch would take longer.
        claimed = explored.claimed(PHASES[phase], seconds, SetsBudget.OPERATIONS)
        if claimed.gap:
            return False
        if phase == DATAFLOW.number:
            return _all_sets_known(explored, seconds) and not (used and _may_have_dead_stores(explored))
        engine.limit(seconds)
        return all(_is_settled(one) for one in engine.decide(phase, hard=False))
    except (RecursionError, UnsupportedConstruct):
        return False


def as_in_plain_python(run: Run) -> bool:
    """True if Python itself would give the same verdict with the same warnings: it has shown those that there are."""
    shown = all(warning.holds == "for these shapes" for warning in run.warnings)
    return run.basis is Basis.PROVED and run.is_plain and not run.accepted and shown


def _is_settled(decision: Decision) -> bool:
    claim = decision.claim
    if decision.outcome is Outcome.REFUTED:
        return not claim.decides and claim.condition is False
    return decision.outcome.holds


def _may_have_dead_stores(explored: Exploration) -> bool:
    from nkiverify.analysis.sets.used import all_used  # as late as this: islpy is slow to load
    from nkiverify.phases.dataflow.claims import DataflowClaims

    claimed = explored.claimed(DATAFLOW)
    assert isinstance(claimed, DataflowClaims)
    return not all_used(explored.run.program, claimed.proof)


def _all_sets_known(explored: Exploration, seconds: float) -> bool:
    """True if the walk over sets shows all claims, and that no unwritten element is read."""
    from nkiverify.phases.dataflow.claims import DataflowClaims  # as late as this: islpy is slow to load

    claimed = explored.claimed(DATAFLOW)
    assert isinstance(claimed, DataflowClaims)
    proof = claimed.proof
    known = claimed.ended is None and bool(proof.claims) and not proof.open and not proof.read_unwritten
    return known and (not explored.hands_on or explored.does_the_same_traced(seconds))
