"""Text that means something to every format: what reports show of it must stay text."""

from __future__ import annotations

from dataclasses import replace

from nkiverify.foundation.records import Run
from tests.report.samples import COUNT_VIOLATION, UNUSED_WARNING, refuted

TEXT = (
    "</script><script>document.title = 'taken'</script><img src=x onerror=document.title='taken'>"
    " \"'&` | \x00\x1b[31m\n::error::no {{ 7*7 }}"
)


def hostile_run(**fields: object) -> Run:
    """A refuted run whose every text is hostile."""
    violation = replace(
        COUNT_VIOLATION,
        contract=f"a.{TEXT}",
        statement=TEXT,
        source=TEXT,
        message=TEXT,
        note=TEXT,
        stub=TEXT,
        witness={TEXT: TEXT},
        tensors=(TEXT,),
        comparison=TEXT,
        generalises={TEXT: TEXT},
    )
    warning = replace(
        UNUSED_WARNING, rule=f"df.{TEXT}", statement=TEXT, message=TEXT, tensor=TEXT, witness={TEXT: TEXT}, holds=TEXT
    )
    plain: dict[str, object] = {
        "target": TEXT,
        "kernel": f"{TEXT}::{TEXT}",
        "family": TEXT,
        "engine": TEXT,
        "qualifier": TEXT,
        "reason": TEXT,
        "flags": TEXT,
        "tags": (TEXT,),
        "traceback": TEXT,
        "assumptions": (TEXT,),
        "closed_by": {TEXT: 1},
        "violations": (violation,),
        "warnings": (warning,),
        "expected": None,
    }
    return refuted(**(plain | fields))
