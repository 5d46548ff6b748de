"""Operations that order cores or print."""

from __future__ import annotations

from nkiverify.analysis.values.semantics.table import meaning
from nkiverify.model.meaning import Step


@meaning("nl.device_print")
def device_print(step: Step) -> None:
    """What the kernel asks to see goes to the standard output."""
    if not step.tracking:
        prefix = step.attribute("print_prefix", step.attribute("prefix", ""))
        print(prefix, *step.stored(step.only_read))


@meaning("nisa.core_barrier")
def core_barrier(step: Step) -> None:
    """Orders two cores. Here they run one after the other, so what they exchange would be missed."""
    if step.programs > 1:
        step.refuse("core_barrier of two cores, which are simulated one after the other")
