"""Exceptions of a symbolic run that Python itself does not raise."""

from __future__ import annotations

from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.paths import Unsupported
from nkiverify.verify.exploration import Exploration
from nkiverify.verify.verdicts import ADVICE_UNFAITHFUL, RAISES_SYMBOLICALLY


def unfaithful(exploration: Exploration, engine: EmbeddedEngine, seconds: float) -> Unsupported | None:
    """The exception that ended a path of the symbolic run, where Python itself does not raise it: what lies behind it
    has not been seen, in any phase."""
    run = exploration.run
    if not isinstance(run, SymbolicExecution) or not run.raised_within or run.unsupported_construct is not None:
        return None
    engine.limit(seconds)
    raised = [one for one in engine.decide_one("kernel.exception") if one.outcome is not Outcome.UNREACHED]
    if not raised:
        return None
    from nkiverify.verify.witness.confirm import Confirmation, by_place  # as late as this: few kernels raise

    confirmation = Confirmation(exploration.target, run.program, engine, exploration.hardware, 1)
    for group in by_place(raised, every=False):
        if not any(violation.replayed for violation in confirmation.violations([group])):
            claim = group[0].claim
            reported = dict(claim.quantities).get("exception", "")
            return Unsupported(RAISES_SYMBOLICALLY, f"{reported} there; {ADVICE_UNFAITHFUL}", claim.site)
    return None
