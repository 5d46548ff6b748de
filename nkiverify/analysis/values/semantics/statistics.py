"""Random numbers (reference section c.3)."""

from __future__ import annotations

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Step


@meaning("nl.dropout", "nisa.dropout", "nl.rand", "nisa.rng", "nisa.rand2")
def random(step: Step) -> None:
    """Refused: which numbers come is not documented."""
    step.refuse(f"the values of {step.name}: random numbers are not documented")
