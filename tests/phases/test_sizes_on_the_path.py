"""Minima and quotients that the path decides: what kernels compute from them is proved, or refuted, for all sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16
from nkiverify.symbolic import terms
from nkiverify.symbolic.execution import current_execution
from nkiverify.symbolic.integers import maximum, minimum
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject

HEADS = """
@nki.jit
def kernel(x):
    batches, heads, rows, columns = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    lanes = min(128, rows)
    tiles = min((rows - 1) // lanes + 1, 8)
    for b in range(batches):
        for h in range(heads):
            tile = nl.ndarray((lanes, tiles, columns), dtype=x.dtype, buffer=nl.sbuf)
            begin = (b * heads + h) * rows * columns
            pattern = [[columns, lanes], [lanes * columns, TILES], [1, columns]]
            nisa.dma_copy(dst=tile, src=x.ap(pattern=pattern, offset=begin))
            nisa.dma_copy(dst=out.ap(pattern=pattern, offset=begin), src=tile)
    return out
"""


def heads(v: Verification) -> None:
    rows = v.dim("S", 128, 512, multiple_of=128)
    v.call(v.tensor("x", (v.dim("B", 1, 4), v.dim("N", 1, 32), rows, 128), bfloat16))


@pytest.mark.parametrize(
    ("tiles", "verdict"), [("tiles", Verdict.SUCCESSFUL), ("tiles + (rows == 512)", Verdict.FAILED)]
)
def test_tiles_of_heads_of_batches_stay_inside(tiles: str, verdict: Verdict, tmp_path: Path) -> None:
    target = Subject.of(tmp_path, HEADS.replace("TILES", tiles), heads).target
    (run,) = verify(target, Options(root=tmp_path, phases=(1,)))
    assert run.verdict is verdict
    assert set(run.closed_by) <= {"constant", "simplifier"} or verdict is Verdict.FAILED


def test_what_the_path_decides_is_no_minimum_and_no_quotient(tmp_path: Path) -> None:
    found: list[object] = []

    def values(v: Verification) -> None:
        n, m = v.dim("n", 128, 512), v.dim("m", 1, 300)
        found.extend([minimum(n, 128), maximum(n, 128), minimum(m, 128), (m + 600) // 1000, m % 301, m % 300])
        assert current_execution().entails(m >= 1)
        assert not current_execution().entails(m >= 2)
        v.call(v.tensor("x", (n, m), bfloat16))

    body = """
    @nki.jit
    def kernel(x):
        return x
    """
    verify(Subject.of(tmp_path, body, values).target, Options(root=tmp_path, phases=(1,)))
    least, most, open_one, none, same, other = found[:6]
    n, m = terms.dimension("n"), terms.dimension("m")
    assert least == 128 and most is n
    assert open_one is terms.minimum([m, terms.constant(128)])
    assert none == 0 and same is m
    assert other is not m
