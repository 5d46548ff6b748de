"""What phase 4 warns of: each waste beside the nearest kernel without it, and that what is said is so."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from nkiverify.analysis.marks.liveness import liveness
from nkiverify.analysis.marks.shadow import execute
from nkiverify.analysis.side_effects import source_of
from nkiverify.foundation.records import KernelWarning, Run, Verdict
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float32, int32
from nkiverify.model.hardware import hardware_named
from nkiverify.model.recorded import Executed
from nkiverify.phases.dataflow.played import play
from nkiverify.project.manifest_targets import load_targets
from tests.dataflow.subject import Subject, rows_and_columns
from tests.dataflow.test_random_programs import ROWS, domain, kernel

HEAD = """
@nki.jit
def kernel(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range((R + 127) // 128):
        first, last = t * 128, min(t * 128 + 128, R)
        tile = nl.ndarray((last - first, C), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((last - first, C), dtype=x.dtype, buffer=nl.sbuf)
{body}
        nisa.dma_copy(dst=out[first:last, :], src=tile)
    return out
"""
LOAD = "nisa.dma_copy(dst=tile, src=x[first:last, :])"
LOAD_A_COLUMN = "nisa.dma_copy(dst=tile[:, 0:1], src=x[first:last, 0:1])"
SUM = "nisa.tensor_tensor(other, other, tile, nl.add)"


def looped(*statements: str) -> str:
    """A tiled copy with `statements` in its loop, before the store."""
    return HEAD.format(body="\n".join(f"        {line}" for line in statements))


def told(run: Run) -> list[tuple[str, int, str]]:
    """Rule, line within the loop and tensor of each warning; the first statement of the loop has line 1."""
    return [(warning.rule, warning.line - 14, warning.tensor) for warning in run.warnings]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ((LOAD,), []),
        ((LOAD, "nisa.dma_copy(dst=other, src=x[first:last, :])"), [("df.unused", 2, "other")]),
        ((LOAD, "nisa.tensor_copy(other, tile)"), [("df.unused", 2, "other")]),
        ((LOAD, "nisa.tensor_copy(other, tile)", "nisa.tensor_copy(tile, other)"), []),
        (("nisa.memset(tile, 0.0)", LOAD), [("df.overwritten", 1, "tile")]),
        (("nisa.memset(tile, 0.0)", LOAD_A_COLUMN), []),
        ((LOAD, "nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)"), []),
        ((LOAD, "nisa.memset(other, 0.0)", SUM), [("df.unused", 3, "other")]),
        ((LOAD, LOAD), [("df.overwritten", 1, "tile")]),
    ],
    ids=["a copy", "a load", "a result", "there and back", "filled", "padded", "in place", "a chain", "loaded twice"],
)  # fmt: skip
def test_a_line_that_is_a_dead_store(
    tmp_path: Path, statements: tuple[str, ...], expected: list[tuple[str, int, str]]
) -> None:
    run = Subject.of(tmp_path, looped(*statements), rows_and_columns).verdict()
    assert (run.verdict, run.qualifier) == (Verdict.SUCCESSFUL, "")
    dead = [one for one in run.warnings if one.rule != "df.input_unread"]
    assert told(replace(run, warnings=tuple(dead))) == expected
    for warning in dead:
        assert warning.holds == "for all shapes"
        assert warning.witness == {"R": 1, "C": 1}
        assert (warning.element, [loop.value for loop in warning.loops]) == ((0, 0), ["t = 0"])


def test_what_feeds_nothing_else_is_named_beside_the_last_line(tmp_path: Path) -> None:
    body = looped(LOAD, "nisa.memset(other, 0.0)", SUM)
    (warning,) = Subject.of(tmp_path, body, rows_and_columns).verdict().warnings
    assert [place.line - 14 for place in warning.also] == [2]
    assert warning.message == "nothing reads what is written here"


def test_lines_that_feed_one_another_are_one_warning(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(total, 0.0)
        for r in range(R):
            row = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(row, x[r:r + 1, :])
            nisa.tensor_tensor(total, total, row, nl.add)
            nisa.dma_copy(out[r:r + 1, :], row)
        return out
    """
    (warning,) = Subject.of(tmp_path, body, rows_and_columns).verdict().warnings
    assert (warning.rule, warning.tensor, warning.line, [place.line for place in warning.also]) == (
        "df.unused",
        "total",
        16,
        [12],
    )


def test_an_iteration_that_overwrites_the_one_before_names_it(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.shared_hbm)
        row = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.sbuf)
        for r in range(R):
            nisa.dma_copy(row, x[r:r + 1, :])
            nisa.dma_copy(out, row)
        return out
    """
    run = Subject.of(tmp_path, body, rows_and_columns).verdict()
    assert run.verdict is Verdict.SUCCESSFUL
    (warning,) = run.warnings
    assert (warning.rule, warning.line, warning.tensor, warning.holds) == (
        "df.overwritten",
        14,
        "out",
        "for these shapes",
    )
    assert warning.witness["R"] == 2
    assert [loop.value for loop in warning.loops] == ["r = 0"]


def test_the_last_iteration_may_prepare_for_one_that_does_not_come(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.ndarray((1, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(total, 0.0)
        for r in range(R):
            nisa.dma_copy(out[r:r + 1, :], total)
            nisa.dma_copy(total, x[r:r + 1, :])
        return out
    """
    assert not Subject.of(tmp_path, body, rows_and_columns).verdict().warnings


def test_what_only_larger_shapes_use_is_not_warned_of(tmp_path: Path) -> None:
    body = looped(
        LOAD, "nisa.dma_copy(dst=other, src=x[first:last, :])", "if R > 2:", "    nisa.tensor_copy(tile, other)"
    )
    run = Subject.of(tmp_path, body, rows_and_columns).verdict()
    assert [(rule, line) for rule, line, _ in told(run)] == []


@pytest.mark.parametrize("condition", ["R > 200", "R == 77", "C * R == 15", "R % 7 == 5"])
def test_a_line_that_no_shape_that_is_run_uses_may_be_of_use(tmp_path: Path, condition: str) -> None:
    """The concrete runs are of one or two rows, and of 129."""
    load = "nisa.dma_copy(dst=other, src=x[first:last, :])"
    body = looped(LOAD, load, f"if {condition}:", "    nisa.tensor_copy(tile, other)")
    assert told(Subject.of(tmp_path, body, rows_and_columns).verdict()) == []
    # What no shape uses is told of all the same, beside it.
    body = looped(LOAD, load, f"if {condition}:", "    nisa.tensor_copy(tile, other)", "nisa.memset(tile[:, 0:1], 0.0)")
    body = body.replace(
        "other = ", "junk = nl.ndarray((last - first, C), dtype=x.dtype, buffer=nl.sbuf)\n        other = "
    )
    body = body.replace("nisa.memset(tile[:, 0:1], 0.0)", "nisa.memset(junk, 0.0)")
    (warning,) = Subject.of(tmp_path, body, rows_and_columns).verdict().warnings
    assert (warning.rule, warning.tensor, warning.holds) == ("df.unused", "junk", "for all shapes")


def test_an_unwritten_element_that_reaches_no_output(tmp_path: Path) -> None:
    body = looped(LOAD_A_COLUMN, "nisa.tensor_copy(other, tile)")
    body = body.replace("dst=out[first:last, :], src=tile", "dst=out[first:last, 0:1], src=other[:, 0:1]")
    body = body.replace("out = nl.ndarray((R, C)", "out = nl.ndarray((R, 1)")
    run = Subject.of(tmp_path, body, rows_and_columns).verdict()
    assert run.verdict is Verdict.SUCCESSFUL
    unread, warning = run.warnings
    assert (unread.rule, unread.message) == ("df.input_unread", "x[:, 1:] is never read for R = 1, C = 2")
    assert (warning.rule, warning.line - 14, warning.tensor) == ("df.unwritten_unused", 2, "tile")
    assert (warning.witness, warning.element) == ({"R": 1, "C": 2}, (0, 1))
    assert warning.holds == "for 3 shapes that were run"


def test_an_unwritten_element_that_larger_shapes_do_not_read_is_not_warned_of(tmp_path: Path) -> None:
    """With fewer rows than lanes the lanes beyond are computed with; from 128 rows on there are none."""
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        rows = min(R, 128)
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile[0:rows], x[0:rows])
        nisa.tensor_copy(other, tile)
        for r in range(R):
            nisa.dma_copy(out[r:r + 1], other[0:1])
        return out
    """
    runs = (
        Subject.of(tmp_path, body.replace("128)\n", f"{most})\n", 1), rows_and_columns).verdict() for most in (128, 127)
    )
    rules = [[warning.rule for warning in run.warnings] for run in runs]
    # Rows of x beyond these are read at no size.
    assert rules == [["df.input_unread"], ["df.input_unread", "df.unwritten_unused"]]


def test_a_kernel_with_a_fault_keeps_its_verdict_and_is_warned_of(tmp_path: Path) -> None:
    body = looped(LOAD).replace("src=tile)\n    return", "src=other)\n    return")
    run = Subject.of(tmp_path, body, rows_and_columns).verdict()
    assert run.verdict is Verdict.FAILED
    assert {violation.contract for violation in run.violations} == {"df.read_unwritten"}
    assert told(run) == [("df.unused", 1, "tile")]


@pytest.mark.parametrize(
    ("body", "legacy"),
    [
        (
            """
            @nki.jit
            def kernel(x):
                out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(x)
                junk = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
                total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
                nisa.activation_reduce(junk, nl.exp, tile, reduce_op=nl.add, reduce_res=total)
                nisa.dma_copy(out, total)
                return out
            """,
            False,
        ),
        (
            """
            @nki.jit
            def kernel(x):
                out = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(x)
                nl.device_print("x", nl.copy(tile))
                nisa.dma_copy(out, tile)
                return out
            """,
            False,
        ),
        (
            """
            @nki.jit
            def kernel(x):
                out = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
                total = nl.zeros((128, 8), dtype=nl.float32, buffer=nl.sbuf)
                for i in nl.affine_range(4):
                    part = nl.loop_reduce(nl.load(x), op=nl.add, loop_indices=[i], dtype=nl.float32)
                    total[...] = part
                nl.store(out, value=total)
                return out
            """,
            True,
        ),
        (
            """
            @nki.jit
            def kernel(x):
                out = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
                tile = nl.load(x)
                before = nl.copy(tile)
                for i in nl.dynamic_range(4):
                    nisa.tensor_copy(tile, before)
                    nisa.tensor_scalar(before, tile, nl.add, 1.0)
                nisa.dma_copy(out, tile)
                return out
            """,
            False,
        ),
    ],
    ids=["the reduction alone", "what is printed", "a sum over iterations", "a device loop"],
)
def test_what_is_used_otherwise_is_no_waste(tmp_path: Path, body: str, legacy: bool) -> None:
    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (128, 8), float32))

    run = Subject.of(tmp_path, body, domain, legacy=legacy).verdict()
    assert run.warnings == ()


def test_rows_that_indices_choose_may_be_any(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x, places):
        out = nl.ndarray((64, 8), dtype=nl.float32, buffer=nl.shared_hbm)
        scratch = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.hbm)
        nisa.dma_copy(scratch[0:64, :], x)
        nisa.dma_copy(scratch[64:128, :], x)
        index = nl.load(places)
        nisa.dma_copy(out, scratch.ap([[8, 64], [1, 8]], vector_offset=index))
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (64, 8), float32), v.tensor("places", (64, 1), int32, values=(0, 127)))

    assert Subject.of(tmp_path, body, domain).verdict().warnings == ()


# --- what is said is so -----------------------------------------------------------------------------------------------


def recorded(target: Target, values: dict[str, int]) -> list[object]:
    """What a concrete run records."""
    run = ConcreteExecution(hardware_named(target.hardware), False, records=True)
    return list(play(target, values, run).recorded)


def dead_there(items: list[object], warning: KernelWarning) -> bool:
    """True if nothing that counts uses what any operation of the line of a warning has written."""
    asked = {
        at
        for at, item in enumerate(items)
        if isinstance(item, Executed) and item.site is not None and item.site.line == warning.line
    }
    return not execute(items, 2, asked).used  # type: ignore[arg-type]


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(2))
def test_what_is_warned_of_in_random_kernels_is_dead_for_all_shapes(tmp_path: Path, block: int) -> None:
    everywhere = here = 0
    for seed in range(10 * block, 10 * block + 10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        subject = Subject.of(folder, kernel(seed), domain)
        for warning in subject.verdict().warnings:
            if warning.rule == "df.unwritten_unused":
                continue
            if warning.holds == "for all shapes":
                shapes = [{"R": rows} for rows in range(1, ROWS + 1)]
                assert all(dead_there(recorded(subject.target, shape), warning) for shape in shapes), seed
                everywhere += 1
            elif warning.rule == "df.unused":
                assert dead_there(recorded(subject.target, dict(warning.witness)), warning), seed  # type: ignore[arg-type]
                here += 1
    assert everywhere
    assert here


@pytest.mark.parametrize("seed", range(12))
def test_dead_stores_are_what_the_shadow_memory_finds(tmp_path: Path, seed: int) -> None:
    # One operation after the other is followed through the shadow memory: slow, and independent of who wrote what.
    subject = Subject.of(tmp_path, kernel(seed), domain)
    items = recorded(subject.target, {"R": random.Random(seed).randint(1, ROWS)})
    found = set(liveness(items).dead_stores)  # type: ignore[arg-type]
    wrote = {at for at, item in enumerate(items) if isinstance(item, Executed)}
    unused = {at for at in wrote if not execute(items, 2, {at}).used}  # type: ignore[arg-type]
    assert found == unused


def test_published_kernels_are_warned_of_where_audit_says_so_only() -> None:
    families = {"matmul_tiled_all", "mamba_v1_all", "transpose2d_all", "avgpool_all", "tensor_add_all"}
    for target in load_targets():
        if target.name in families:
            assert Subject(target).verdict().warnings == (), target.name


def test_every_operation_of_a_line_counts(tmp_path: Path) -> None:
    body = """
    def load(x):
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(tile, x)
        return tile

    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        unused = load(x)
        nisa.dma_copy(out, load(x))
        return out
    """
    assert Subject.of(tmp_path, body, rows_and_columns).verdict().warnings == ()


def test_sources_are_lines_with_the_name_of_the_operation(tmp_path: Path) -> None:
    subject = Subject.of(tmp_path, looped(LOAD), rows_and_columns)
    items = [item for item in recorded(subject.target, {"R": 1, "C": 1}) if isinstance(item, Executed)]
    assert [source_of(item) for item in items] == [
        (str(tmp_path / "subject.py"), 15, "nisa.dma_copy"),
        (str(tmp_path / "subject.py"), 16, "nisa.dma_copy"),
    ]


def test_an_argument_that_only_such_a_line_reads_is_named(tmp_path: Path) -> None:
    body = looped(LOAD, "nisa.dma_copy(dst=other, src=y[first:last, :])").replace("def kernel(x)", "def kernel(x, y)")

    def of_two(v: Verification) -> None:
        rows, columns = v.dim("R", 1, 300), v.dim("C", 1, 64)
        v.call(v.tensor("x", (rows, columns), float32), v.tensor("y", (rows, columns), float32))

    (warning,) = Subject.of(tmp_path, body, of_two).verdict().warnings
    assert (warning.rule, warning.tensor) == ("df.unused", "other")
    assert warning.message == "nothing reads what is written here, and nothing else reads the argument y"


PRODUCTS = """
@nki.jit
def kernel(aT, b):
    out = nl.ndarray((128, 512), dtype=aT.dtype, buffer=nl.shared_hbm)
    {outside}
    for k in nl.affine_range(aT.shape[0] // 128):
        rows = k * 128 + nl.arange(128)[:, None]
        left, right = nl.load(aT[rows, nl.arange(128)[None, :]]), nl.load(b[rows, nl.arange(512)[None, :]])
        {begun}
        acc += nisa.nc_matmul(left, right)
        {each}
    nl.store(out, {stored})
    return out
"""


@pytest.mark.parametrize(
    ("dtype", "around", "warned"),
    [("bfloat16", True, True), ("float16", True, True), ("float32", True, False), ("bfloat16", False, False)],
)
@pytest.mark.parametrize("rounds", [None, 3])
def test_sums_of_products_in_16_bits(
    tmp_path: Path, dtype: str, around: bool, warned: bool, rounds: int | None
) -> None:
    """The sum of all rounds is rounded in each of them; a tile of which each round has its own takes one product."""
    tile = f"acc = nl.zeros((128, 512), dtype=nl.{dtype}, buffer=nl.psum)"
    body = PRODUCTS.format(
        outside=tile if around else "total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)",
        begun="pass" if around else tile,
        each="pass" if around else "total[...] += acc",
        stored="nl.copy(acc)" if around else "total",
    )

    def products(v: Verification) -> None:
        k = v.dim("k", 1) if rounds is None else rounds
        v.call(v.tensor("aT", (128 * k, 128), bfloat16), v.tensor("b", (128 * k, 512), bfloat16))

    run = Subject.of(tmp_path, body, products, legacy=True).verdict()
    assert run.verdict is Verdict.SUCCESSFUL
    assert [(one.rule, one.tensor) for one in run.warnings] == [("df.sum_rounded", "acc")] * warned


def test_a_product_that_begins_a_sum_and_one_that_is_added(tmp_path: Path) -> None:
    """The second product of two is added on gen4, which sums in bfloat16."""
    body = """
    @nki.jit
    def kernel(aT, b):
        out = nl.ndarray((128, 512), dtype=aT.dtype, buffer=nl.shared_hbm)
        left = nl.ndarray((128, 128), dtype=aT.dtype, buffer=nl.sbuf)
        right = nl.ndarray((128, 512), dtype=aT.dtype, buffer=nl.sbuf)
        result = nl.ndarray((128, 512), dtype=aT.dtype, buffer=nl.sbuf)
        acc = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.psum)
        nisa.dma_copy(left, aT)
        nisa.dma_copy(right, b)
        nisa.nc_matmul(acc, left, right, accumulate=False)
        nisa.nc_matmul(acc, left, right, accumulate={more})
        nisa.tensor_copy(result, acc)
        nisa.dma_copy(out, result)
        return out
    """

    def products(v: Verification) -> None:
        v.call(v.tensor("aT", (128, 128), bfloat16), v.tensor("b", (128, 512), bfloat16))

    def warned(more: bool) -> list[str]:
        run = Subject.of(tmp_path, body.replace("{more}", str(more)), products, hardware="trn3").verdict()
        return [one.rule for one in run.warnings if one.rule == "df.sum_rounded"]

    assert (warned(True), warned(False)) == (["df.sum_rounded"], [])
