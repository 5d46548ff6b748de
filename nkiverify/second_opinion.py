"""ESBMC beside the embedded engine: the same shape program, decided a second time by other means.

The embedded engine's verdict stands by itself. What ESBMC leaves open changes nothing; what it contradicts is an error
that shows both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from nkiverify.engines import embedded
from nkiverify.engines.embedded import Outcome, Rung
from nkiverify.engines.esbmc import canary, locate, verdict
from nkiverify.engines.esbmc.engine import Decision, EsbmcEngine
from nkiverify.engines.esbmc.flags import read
from nkiverify.engines.esbmc.locate import Installation
from nkiverify.errors import UsageError
from nkiverify.manifest import Target
from nkiverify.program import Program
from nkiverify.results import Run, Verdict, Violation
from nkiverify.session import DISAGREEMENT

#: Seconds ESBMC may take for one phase of one target beside the embedded engine, and where it is the only engine.
BESIDE_SECONDS = 10.0

#: Turns refuted claims into violations, replayed in plain Python.
Replay = Callable[[Sequence[embedded.Decision]], "list[Violation]"]


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


def opinion(
    target: Target,
    program: Program,
    phase: int,
    ours: Sequence[embedded.Decision],
    replayed: Replay,
    seconds: float,
    keep: Path | None = None,
) -> Run | None:
    """What ESBMC says of `target` in `phase`; None where there is no ESBMC.

    `ours` are the embedded engine's decisions about the same claims, unwinding included.
    """
    found = installation()
    if found is None:
        return None
    engine = EsbmcEngine(found, program, target.name, read(target.flags), keep)
    result = engine.decide(phase, seconds)
    refuted = [_as_embedded(decision) for decision in result.decisions if _counts(decision)]
    run = verdict.run_of(target, phase, engine.name, result, replayed(refuted) if refuted else ())
    run = replace(run, advisory=bool(ours))
    contradictions = verdict.disagreements(ours, result.decisions)
    if contradictions:
        text = "; ".join(map(str, contradictions[:3]))
        return replace(run, verdict=Verdict.ERROR, qualifier=DISAGREEMENT, reason=text)
    return run


def _counts(decision: Decision) -> bool:
    return decision.outcome is Outcome.REFUTED and not decision.claim.unwinding


def _as_embedded(decision: Decision) -> embedded.Decision:
    """A refutation of ESBMC's in the form that witnesses are made from."""
    hypotheses = tuple(decision.hypotheses)
    return embedded.Decision(decision.claim, Outcome.REFUTED, Rung.SMT, hypotheses, dict(decision.values))
