"""The embedded engine decides random shape programs as looking at every assignment does."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkiverify.engines.embedded import Decision, EmbeddedEngine, Outcome
from nkiverify.ir.program import Assume, Block, Branch, Claim, Loop, Program
from nkiverify.ir.walk import claims
from nkiverify.model.contracts import contract
from nkiverify.symbolic import conditions, negate, terms
from nkiverify.symbolic.atoms import Atom, Dimension, Index
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.evaluation import Undefined, Valuation
from nkiverify.symbolic.prover import BUDGETS
from nkiverify.symbolic.smt import Answer, Question
from tests.symbolic.random_terms import DIMENSIONS, NAMES, as_condition, atom_of, random_conditions, random_terms

#: The values each dimension has in these programs.
BOX = range(-1, 3)


class _Writer:
    """Draws a program."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._claims = 0
        self._loops = 0
        self._indices: list[Any] = []

    def program(self) -> Program:
        program = Program()
        for name in NAMES:
            term = DIMENSIONS[name]
            program.body.items.append(Assume(as_condition(term >= BOX.start)))
            program.body.items.append(Assume(as_condition(term < BOX.stop)))
        program.body.items.extend(self._block(2).items)
        return program

    def _block(self, depth: int) -> Block:
        block = Block()
        for _ in range(self._draw(st.integers(1, 3))):
            kind = self._draw(st.sampled_from(("claim", "claim", "assume", "loop", "branch")))
            if kind == "claim" or depth == 0:
                block.items.append(self._claim())
            elif kind == "assume":
                block.items.append(Assume(self._condition()))
            elif kind == "loop":
                block.items.append(self._loop(depth))
            else:
                condition = self._condition()
                if isinstance(condition, Condition):
                    then, orelse = self._block(depth - 1), self._block(depth - 1)
                    block.items.append(Branch(condition, then, orelse, None))
                    break
        return block

    def _condition(self) -> Condition | bool:
        condition = as_condition(self._draw(random_conditions(3)).symbolic)
        if self._indices and isinstance(condition, Condition) and self._draw(st.booleans()):
            index = self._indices[self._draw(st.integers(0, len(self._indices) - 1))]
            moved = terms.add(index, terms.constant(self._draw(st.integers(-1, 1))))
            condition = condition.substitute({atom_of(DIMENSIONS[self._draw(st.sampled_from(NAMES))]): moved})
        return condition

    def _claim(self) -> Claim:
        self._claims += 1
        condition = self._condition()
        if self._draw(st.integers(0, 3)) == 0:
            self._loops += 1
            extent = self._draw(random_terms(2)).symbolic
            element: Any = terms.index("e", extent, ("grid", self._loops), representative=True)
            x = DIMENSIONS[self._draw(st.sampled_from(NAMES))]
            condition = as_condition(element + x <= extent + self._draw(st.integers(-2, 3)))
        return Claim(self._claims, contract("target.claim"), condition, 1, None, "")

    def _loop(self, depth: int) -> Loop:
        self._loops += 1
        extent = self._draw(random_terms(2)).symbolic
        index: Any = terms.index("i", extent, ("loop", self._loops))
        self._indices.append(index)
        body = self._block(depth - 1)
        self._indices.pop()
        bounds = (as_condition(index >= 0), as_condition(index < extent))
        (atom,) = index.atoms
        assert isinstance(atom, Index)
        return Loop(atom, extent, bounds, body, None)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Programs over small boxes, with loops, branches and index grids."""
    return _Writer(draw).program()


def assignments(decision: Decision) -> Iterator[Valuation]:
    """Every assignment that satisfies the hypotheses of a claim, its loop indices and grid elements included."""
    atoms: set[Atom] = {atom_of(DIMENSIONS[name]) for name in NAMES}
    for condition in (*decision.hypotheses, decision.claim.condition):
        if isinstance(condition, Condition):
            atoms |= condition.atoms()
    indices = sorted((atom for atom in atoms if isinstance(atom, Index)), key=lambda atom: atom.uid)
    dimensions = sorted((atom for atom in atoms if isinstance(atom, Dimension)), key=lambda atom: atom.uid)
    for choice in itertools.product(BOX, repeat=len(dimensions)):
        yield from _positions(dict(zip(dimensions, choice, strict=True)), indices, decision)


def _positions(given_values: dict[Atom, int], indices: list[Index], decision: Decision) -> Iterator[Valuation]:
    if indices:
        try:
            size = Valuation(given_values).term(indices[0].extent)
        except Undefined:
            return
        for position in range(size):
            yield from _positions({**given_values, indices[0]: position}, indices[1:], decision)
        return
    valuation = Valuation(given_values)
    if valuation.satisfies(decision.hypotheses):
        yield valuation


@pytest.mark.campaign
@settings(max_examples=max(1, settings().max_examples // 2))
@given(programs())
def test_decisions_are_those_of_looking_at_every_assignment(program: Program) -> None:
    with pytest.MonkeyPatch.context() as less:
        # In steps, as everywhere: with seconds other claims would be decided on a busy machine.
        less.setattr(BUDGETS, "claim", BUDGETS.first)
        decisions = EmbeddedEngine(program).decide(1)
    assert [decision.claim.number for decision in decisions] == [claim.number for claim, _ in claims(program)]
    for decision in decisions:
        reached = list(assignments(decision))
        opposite = negate(decision.claim.condition)
        try:
            refuting = [valuation for valuation in reached if valuation.holds(opposite)]
        except Undefined:
            continue
        if decision.outcome is Outcome.PROVED:
            assert refuting == []
        elif decision.outcome is Outcome.UNREACHED:
            assert reached == []
        elif decision.outcome is Outcome.REFUTED:
            # `assignments` leaves out where a hypothesis divides by zero: a kernel raises there before the claim.
            assert refuting or not _is_defined(decision)
            assert is_counterexample(decision)


def _is_defined(decision: Decision) -> bool:
    """True if every hypothesis has a value for the values of a refuted decision."""
    found = _values(decision)
    try:
        return bool([found.holds(condition) for condition in decision.hypotheses])
    except Undefined:
        return False


def _values(decision: Decision) -> Valuation:
    return Valuation({**dict.fromkeys((atom_of(DIMENSIONS[name]) for name in NAMES), 0), **decision.values})


def is_counterexample(decision: Decision) -> bool:
    """True if the values of a decision satisfy the hypotheses and break the claim, every index within its range."""
    found = _values(decision)
    conditions = [*decision.hypotheses, negate(decision.claim.condition)]
    # Values that served before may be about other loops as well, which need not run at all for these.
    mentioned = set().union(*(condition.atoms() for condition in conditions if isinstance(condition, Condition)))
    indices = [atom for atom in mentioned if isinstance(atom, Index)]
    assert found.given.keys() >= set(indices)
    try:
        inside = all(0 <= found.given[one] < found.term(one.extent) for one in indices)
        return inside and all(found.holds(condition) for condition in conditions)
    except Undefined:
        # It divides by zero, for which no value is assumed, here or there.
        return True


def test_the_solver_tries_hard_only_when_all_claims_have_been_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def gives_up(self: Question, *given: object) -> Answer:
        asked.append(self.milliseconds)
        return Answer.UNKNOWN

    monkeypatch.setattr(Question, "satisfiable", gives_up)
    n, m, k = (terms.dimension(name) for name in ("n", "m", "k"))
    cube = [terms.multiply(one, terms.multiply(one, one)) for one in (n, m, k)]
    fermat = terms.add(terms.add(cube[0], cube[1]), cube[2], -1)
    program = Program()
    for one in (n, m, k):
        program.body.items.append(Assume(conditions.at_most_zero(terms.add(terms.constant(100), one, -1))))
    rule = contract("target.claim")
    for number in range(3):
        condition = negate(conditions.equals_zero(terms.add(fermat, terms.constant(number))))
        program.body.items.append(Claim(number, rule, condition, rule.phase, None, ""))
    decisions = EmbeddedEngine(program).decide(rule.phase)
    assert [(one.outcome, one.reason) for one in decisions] == [(Outcome.UNDECIDED, "the solver gave up")] * 3
    assert asked == [BUDGETS.first] * 3 + [BUDGETS.claim] * 3
