"""Phase 5 for all sizes: one interval stands for all elements of a tile, and loops are followed by induction."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.paths import Limits
from nkiverify.model.hardware import hardware_named
from nkiverify.products.numerics.numeric_trial import NumericTrial, on_every_shape
from nkiverify.project.request import request
from nkiverify.verify.exploration import explore
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.numerics.test_kernels import KERNELS, TABLE, verdict

#: Kernels of the table of which not all sizes are right, and why.
OPEN = {
    # Sums of more than 2^23 bytes may be beyond int32, as float32 rounds them.
    "sum_of_bytes": "conversion to int32",
}
#: Sizes that go together, by kernel; the others take (P, F).
SIZES = {
    "attention": ("q=bf16[D,P] in -10..10", "k=bf16[D,F] in -10..10", "v=bf16[F,N] in -10..10"),
    "mask_by_window": ("x=f32[P,P] in -50..50",),
    "matmul": ("x=bf16[K,M] in -100..100", "y=bf16[K,N] in -100..100"),
}


def arguments(name: str, given: str) -> list[str]:
    """What a kernel of the table is given, for all sizes."""
    parts = [re.sub(r"\[8,(16|80|8)\]", "[P,F]", part.strip()) for part in given.split(";")]
    return list(SIZES.get(name, [part.replace("[8,1]", "[P,1]") for part in parts]))


def walked(kernel: str, given: list[str], folder: Path = KERNELS, where: tuple[str, ...] = ()) -> NumericTrial:
    """The walk for all sizes."""
    target = request(kernel, folder, given, where, None).target("trn2", False)
    explored = explore(target, hardware_named("trn2"), Limits(), frozenset({5}))
    assert explored.run.unsupported_construct is None
    return on_every_shape(explored.run.program, float("inf"))


@pytest.mark.parametrize(("name", "given"), [row[:2] for row in TABLE], ids=[row[0] for row in TABLE])
def test_right_kernels_are_proved_for_all_sizes_and_broken_ones_are_not(name: str, given: str) -> None:
    trial = walked(f"finite.py::{name}", arguments(name, given))
    told = " ".join(map(str, (*trial.findings, *trial.unfollowed, trial.unusable or ""))).strip()
    assert OPEN[name] in told if name in OPEN else not told, told
    if name in OPEN:
        enough = walked(f"finite.py::{name}", arguments(name, given), where=("F <= 2**23",))
        assert not enough.findings and not enough.unfollowed
    if name != "accumulated":
        # That one is not summarised: its first columns alone are in the program.
        broken = walked(f"finite.py::{name}", [*arguments(name, given), "broken=True"])
        assert broken.findings or broken.unfollowed


def test_a_proof_for_all_sizes_is_a_verdict_where_the_kernel_is_legal() -> None:
    right = verdict("softmax", "x=f32[P,F] in -50..50", where=("P <= 128",))
    assert (right.verdict, right.qualifier, right.closed_by) == (Verdict.SUCCESSFUL, "", {"ranges": 7})
    # More than 128 partitions are for phase 1 to say: nothing is proved of them.
    assert verdict("softmax", "x=f32[P,F] in -50..50").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("kernel", "given", "where", "contract"),
    [
        (
            "attention_by_tiles",
            ("q=bf16[D,128] in -100..100", "k=bf16[D,N] in -100..100", "v=bf16[N,D] in -100..100"),
            ("D <= 128", "N % 128 == 0"),
            "num.invalid",
        ),
        ("norm_by_chunks", ("x=f32[P,F] in -10..10",), ("P <= 128", "F % 512 == 0", "F <= 8192"), "num.invalid"),
        (
            "gathered_inverse",
            ("x=f32[P,F] in 0..10", "places=u32[P,N] in 0..15"),
            ("P <= 128", "16 <= F", "F <= 4096", "N <= 4096"),
            "num.division",
        ),
    ],
)
def test_parts_of_tiles_are_followed_for_all_sizes(
    kernel: str, given: tuple[str, ...], where: tuple[str, ...], contract: str
) -> None:
    def run(*more: str) -> Run:
        target = request(f"parts.py::{kernel}", KERNELS, (*given, *more), where, None).target("trn2", False)
        return verify(target, Options(root=KERNELS, phases=(5,)))[0]

    right, broken = run(), run("broken=True")
    assert (right.verdict, right.qualifier) == (Verdict.SUCCESSFUL, ""), right.reason
    assert broken.verdict is Verdict.FAILED, broken.reason
    assert contract in {violation.contract for violation in broken.violations}


def test_loops_that_are_unrolled_bound_the_verdict() -> None:
    run = verdict("accumulated", "x=f32[P,F] in -1000..1000", where=("P <= 128",))
    assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "bounded 8")


LOOP = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    _, F = x.shape
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    best = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(state, {begin})
    nisa.memset(best, -1.0e4)
    for t in range(F // 512):
        data = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        column = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        better = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        kept = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=data, src=x[:, t * 512 : (t + 1) * 512])
        {body}
    nisa.{last}
    nisa.dma_copy(dst=out, src=state)
    return out
"""
SUM = """nisa.tensor_reduce(dst=column, op=nl.add, data=data, axis=1)
        nisa.tensor_tensor(dst=state, data1=state, data2=column, op=nl.add)"""
POSITIVE = """nisa.activation_reduce(dst=data, op=nl.exp, data=data, reduce_op=nl.add, reduce_res=column)
        nisa.tensor_tensor(dst=state, data1=state, data2=column, op=nl.add)"""
ONLINE = """nisa.tensor_reduce(dst=column, op=nl.maximum, data=data, axis=1)
        nisa.tensor_tensor(dst=better, data1=best, data2=column, op=nl.maximum)
        nisa.tensor_tensor(dst=kept, data1={one}, data2={other}, op=nl.subtract)
        nisa.activation(dst=kept, op=nl.exp, data=kept)
        nisa.tensor_scalar(dst=data, data=data, op0=nl.subtract, operand0=better)
        nisa.activation_reduce(dst=data, op=nl.exp, data=data, reduce_op=nl.add, reduce_res=column)
        nisa.tensor_tensor(dst=state, data1=state, data2=kept, op=nl.multiply)
        nisa.tensor_tensor(dst=state, data1=state, data2=column, op=nl.add)
        nisa.tensor_copy(dst=best, src=better)"""
RIGHT, WRONG = ONLINE.format(one="best", other="better"), ONLINE.format(one="better", other="best")
#: The running maximum begins with -inf, which is written before anything is carried.
FROM_NOTHING = "#"
#: The maximum is kept with its sign changed.
NEGATED = """nisa.tensor_reduce(dst=column, op=nl.maximum, data=data, axis=1, negate=True)
        nisa.tensor_tensor(dst=better, data1=best, data2=column, op=nl.minimum)
        nisa.tensor_tensor(dst=kept, data1=better, data2=best, op=nl.subtract)
        nisa.activation(dst=kept, op=nl.exp, data=kept)
        nisa.activation_reduce(dst=data, op=nl.exp, data=data, bias=better, reduce_op=nl.add, reduce_res=column)
        nisa.tensor_scalar(dst=state, data=state, op0=nl.multiply, operand0=kept, op1=nl.add, operand1=column)
        nisa.tensor_copy(dst=best, src=better)"""
FORGOTTEN = RIGHT.replace("data1=state, data2=column, op=nl.add", "data1=column, data2=column, op=nl.maximum")
#: The maximum is that of the tile before it is halved, or of a half of it.
CHANGED = RIGHT.replace(
    "nisa.tensor_tensor(dst=better", "nisa.activation(dst=data, op=nl.copy, data=data, scale=0.5)\n"
    "        nisa.tensor_tensor(dst=better",
)  # fmt: skip
HALVED = RIGHT.replace("op=nl.exp, data=data, reduce_op", "op=nl.exp, data=data[:, 0:256], reduce_op").replace(
    "activation_reduce(dst=data", "activation_reduce(dst=data[:, 0:256]"
)
DOUBLED = """nisa.tensor_tensor(dst=state, data1=state, data2=state, op=nl.add)"""
SQUARED = """nisa.tensor_tensor(dst=state, data1=state, data2=state, op=nl.multiply)"""
INVERTED = "reciprocal(dst=state, data=state)"
WHOLE = ("F % 512 == 0",)
KEPT = "tensor_copy(dst=state, src=state)"


@pytest.mark.parametrize(
    ("begin", "body", "last", "given", "where", "proved"),
    [
        (0.0, SUM, KEPT, "-1e6..1e6", WHOLE, True),
        # 2^22 times 512 numbers of up to 1e36 are too many.
        (0.0, SUM, KEPT, "-1e36..1e36", WHOLE, False),
        (0.0, SUM, INVERTED, "-1..1", WHOLE, False),
        (1.0, POSITIVE, INVERTED, "-5..5", WHOLE, True),
        (0.0, POSITIVE, INVERTED, "-5..5", WHOLE, True),
        # No iteration at all may be made: then it is 0.
        (0.0, POSITIVE, INVERTED, "-5..5", (), False),
        (1.0, RIGHT, KEPT, "-1e4..1e4", WHOLE, True),
        (1.0, WRONG, KEPT, "-1e4..1e4", WHOLE, False),
        # Where the running maximum stays so does the sum, of 1 at least from the first iteration on; else what is added
        # has a number of 1.
        (0.0, RIGHT, INVERTED, "-1e4..1e4", WHOLE, True),
        (0.0, FROM_NOTHING + RIGHT, INVERTED, "-1e30..1e30", WHOLE, True),
        (0.0, NEGATED, INVERTED, "-1e30..1e30", WHOLE, True),
        # No iteration at all may be made.
        (0.0, RIGHT, INVERTED, "-1e4..1e4", (), False),
        # All numbers may be far below the first maximum.
        (0.0, RIGHT, INVERTED, "-2e4..2e4", WHOLE, False),
        # What is added is not beside the new maximum, or the old sum is forgotten; or the tile has been changed since.
        (0.0, RIGHT.replace("operand0=better", "operand0=best"), INVERTED, "-1e4..1e4", WHOLE, False),
        (0.0, RIGHT.replace("data1=state, data2=kept", "data1=kept, data2=kept"), KEPT, "-1e4..1e4", WHOLE, True),
        (0.0, FORGOTTEN, INVERTED, "-1e4..1e4", WHOLE, False),
        (0.0, CHANGED, INVERTED, "-1e4..1e4", WHOLE, False),
        (0.0, HALVED, INVERTED, "-1e4..1e4", WHOLE, False),
        (1.0, DOUBLED, KEPT, "-1..1", WHOLE, False),
        (2.0, SQUARED, KEPT, "-1..1", WHOLE, False),
        (0.5, SQUARED, KEPT, "-1..1", WHOLE, True),
    ],
)
def test_what_iterations_carry_is_bounded_for_any_number_of_them(
    begin: float, body: str, last: str, given: str, where: tuple[str, ...], proved: bool, tmp_path: Path
) -> None:
    text = LOOP.format(begin=begin, body=body.removeprefix("#"), last=last)
    if body.startswith("#") or body == NEGATED:
        text = text.replace("-1.0e4", f'float("{"" if body == NEGATED else "-"}inf")')
    (tmp_path / "k.py").write_text(text)
    trial = walked("k.py::kernel", [f"x=f32[128,F] in {given}"], tmp_path, where)
    assert (not trial.findings and not trial.unfollowed) is proved, (trial.findings, trial.unfollowed)


def test_the_largest_range_that_is_proved_for_all_sizes_is_told() -> None:
    run = verdict("exponential", "x=f32[P,F] in -1000..1000", "broken=True", where=("P <= 128",))
    assert run.verdict is Verdict.FAILED
    (violation,) = run.violations
    assert violation.note.startswith("it holds for all sizes where the floats of the arguments are at most 88.")


TILES = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
    data = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    other = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    column = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=x)
    {body}
    nisa.dma_copy(dst=out, src=other)
    return out
"""
GREATEST = "nisa.tensor_reduce(dst=column, op=nl.maximum, data=data, axis=1)"
LESS = """nisa.tensor_scalar(dst=other, data={data}, op0=nl.subtract, operand0=column)
    nisa.activation(dst=other, op=nl.exp, data=other)"""
ROOT = """nisa.tensor_scalar(dst=other, data=data, op0=nl.subtract, operand0=column, op1=nl.add, operand1=0.5)
    nisa.activation(dst=other, op=nl.rsqrt, data=other)"""
RESIDUAL = """nisa.tensor_reduce(dst=column, op=nl.add, data=data, axis=1)
    nisa.tensor_scalar(dst=column, data=column, op0=nl.multiply, operand0=1.0 / F)
    nisa.tensor_scalar(dst=other, data=data, op0=nl.subtract, operand0=column)
    nisa.tensor_tensor(dst=other, data1=other, data2=data, op=nl.add)
    nisa.tensor_scalar(dst=data, data=data, op0=nl.multiply, operand0=0.25)
    nisa.tensor_scalar(dst=other, data=other, op0=nl.multiply, operand0=0.75)
    nisa.tensor_tensor(dst=other, data1=other, data2=data, op=nl.add)
    nisa.activation(dst=other, op=nl.square, data=other)
    nisa.tensor_scalar(dst=other, data=other, op0=nl.add, operand0=1e-6)
    nisa.activation(dst=other, op=nl.rsqrt, data=other)"""
CANCELLED = """nisa.tensor_scalar(dst=other, data=data, op0=nl.add, operand0=1.0)
    nisa.tensor_tensor(dst=other, data1=other, data2=data, op=nl.subtract)
    nisa.reciprocal(dst=other, data=other)"""
#: The greatest less the least of each row.
SPREAD = """nisa.tensor_reduce(dst=column, op=nl.maximum, data=data, axis=1)
    least = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=least, op=nl.minimum, data={data}, axis=1)
    nisa.tensor_scalar(dst=column, data=column, op0=nl.subtract, operand0=least, op1=nl.add, operand1=0.001)
    nisa.reciprocal(dst=column, data=column)
    nisa.tensor_copy(dst=other, src=data)"""
#: 0 to 1, but for the width that may be 0.
SCALED = """nisa.tensor_reduce(dst=column, op=nl.minimum, data=data, axis=1)
    nisa.tensor_scalar(dst=other, data=data, op0=nl.subtract, operand0=column)
    nisa.activation(dst=other, op=nl.sqrt, data=other)"""
#: a * x + b - a * x, where the product is computed twice; b is one of the numbers.
LINEAR = """one = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    two = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=other, src=nl.broadcast_to(data[:, 0:1], (P, F)))
    nisa.tensor_tensor(dst=one, data1=data, data2=other, op=nl.multiply)
    nisa.tensor_tensor(dst=two, data1={first}, data2={second}, op=nl.multiply)
    nisa.activation(dst=other, op=nl.tanh, data=data)
    nisa.tensor_scalar(dst=other, data=other, op0=nl.add, operand0=1.5)
    nisa.tensor_tensor(dst=one, data1=one, data2=other, op=nl.add)
    nisa.tensor_tensor(dst=other, data1=one, data2=two, op=nl.subtract)
    nisa.activation(dst=other, op=nl.rsqrt, data=other)"""
#: What bfloat16 leaves of a number is small.
REST = """half = nl.ndarray((P, F), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=half, src=data)
    nisa.tensor_tensor(dst=other, data1=data, data2=half, op=nl.subtract)
    nisa.tensor_scalar(dst=other, data=other, op0=nl.add, operand0={least})
    nisa.activation(dst=other, op=nl.rsqrt, data=other)"""
MEAN = """nisa.tensor_reduce(dst=column, op=nl.add, data=data, axis=1)
    nisa.tensor_scalar(dst=column, data=column, op0=nl.multiply, operand0={factor})
    nisa.activation(dst=column, op=nl.exp, data=column)
    nisa.tensor_copy(dst=other, src=data)"""


@pytest.mark.parametrize(
    ("body", "given", "proved"),
    [
        (f"{GREATEST}\n    {LESS.format(data='data')}", "-1e6..1e6", True),
        # Loaded again: these are the same numbers.
        (f"{GREATEST}\n    nisa.dma_copy(dst=data, src=x)\n    {LESS.format(data='data')}", "-1e6..1e6", True),
        (
            f"{GREATEST}\n    nisa.tensor_scalar(dst=data, data=data, op0=nl.add, operand0=100.0)\n"
            f"    {LESS.format(data='data')}",
            "-1e6..1e6",
            False,
        ),
        # Of the first half of a row, less the maximum of the second one.
        (
            "nisa.tensor_reduce(dst=column, op=nl.maximum, data=data[:, F // 2 : F], axis=1)\n"
            f"    {LESS.format(data='data')}",
            "-1e6..1e6",
            False,
        ),
        # The transpose of a square less the maxima of its rows.
        (
            f"{GREATEST}\n    turned = nl.ndarray((F, P), dtype=nl.float32, buffer=nl.psum)\n"
            f"    nisa.nc_transpose(dst=turned, data=data)\n    {LESS.format(data='turned')}",
            "-1e6..1e6",
            False,
        ),
        # The window of one partition is that of no other one.
        (
            "nisa.memset(column, 0.0)\n    turned = nl.ndarray((1, F), dtype=nl.float32, buffer=nl.sbuf)\n"
            "    nisa.affine_select(dst=turned, pattern=[[-1, F]], offset=0, channel_multiplier=1, "
            'on_true_tile=data[0:1, :], on_false_value=float("-inf"), cmp_op=nl.greater_equal)\n'
            "    nisa.tensor_tensor(dst=other, data1=nl.broadcast_to(turned, (P, F)), data2=data, op=nl.add)\n"
            "    nisa.affine_select(dst=other, pattern=[[1, F]], offset=0, channel_multiplier=-1, "
            'on_true_tile=other, on_false_value=float("-inf"), cmp_op=nl.greater_equal)\n'
            "    nisa.tensor_reduce(dst=column, op=nl.maximum, data=other, axis=1)\n"
            "    nisa.tensor_scalar(dst=other, data=data, op0=nl.subtract, operand0=column)\n"
            "    nisa.tensor_tensor(dst=other, data1=other, data2=other, op=nl.subtract)",
            "-1..1",
            False,
        ),
        # What is left of a tile of which a part is written.
        (
            "nisa.memset(other, 1000.0)\n    nisa.memset(other[:, 0 : F // 2], 0.0)\n"
            "    nisa.activation(dst=other, op=nl.exp, data=other)",
            "-1..1",
            False,
        ),
        # Sums of products have no number in common.
        (
            "turned = nl.ndarray((F, F), dtype=nl.float32, buffer=nl.psum)\n"
            "    nisa.nc_matmul(dst=turned, stationary=data, moving=data)\n    nisa.tensor_copy(dst=data, src=turned)\n"
            f"    {GREATEST}\n    {ROOT}",
            "-1..1",
            False,
        ),
        # Nor has a row in common what a scan makes of it, or the product of it with any of it.
        (
            "nisa.memset(other, 0.0)\n    nisa.tensor_tensor_scan(dst=data, data0=other, data1=data, initial=0.0, "
            f"op0=nl.multiply, op1=nl.add)\n    {GREATEST}\n    {ROOT}",
            "-1..1",
            False,
        ),
        (f"nisa.tensor_reduce(dst=column, op=nl.multiply, data=data, axis=1)\n    {ROOT}", "-1..1", False),
        # Each of some numbers less the greater of another one's: the same coordinate counts rows here, columns there.
        (
            "nisa.tensor_tensor(dst=column, data1=data[:, 0:1], data2=data[:, 1:2], op=nl.maximum)\n"
            "    turned = nl.ndarray((1, P), dtype=nl.float32, buffer=nl.psum)\n"
            "    nisa.nc_transpose(dst=turned, data=column)\n"
            "    flat = nl.ndarray((1, P), dtype=nl.float32, buffer=nl.sbuf)\n"
            "    nisa.tensor_copy(dst=flat, src=turned)\n    nisa.tensor_copy(dst=column, src=data[:, 0:1])\n"
            f"    {LESS.format(data='nl.broadcast_to(flat, (P, P))')}".replace("column)", "column, reverse0=True)"),
            "-100..100",
            False,
        ),
        # Differences from the mean, residual sums and weighted sums need no linear forms; what cancels does.
        (RESIDUAL, "-1e3..1e3", True),
        (CANCELLED, "-1e3..1e3", True),
        # 1e8 + 1 is 1e8.
        (CANCELLED, "-1e8..1e8", False),
        (CANCELLED.replace("data2=data,", "data2=nl.broadcast_to(data[:, 0:1], (P, F)),"), "-1e3..1e3", False),
        (SPREAD.format(data="data"), "-1e30..1e30", True),
        (SPREAD.format(data="data[:, 0 : F // 2]"), "-1..1", False),
        (SCALED, "-1e30..1e30", True),
        (SCALED.replace("op=nl.minimum", "op=nl.maximum"), "-1e30..1e30", False),
        (LINEAR.format(first="other", second="data"), "-100..100", True),
        # Products of 1e10 have errors of 500.
        (LINEAR.format(first="other", second="data"), "-1e5..1e5", False),
        (LINEAR.format(first="data", second="data"), "-100..100", False),
        (REST.format(least="0.004"), "-1..1", True),
        (REST.format(least="0.0038"), "-1..1", False),
        (MEAN.format(factor="1.0 / F"), "-80..80", True),
        (MEAN.format(factor="1.0 / F"), "0..89", False),
        (MEAN.format(factor="1.0 / P"), "-80..80", False),
    ],
)
def test_what_is_known_of_tiles_is_known_of_their_elements_alone(
    body: str, given: str, proved: bool, tmp_path: Path
) -> None:
    (tmp_path / "k.py").write_text(TILES.format(body=body))
    where = ("P <= 128", "2 <= F", "F <= 4096", *(("P == F",) if "turned" in body else ()))
    trial = walked("k.py::kernel", [f"x=f32[P,F] in {given}"], tmp_path, where)
    assert (not trial.findings and not trial.unfollowed) is proved, (trial.findings, trial.unfollowed)


LISTED = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, F = x.shape
    out = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for t in range(F // 512):
        data = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=data, src=x[:, t * 512 : t * 512 + 512])
        tiles.append(data)
    for t in range(F // 512 - 1):
        nisa.tensor_scalar(dst=tiles[t + 1], data=tiles[t], op0=nl.multiply, operand0={factor})
    nisa.dma_copy(dst=out, src=tiles[F // 512 - 1])
    return out
"""


@pytest.mark.parametrize(("factor", "proved"), [(0.5, True), (1.001, False)])
def test_tiles_of_a_list_that_are_made_of_one_another_are_bounded(factor: float, proved: bool, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(LISTED.format(factor=factor))
    trial = walked("k.py::kernel", ["x=f32[P,F] in -1..1"], tmp_path, ("P <= 128", "F % 512 == 0"))
    assert (not trial.findings and not trial.unfollowed) is proved, (trial.findings, trial.unfollowed)


SUMMED = """
import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def kernel(x):
    P, F = x.shape
    out = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((P, 512), dtype=nl.float16, buffer=nl.sbuf)
    for t in nl.affine_range(F // 512):
        data = nl.load(x[:, t * 512 : (t + 1) * 512])
        sums[:, :] = nl.loop_reduce(data, op=nl.add, loop_indices=[t], dtype=nl.float32)
    nl.store(out, value=sums)
    return out
"""


@pytest.mark.parametrize(("most", "proved"), [("F <= 8192", True), ("F <= 65536 * 512", False)])
def test_running_reductions_are_bounded_by_the_number_of_iterations(most: str, proved: bool, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(SUMMED)
    trial = walked("k.py::kernel", ["x=f32[P,F] in -1..1"], tmp_path, ("P <= 128", "F % 512 == 0", most))
    assert (not trial.findings and not trial.unfollowed) is proved, (trial.findings, trial.unfollowed)
