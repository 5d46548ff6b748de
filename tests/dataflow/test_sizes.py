"""Addresses by products of sizes, as kernels for every batch and launch have them, in the proof for all shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.dataflow.subject import Subject


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel that writes all of its output, and a change with which it leaves elements out."""

    body: str
    good: str
    bad: str
    domain: Callable[[Verification], None]

    def proved(self, folder: Path, variant: str) -> bool:
        """True if nothing is open for all shapes."""
        return not Subject.of(folder, self.body.replace("VARIANT", variant), self.domain).proof().open


def rows_on_two_cores(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("R", 2, 4096), 64), float32), grid=2)


def batches(v: Verification) -> None:
    shape = (v.dim("B", 1, 64), v.dim("S", 1, 64), v.dim("H", 1, 512))
    v.call(v.tensor("x", shape, float32))


def heads(v: Verification) -> None:
    shape = (64, v.dim("B", 1, 4), 8, v.dim("S", 1, 8))
    v.call(v.tensor("x", shape, float32))


def some_rows(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("R", 1, 128), 64), float32))


def few_rows(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("B", 1, 4) * v.dim("S", 1, 8), 64), float32))


def wide_rows(v: Verification) -> None:
    v.call(v.tensor("x", (v.dim("R", 1, 2048), v.dim("C", 1, 8192)), float32))


CASES = {
    "the last column of a part of a tile": Case(
        """
    @nki.jit
    def kernel(x):
        rows, columns = x.shape
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for r in range((rows + 127) // 128):
            here = slice(128 * r, min(128 * r + 128, rows))
            count = min(128, rows - 128 * r)
            carried = VARIANT((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            for c in range((columns + 2047) // 2048):
                width = min(2048, columns - 2048 * c)
                tile = nl.ndarray((128, 2048), dtype=x.dtype, buffer=nl.sbuf)
                there = slice(2048 * c, 2048 * c + width)
                nisa.dma_copy(dst=tile[:count, :width], src=x[here, there])
                nisa.tensor_scalar(dst=tile[:count, :width], data=tile[:count, :width], op0=nl.add,
                                   operand0=carried[:count])
                nisa.dma_copy(dst=out[here, there], src=tile[:count, :width])
                nisa.tensor_copy(dst=carried[:count], src=tile[:count, width - 1:width])
        return out
    """,
        "nl.zeros",
        "nl.ndarray",
        wide_rows,
    ),
    "a share of the rows": Case(
        """
    @nki.jit
    def kernel(x):
        rows, columns = x.shape
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        me = nl.program_id(0)
        share = rows // 2
        mine = VARIANT if me == 1 else share
        for r in range((mine + 127) // 128):
            count = min(128, mine - 128 * r)
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            begin = me * share + 128 * r
            nisa.dma_copy(dst=tile[:count, :], src=x[begin:begin + count, :])
            nisa.dma_copy(dst=out[begin:begin + count, :], src=tile[:count, :])
        return out
    """,
        "rows - share",
        "share",
        rows_on_two_cores,
    ),
    "batches and rows as one": Case(
        """
    @nki.jit
    def kernel(x):
        batches, rows, columns = x.shape
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        source, target = x.reshape((batches * rows, columns)), out.reshape((batches * rows, columns))
        for r in range((batches * rows + VARIANT) // 128):
            count = min(128, batches * rows - 128 * r)
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[:count, :], src=source[128 * r:128 * r + count, :])
            nisa.dma_copy(dst=target[128 * r:128 * r + count, :], src=tile[:count, :])
        return out
    """,
        "127",
        "126",
        batches,
    ),
    "heads moved before batches": Case(
        """
    @nki.jit
    def kernel(x):
        rows, batches, heads, columns = x.shape
        out = nl.ndarray((rows, heads * batches * columns), dtype=x.dtype, buffer=nl.shared_hbm)
        given = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        moved = nl.ndarray((rows, heads * batches * columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=given, src=x)
        for h in range(VARIANT):
            part = moved.reshape((rows, heads, batches, columns))[:, h]
            nisa.tensor_copy(dst=part, src=given[:, :, h, :])
        nisa.dma_copy(dst=out, src=moved)
        return out
    """,
        "heads",
        "heads - 1",
        heads,
    ),
    "numbers as their bytes": Case(
        """
    @nki.jit
    def kernel(x):
        rows, columns = x.shape
        out = nl.ndarray((rows, 4 * columns), dtype=nl.uint8, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:VARIANT, :], src=x[:VARIANT, :])
        nisa.dma_copy(dst=out, src=tile.view(nl.uint8)[:rows, :])
        return out
    """,
        "rows",
        "rows // 2 + 1",
        some_rows,
    ),
    "a row for up to 32": Case(
        """
    @nki.jit
    def kernel(x):
        rows, columns = x.shape
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        first = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=first, src=x[0:1, :])
        nisa.nc_stream_shuffle(dst=tile, src=first, shuffle_mask=VARIANT)
        nisa.dma_copy(dst=out, src=tile)
        return out
    """,
        "[0] * 32",
        "[0] * 31 + [255]",
        few_rows,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_all_elements_are_written_for_all_sizes(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    assert case.proved(tmp_path, case.good)
    assert not case.proved(tmp_path, case.bad)


@pytest.mark.parametrize("name", CASES)
def test_a_shape_shows_what_is_left_out(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    run = Subject.of(tmp_path, case.body.replace("VARIANT", case.bad), case.domain).verdict()
    assert run.verdict is Verdict.FAILED


def test_programs_that_share_a_row_meet(tmp_path: Path) -> None:
    case = CASES["a share of the rows"]
    body = case.body.replace("VARIANT", case.good).replace("share = rows // 2", "share = (rows - 1) // 2")
    body = body.replace("else share", "else share + 1")
    proof = Subject.of(tmp_path, body, case.domain).proof()
    assert [one.contract for one in proof.open] == ["df.programs"]
