"""ESBMC beside the embedded engine: the same shape program, decided a second time by other means.

The embedded engine's verdict stands by itself. What ESBMC leaves open changes nothing; what it contradicts is an error
that shows both sides.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from nkiverify.engines import embedded
from nkiverify.engines.esbmc import canary, locate, verdict
from nkiverify.engines.esbmc.engine import Decision, EsbmcEngine
from nkiverify.engines.esbmc.flags import read
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.records import DISAGREEMENT, Run, Verdict
from nkiverify.symbolic.prover import Rung
from nkiverify.verify.options import Options
from nkiverify.verify.verdicts import Judge


@cache
def installation() -> Installation | None:
    """The ESBMC to ask; None where there is none. Raises `UsageError` for one that answers wrongly or not at all."""
    try:
        found = locate.find()
    except locate.Unusable as reason:
        raise UsageError(str(reason)) from None
    if found is None:
        return None
    wrong = canary.check_once(found)
    if wrong:
        raise UsageError(f"{found.name} at {found.path} is refused: it gets {wrong[0]} wrong")
    return found


def opinion(judge: Judge, options: Options, seconds: float) -> Run | None:
    """What ESBMC says of the claims of `judge`, within `seconds`; None where there is no ESBMC.

    Its verdict is made as that of the embedded engine is: what the shape program leaves out is UNKNOWN to both. Raises
    `UsageError` for an ESBMC or flags that cannot be used, and where lowered programs cannot be written.
    """
    found = installation()
    if found is None:
        return None
    engine = EsbmcEngine(found, judge.program, judge.target.name, read(judge.target.flags), options.keep_lowered)
    result = engine.decide(judge.phase, seconds)
    run = verdict.completed(judge.entry(engine.name, [_as_embedded(one) for one in result.decisions]), result)
    run = replace(run, advisory=bool(judge.decisions))
    contradictions = verdict.disagreements(judge.decisions, result.decisions)
    if not contradictions:
        return run
    reason = "; ".join(map(str, contradictions[:3]))
    if options.disagreements is not None:
        kept = engine.leave([one.claim.number for one in contradictions], judge.phase, options.disagreements)
        reason = f"{reason}; ESBMC was given {kept}"
    return replace(run, verdict=Verdict.ERROR, qualifier=DISAGREEMENT, reason=reason)


def _as_embedded(decision: Decision) -> embedded.Decision:
    """A decision of ESBMC's in the form that verdicts and witnesses are made from."""
    return embedded.Decision(
        decision.claim,
        decision.outcome,
        Rung.SMT,
        tuple(decision.hypotheses),
        dict(decision.values),
        decision.reason,
    )
