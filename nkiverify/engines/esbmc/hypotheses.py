"""The hypotheses of each claim, and whether values of variables refute one: exact arithmetic, to check a trace with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.ir.program import Assume, Claim, Loop, Program
from nkiverify.ir.walk import of_kind, ways_to
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Dimension, Index
from nkiverify.symbolic.conditions import Condition, negate
from nkiverify.symbolic.evaluation import Undefined, Valuation

Hypotheses = tuple[Condition | bool, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """The conditions on the way to a claim, outermost first, and the ranges of the indices of the loops around it."""

    hypotheses: Hypotheses
    loops: tuple[Loop, ...]


def assumes_divisions(program: Program) -> bool:
    """True if anything in `program` holds only because a division came before it."""
    return any(item.of_division for item in of_kind(program.body, Assume))


def paths(program: Program) -> Iterator[tuple[Claim, Reached]]:
    """Every claim with the way to it, in program order."""
    for path, claim in ways_to(program.body, Claim):
        yield claim, Reached(path.hypotheses(claim), tuple(path.loops))


def refuting(
    claim: Claim, path: Reached, values: Mapping[Atom, int], completions: int = SecondEngineBudget.COMPLETIONS
) -> dict[Atom, int] | None:
    """Values of all variables, those of `values` among them, for which the claim fails; None if there are none.

    A trace does not tell the index of a loop that was unwound, nor the value of a variable that does not matter: up to
    `completions` assignments to these are tried.
    """
    if claim.condition is True:
        return None
    failing = [*path.hypotheses, negate(claim.condition)]
    mentioned = {atom for condition in failing if isinstance(condition, Condition) for atom in condition.atoms()}
    variables = [atom for atom in mentioned if isinstance(atom, Dimension | Index)]
    for atom in variables:
        if isinstance(atom, Index) and atom.representative:
            failing += _range(atom)
    missing = sorted((atom for atom in variables if atom not in values), key=lambda atom: atom.uid)
    choices = product(*(_candidates(atom, path) for atom in missing))
    for chosen in islice(choices, completions):
        valuation = Valuation({**values, **dict(zip(missing, chosen, strict=True))})
        try:
            if all(valuation.holds(condition) for condition in failing):
                return dict(valuation.given)
        except Undefined:
            continue
    return None


def satisfies(hypotheses: Hypotheses, values: Mapping[Atom, int]) -> bool:
    """True if `values` satisfy all of `hypotheses`, which speak of nothing else."""
    return Valuation(values).satisfies(list(hypotheses))


def _range(index: Index) -> list[Condition | bool]:
    this = terms.of_atom(index)
    below = terms.add(terms.add(this, index.extent, -1), terms.constant(1))
    return [conditions.at_most_zero(terms.scale(this, -1)), conditions.at_most_zero(below)]


def _candidates(atom: Atom, path: Reached) -> range:
    """Values to try: the iterations of a loop of constant length, else small ones."""
    loop = next((loop for loop in path.loops if loop.index is atom), None)
    trips = loop.extent.constant if loop is not None else None
    return range(min(trips, 64)) if trips is not None else range(17)
