"""Making a witness small.

Of two witnesses the simpler one has, dimension by dimension in the order the target names them, the smaller value.
Each dimension is
brought down with the solver, the others still free, and then kept.
"""

from __future__ import annotations

import time

from nkiverify.engines.embedded import Decision, dimension_values
from nkiverify.engines.smt import Answer, Question
from nkiverify.program import DomainDimension, Program
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition, negate

#: Milliseconds for one question of the search; not knowing keeps the larger value.
QUESTION_MS = 500


def smallest_witness(program: Program, decision: Decision, seconds: float) -> dict[str, int]:
    """Values of all dimensions for which the claim fails, as small as found within `seconds`."""
    deadline = time.monotonic() + seconds
    values = dimension_values(decision)
    question = Question([*decision.hypotheses, negate(decision.claim.condition)], QUESTION_MS)
    for dimension in program.dimensions:
        name = dimension.atom.name
        if name not in values:
            values[name] = _smallest_legal(dimension)
        if time.monotonic() < deadline:
            values = _bring_down(question, dimension, values, deadline)
        question.suppose(conditions.equals_zero(_offset(dimension, values[name])))
    return values


def _bring_down(
    question: Question, dimension: DomainDimension, values: dict[str, int], deadline: float
) -> dict[str, int]:
    name, step = dimension.atom.name, dimension.multiple_of
    low, high = _smallest_legal(dimension) // step, values[name] // step
    # Small values first: most counterexamples have them.
    reach = 1
    while low < high and time.monotonic() < deadline:
        middle = min(low + reach - 1, (low + high) // 2) if reach else (low + high) // 2
        found = _with_at_most(question, dimension, middle * step)
        if found is None:
            low, reach = middle + 1, reach * 2
        else:
            values = {**values, **found}
            high, reach = found.get(name, middle * step) // step, 0
    return {**values, name: high * step}


def _with_at_most(question: Question, dimension: DomainDimension, bound: int) -> dict[str, int] | None:
    limited: Condition | bool = conditions.at_most_zero(_offset(dimension, bound))
    if question.satisfiable(limited) is not Answer.YES:
        return None
    return {atom.name: value for atom, value in question.model.items() if isinstance(atom, terms.Dimension)}


def _smallest_legal(dimension: DomainDimension) -> int:
    return -(-dimension.low // dimension.multiple_of) * dimension.multiple_of


def _offset(dimension: DomainDimension, value: int) -> terms.Term:
    return terms.add(terms.of_atom(dimension.atom), terms.constant(-value))
