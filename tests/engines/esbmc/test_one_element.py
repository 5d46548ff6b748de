"""ESBMC beside phase 4: a program about any one element of a concrete run, and what it agrees with."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from nkiverify.analysis.marks.storage_cells import Geometry
from nkiverify.engines.embedded import Outcome
from nkiverify.engines.esbmc.locate import Installation, Origin
from nkiverify.foundation import resources
from nkiverify.foundation.budget import SecondEngineBudget
from nkiverify.foundation.records import Basis, Run, Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.model.tensor import Tensor
from nkiverify.phases.dataflow.pieces import NotLowered, pieces
from nkiverify.products.esbmc import elements, one_element
from nkiverify.products.esbmc.one_element import LoweredRun, _any_place, _Block, _Lowering
from nkiverify.results.session import ExitStatus, attached, status_of
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.bundled import BY_NAME as TARGETS

asks = pytest.mark.skipif("locate.find() is None", reason="there is no ESBMC here")


def entries(name: str, **options: object) -> tuple[Run, Run]:
    """Our run of phase 4, and ESBMC's beside it."""
    ours, theirs = verify(TARGETS[name], Options(root=resources.root(), engine="auto", phases=(4,), **options))  # type: ignore[arg-type]
    assert not ours.advisory and theirs.advisory
    return ours, theirs


def holds(condition: str, place: int) -> bool:
    """The value of a condition in C over unsigned numbers that do not wrap around."""
    text = re.sub(r"(\d)u\b", r"\1", condition).replace("&&", "and").replace("||", "or").replace("/", "//")
    return bool(eval(text, {"place": place}))


@pytest.mark.parametrize(
    ("start", "steps", "shape"),
    [
        (0, (8, 1), (4, 8)),  # all of it
        (3, (8, 1), (4, 4)),  # columns
        (5, (16, 2), (3, 4)),  # every second column of every second row
        (40, (-8, 1), (3, 3)),  # backwards
        (7, (0, 1), (5, 3)),  # broadcast
        (2, (3, 2), (4, 3)),  # rows that overlap
        (0, (6, 1, 6, 1), (3, 4, 2, 3)),  # windows
        (1, (20, 6, 1), (2, 3, 4)),
        (9, (), ()),
        (0, (4, 1), (0, 4)),
        (6, (12,), (1,)),
        (13, (8, 1), (3, 4)),  # columns that leave the row
        (21, (20, 6, 1), (3, 2, 3)),  # rows of a tile that do
        (18, (20, 6, 2), (3, 2, 3)),
        (27, (12, 4), (4, 3)),
    ],
)
def test_the_condition_of_a_view_holds_for_its_places_and_for_no_other(
    start: int, steps: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    expected = {start + sum(s * i for s, i in zip(steps, at, strict=True)) for at in product(*map(range, shape))}
    found = pieces(Geometry(start, steps, shape))
    assert {place for place in range(80) if any(holds(one.condition, place) for one in found)} == expected


def test_what_a_mask_leaves_of_a_view_is_said_in_pieces_unless_they_are_too_many() -> None:
    geometry = Geometry(4, (16, 1, 1), (8, 8, 1))
    rng = np.random.default_rng(1)
    triangle = np.tril(np.ones((8, 8), bool))
    edges = np.zeros((8, 8), bool)
    edges[1::3, ::7] = True
    for inside in (triangle, triangle[:, ::-1], rng.random((8, 8)) < 0.3, np.zeros((8, 8), bool), edges, ~edges):
        expected = {4 + 16 * row + column for row, column in np.argwhere(inside)}
        found = pieces(geometry, inside)
        assert {place for place in range(160) if any(holds(one.condition, place) for one in found)} == expected
    with pytest.raises(NotLowered):
        pieces(Geometry(0, (64, 1, 1), (64, 64, 1)), rng.random((64, 64)) < 0.5)


def test_places_at_equal_distances_are_one_piece_however_deep() -> None:
    inside = np.zeros((4, 6, 8), bool)
    inside[::2, ::3, 1:4] = True
    (piece,) = pieces(Geometry(0, (100, 10, 1, 1), (4, 6, 8, 1)), inside)
    assert piece.axes == ((200, 2), (30, 2), (1, 3))


AGREED = [
    "dataflow_rows",
    "dataflow_products",
    "dataflow_affine",
    "dataflow_affine_sum",
    "dataflow_programs",
    "matmul_tiled_all",
]
REFUTED = [
    "dataflow_missing_load",
    "dataflow_skipped_tail",
    "dataflow_products_without_reset",
    "dataflow_products_on_nothing",
    "dataflow_affine_overlapping",
    "dataflow_affine_chained",
    "dataflow_programs_overlapping",
]


@asks
@pytest.mark.parametrize("name", [*AGREED, *REFUTED])
def test_esbmc_decides_the_claims_of_one_shape_as_we_do(name: str) -> None:
    ours, theirs = entries(name)
    assert attached(ours, theirs) == "agrees", theirs.reason
    assert theirs.claims and theirs.milliseconds
    if name in AGREED:
        assert theirs.verdict is Verdict.SUCCESSFUL
        # One shape is not all of them.
        assert theirs.qualifier.startswith("bounded ") is bool(TARGETS[name].kind.value != "concrete")
    else:
        refuted = {one.contract for one in theirs.decided if one.outcome == "refuted"}
        assert refuted & {violation.contract for violation in ours.violations}


def test_what_happens_alike_to_several_tensors_is_asked_once() -> None:
    lowered = LoweredRun()
    for claim, condition in enumerate(("written", "written", "product != 2"), 1):
        block = _Block("t", written=False, areas=["const _Bool in0 = (place < 8u);"])
        comment = (None, f"// line {claim}", None)
        block.steps = [comment, (None, "written = in0 ? 1 : written;", None), (claim, f"!in0 || {condition}", None)]
        lowered.blocks.append(block)
    lowered.number_questions()
    assert lowered.questions == {1: {1}, 2: {1}, 3: {2}}
    text = lowered.text({1, 2}, "")
    assert text.count("__ESBMC_assert") == 2 and "// t, and 1 more tensors" in text
    assert "product != 2" not in lowered.text({1}, "")


@pytest.mark.parametrize("change", [{"written": True}, {"areas": ["const _Bool in0 = (place < 9u);"]}])
def test_what_begins_or_lies_elsewhere_is_a_question_of_its_own(change: dict[str, object]) -> None:
    lowered = LoweredRun()
    for claim, changed in enumerate(({}, change), 1):
        facts = {"written": False, "areas": ["const _Bool in0 = (place < 8u);"]} | changed
        lowered.blocks.append(_Block("t", steps=[(claim, "!in0 || written", None)], **facts))  # type: ignore[arg-type]
    lowered.number_questions()
    assert lowered.questions == {1: {1}, 2: {2}}


def test_a_claim_holds_where_all_that_it_asks_does(tmp_path: Path) -> None:
    lowered = LoweredRun(questions={1: {1, 2}, 2: {2}, 3: {1, 3}})
    found = Installation(Path("esbmc"), Origin.PATH, (8, 4, 0), frozenset())
    session = elements._Session(found, lowered, "", tmp_path, 0.0, "")
    session._decided = {1: Outcome.PROVED, 2: Outcome.REFUTED}
    assert [session.outcome(claim) for claim in (1, 2, 3)] == [Outcome.REFUTED, Outcome.REFUTED, Outcome.UNDECIDED]
    session._decided[3] = Outcome.PROVED
    assert session.outcome(3) is Outcome.PROVED


def _trivial(self: _Lowering, rule: str, view: Tensor, area: str, condition: str, loop: object = None) -> None:
    CLAIM(self, rule, view, area, "1", loop)


CLAIM = _Lowering._claim
FAULTS = {
    "writes define nothing": ("_write", lambda self, effect: None, "dataflow_rows"),
    "what is claimed always holds": ("_claim", _trivial, "dataflow_missing_load"),
    "iterations have an order": ("_use", lambda self, effect, area, how: None, "dataflow_affine_overlapping"),
    "sums begin wherever products are added": (
        "_accumulate",
        lambda self, effect: None,
        "dataflow_products_on_nothing",
    ),
}


@asks
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_lowering_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    method, broken, name = FAULTS[fault]
    monkeypatch.setattr(_Lowering, method, broken)
    ours, theirs = entries(name, disagreements=tmp_path)
    assert attached(ours, theirs) == "DISAGREES"
    assert "the shadow memory says" in theirs.reason
    assert str(tmp_path / f"{name}-phase4.c") in theirs.reason
    assert "__ESBMC_assert" in (tmp_path / f"{name}-phase4.c").read_text(encoding="utf-8")


@asks
def test_choices_that_leave_out_places_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_element, "_any_place", lambda places: ("//", "const unsigned place = nondet_uint() & 0u;"))
    ours, theirs = entries("dataflow_skipped_tail")
    assert attached(ours, theirs) == "DISAGREES"
    assert "the shadow memory says refuted, ESBMC says proved" in theirs.reason


@pytest.mark.parametrize("places", [0, 1, 2, 3, 127, 128, 129, 2**32 - 1, 2**32])
def test_every_place_can_be_chosen(places: int) -> None:
    mask = int(_any_place(places)[1].rpartition("& ")[2].rstrip("u;"))
    # All numbers of so many bits, and these are enough for the last place.
    assert mask & (mask + 1) == 0
    assert max(0, places - 1) <= mask < 2**32


@asks
def test_a_proof_that_one_shape_refutes_is_a_contradiction() -> None:
    target = TARGETS["dataflow_skipped_tail"]
    options = Options(root=resources.root(), engine="auto", phases=(4,))
    explored = explore(target, hardware_named(target.hardware), Limits(), frozenset({4}))
    ours, _ = entries(target.name)
    proved = replace(ours, verdict=Verdict.SUCCESSFUL, basis=None, violations=())
    theirs = elements.cross_checked(explored, proved, options, (), 30.0)
    assert theirs is not None and theirs.qualifier == Basis.DISAGREEMENT.value
    assert "df.output_written" in theirs.reason and "phase 4 says proved, ESBMC says refuted" in theirs.reason


@asks
def test_a_run_of_too_many_operations_is_left_open_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecondEngineBudget, "OPERATIONS", 1)
    ours, theirs = entries("dataflow_rows")
    assert (ours.verdict, attached(ours, theirs)) == (Verdict.SUCCESSFUL, "open")
    assert status_of(theirs) is ExitStatus.AS_EXPECTED
    assert "operations, of at most 1" in theirs.reason


@asks
def test_esbmc_alone_has_no_verdict_of_phase_4() -> None:
    (run,) = verify(TARGETS["dataflow_rows"], Options(root=resources.root(), engine="esbmc", phases=(4,)))
    assert (run.verdict, run.claims) == (Verdict.UNKNOWN, 0)
