"""Microscaled operands of which a part is undefined: a product depends on their columns, a column on its group."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float8_e4m3, float8_e4m3fn_x4, uint8
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject

#: 64 tokens of four values; the weights and their scales are given.
KERNEL = """
@nki.jit
def kernel(x, weights, scales):
    data = nl.ndarray((128, 64 * 4), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst={loaded}, src={source})
    packed = nl.ndarray((128, 64), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
    powers = nl.ndarray((128, 64), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.quantize_mx(dst=packed, src=data, dst_scale=powers)
    w = nl.ndarray((128, 512), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
    w_scale = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.dma_copy(dst=w, src=weights)
    for q in range(4):
        nisa.dma_copy(dst=w_scale[32 * q : 32 * q + 4, :], src=scales[4 * q : 4 * q + 4, :])
    {use}
    return out
"""
MULTIPLY = """
    product = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul_mx(dst=product, stationary=packed, moving=w, stationary_scale=powers, moving_scale=w_scale)
    sums = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(sums, product)
    out = nl.ndarray(({rows}, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=sums[0:{rows}, :])
"""
PART = """
    out = nl.ndarray(({rows}, 64), dtype=nl.{dtype}, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src={part})
"""
#: The first 24 tokens; the first 40 partitions of all of them.
TOKENS = {"loaded": "data[:, 0:96]", "source": "x[:, 0:96]"}
ROWS = {"loaded": "data[0:40, :]", "source": "x[0:40, :]"}
CASES = {
    "the products of defined tokens": (TOKENS, MULTIPLY.format(rows=24), Verdict.SUCCESSFUL),
    "of one more": (TOKENS, MULTIPLY.format(rows=25), Verdict.FAILED),
    "a product sums all partitions up": (ROWS, MULTIPLY.format(rows=1), Verdict.FAILED),
    "packed elements of defined partitions": (
        ROWS,
        PART.format(rows=40, part="packed[0:40, :]", dtype="float8_e4m3fn_x4"),
        Verdict.SUCCESSFUL,
    ),
    "and of the partition after them": (
        ROWS,
        PART.format(rows=41, part="packed[0:41, :]", dtype="float8_e4m3fn_x4"),
        Verdict.FAILED,
    ),
    "scales of the first groups": (
        ROWS,
        PART.format(rows=4, part="powers[0:4, :]", dtype="uint8"),
        Verdict.SUCCESSFUL,
    ),
    "the first scale of the second quadrant": (
        ROWS,
        PART.format(rows=1, part="powers[32:33, :]", dtype="uint8"),
        Verdict.SUCCESSFUL,
    ),
    "the second one": (ROWS, PART.format(rows=1, part="powers[33:34, :]", dtype="uint8"), Verdict.FAILED),
    "rows that have no scales": (ROWS, PART.format(rows=1, part="powers[4:5, :]", dtype="uint8"), Verdict.FAILED),
    "a group of which a part is undefined": (
        {"loaded": "data[0:39, :]", "source": "x[0:39, :]"},
        PART.format(rows=8, part="packed[32:40, :]", dtype="float8_e4m3fn_x4"),
        Verdict.FAILED,
    ),
    "a token of which one value is undefined": (
        {"loaded": "data[:, 0:95]", "source": "x[:, 0:95]"},
        MULTIPLY.format(rows=24),
        Verdict.FAILED,
    ),
}


@pytest.mark.parametrize(("loaded", "use", "expected"), CASES.values(), ids=CASES)
def test_undefined_elements_count_for_their_group_and_columns(
    tmp_path: Path, loaded: dict[str, str], use: str, expected: Verdict
) -> None:
    def domain(v: Verification) -> None:
        v.call(
            v.tensor("x", (128, 256), bfloat16),
            v.tensor("weights", (128, 512), float8_e4m3fn_x4),
            v.tensor("scales", (16, 512), uint8),
        )

    body = KERNEL.format(**loaded, use=use.strip())
    run = Subject.of(tmp_path, body, domain, hardware="trn3").verdict()
    assert run.verdict is expected, run


DOUBLE_ROW = """
@nki.jit
def kernel(left, right):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    one = nl.ndarray((128, 2, 128), dtype=left.dtype, buffer=nl.sbuf)
    two = nl.ndarray((128, 2, 512), dtype=right.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=one, src=left)
    for half in range(HALVES):
        nisa.dma_copy(dst=two[:, half, :], src=right[:, half, :])
    product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(product, one, two, perf_mode=nisa.matmul_perf_mode.double_row)
    copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=product)
    nisa.dma_copy(dst=out, src=copied)
    return out
"""


@pytest.mark.parametrize(("halves", "verdict"), [("2", Verdict.SUCCESSFUL), ("1", Verdict.FAILED)])
def test_both_halves_of_a_double_row_are_multiplied(halves: str, verdict: Verdict, tmp_path: Path) -> None:
    def launch(v: Verification) -> None:
        shapes = (("left", (128, 2, 128)), ("right", (128, 2, 512)))
        v.call(*(v.tensor(name, shape, float8_e4m3) for name, shape in shapes))

    target = Subject.of(tmp_path, DOUBLE_ROW.replace("HALVES", halves), launch).target
    (run,) = verify(target, Options(root=tmp_path, phases=(4,)))
    assert run.verdict is verdict
