"""The phases as objects: which there are, what each states in the program, and what each confirms on values."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.engines.embedded import EmbeddedEngine, Outcome
from nkiverify.engines.esbmc import hypotheses
from nkiverify.engines.scripts import write_scripts
from nkiverify.frontend.paths import Limits
from nkiverify.ir.program import Claim
from nkiverify.ir.walk import claims
from nkiverify.manifest import Verification
from nkiverify.model.contracts import all_contracts
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import DATAFLOW, MEMORY, PHASES, SHAPES
from nkiverify.symbolic.prover import Rung
from nkiverify.verify.exploration import Exploration, explore
from nkiverify.verify.options import PHASES as NAMES
from tests.dataflow.subject import Subject

TRN2 = hardware_named("trn2")
COPY = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
    for block in range(R // 128):
        nisa.dma_copy(dst=tile, src=x[block * 128 : block * 128 + 128, :])
        nisa.dma_copy(dst=out[block * 128 : block * 128 + 128, :], src=tile)
    return out
"""
#: The last row of each block is never loaded.
SHORT = COPY.replace(
    "dst=tile, src=x[block * 128 : block * 128 + 128", "dst=tile[0:127], src=x[block * 128 : block * 128 + 127"
)


def blocks(v: Verification) -> None:
    """Any number of blocks."""
    v.call(v.tensor("x", (v.dim("R", multiple_of=128), v.dim("C", 1, 64)), float32))


def explored(folder: Path, body: str) -> Exploration:
    return explore(Subject.of(folder, body, blocks).target, TRN2, Limits(), frozenset({DATAFLOW.number}))


def dataflow_claims(exploration: Exploration) -> list[Claim]:
    return [claim for claim, _ in claims(exploration.run.program) if claim.phase == DATAFLOW.number]


def test_every_contract_is_of_a_phase_in_the_list() -> None:
    assert {rule.phase for rule in all_contracts()} <= PHASES.keys()
    assert [*PHASES] == [1, 2, 3, 4, 5]
    assert {number: phase.name for number, phase in PHASES.items()} == NAMES


@pytest.mark.parametrize("body", [COPY, SHORT], ids=["right", "short"])
def test_the_claims_of_dataflow_stand_in_the_program(body: str, tmp_path: Path) -> None:
    exploration = explored(tmp_path, body)
    assert not dataflow_claims(exploration)
    exploration.claimed(DATAFLOW)
    stated = dataflow_claims(exploration)
    lines = {claim.site.line for claim in stated if claim.site is not None}
    assert lines and len({claim.number for claim in stated}) == len(stated)
    assert {"df.read_unwritten", "df.output_written"} <= {claim.contract.id for claim in stated}
    exploration.claimed(DATAFLOW)
    assert dataflow_claims(exploration) == stated


def test_as_many_are_stated_as_the_verdict_counts(tmp_path: Path) -> None:
    exploration = explored(tmp_path, COPY)
    exploration.claimed(DATAFLOW)
    assert len(dataflow_claims(exploration)) == Subject.of(tmp_path, COPY, blocks).verdict().claims


def test_engines_take_what_sets_have_shown_and_nothing_else(tmp_path: Path) -> None:
    exploration = explored(tmp_path, SHORT)
    exploration.claimed(DATAFLOW)
    decisions = EmbeddedEngine(exploration.run.program).decide(DATAFLOW.number)
    assert {decision.rung for decision in decisions} == {Rung.SETS}
    left = [decision for decision in decisions if decision.outcome is not Outcome.PROVED]
    assert left and all(one.outcome is Outcome.UNDECIDED and one.reason for one in left)
    # Who takes no notice of the proof must not take what is open for true.
    assert all(one.claim.condition is False for one in left)
    assert write_scripts(decisions, tmp_path / "smt") == 0
    assert any(claim.by_sets is not None for claim, _ in hypotheses.paths(exploration.run.program))


@pytest.mark.parametrize(("body", "broken"), [(COPY, False), (SHORT, True)], ids=["right", "short"])
def test_a_concrete_run_confirms_what_breaks_the_dataflow(body: str, broken: bool, tmp_path: Path) -> None:
    target = Subject.of(tmp_path, body, blocks).target
    played = DATAFLOW.confirm(target, {"R": 128, "C": 2}, TRN2)
    assert {one.contract.phase for one in played.broken} == ({DATAFLOW.number} if broken else set())
    assert all(one.site is not None for one in played.broken)
    for other in (SHAPES, MEMORY):
        assert not other.confirm(target, {"R": 128, "C": 2}, TRN2).broken


def test_values_outside_the_domain_confirm_nothing(tmp_path: Path) -> None:
    target = Subject.of(tmp_path, SHORT, blocks).target
    for phase in PHASES.values():
        assert phase.confirm(target, {"R": 100, "C": 2}, TRN2).excluded


def test_memory_is_looked_at_from_the_end_of_a_run(tmp_path: Path) -> None:
    apart, over = ((0, 0), (0, 1024)), ((0, 0), (0, 4))
    for (one, two), expected in ((apart, set()), (over, {"mem.placed_overlap"})):
        body = f"""
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf, address={one})
    second = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf, address={two})
    nisa.dma_copy(dst=first, src=x[0:128, :])
    nisa.dma_copy(dst=second, src=x[0:128, :])
    nisa.dma_copy(dst=out[0:128, :], src=first)
    nisa.dma_copy(dst=out[0:128, :], src=second)
    return out
"""
        target = Subject.of(tmp_path, body, blocks).target
        values = {"R": 128, "C": 2}
        assert {found.contract.id for found in MEMORY.confirm(target, values, TRN2).broken} == expected
        assert not SHAPES.confirm(target, values, TRN2).broken


def test_show_tells_what_sets_decided(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "matmul_tiled_all", "--phase", "4"]) == 0
    shown = capsys.readouterr().out
    assert "df.read_unwritten: of all elements" in shown
    assert shown.count("proved by sets") == shown.count(" claim ")
