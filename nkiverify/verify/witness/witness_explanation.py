"""Saying what a refuted claim means: the record of a violation, with its quantities as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import permutations, product

from nkiverify.engines.embedded import Decision
from nkiverify.engines.minimise import Witness
from nkiverify.foundation.budget import ReportingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Label, Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.observe import Observation
from nkiverify.ir.program import Claim, Program
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Monomial, Term, render
from nkiverify.symbolic.conditions import Comparison, Condition, Junction, Relation
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.verify.witness.helping import help_of
from nkiverify.verify.witness.sentences import sentence


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The circumstances of a violation besides the claim and its witness.

    `observation` is what the replay saw, `labels` names the extents of the tensor arguments, `generalises` says which
    other values fail, `made` where the tensor is allocated that it is about.
    """

    replayed: bool
    observation: Observation | None = None
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    generalises: Mapping[str, str] = field(default_factory=dict)
    made: Site | None = None


def violation_of(decision: Decision, witness: Witness, program: Program, known: Circumstances) -> Violation:
    """The record of a refuted claim with its witness."""
    claim = decision.claim
    site = claim.site
    seen = known.observation
    span = (site.column, site.end_line, site.end_column) if site is not None else (-1, -1, -1)
    if seen is not None and span == (-1, -1, -1) and site is not None:
        span = (seen.place.column, seen.place.end_line, seen.place.end_column)
    shown: dict[str, int | str] = dict(witness.values)
    for dimension in program.dimensions:
        name = dimension.atom.name
        if dimension.choices and name in witness.values:
            shown[name] = dimension.choices[witness.values[name]]
    valuation = Valuation(witness.assignment)
    numbers = {name: _number(value, valuation) for name, value in claim.quantities}
    said = sentence(claim.contract.id, numbers)
    labels: tuple[Label, ...] = ()
    if known.made is not None and known.made != site:
        labels = (Label(known.made, f"{numbers.get('tensor', 'it')} is allocated here"),)
    return Violation(
        contract=claim.contract.id,
        statement=claim.contract.statement,
        source=claim.contract.source,
        file=site.file if site is not None else "",
        line=site.line if site is not None else 0,
        message=_message(decision, witness, valuation),
        witness=shown,
        column=span[0],
        end_line=span[1],
        end_column=span[2],
        stub=claim.stub,
        replayed=known.replayed,
        values=dict(witness.values),
        smallest=witness.smallest,
        generalises=dict(known.generalises),
        comparison=_refuted(claim, valuation, said),
        function=site.function if site is not None else "",
        calls=seen.calls if seen is not None else (),
        loops=seen.loops if seen is not None else (),
        tensors=tuple(tensor.described(known.labels) for tensor in seen.tensors) if seen is not None else (),
        said=said,
        labels=labels,
        instead=help_of(claim.contract, numbers),
    )


def _number(value: object, valuation: Valuation) -> object:
    """A quantity with its terms as numbers, as far as they are known."""
    if isinstance(value, tuple):
        return tuple(_number(part, valuation) for part in value)
    try:
        return valuation.term(value) if isinstance(value, Term) else value
    except Undefined:
        return value


def _message(decision: Decision, witness: Witness, valuation: Valuation) -> str:
    parts = [f"{name} = {_shown(value, valuation)}" for name, value in decision.claim.quantities]
    indices = sorted(
        (atom for atom in witness.assignment if isinstance(atom, Index)),
        key=lambda atom: atom.uid,
    )
    at = [f"{atom.name} = {witness.assignment[atom]}" for atom in indices]
    text = ", ".join(parts)
    if not at:
        return text
    place = f"at {', '.join(at)}"
    return f"{text}; {place}" if text else place


def _shown(value: object, valuation: Valuation) -> str:
    if isinstance(value, Term):
        return _valued(value, valuation)
    if isinstance(value, tuple):
        return f"({', '.join(_shown(part, valuation) for part in value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, Condition):
        return repr(value)
    if isinstance(value, int) and value.bit_length() > ReportingBudget.BITS_OF_AN_INTEGER:
        return "an integer of thousands of digits"  # which Python does not write, and nobody reads
    return str(value)


def _abbreviated(text: str) -> str:
    """Numbers of more than thirty digits by their first and last ones."""
    return re.sub(r"\d{31,}", lambda found: f"{found[0][:6]}…{found[0][-6:]}", text)


def _valued(term: Term, valuation: Valuation) -> str:
    """A term with its value: `128*k + 128 = 256`."""
    text = _abbreviated(render(term))
    if term.constant is not None:
        return text
    try:
        return _abbreviated(f"{text} = {valuation.term(term)}")
    except Undefined:
        return text


# --- the refuted condition --------------------------------------------------------------------------------------------

#: The opposite of each relation, as Python writes it.
_OPPOSITE = {Relation.AT_MOST: ">", Relation.EQUAL: "!=", Relation.UNEQUAL: "=="}
_MIRRORED = {">": "<", "!=": "!=", "==": "=="}


def _refuted(claim: Claim, valuation: Valuation, said: str) -> str:
    """The comparison that makes the claim false, with numbers: `stop = 128*k + 128 = 256 > extent = K = 200`.

    What is `said` of it where no quantities are compared; empty where no single comparison is to blame.
    """
    condition = claim.condition
    try:
        while isinstance(condition, Junction):
            failing = [part for part in condition.parts if not valuation.holds(part)]
            if not failing or (len(failing) > 1 and not condition.conjunction):
                return said
            condition = failing[0]
        if isinstance(condition, Comparison) and not valuation.holds(condition):
            plain = _contradicted(condition, valuation)
            # `m == 3` says more than that something is divided by zero.
            ways = (plain, said) if condition.relation is Relation.UNEQUAL else (said, plain)
            return _of_quantities(claim, condition, valuation) or ways[0] or ways[1]
    except Undefined:
        pass
    return said


def _of_quantities(claim: Claim, comparison: Comparison, valuation: Valuation) -> str:
    """The comparison in terms of two quantities of the claim, of whose difference it is about."""
    quantities = [
        (name, term)
        for name, value in claim.quantities
        if not isinstance(value, bool) and (term := _term(value)) is not None
    ]
    ways = (
        (0, conditions.at_most_zero, ">"),
        (1, conditions.at_most_zero, ">="),
        (0, conditions.equals_zero, "!="),
    )
    for (more, requires, opposite), ((one, left), (two, right)) in product(ways, permutations(quantities, 2)):
        difference = terms.add(terms.add(left, right, -1), terms.constant(more))
        # Equal conditions are the same object.
        if requires(difference) is comparison:
            return f"{one} = {_valued(left, valuation)} {opposite} {two} = {_valued(right, valuation)}"
    return ""


def _term(value: object) -> Term | None:
    return value if isinstance(value, Term) else terms.constant(value) if isinstance(value, int) else None


def _contradicted(comparison: Comparison, valuation: Valuation) -> str:
    left: dict[Monomial, int] = {}
    right: dict[Monomial, int] = {}
    for monomial, coefficient in comparison.term.monomials.items():
        side, sign = (left, 1) if coefficient > 0 else (right, -1)
        side[monomial] = sign * coefficient
    opposite = _OPPOSITE[comparison.relation]
    one, two = terms.make(left), terms.make(right)
    if one.constant is not None and two.constant is None:
        one, two, opposite = two, one, _MIRRORED[opposite]
    if opposite == "==" and two.constant is not None:
        return f"{render(one)} == {render(two)}"
    return f"{_valued(one, valuation)} {opposite} {_valued(two, valuation)}"
