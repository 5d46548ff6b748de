"""Ranges of inputs, what phase 5 says of them, and the transfer functions behind it."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab import numerics as campaign
from lab import numerics_faults as planted
from lab.numerics_kernels import drawn
from nkiverify.analysis.ranges.interval_functions import FUNCTIONS
from nkiverify.analysis.ranges.intervals import Intervals
from nkiverify.analysis.ranges.masked import MaskedIntervals
from nkiverify.analysis.ranges.range_arithmetic import MINUS, Parts, made
from nkiverify.analysis.ranges.range_findings import RangeFindings
from nkiverify.analysis.ranges.range_run import RangeLimits
from nkiverify.analysis.ranges.rounding_errors import ErrorIntervals
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.foundation import resources
from nkiverify.foundation.records import Verdict
from nkiverify.frontend.target import Verification
from nkiverify.model.dtypes import float8_e4m3, float8_e4m3fn, float32, int8
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import PHASES
from nkiverify.products.numerics.range_table import table
from nkiverify.products.numerics.reported import told_ranges
from nkiverify.project.request import request
from nkiverify.verify.options import DEFAULT_PHASES, Options
from nkiverify.verify.verifier import verify
from tests.check.kernel_files import Checker, write
from tests.numerics.test_kernels import KERNELS, verdict


def interval(low: float, high: float) -> Array:
    numbers = np.asarray([low]), np.asarray([high])
    return made(*numbers)


def ends(found: Array) -> tuple[float, float]:
    return float(found[0, 0]), float(found[1, 0])


def test_the_phase_is_off_unless_it_is_asked_for() -> None:
    assert 5 in PHASES
    assert DEFAULT_PHASES == (1, 2, 3, 4)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_stay_within_their_interval(name: str) -> None:
    chance = np.random.default_rng(7)
    function = FUNCTIONS[name]
    for _ in range(200):
        low, high = sorted(np.float32(chance.choice([0.01, 1.0, 20.0]) * chance.standard_normal(2)).tolist())
        if name == "reciprocal" and low <= 0 <= high:
            low, high = 0.5, 3.0
        low, high = (max(end, function.domain + (1e-3 if function.open else 0)) for end in (low, high))
        inside = np.concatenate([chance.uniform(low, high, 50), [low, high]]).astype(np.float32)[None]
        inside = np.clip(inside, np.float32(low), np.float32(high))
        findings = RangeFindings()
        least, most = ends(Intervals(findings).unary(name, interval(low, high)))
        values = Floats().unary(name, inside)
        assert not findings.found, findings.found
        assert (values >= least).all(), (name, low, high, least, values.min())
        assert (values <= most).all(), (name, low, high, most, values.max())


@pytest.mark.parametrize(
    ("dtype", "last", "first"), [(float8_e4m3, 240.0, 250.0), (float8_e4m3fn, 448.0, 470.0), (int8, 127.0, 127.5)]
)
def test_the_last_number_that_a_dtype_has_room_for(dtype: object, last: float, first: float) -> None:
    for number, faults in ((last, 0), (first, 1)):
        findings = RangeFindings()
        Intervals(findings).convert(interval(-1.0, number), dtype)  # type: ignore[arg-type]
        assert len(findings.found) == faults


def test_an_infinity_that_is_meant_is_a_value() -> None:
    findings = RangeFindings(fills=True)
    numbers = Intervals(findings)
    nothing = numbers.convert(numbers.constant(float("-inf"), 2), float32)
    assert Parts.of(nothing).flags.tolist() == [MINUS]
    findings.fills = False
    assert ends(numbers.binary("maximum", nothing, interval(-3.0, 2.0))) == (-3.0, 2.0)
    assert ends(numbers.unary("exp", nothing)) == (0.0, 0.0)
    assert not findings.found
    numbers.binary("subtract", nothing, nothing)
    assert [finding.contract for finding in findings.found.values()] == ["num.invalid"]


@pytest.mark.campaign
def test_the_walk_for_all_sizes_has_the_numbers_of_a_few_and_errors_of_it_are_noticed(tmp_path: Path) -> None:
    hardware = hardware_named("trn2")
    for number in range(4):
        target = drawn(random.Random(f"sizes test/{number}"), tmp_path, number, sizes=True)
        assert campaign.of_sizes(target, hardware, 11)[1] == []
    assert planted.noticed_for_sizes(planted.SIZE_FAULTS["what grows stays"], seed=1, kernels=6) is not None


def test_differences_from_a_maximum_are_at_most_0() -> None:
    numbers = Intervals(RangeFindings())
    row = numbers.arguments((1, 4), float32, -50.0, 50.0)
    greatest = numbers.reduce("maximum", row)
    scaled = [numbers.binary("multiply", part, numbers.constant(0.3, 3)) for part in (row, greatest)]
    for one, other in ((row, greatest), scaled):
        powers = numbers.unary("exp", numbers.binary("subtract", one, other))
        assert Parts.of(powers).high.max() == 1.0
        assert Parts.of(numbers.reduce("add", powers)).low.min() >= 1.0
        # A part of the row need not have the greatest of it.
        assert Parts.of(numbers.reduce("add", powers[..., :3])).low.min() < 1e-6
    # The maximum of maxima is that of all.
    halves = [numbers.reduce("maximum", row[..., part : part + 2]) for part in (0, 2)]
    of_all = numbers.reduce("maximum", np.concatenate(halves, axis=-1))
    powers = numbers.unary("exp", numbers.binary("subtract", row, of_all))
    assert Parts.of(numbers.reduce("add", powers)).low.min() >= 1.0
    # One half and the maximum of the other are not all of them.
    mixed = np.concatenate([row[..., :2], halves[0], halves[0]], axis=-1)
    powers = numbers.unary("exp", numbers.binary("subtract", mixed, of_all))
    assert Parts.of(numbers.reduce("add", powers)).low.min() < 1e-6
    # Nor does the maximum of some bound the others.
    of_some = numbers.reduce("maximum", row[..., :3])
    assert Parts.of(numbers.binary("subtract", row, of_some)).high.max() == 100.0


@pytest.mark.campaign
def test_random_kernels_round_no_further_than_their_bounds(tmp_path: Path) -> None:
    hardware = hardware_named("trn2")
    needed = []
    for number in (9, 10, 11):
        target = drawn(random.Random(f"errors/{number}"), tmp_path, number)
        part, found = campaign.beyond_errors(target, hardware, 12)
        assert found == []
        needed.append(part)
    # Not that nothing was compared, or that bounds are far off.
    assert min(needed) > 0.3
    fault = planted.ERROR_FAULTS["sums do not round"]
    assert planted.noticed_for_errors(fault, seed=1, kernels=12) is not None


@pytest.mark.parametrize(("error", "expected"), [(0.125, 0.0), (0.5, 1.0)])
def test_what_an_error_may_decide_is_as_far_apart_as_both_sides(error: float, expected: float) -> None:
    numbers = ErrorIntervals(RangeFindings())
    inexact = np.concatenate([interval(1.0 - error, 1.0 + error), [[error]]])
    decided = numbers.binary("greater", inexact, numbers.constant(1.25, 2))
    assert decided[4].item() == pytest.approx(expected)
    chosen = numbers.choose(decided, numbers.constant(5.0, 2), numbers.constant(2.0, 2))
    assert chosen[4].item() == pytest.approx(3.0 * expected)


@pytest.mark.parametrize("count", [1, 2, 13, 300])
def test_sums_hold_in_any_order(count: int) -> None:
    chance = np.random.default_rng(count)
    numbers = (chance.standard_normal(count) * 10.0 ** chance.uniform(-3, 3, count)).astype(np.float32)
    exactly = numbers.astype(np.float64)[None, None]
    least, most = (end.item() for end in Intervals(RangeFindings()).reduce("add", made(exactly, exactly))[:2])
    for order in (numbers, numbers[::-1], np.sort(numbers), chance.permutation(numbers)):
        total = np.float32(0)
        for number in order:
            total = np.float32(total + number)
        assert least <= total <= most
    assert (most - least) <= 2.0**-22 * count * np.abs(numbers).sum()


def test_an_error_in_the_arithmetic_is_noticed() -> None:
    fault = planted.FAULTS["products take the corners of one side"]
    assert planted.noticed(fault, seed=1, kernels=12) is not None


@pytest.mark.campaign
def test_random_kernels_stay_within_their_ranges(tmp_path: Path) -> None:
    hardware = hardware_named("trn2")
    for number in range(6):
        target = drawn(random.Random(f"test/{number}"), tmp_path, number)
        assert campaign.differences(target, hardware, 12) == []


MASKED = """
import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def inverse(x):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.arange(8)[:, None], nl.arange(16)[None, :]
    data = nl.load(x[i, j], mask=(i < P) & (j < F))
    found = nl.reciprocal(data, mask=(i < P) & (j < F))
    nl.store(out[i, j], value=found, mask=(i < P) & (j < F))
    return out
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x=f32[5,9] in 0.5..1", Verdict.SUCCESSFUL),
        ("x=f32[5,9] in 0..1", Verdict.FAILED),
        ("x=f32[P:1..8,F:1..16] in 0.5..1", Verdict.SUCCESSFUL),
    ],
)
def test_elements_that_a_mask_leaves_out_are_not_asked_about(given: str, expected: Verdict, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(MASKED)
    asked = request("k.py::inverse", tmp_path, [given], (), None)
    (run,) = verify(asked.target("trn2", False), Options(root=tmp_path, phases=(5,)))
    assert run.verdict is expected, run.reason or run.violations


# --- what is said -----------------------------------------------------------------------------------------------------


def test_a_refutation_says_with_which_inputs_and_how_far_it_holds() -> None:
    run = verdict("exponential", "x=f32[4,4] in -1000..100", "broken=True")
    (violation,) = run.violations
    assert (violation.contract, violation.replayed) == ("num.overflow", True)
    assert violation.comparison == "exp of 100"
    assert "x = 100 everywhere" in violation.message
    # exp(88.7) is the last one that float32 has.
    assert violation.note.startswith("it holds where the floats of the arguments are at most 88.")


def test_what_no_input_shows_is_unknown(check: Checker) -> None:
    write(check.folder, k=ODD)
    # That the mean of a row is at most the greatest is not followed, so that there may be a 0.
    assert check("k.py::inverse_of_distance", "--arg", "x=f32[8,16] in -1000..1000", "--phase", "5") == 3
    said = " ".join(check.out.split())
    assert "num.division is not ruled out: " in said
    assert "inputs that were run shows a fault; proved where the floats of the arguments are at most 0.5" in said


@pytest.mark.parametrize(("most", "status"), [(40, 0), (1000, 1)])
def test_what_the_greatest_is_at_least_is_none_of_the_numbers_it_is_of(most: int, status: int, check: Checker) -> None:
    write(check.folder, k=ODD)
    # The greatest of two numbers and 0.5: neither of both need be that.
    assert check("k.py::inverse_of_sums", "--arg", f"x=f32[8,2] in -{most}..{most}", "--phase", "5") == status


@pytest.mark.parametrize(
    ("kernel", "given", "verdict_", "qualifier"),
    [
        ("exponential", ("x=f32[4, F] in -5..5", "broken=True"), Verdict.SUCCESSFUL, ""),
        ("exponential", ("x=f32[4, F] in -500..500", "broken=True"), Verdict.FAILED, ""),
        ("causal_mask", ("x=f32[4, F:1..6] in -5..5",), Verdict.SUCCESSFUL, ""),
        ("sum_of_bytes", ("x=i8[4, F]",), Verdict.UNKNOWN, "no counterexample among"),
    ],
)
def test_shapes_that_were_not_run_are_not_proved(
    kernel: str, given: tuple[str, ...], verdict_: Verdict, qualifier: str
) -> None:
    run = verdict(kernel, *given)
    assert run.verdict is verdict_, run
    assert run.qualifier.startswith(qualifier)


ODD = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def greatest(x):
        data = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=data, src=x)
        found = nl.ndarray((x.shape[0], 8), dtype=nl.float32, buffer=nl.sbuf)
        nisa.max8(dst=found, src=data)
        out = nl.ndarray(found.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=found)
        return out


    @nki.jit
    def quantised(x):
        data = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=data, src=x)
        found = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=found, data1=data.view(nl.float32), data2=data.view(nl.float32), op=nl.multiply)
        out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=found)
        return out


    @nki.jit
    def inverse_of_distance(x):
        data = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=data, src=x)
        most, mean = (nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf) for _ in "ab")
        nisa.tensor_reduce(dst=most, op=nl.maximum, data=data, axis=1)
        nisa.tensor_reduce(dst=mean, op=nl.add, data=data, axis=1)
        nisa.tensor_scalar(dst=mean, data=mean, op0=nl.multiply, operand0=1.0 / x.shape[1])
        nisa.tensor_tensor(dst=most, data1=most, data2=mean, op=nl.subtract)
        nisa.tensor_scalar(dst=most, data=most, op0=nl.add, operand0=1.001)
        nisa.reciprocal(dst=most, data=most)
        out = nl.ndarray(most.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=most)
        return out


    @nki.jit
    def inverse_of_sums(x):
        rows = x.shape[0]
        data = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)
        one = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
        apart = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)
        sums = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=data, src=x)
        nisa.tensor_scalar(dst=one, data=data[:, 0:1], op0=nl.maximum, operand0=0.5)
        nisa.tensor_tensor(dst=one, data1=one, data2=data[:, 1:2], op=nl.maximum)
        nisa.tensor_scalar(dst=apart, data=data, op0=nl.subtract, operand0=one)
        nisa.activation_reduce(dst=apart, op=nl.exp, data=apart, reduce_op=nl.add, reduce_res=sums)
        nisa.reciprocal(dst=sums, data=sums)
        out = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=sums)
        return out


    @nki.jit
    def unwritten(x):
        data = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=data)
        return out


    @nki.jit
    def too_many(x):
        data = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(data, 0.0)
        return x
"""


@pytest.mark.parametrize(
    ("kernel", "said"),
    [("greatest", "ranges of max8"), ("unwritten", "(phase 4)"), ("too_many", "breaks mem.partitions_128 (phase 1)")],
)
def test_what_is_not_followed_is_unknown(kernel: str, said: str, check: Checker) -> None:
    write(check.folder, k=ODD)
    assert check(f"k.py::{kernel}", "--arg", "x=f32[8,16] in -1..1", "--phase", "5") == 3
    assert said in check.out


@pytest.mark.parametrize(
    ("places", "more", "expected"),
    [
        ("in 0..15", (), Verdict.SUCCESSFUL),
        ("in 0..15", ("broken=True",), Verdict.FAILED),
        # Beyond a row of 16, phase 1 finds it.
        ("in 0..16", (), Verdict.UNKNOWN),
    ],
)
def test_elements_from_places_that_inputs_give_are_any_of_these(
    places: str, more: tuple[str, ...], expected: Verdict
) -> None:
    given = ("x=f32[4,16] in 0..10", f"places=u32[4,6] {places}", *more)
    asked = request("parts.py::gathered_inverse", KERNELS, given, (), None)
    (run,) = verify(asked.target("trn2", False), Options(root=KERNELS, phases=(5,)))
    assert run.verdict is expected, run.reason or run.violations


@pytest.mark.parametrize("kind", [Intervals, MaskedIntervals, ErrorIntervals])
def test_an_element_around_a_row_is_any_of_it(kind: type[Intervals]) -> None:
    numbers = kind(RangeFindings())
    row = numbers.convert(numbers.entered(np.array([[1.0, -2.0, float("-inf"), 3.0]]), float32), float32)
    found = numbers.around(row)
    assert found.shape == (numbers.lanes, 1, 1)
    assert (found[0].item(), found[1].item(), found[2].item()) == (-2.0, 3.0, MINUS)


def test_what_inputs_show_where_ranges_do_not_follow_is_no_fault(check: Checker) -> None:
    write(check.folder, k=ODD)
    # The bits of some integers are those of NaN, and of infinities.
    assert check("k.py::quantised", "--arg", "x=i32[8,16]", "--phase", "5") == 3
    assert "the bits of int32 elements seen as float32" in check.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x=f32[8,16] in 2..1", "no number is in this range"),
        ("x=f32[8,16] in 0..F", "two numbers"),
        ("x=f32[8,16] in ..1", "two numbers"),
        ("x=f32[8,16] in 0..1e999", "two numbers"),
    ],
)
def test_ranges_that_are_none(given: str, said: str, check: Checker) -> None:
    write(check.folder, k=ODD)
    assert check("k.py::greatest", "--arg", given, "--phase", "5") == 2
    assert said in check.err


def test_what_each_line_writes_is_told() -> None:
    asked = request("finite.py::softmax", KERNELS, ("x=bf16[4,8] in -3..3",), (), None)
    trial, reported = told_ranges(asked.target("trn2", False), {}, hardware_named("trn2"), RangeLimits(20.0, 1 << 20))
    assert not trial.findings
    least = math.exp(-6.0)
    # The input, the negative maximum, the exponentials, their sums, the inverse of these, and the quotients.
    expected = [(-3, 3), (-3, 3), (least, 1), (1, 8), (1 / 8, 1), (least / 8, 1), (least / 8, 1), (least / 8, 1)]
    found = [tuple(map(float, one.numbers.split(".."))) for one in reported]
    assert found == [pytest.approx(ends, rel=2.0**-8) for ends in expected]
    # The input is what it is; what is rounded is seen to be, and no further than it is said.
    assert [one.error for one in reported[:2]] == [0.0, 0.0]
    assert all(0 < one.error < 0.02 and one.seen is not None and one.seen <= one.error for one in reported[2:])
    assert all(0 < (one.seen or 0.0) < 2.0**-8 for one in reported[-2:])
    assert [one.dtype for one in reported] == ["bfloat16", *["float32"] * 5, *["bfloat16"] * 2]


def test_what_is_told_fits_a_terminal() -> None:
    asked = request("finite.py::attention_from_infinity", KERNELS, ("x=f32[4,8] in -3e38..3e38",), (), None)
    _, reported = told_ranges(asked.target("trn2", False), {}, hardware_named("trn2"), RangeLimits(20.0, 1 << 20))
    reported = [
        replace(reported[0], tensor="a_long_name_of_a_tensor", dtype="float8_e4m3fn", error=math.inf),
        *reported,
    ]
    file, *lines = "\n".join(table(reported, KERNELS)).splitlines()
    assert file == "finite.py"
    assert max(map(len, lines)) <= 80
    # What is longer than its column goes on below.
    assert "".join(line[6:16].strip() for line in lines[2:5]) == "a_long_name_of_a_tensor"
    assert any("-inf" in line for line in lines)


def test_a_target_states_ranges() -> None:
    asked = request("finite.py::exponential", KERNELS, ("x=f32[4,4]", "broken=True"), (), None)
    target = asked.target("trn2", False)

    def narrow(v: Verification) -> None:
        v.call(v.tensor("x", (4, 4), float32, values=(-2.5, 2)), broken=True)

    for function, expected in ((target.function, Verdict.FAILED), (narrow, Verdict.SUCCESSFUL)):
        (run,) = verify(replace(target, function=function), Options(root=target.root, phases=(5,)))
        assert run.verdict is expected


def test_the_page_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.numerics_page", "--check"], cwd=resources.root(), check=False)
    assert done.returncode == 0, "run `make pages`"
