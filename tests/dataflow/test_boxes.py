"""Boxes say of elements what isl's sets say, or nothing: a program is shown with both, claim by claim, or with isl."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nkiverify.analysis.sets import flow
from nkiverify.analysis.sets.affine import Text
from nkiverify.analysis.sets.boxes import Box, Boxes, Span, Where
from nkiverify.analysis.sets.form import NotSimple
from nkiverify.analysis.sets.presburger import Presburger
from nkiverify.analysis.sets.proof import Proof
from nkiverify.analysis.sets.structure import bounds_of
from nkiverify.foundation import resources
from nkiverify.foundation.clock import now
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Program
from nkiverify.model.execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.project.manifest import load_targets
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.verify.exploration import explore
from tests.dataflow.subject import Subject, rows_and_columns

TARGETS = {target.name: target for target in load_targets(resources.root())}
INDICES = ("i", "j")


def at_most(one: Term, other: Term) -> Condition | bool:
    return conditions.at_most_zero(terms.add(one, other, -1))


class Both:
    """Boxes, and the same as isl's sets, over the dimensions n and m and the indices of two loops."""

    def __init__(self) -> None:
        program = Program()
        self.boxes, self.sets = Boxes(program), Presburger(program)
        self.n, self.m = terms.dimension("n"), terms.dimension("m")
        extents = (self.n, terms.add(self.m, terms.constant(1)))
        self.indices: list[Index] = []
        for name, extent in zip(INDICES, extents, strict=True):
            (atom,) = terms.index(name, extent, ("loop", name)).atoms
            assert isinstance(atom, Index)
            self.indices.append(atom)
        self.stated = [at_most(terms.constant(1), self.n), at_most(terms.constant(1), self.m)]

    def where(self, stated: list[Condition | bool]) -> tuple[Where, isl.Set]:
        """Values for which conditions hold."""
        return self.boxes.parameters_where(stated), self.sets.parameters_where(stated)

    def set_of(self, found: tuple[Box, ...]) -> isl.Set:
        """The elements of boxes as a set of isl."""
        result = isl.Set("{ [x0, x1] : 0 = 1 }")
        for box in found:
            text = Text(self.sets.names)
            parts = [
                f"{text.number(span.start)} <= x{at} < {text.number(span.end)}" for at, span in enumerate(box.spans)
            ]
            elements = isl.Set(f"{text.head()}{{ [x0, x1] : {' and '.join(parts)} }}")
            result = result.union(elements.intersect_params(self.sets.parameters_where(box.when.conditions)))
        return result

    def alike(self, found: tuple[Box, ...], other: isl.Set, context: isl.Set) -> bool:
        """True if both are the same elements for the values in a context."""
        one = self.set_of(found)
        known = self.sets.completed(context, one, other)
        return bool(one.intersect_params(known).is_equal(other.intersect_params(known)))


class Choice:
    """Random terms, boxes and conditions."""

    def __init__(self, seed: int, both: Both) -> None:
        self.choose, self.both = random.Random(seed), both

    def term(self, least: int, indices: list[Index]) -> Term:
        choose, number = self.choose, terms.constant
        parts = [number(choose.randint(least, 4))]
        if choose.random() < 0.5:
            parts.append(terms.scale(choose.choice([self.both.n, self.both.m]), choose.choice([1, 1, 2])))
        if choose.random() < 0.3:
            parts.append(terms.divide(terms.add(self.both.n, number(choose.randint(0, 3))), number(2)))
        for index in indices:
            if choose.random() < 0.5:
                parts.append(terms.scale(terms.of_atom(index), choose.choice([1, 2, 2, 3, -1])))
        return terms.total(parts)

    def extent(self, indices: list[Index]) -> Term:
        found = self.term(1, [])
        if indices and self.choose.random() < 0.3:
            left = terms.add(found, terms.scale(terms.of_atom(indices[0]), 2), -1)
            return terms.minimum([terms.constant(2), left])
        return found if self.choose.random() < 0.5 else terms.constant(self.choose.randint(1, 3))

    def box(self, indices: list[Index]) -> tuple[Box, ...]:
        which = self.choose.randrange(3)
        spans = [
            Span(self.term(0, indices if at == which else []), self.extent(indices if at == which else []))
            for at in range(2)
        ]
        holds = [at_most(terms.constant(2), self.both.n)] if self.choose.random() < 0.2 else []
        return (self.both.boxes._box(spans, self.both.boxes.parameters_where(holds)),)

    def elements(self, indices: list[Index]) -> tuple[Box, ...]:
        found = self.box(indices)
        for _ in range(self.choose.choice([0, 0, 1, 2])):
            found = self.both.boxes.joined(found, self.box(indices))
        return found

    def near(self, found: tuple[Box, ...]) -> tuple[Box, ...]:
        """Boxes that are often within those, or beside them."""
        box = self.choose.choice(found)
        spans = list(box.spans)
        at = self.choose.randrange(2)
        start, end = spans[at].start, spans[at].end
        one = terms.constant(self.choose.randint(0, 2))
        spans[at] = self.choose.choice(
            [spans[at], Span(terms.add(start, one), terms.add(spans[at].extent, one, -1)), Span(end, spans[at].extent)]
        )
        return (self.both.boxes._box(spans, box.when),)


@settings(deadline=None, max_examples=120)
@given(st.integers(0, 2**32))
def test_an_answer_about_boxes_is_that_of_isl(seed: int) -> None:
    both = Both()
    choice = Choice(seed, both)
    stated = [*both.stated, *(bound for index in both.indices for bound in bounds_of(index))]
    if choice.choose.random() < 0.5:
        stated.append(at_most(both.n, both.m))
    where, context = both.where(stated)
    known = choice.elements(both.indices)
    other = choice.near(known) if choice.choose.random() < 0.6 else choice.elements(both.indices)
    one, two = both.set_of(other), both.set_of(known)
    first = both.indices[:1]
    questions: list[tuple[Callable[[], bool], Callable[[], bool]]] = [
        (lambda: both.boxes.within(other, known, where), lambda: both.sets.within(one, two, context)),
        (lambda: both.boxes.meet(other, known, where), lambda: both.sets.meet(one, two, context)),
        (
            lambda: both.boxes.meet_elsewhere(other, known, first, where),
            lambda: both.sets.meet_elsewhere(one, two, first, context),
        ),
    ]
    for mine, theirs in questions:
        try:
            answer = mine()
        except NotSimple:
            continue
        assert answer == theirs()
    try:
        left = both.boxes.less(known, other)
    except NotSimple:
        return
    assert both.alike(left, both.sets.less(two, one), context)


@settings(deadline=None, max_examples=120)
@given(st.integers(0, 2**32))
def test_iterations_together_reach_the_elements_that_isl_says(seed: int) -> None:
    both = Both()
    choice = Choice(seed, both)
    index = choice.choose.choice(both.indices)
    around = [one for one in both.indices if one is not index]
    stated = [*both.stated, *(bound for one in around for bound in bounds_of(one))]
    where, context = both.where(stated)
    bounds = both.where(bounds_of(index))
    mine, theirs = both.boxes.iterations(index, bounds[0], where), both.sets.iterations(index, bounds[1], context)
    found = choice.elements([index])
    inside = both.sets.both(context, bounds[1])
    for name, here in (("all", context), ("before", inside)):
        for surely in ("surely", "perhaps"):
            try:
                answer = getattr(mine, f"{name}_{surely}")(found)
            except NotSimple:
                continue
            reached = getattr(theirs, f"{name}_{surely}")(both.set_of(found))
            assert reached is not None
            assert both.alike(answer, reached, here)


def answers(seeds: range) -> Iterator[bool]:
    """Whether boxes have an answer for the iterations of random boxes."""
    for seed in seeds:
        both = Both()
        choice = Choice(seed, both)
        index = both.indices[0]
        loop = both.boxes.iterations(index, both.where(bounds_of(index))[0], both.where(both.stated)[0])
        try:
            loop.all_surely(choice.elements([index]))
            yield True
        except NotSimple:
            yield False


def test_random_boxes_are_answered_and_left_to_isl() -> None:
    assert 30 < sum(answers(range(200))) < 170


def proofs(program: Program, generation: int) -> tuple[Proof | None, Proof]:
    """The proof with boxes, if there is one, and that of isl."""
    deadline = now() + 100
    found = flow._shown_with_boxes(program, generation, deadline, False)
    return found, flow._Walk(program, Presburger(program), generation, deadline, frozenset()).run()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("attn_fwd_v1_all", True),
        ("dataflow_affine", True),
        ("dataflow_products", True),
        ("mamba_v1_all", True),
        ("matmul_all", True),
        ("dataflow_rows", False),
        ("dataflow_missing_load", False),
        ("dataflow_affine_overlapping", False),
    ],
)
def test_what_is_shown_with_boxes_is_shown_claim_by_claim_with_isl(name: str, shown: bool) -> None:
    target = TARGETS[name]
    hardware = hardware_named(target.hardware)
    program = explore(target, hardware, Limits(), SHAPE_PHASES | {4}).run.program
    found, expected = proofs(program, hardware.generation)
    assert (found is not None) == shown
    if found is not None:
        assert not expected.open
        assert found.stated == expected.stated
        assert all(one.item is other.item for one, other in zip(found.stated, expected.stated, strict=True))


COPY = """
@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows % 4 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 4):
        tile = nl.load(x[4 * i : 4 * i + 4, {columns}])
        nl.store(out[{first} : {first} + {rows}, {columns}], tile)
    return out
"""


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({}, set()),
        ({"columns": "0 : columns - 1"}, {"df.output_written"}),
        ({"rows": "3"}, {"df.output_written"}),
        ({"first": "2 * i"}, {"df.output_written", "df.affine_range"}),
    ],
    ids=["all", "but a column", "but a row of each tile", "one over the other"],
)
def test_copies_of_tiles(changes: dict[str, str], broken: set[str], tmp_path: Path) -> None:
    body = COPY.format(**{"columns": "0:columns", "first": "4 * i", "rows": "4", **changes})
    if "rows" in changes:
        body = body.replace("4 * i + 4,", "4 * i + 3,")
    subject = Subject.of(tmp_path, body, rows_and_columns, legacy=True)
    program = explore(subject.target, hardware_named("trn2"), Limits(), SHAPE_PHASES | {4}).run.program
    found, expected = proofs(program, 3)
    assert (found is None) == bool(broken)
    assert {one.contract for one in expected.open} == broken
    if found is not None:
        assert found.stated == expected.stated
