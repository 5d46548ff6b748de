"""What a proof says of dead stores: nothing where there is one, and mostly all where there is none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nkiverify.analysis.sets.flow import prove
from nkiverify.analysis.sets.used import all_used
from nkiverify.foundation.records import Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.manifest import Verification
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import hardware_named
from nkiverify.verify import dataflow_verdict
from nkiverify.verify.exploration import explore
from tests.dataflow.subject import Subject, rows_and_columns

HEAD = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    kept = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
    sums = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
{before}
    for t in range({rounds}):
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
{body}
{after}
    return out
"""
LOAD = "nisa.dma_copy(dst=tile, src=x[t * 128 : t * 128 + 128, :])"
STORE = "nisa.dma_copy(dst=out[t * 128 : t * 128 + 128, :], src=tile)"
LOAD_KEPT = "nisa.dma_copy(dst=kept, src=x[t * 128 : t * 128 + 128, :])"
STORE_KEPT = "nisa.dma_copy(dst=out[t * 128 : t * 128 + 128, :], src=kept)"


def body(*statements: str, before: str = "pass", after: str = "pass", rounds: str = "R // 128") -> str:
    """A kernel over tiles of 128 rows, with these statements in its loop, before it and after it."""
    inside = "\n".join(f"        {line}" for line in statements)
    return HEAD.format(body=inside, before=f"    {before}", after=f"    {after}", rounds=rounds)


def tiles(v: Verification) -> None:
    """Tiles of 128 rows, one or more."""
    rows = 128 * v.dim("tiles", 1, 40)
    v.call(v.tensor("x", (rows, v.dim("C", 1, 64)), float32))


def told(subject: Subject) -> bool:
    """Whether all lines are known to be of use."""
    hardware = hardware_named(subject.target.hardware)
    program = explore(subject.target, hardware, Limits(), SHAPE_PHASES | {4}).run.program
    return all_used(program, prove(program, hardware.generation, 60))


STATEMENTS = (
    LOAD_KEPT,
    "nisa.tensor_copy(other, tile)",
    "nisa.tensor_copy(kept, tile)",
    "nisa.tensor_copy(tile, kept)",
    "nisa.tensor_tensor(kept, kept, tile, nl.add)",
    "nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)",
    "nisa.memset(kept[:, 0:1], 0.0)",
    "nisa.dma_copy(dst=out[t * 128 : t * 128 + 64, :], src=tile[0:64, :])",
)
STORES = (STORE, STORE, STORE_KEPT)
BEFORE = ("pass", "pass", "nisa.memset(kept, 0.0)")
AFTER = ("pass", "pass", "nisa.dma_copy(dst=out[0:128, :], src=kept)")
USED = {
    "a copy": body(LOAD, STORE),
    "one tile for all": body(LOAD_KEPT, STORE_KEPT),
    "in place": body(LOAD, "nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)", STORE),
    "filled first": body(LOAD, "nisa.memset(other, 0.0)", "nisa.tensor_tensor(other, other, tile, nl.add)",
                         "nisa.tensor_copy(tile, other)", STORE),
    "halves": body(LOAD, "nisa.dma_copy(dst=out[t * 128 : t * 128 + 64, :], src=tile[0:64, :])",
                   "nisa.dma_copy(dst=out[t * 128 + 64 : t * 128 + 128, :], src=tile[64:128, :])"),
    "a sum so far": body(LOAD, "nisa.tensor_tensor(kept, kept, tile, nl.add)", STORE_KEPT,
                         before="nisa.memset(kept, 0.0)"),
}  # fmt: skip
WASTED = {
    "a load": body(LOAD, "nisa.dma_copy(dst=other, src=x[0:128, :])", STORE),
    "overwritten at once": body("nisa.memset(tile, 0.0)", LOAD, STORE),
    "the last one counts": body(LOAD_KEPT, LOAD, STORE, after="nisa.dma_copy(dst=out[0:128, :], src=kept)"),
    "all to one place": body(LOAD, STORE, "nisa.dma_copy(dst=out[0:128, :], src=tile)"),
    "one row less": body(LOAD, STORE, "nisa.dma_copy(dst=out[t : t + 1, :], src=tile[0:1, :])",
                         "nisa.dma_copy(dst=out[0:128, :], src=tile)"),
    "a sum that nobody asks for": body(LOAD, "nisa.tensor_scalar(sums, sums, nl.add, 1.0)", STORE,
                                       before="nisa.memset(sums, 0.0)"),
}  # fmt: skip


@pytest.mark.parametrize("name", USED)
def test_where_all_lines_are_of_use_no_run_is_needed(tmp_path: Path, name: str) -> None:
    subject = Subject.of(tmp_path, USED[name], tiles)
    assert told(subject)
    assert not [one for one in subject.verdict().warnings if one.rule in ("df.unused", "df.overwritten")]


@pytest.mark.parametrize("name", WASTED)
def test_where_a_line_is_a_dead_store_it_is_left_open(tmp_path: Path, name: str) -> None:
    subject = Subject.of(tmp_path, WASTED[name], tiles)
    assert not told(subject)
    assert {one.rule for one in subject.verdict().warnings} & {"df.unused", "df.overwritten"}


@pytest.mark.campaign
def test_random_kernels_are_warned_of_as_by_runs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = wasted = 0
    for seed in range(40):
        folder = tmp_path / str(seed)
        folder.mkdir()
        choose = random.Random(seed)
        statements = [LOAD, *(choose.choice(STATEMENTS) for _ in range(choose.randint(0, 3))), choose.choice(STORES)]
        source = body(*statements, before=choose.choice(BEFORE), after=choose.choice(AFTER))
        subject = Subject.of(folder, source, tiles)
        ours = subject.verdict()
        with monkeypatch.context() as patched:
            patched.setattr(dataflow_verdict, "all_used", lambda program, proof: False)
            assert subject.verdict().warnings == ours.warnings, source
        if ours.verdict is Verdict.SUCCESSFUL:
            known += told(subject)
            wasted += bool(ours.warnings)
    assert known > 3
    assert wasted > 3


def test_rows_that_a_tile_leaves_are_stored_once(tmp_path: Path) -> None:
    source = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        for t in range((R + 127) // 128):
            rows = min(128, R - t * 128)
            nisa.dma_copy(dst=tile[0:rows, :], src=x[t * 128 : t * 128 + rows, :])
            nisa.dma_copy(dst=out[t * 128 : t * 128 + rows, :], src=tile[0:rows, :])
        return out
    """
    assert told(Subject.of(tmp_path, source, rows_and_columns))


@pytest.mark.parametrize("source", ["out", "x"])
def test_what_a_second_loop_goes_on_with_is_used_and_what_it_stores_anew_is_not(tmp_path: Path, source: str) -> None:
    text = f"""
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        for t in range(R // 128):
            tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[t * 128 : t * 128 + 128, :])
            nisa.dma_copy(dst=out[t * 128 : t * 128 + 128, :], src=tile)
        for t in range(R // 128):
            other = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=other, src={source}[t * 128 : t * 128 + 128, :])
            nisa.dma_copy(dst=out[t * 128 : t * 128 + 128, :], src=other)
        return out
    """
    subject = Subject.of(tmp_path, text, tiles)
    assert told(subject) == (source == "out")
    assert bool(subject.verdict().warnings) == (source == "x")


@pytest.mark.parametrize("row", ["t", "0"])
def test_what_a_loop_leaves_in_a_tile_is_used_unless_each_iteration_leaves_it_in_one_place(
    tmp_path: Path, row: str
) -> None:
    text = f"""
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((128, R // 128), dtype=x.dtype, buffer=nl.shared_hbm)
        kept = nl.ndarray((128, R // 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(kept, 0.0)
        for t in range(R // 128):
            nisa.dma_copy(dst=kept[:, {row} : {row} + 1], src=x[t * 128 : t * 128 + 128, 0:1])
        nisa.tensor_scalar(kept, kept, nl.multiply, 2.0)
        nisa.dma_copy(dst=out, src=kept)
        return out
    """
    subject = Subject.of(tmp_path, text, tiles)
    assert not told(subject)
    lines = {(one.rule, one.line) for one in subject.verdict().warnings}
    assert ("df.overwritten", 14) in lines if row == "0" else ("df.overwritten", 12) in lines
