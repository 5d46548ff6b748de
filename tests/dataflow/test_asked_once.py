"""The proof for all shapes asks isl once for the same: what it is told then is what it would be told each time."""

from __future__ import annotations

import random
from collections.abc import Iterator

import islpy as isl
import pytest

from nkiverify.analysis.sets.affine import EVERYWHERE, Sets
from nkiverify.analysis.sets.coordinates import apart_in
from nkiverify.analysis.sets.products import Products
from nkiverify.analysis.sets.regions import Regions
from nkiverify.analysis.sets.structure import views_of
from nkiverify.foundation.budget import SetsBudget
from nkiverify.frontend.paths import Limits
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.verify.exploration import explore
from tests.bundled import BY_NAME as TARGETS


def box(choose: random.Random) -> isl.Set:
    low = choose.randint(0, 3)
    step = choose.choice(["", f" and x mod {choose.randint(2, 3)} = 0"])
    return isl.Set(f"[n] -> {{ [x] : {low} <= x < {choose.choice(['n', '2n', '8'])}{step} }}")


def asked(sets: Sets, seed: int) -> Iterator[tuple[isl.Set | bool, isl.Set | bool]]:
    """Answers about random sets that are made of one another, each beside the answer of isl alone."""
    choose = random.Random(seed)
    contexts = [EVERYWHERE, isl.Set("[n] -> { : n >= 4 }"), isl.Set("[n] -> { : 1 <= n <= 3 }")]
    known = [box(choose) for _ in range(4)]
    for _ in range(30):
        one, other, context = choose.choice(known), choose.choice(known), choose.choice(contexts)
        made = choose.choice(
            [
                (sets.joined(one, other), one.union(other)),
                (sets.less(one, other), one.subtract(other)),
                (sets.where(one, context), one.intersect_params(context)),
            ]
        )
        yield made
        known[choose.randrange(4)] = made[0]
        here = one.intersect_params(context)
        yield sets.within(one, other, context), here.is_subset(other)
        yield sets.empty(one, context), here.is_empty()


@pytest.mark.parametrize("kept", [3, 100_000])
def test_answers_do_not_depend_on_what_was_asked_before(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SetsBudget, "ANSWERS_KEPT", kept)
    sets = Sets(Products())
    for seed in range(60):
        for answer, alone in asked(sets, seed):
            if isinstance(answer, isl.Set):
                assert isinstance(alone, isl.Set)
                assert answer.is_equal(alone), seed
            else:
                assert answer == alone, seed


def test_sets_are_the_same_where_their_constraints_are() -> None:
    sets = Sets(Products())
    first = sets.same(isl.Set("[n] -> { [x] : 0 <= x < n }"))
    assert sets.same(isl.Set("[n] -> { [x] : x >= 0 and x < n }")) is first
    assert sets.same(isl.Set("[n] -> { [x] : 0 <= x <= n }")) is not first
    assert sets.same(isl.Set("[m] -> { [x] : 0 <= x < m }")) is not first


def test_a_question_is_asked_once_of_the_same_objects() -> None:
    sets, times = Sets(Products()), []

    def ask(found: isl.Set, other: isl.Set) -> isl.Set:
        times.append(1)
        return found.intersect(other)

    one, other = isl.Set("{ [x] : x >= 0 }"), isl.Set("{ [x] : x <= 3 }")
    assert sets.once(ask, one, other) is sets.once(ask, one, other)
    assert len(times) == 1
    assert sets.once(ask, other, one) is sets.once(ask, one, other)
    assert len(times) == 2


@pytest.mark.parametrize(
    "name",
    [
        "interpolate_bilinear_chunks_all",
        "matmul_blocks_all",
        "maxpooling_all",
        "mx_copy_strided_all",
        "transpose2d_all",
    ],
)
def test_views_of_one_form_have_the_elements_that_each_has_alone(name: str) -> None:
    target = TARGETS[name]
    program = explore(target, hardware_named(target.hardware), Limits(), SHAPE_PHASES | {4}).run.program
    apart = apart_in(views_of(program))
    sets = Sets(Products(program.dimensions))
    # No view leaves its storage there: that is compared besides.
    nowhere = isl.Set("{ : 0 = 1 }")
    together = Regions(sets, {}, apart)
    made = set()
    for view in views_of(program):
        found = together.of(view, None, nowhere, writes=True)
        alone = Regions(sets, {}, apart).of(view, None, nowhere, writes=True)
        assert (found is None) == (alone is None)
        if found is None or alone is None:
            continue
        made.add(id(found))
        assert found.elements.is_equal(alone.elements)
        assert found.outside.is_equal(alone.outside)
        assert (found.map is None) == (alone.map is None)
        if found.map is not None and alone.map is not None:
            assert found.map.is_equal(alone.map)
    assert 1 < len(made) < len(set(map(id, views_of(program))))
