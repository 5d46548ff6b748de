"""What operations do beyond the operands of their calls, and where nobody can say what they do: never a success."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float32, int32
from tests.dataflow.subject import Subject, contracts

HEAD = """
@nki.jit
def kernel(x, *more):
    out = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    junk = nl.ndarray((8, 4), dtype=nl.float32, buffer=nl.sbuf)
    zeros = nl.zeros((8, 4), dtype=nl.float32, buffer=nl.sbuf)
"""


def verdict(folder: Path, body: str, domain: Callable[[Verification], None] | None = None) -> Run:
    def plain(v: Verification) -> None:
        v.call(v.tensor("x", (8, 4), float32))

    text = HEAD + indent(body, "    ") + "\n    return out\n"
    return Subject.of(folder, text, domain or plain).verdict()


SCATTERED = """
nisa.dma_copy(out, zeros)
nisa.dma_copy(out.ap([[4, 4], [1, 4]], vector_offset=nl.load(more[0])), {source}[0:4])
"""


def scattered(v: Verification) -> None:
    v.call(v.tensor("x", (8, 4), float32), v.tensor("places", (4, 1), int32, values=(0, 7)))


@pytest.mark.parametrize(("source", "expected"), [("zeros", Verdict.SUCCESSFUL), ("junk", Verdict.UNKNOWN)])
def test_undefined_elements_scattered_over_an_output_are_no_success(
    tmp_path: Path, source: str, expected: Verdict
) -> None:
    assert verdict(tmp_path, SCATTERED.replace("{source}", source), scattered).verdict is expected


@pytest.mark.parametrize(("source", "expected"), [("zeros", Verdict.SUCCESSFUL), ("junk", Verdict.FAILED)])
def test_undefined_elements_stored_in_a_device_loop_are_no_success(
    tmp_path: Path, source: str, expected: Verdict
) -> None:
    body = "count = nisa.register_alloc()\nnisa.register_load(count, nl.load(more[0]))\nnisa.dma_copy(out, zeros)\n"
    body += f"for _ in nl.dynamic_range(count):\n    nisa.dma_copy(out, {source})"

    def counted(v: Verification) -> None:
        v.call(v.tensor("x", (8, 4), float32), v.tensor("count", (1, 1), int32, values=(0, 4)))

    assert verdict(tmp_path, body, counted).verdict is expected


@pytest.mark.parametrize(("times", "expected"), [(0, Verdict.SUCCESSFUL), (1, Verdict.FAILED)])
def test_a_device_loop_whose_bounds_are_numbers_is_executed(tmp_path: Path, times: int, expected: Verdict) -> None:
    body = f"nisa.dma_copy(out, zeros)\nfor _ in nl.dynamic_range(0, {times}):\n    nisa.dma_copy(out, junk)"
    assert verdict(tmp_path, body).verdict is expected


SUM = """
tile = nl.load(x)
total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
nisa.nc_matmul(total, tile, tile, accumulate={flag})
out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
nisa.dma_copy(out, nl.copy(total))
"""


@pytest.mark.parametrize("flag", ["True", "1", "__import__('numpy').bool_(True)", "x.shape[0]", "[0]"])
def test_what_is_true_in_python_accumulates(tmp_path: Path, flag: str) -> None:
    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("K", 1, 128), 128), bfloat16))

    run = verdict(tmp_path, SUM.replace("{flag}", flag), domain)
    assert contracts(run) == {"df.accumulate_unwritten"}


@pytest.mark.parametrize("flag", ["False", "0", "None"])
def test_what_is_false_in_python_begins_anew(tmp_path: Path, flag: str) -> None:
    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("K", 1, 128), 128), bfloat16))

    assert verdict(tmp_path, SUM.replace("{flag}", flag), domain).verdict is Verdict.SUCCESSFUL


REDUCED = """
tile, scratch, sums = nl.load(x), nl.ndarray((8, 4), nl.float32, nl.sbuf), nl.ndarray((8, 1), nl.float32, nl.sbuf)
command = nisa.reduce_cmd
{before}
nisa.activation(scratch, nl.exp, tile, reduce_op=nl.add, reduce_res=sums, reduce_cmd=command.{command})
nisa.tensor_scalar(scratch, tile, nl.add, sums)
nisa.dma_copy(out, scratch)
"""
BEGINS = "nisa.activation(scratch, nl.exp, {}, reduce_op=nl.add, reduce_cmd=command.reset_reduce)"


@pytest.mark.parametrize(
    ("before", "command", "expected"),
    [
        ("", "reset_reduce", Verdict.SUCCESSFUL),
        ("", "reduce", Verdict.FAILED),
        ("", "idle", Verdict.UNKNOWN),
        (BEGINS.format("tile"), "reduce", Verdict.SUCCESSFUL),
        (BEGINS.format("junk"), "reduce", Verdict.FAILED),
        (BEGINS.format("junk"), "reset_reduce", Verdict.SUCCESSFUL),
        (BEGINS.format("junk").replace("reset_reduce", "reset"), "reduce", Verdict.SUCCESSFUL),
        (BEGINS.format("tile[0:7]").replace("scratch", "scratch[0:7]"), "reduce", Verdict.FAILED),
        (f"for i in range(x.shape[0]):\n    {BEGINS.format('tile')}", "reduce", Verdict.SUCCESSFUL),
    ],
)
def test_reduction_registers_hold_what_was_reduced(
    tmp_path: Path, before: str, command: str, expected: Verdict
) -> None:
    body = REDUCED.replace("{before}", before).replace("{command}", command)
    run = verdict(tmp_path, body)
    assert run.verdict is expected
    if expected is Verdict.SUCCESSFUL:
        assert set(run.closed_by) == {"sets"}
    elif expected is Verdict.FAILED and "junk" not in before:
        assert {violation.contract for violation in run.violations} == {"acc.reduce_needs_init"}


def test_an_idle_select_reduce_leaves_nothing_known_in_the_registers(tmp_path: Path) -> None:
    body = """
    tile, chosen = nl.load(x), nl.ndarray((8, 4), nl.uint8, nl.sbuf)
    scratch, sums = nl.ndarray((8, 4), nl.float32, nl.sbuf), nl.ndarray((8, 1), nl.float32, nl.sbuf)
    nisa.memset(chosen, 1)
    command = nisa.reduce_cmd
    nisa.select_reduce(scratch, chosen, tile, 0.0, reduce_cmd=command.reset_reduce)
    {between}
    nisa.select_reduce(scratch, chosen, tile, 0.0, reduce_res=sums, reduce_cmd=command.reduce)
    nisa.tensor_scalar(scratch, tile, nl.add, sums)
    nisa.dma_copy(out, scratch)
    """
    idle = "nisa.select_reduce(scratch, chosen, tile, 0.0)"
    for between, expected in (("pass", Verdict.SUCCESSFUL), (idle, Verdict.FAILED)):
        text = "\n".join(line[4:] for line in body.replace("{between}", between).splitlines())
        assert verdict(tmp_path, text).verdict is expected


@pytest.mark.parametrize(("last", "expected"), [(1, Verdict.SUCCESSFUL), (2, Verdict.FAILED)])
def test_nonzero_with_count_writes_every_sixteenth_partition_only(tmp_path: Path, last: int, expected: Verdict) -> None:
    body = f"""
tile, found = nl.load(x), nl.ndarray((8, 5), nl.int32, nl.sbuf)
nisa.nonzero_with_count(found, tile)
out = nl.ndarray(({last}, 5), dtype=nl.int32, buffer=nl.shared_hbm)
nisa.dma_copy(out, found[0:{last}])
"""
    assert verdict(tmp_path, body).verdict is expected


@pytest.mark.parametrize("condition", ["True", "me == 1"])
def test_a_barrier_that_one_core_does_not_come_to_is_no_success(tmp_path: Path, condition: str) -> None:
    body = f"""
me = nl.program_id(0)
tile = nl.load(x[nl.ds(me * 4, 4)])
nisa.dma_copy(out[nl.ds(me * 4, 4)], tile)
if {condition}:
    nisa.core_barrier(out, (0, 1))
"""

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (8, 4), float32), grid=2)

    run = verdict(tmp_path, body, domain)
    assert run.verdict is (Verdict.SUCCESSFUL if condition == "True" else Verdict.FAILED)
    assert {one.contract for one in run.violations} == (set() if condition == "True" else {"core_barrier.both"})


def test_a_view_that_leaves_its_storage_in_one_place_only(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        flat = out.reshape((1, R * C))[:, R * C - C:R * C]
        nisa.dma_copy(out, x)
        junk = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.sbuf)
        for i in range(C):
            if R == 1:
                nisa.dma_copy(flat, x[0:1])
        nisa.dma_copy(flat, junk)
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 1, 100), v.dim("C", 1, 100)), float32))

    assert contracts(Subject.of(tmp_path, body, domain).verdict()) == {"df.read_unwritten"}


@pytest.mark.parametrize(("source", "expected"), [("zeros", Verdict.SUCCESSFUL), ("junk", Verdict.FAILED)])
def test_what_a_device_loop_undefines_is_read_in_its_next_iteration(
    tmp_path: Path, source: str, expected: Verdict
) -> None:
    body = f"""
tile = nl.zeros((8, 4), dtype=nl.float32, buffer=nl.sbuf)
nisa.dma_copy(out, zeros)
for _ in nl.dynamic_range(0, 4):
    nisa.dma_copy(out, tile)
    nisa.tensor_copy(tile, {source})
"""
    assert verdict(tmp_path, body).verdict is expected


@pytest.mark.parametrize(
    ("before", "expected"), [("pass", Verdict.FAILED), ("nisa.memset(place, 1)", Verdict.SUCCESSFUL)]
)
def test_a_register_is_not_loaded_from_undefined_elements(tmp_path: Path, before: str, expected: Verdict) -> None:
    body = f"""
place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
{before}
register = nisa.register_alloc()
nisa.register_load(register, place)
nisa.dma_copy(out, x)
"""
    assert verdict(tmp_path, body).verdict is expected


@pytest.mark.parametrize(("accumulate", "expected"), [("False", Verdict.SUCCESSFUL), ("None", Verdict.UNKNOWN)])
def test_a_sum_over_the_iterations_of_a_device_loop_is_not_documented(
    tmp_path: Path, accumulate: str, expected: Verdict
) -> None:
    body = f"""
tile, copy = nl.load(x), nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.sbuf)
total = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.psum)
nisa.memset(copy, 0.0)
nisa.nc_matmul(total, tile, tile)
nisa.dma_copy(out[0:4], nl.copy(total))
nisa.dma_copy(out[4:8], nl.copy(total))
for _ in nl.dynamic_range(0, 4):
    nisa.nc_matmul(total, tile, tile, accumulate={accumulate})
    nisa.tensor_copy(copy, total)
    nisa.dma_copy(out[0:4], copy)
"""
    assert verdict(tmp_path, body).verdict is expected


def test_every_program_has_registers_of_its_own(tmp_path: Path) -> None:
    # Which program it is, is not known: the registers are known by that, not by a number.
    body = """
    @nki.jit
    def kernel(a):
        out = nl.ndarray((4, 128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        i = nl.program_id(0)
        tile = nl.load(a[i])
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        reset = nisa.reduce_cmd.reset_reduce
        nisa.activation(op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=reset)
        nl.store(out[i], total)
        return out
    """

    def launch(v: Verification) -> None:
        v.call(v.tensor("a", (4, 128, 64), float32), grid=4)

    subject = Subject.of(tmp_path, body, launch, legacy=True)
    assert subject.verdict().verdict is Verdict.SUCCESSFUL


@pytest.mark.parametrize(("first", "expected"), [(0, Verdict.SUCCESSFUL), (1, Verdict.FAILED)])
def test_a_sum_over_a_loop_is_undefined_if_a_part_of_it_is(tmp_path: Path, first: int, expected: Verdict) -> None:
    body = f"""
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((nl.par_dim(1), C), dtype=nl.float32, buffer=nl.sbuf)
        for r in nl.affine_range(R):
            tile = nl.ndarray((nl.par_dim(1), C), dtype=nl.float32, buffer=nl.sbuf)
            if r >= {first}:
                tile[...] = nl.load(x[r:r + 1, :])
            total[...] = nl.loop_reduce(tile, op=nl.add, loop_indices=[r])
        nl.store(out, total)
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 2, 4), v.dim("C", 1, 4)), float32))

    assert Subject.of(tmp_path, body, domain, legacy=True).verdict().verdict is expected


@pytest.mark.parametrize(("kept", "expected"), [(1, Verdict.SUCCESSFUL), (0, Verdict.FAILED)])
def test_a_sum_over_iterations_that_are_run_one_by_one_keeps_what_is_undefined(
    tmp_path: Path, kept: int, expected: Verdict
) -> None:
    # What the iterations carry has them run one by one; the first one adds a tile that nothing has written.
    body = f"""
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
        tile = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
        kept = {kept}
        for r in nl.affine_range(4):
            if kept:
                tile = nl.load(x)
            total[...] = nl.loop_reduce(tile, op=nl.add, loop_indices=[r])
            kept = 1
        nl.store(out, total)
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 2, 4), v.dim("C", 1, 4)), float32))

    assert Subject.of(tmp_path, body, domain, legacy=True).verdict().verdict is expected
