"""A claim as a complete SMT-LIB file for any solver: unsat where it is proved, sat where it is refuted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nkiverify.engines.embedded import Decision, Outcome
from nkiverify.symbolic.atoms import Dimension
from nkiverify.symbolic.conditions import negate
from nkiverify.symbolic.smt import Script

#: Quantifier-free, over unbounded integers, with products of variables: divisions are spelled out as their axioms.
LOGIC = "QF_NIA"

_STATUS = {
    Outcome.PROVED: "unsat",
    Outcome.PROVED_IF_REACHED: "unsat",
    Outcome.UNREACHED: "unsat",
    Outcome.REFUTED: "sat",
}


def script(decision: Decision) -> str:
    """The question whether the hypotheses can hold and the claim fail. A model's `dimension!…` are commented."""
    claim = decision.claim
    build = Script()
    body = build.assertions([*decision.hypotheses, negate(claim.condition)])
    names = [f"; {name} is {atom.name}" for name, atom in build.atoms().items() if isinstance(atom, Dimension)]
    site = f" at {claim.site}" if claim.site is not None else ""
    status = _STATUS.get(decision.outcome, "unknown")
    lines = [
        f"; {claim.contract.id}{site}",
        f"; {' '.join(claim.contract.statement.split())}",
        *names,
        f"(set-info :status {status})",
        f"(set-logic {LOGIC})",
        body,
        "(check-sat)",
    ]
    return "\n".join(lines) + "\n"


def write_scripts(decisions: Iterable[Decision], folder: Path) -> int:
    """A file in `folder` for each claim that is not constantly true; how many. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = [one for one in decisions if one.claim.condition is not True and one.claim.by_sets is None]
    for decision in asked:
        name = f"{decision.claim.number:04}-{decision.claim.contract.id}.smt2"
        (folder / name).write_text(script(decision), encoding="utf-8")
    return len(asked)
