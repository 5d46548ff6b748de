"""Saying what a refuted claim means: the message of a violation, with its quantities as numbers."""

from __future__ import annotations

from nkiverify.engines.embedded import Decision
from nkiverify.program import Program
from nkiverify.results import Violation
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.terms import Atom, Dimension, Index, Term, render


def violation_of(decision: Decision, witness: dict[str, int], program: Program, replayed: bool) -> Violation:
    """The record of a refuted claim with its witness."""
    claim = decision.claim
    site = claim.site
    shown: dict[str, int | str] = dict(witness)
    for dimension in program.dimensions:
        name = dimension.atom.name
        if dimension.choices and name in witness:
            shown[name] = dimension.choices[witness[name]]
    return Violation(
        contract=claim.contract.id,
        statement=claim.contract.statement,
        source=claim.contract.source,
        file=site.file if site is not None else "",
        line=site.line if site is not None else 0,
        message=_message(decision, witness),
        witness=shown,
        column=site.column if site is not None else -1,
        end_line=site.end_line if site is not None else -1,
        end_column=site.end_column if site is not None else -1,
        stub=claim.stub,
        replayed=replayed,
    )


def _message(decision: Decision, witness: dict[str, int]) -> str:
    valuation = _valuation(decision, witness)
    parts = [f"{name} = {_shown(value, valuation)}" for name, value in decision.claim.quantities]
    indices = {
        atom
        for condition in (*decision.hypotheses, decision.claim.condition)
        if isinstance(condition, Condition)
        for atom in condition.atoms()
        if isinstance(atom, Index)
    }
    at = [
        f"{atom.name} = {decision.values[atom]}"
        for atom in sorted(indices, key=lambda atom: atom.uid)
        if atom in decision.values
    ]
    text = ", ".join(parts)
    return text if not at or not _is_same(decision, witness) else f"{text}; at {', '.join(at)}"


def _is_same(decision: Decision, witness: dict[str, int]) -> bool:
    """Whether the witness is the assignment the engine found, indices included."""
    return all(
        witness.get(atom.name) == value for atom, value in decision.values.items() if isinstance(atom, Dimension)
    )


def _valuation(decision: Decision, witness: dict[str, int]) -> Valuation:
    values: dict[Atom, int] = {}
    for atom, value in decision.values.items():
        if isinstance(atom, Dimension):
            values[atom] = witness.get(atom.name, value)
        elif isinstance(atom, Index) and _is_same(decision, witness):
            values[atom] = value
    for atom_name, value in witness.items():
        from nkiverify.symbolic.terms import dimension

        (atom,) = dimension(atom_name).atoms
        values[atom] = value
    return Valuation(values)


def _shown(value: object, valuation: Valuation) -> str:
    if isinstance(value, Term):
        text = render(value)
        if value.constant is not None:
            return text
        try:
            return f"{text} = {valuation.term(value)}"
        except Undefined:
            return text
    if isinstance(value, tuple):
        return f"({', '.join(_shown(part, valuation) for part in value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, Condition):
        return repr(value)
    return str(value)
