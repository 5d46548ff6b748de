"""What the proof of phase 4 must not take for written, and the nearest kernel in which it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float32, int32
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify
from tests.dataflow.subject import Subject, contracts, faults, rows_and_columns


def square(v: Verification) -> None:
    v.call(v.tensor("x", (128, 128), bfloat16))


def indexed(v: Verification, last: int = 63) -> None:
    v.call(v.tensor("x", (64, 8), float32), v.tensor("places", (64, 1), int32, values=(0, last)))


def indexed_beyond(v: Verification) -> None:
    indexed(v, 64)


def indexed_with_none(v: Verification) -> None:
    v.call(v.tensor("x", (128, 8), float32), v.tensor("places", (64, 1), int32, values=(-1, 62)))


GATHER = """
@nki.jit
def kernel(x, places):
    out = nl.ndarray((64, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    index = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(index, places)
    rows = nl.ndarray((64, 8), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(rows, 0.0)
    nisa.dma_copy(rows, x.ap([[8, 64], [1, 8]], vector_offset=index), oob_mode=nisa.oob_mode.MODE)
    nisa.dma_copy(out, rows)
    return out
"""

INTO_AN_ARGUMENT = """
@nki.jit
def kernel(x):
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(tile, 0.0)
    nisa.dma_copy(dst=x, src=tile)
    return x
"""

SUM = """
@nki.jit
def kernel(x):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(total, tile, tile, accumulate=False)
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nisa.dma_copy(dst=out, src=nl.copy(total))
    return out
"""

SHUFFLED = """
@nki.jit
def kernel(x):
    out = nl.ndarray((1, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((32, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(rows, x[0:32])
    taken = nl.ndarray((32, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(taken, 0.0)
    nisa.nc_stream_shuffle(taken, rows, [0, 255, 1] + [255] * 29)
    nisa.dma_copy(out, taken[2:3])
    return out
"""

#: A kernel, its domain, and a change of it that breaks a contract.
PAIRS = {
    "rows beside those that are skipped": (
        GATHER.replace("MODE", "skip"),
        indexed_beyond,
        ("    nisa.memset(rows, 0.0)\n", ""),
        "df.output_written",
    ),
    "what an argument gets": (
        INTO_AN_ARGUMENT,
        square,
        ("nisa.memset(tile, 0.0)", "nisa.memset(tile[:, 0:127], 0.0)"),
        "df.read_unwritten",
    ),
    "what is added to": (
        SUM,
        square,
        ("    nisa.nc_matmul(total, tile, tile, accumulate=False)\n", ""),
        "df.accumulate_unwritten",
    ),
    "what a product is added to": (
        SUM,
        square,
        ("nisa.nc_matmul(total, tile, tile, accumulate=False)", "nisa.memset(total, 0.0)"),
        "df.accumulate_other",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_proof_misses_what_is_missing(name: str, tmp_path: Path) -> None:
    body, domain, (old, new), contract = PAIRS[name]
    right = Subject.of(tmp_path, body, domain)
    assert right.proof().open == []
    assert right.verdict().verdict is Verdict.SUCCESSFUL
    assert old in body
    wrong = Subject.of(tmp_path, body.replace(old, new), domain)
    assert contract in {one.contract for one in wrong.proof().open}
    run = wrong.verdict()
    # A concrete run does not know what an index holds.
    assert run.verdict in (Verdict.FAILED, Verdict.UNKNOWN)
    assert run.verdict is Verdict.UNKNOWN or contracts(run) == {contract}


def test_nothing_is_skipped_where_every_index_is_a_row(tmp_path: Path) -> None:
    body = GATHER.replace("MODE", "skip").replace("    nisa.memset(rows, 0.0)\n", "")
    inside = Subject.of(tmp_path, body, indexed)
    assert inside.proof().open == []
    assert inside.verdict().verdict is Verdict.SUCCESSFUL
    assert Subject.of(tmp_path, body, indexed_beyond).verdict().verdict is Verdict.UNKNOWN
    # Row -1 of a view that begins behind the first row is a row of x by its address; it chooses nothing all the same.
    behind = body.replace("vector_offset", "offset=8, vector_offset")
    assert Subject.of(tmp_path, behind, indexed_with_none).verdict().verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("used", ["rows", "x"])
def test_rows_found_by_an_index_that_nothing_wrote_are_no_success(used: str, tmp_path: Path) -> None:
    body = GATHER.replace("MODE", "error").replace("nisa.dma_copy(out, rows)", f"nisa.dma_copy(out, {used})")
    assert Subject.of(tmp_path, body, indexed).verdict().verdict is Verdict.SUCCESSFUL
    wrong = Subject.of(tmp_path, body.replace("    nisa.dma_copy(index, places)\n", ""), indexed)
    assert wrong.verdict().verdict is Verdict.FAILED


def test_a_sum_that_was_read_is_begun_anew(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        out = nl.ndarray((256, 128), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(x)
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        for t in nl.static_range(2):
            nisa.nc_matmul(total, tile, tile, accumulate=FIRST)
            nisa.nc_matmul(total, tile, tile)
            nisa.dma_copy(dst=out[nl.ds(t * 128, 128), :], src=nl.copy(total))
        return out
    """
    assert Subject.of(tmp_path, body.replace("FIRST", "False"), square).proof().open == []
    still_open = Subject.of(tmp_path, body.replace("FIRST", "None"), square).proof().open
    assert {one.contract for one in still_open} == {"df.accumulate_stale"}


RUNNING_TOTALS = """
@nki.jit
def kernel(x, n):
    out = nl.ndarray((n * 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for t in range(n):
        nisa.nc_matmul(total, tile, tile, accumulate=MODE)
        copy = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=copy, src=total)
        nisa.dma_copy(dst=out[t * 128 : (t + 1) * 128, :], src=copy)
    return out
"""


@pytest.mark.parametrize(
    ("mode", "verdict", "rule"),
    [
        ("False", Verdict.SUCCESSFUL, ""),
        ("t > 0", Verdict.SUCCESSFUL, ""),
        ("None", Verdict.FAILED, "df.accumulate_stale"),
        ("True", Verdict.FAILED, "df.accumulate_unwritten"),
    ],
)
def test_a_sum_goes_on_after_it_was_read_where_the_kernel_says_so(
    mode: str, verdict: Verdict, rule: str, tmp_path: Path
) -> None:
    def called(v: Verification) -> None:
        v.call(v.tensor("x", (128, 128), bfloat16), v.dim("n", 1, 1000))

    found = Subject.of(tmp_path, RUNNING_TOTALS.replace("MODE", mode), called).verdict()
    assert found.verdict is verdict
    assert contracts(found) == ({rule} if rule else set())


DEVICE_SUM = """
@nki.jit
def kernel(x, n):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(total, 0.0)
    for t in nl.dynamic_range(n):
        nisa.nc_matmul(total, tile, tile, accumulate=MODE)
    copy = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copy, src=total)
    nisa.dma_copy(dst=out, src=copy)
    return out
"""


@pytest.mark.parametrize(("mode", "verdict"), [("False", Verdict.SUCCESSFUL), ("None", Verdict.UNKNOWN)])
def test_what_a_device_loop_adds_up_by_itself_is_not_documented(mode: str, verdict: Verdict, tmp_path: Path) -> None:
    def called(v: Verification) -> None:
        v.call(v.tensor("x", (128, 128), bfloat16), v.dim("n", 1, 1000))

    subject = Subject.of(tmp_path, DEVICE_SUM.replace("MODE", mode), called)
    assert subject.verdict().verdict is verdict
    assert {one.contract for one in subject.proof().open} == ({"df.accumulate_stale"} if mode == "None" else set())


@pytest.mark.parametrize(("mode", "broken"), [("True", set()), ("False", set()), ("None", {"df.accumulate_stale"})])
def test_what_is_said_of_a_sum_that_was_read_holds_for_what_follows(
    mode: str, broken: set[str], tmp_path: Path
) -> None:
    body = """
    @nki.jit
    def kernel(x):
        out = nl.ndarray((256, 128), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(x)
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(total, tile, tile)
        nisa.dma_copy(dst=out[0:128, :], src=nl.copy(total))
        nisa.nc_matmul(total, tile, tile, accumulate=MODE)
        nisa.nc_matmul(total, tile, tile)
        nisa.dma_copy(dst=out[128:256, :], src=nl.copy(total))
        return out
    """
    subject = Subject.of(tmp_path, body.replace("MODE", mode), square)
    assert {one.contract for one in subject.proof().open} == broken
    assert faults(subject.trial()) == broken


@pytest.mark.parametrize("most", [2, 3])
def test_a_domain_that_is_run_in_full_is_decided(most: int, tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        row = nl.ndarray((1, R * C), dtype=x.dtype, buffer=nl.sbuf)
        for r in range(R):
            for c in range(C):
                nisa.dma_copy(dst=row[:, nl.ds((r * C + c + 1) % (R * C), 1)], src=x[r:r + 1, c:c + 1])
        out = nl.ndarray((1, R * C), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=row)
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 1, 2), v.dim("C", 1, most)), float32))

    run = Subject.of(tmp_path, body, domain).verdict()
    assert (run.verdict, run.qualifier, run.closed_by) == (Verdict.SUCCESSFUL, "", {"shapes": 2 * most})


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("acc += nl.load(x)", set()),
        ("acc += acc", {"df.affine_range"}),
        ("acc *= 2.0", {"df.affine_range"}),
        ("acc[...] = nl.add(acc, nl.load(x))", {"df.affine_range"}),
        ("acc[...] = nl.load(x)", {"df.affine_range"}),
        ("acc += nl.load(x); nl.store(out, acc)", {"df.affine_range"}),
        ("nl.store(out[nl.ds(t * 128, 128), :], acc)", set()),
    ],
)
def test_only_adding_in_place_has_no_order(step: str, expected: set[str], tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        out = nl.ndarray((512, 128), dtype=nl.float32, buffer=nl.shared_hbm)
        acc = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        for t in nl.affine_range(4):
            STEP
        for t in nl.static_range(4):
            nl.store(out[nl.ds(t * 128, 128), :], acc)
        return out
    """
    body = body.replace("STEP", step.replace("store(out,", "store(out[0:128, :],"))
    subject = Subject.of(tmp_path, body, square, legacy=True)
    assert {one.contract for one in subject.proof().open} == expected
    assert faults(subject.trial()) == expected


@pytest.mark.parametrize(
    ("computed", "expected"),
    [
        ("nl.matmul(tile, whole, transpose_x=True)[0:32, :]", set()),
        ("nl.matmul(tile, whole, transpose_x=True)[0:33, :]", {"df.read_unwritten"}),
        ("nl.matmul(tile, whole)[0:1, :]", {"df.read_unwritten"}),
        ("nl.matmul(whole, tile, transpose_x=True)[:, 0:32]", set()),
        ("nl.matmul(whole, tile, transpose_x=True)[:, 0:33]", {"df.read_unwritten"}),
        ("nl.transpose(tile)[0:32, :]", set()),
        ("nl.transpose(tile)[0:33, :]", {"df.read_unwritten"}),
        ("nl.add(tile, whole)[:, 0:32]", set()),
        ("nl.add(tile, whole)[:, 0:33]", {"df.read_unwritten"}),
        ("nl.sum(tile[:, 0:32], axis=1)", set()),
        ("nl.sum(tile[:, 0:33], axis=1)", {"df.read_unwritten"}),
        ("nl.sum(tile, axis=1)[0:1]", {"df.read_unwritten"}),
        ("nl.multiply(whole, tile[:, 31:32])", set()),
        ("nl.multiply(whole, tile[:, 32:33])[0:1, 0:1]", {"df.read_unwritten"}),
        ("nl.softmax(tile, axis=1)[0:1, 0:1]", {"df.read_unwritten"}),
    ],
)
def test_what_depends_on_unwritten_columns(computed: str, expected: set[str], tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        whole = nl.load(x)
        tile = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
        tile[:, 0:32] = nl.copy(whole[:, 0:32])
        found = COMPUTED
        out = nl.ndarray(found.shape, dtype=nl.float32, buffer=nl.shared_hbm)
        nl.store(out, found)
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (64, 64), float32))

    subject = Subject.of(tmp_path, body.replace("COMPUTED", computed), domain, legacy=True)
    assert faults(subject.trial()) == expected
    # The proof for all shapes may know less.
    assert subject.proof().open or not expected


def test_no_shape_is_tried_beside_a_value_that_a_dimension_is_fixed_at(tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.sbuf)
        if R * C != 3 * C:
            nisa.dma_copy(tile, x)
        nisa.dma_copy(out, tile)
        return out
    """
    target = Subject.of(tmp_path, body, rows_and_columns).target

    def run(**fixed: int) -> Run:
        (found,) = verify(target, Options(root=tmp_path, phases=(4,), fixed=tuple(fixed.items())))
        return found

    assert run(C=2).violations[0].witness == {"R": 3, "C": 2}
    assert run(R=3).violations[0].witness == {"R": 3, "C": 1}
    assert run(R=4).verdict is Verdict.SUCCESSFUL


@pytest.mark.parametrize(("pieces", "read", "shown"), [("[2, 4], [1, n]", 7, False), ("[2, n], [1, 2]", 2, True)])
def test_pieces_that_may_leave_gaps_are_not_taken_for_one(pieces: str, read: int, shown: bool, tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x, n):
        tile = nl.ndarray((4, 16), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(tile.ap([[16, 4], PIECES]), 0.0)
        out = nl.ndarray((4, READ), dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(out, tile[:, 0:READ])
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (4, 4), float32), v.dim("n", 1, 4))

    found = Subject.of(tmp_path, body.replace("PIECES", pieces).replace("READ", str(read)), domain)
    assert (not found.proof().open) is shown
    assert found.verdict().verdict is (Verdict.SUCCESSFUL if shown else Verdict.FAILED)


@pytest.mark.parametrize(("low", "shown"), [(1, True), (2, False)])
def test_lanes_on_both_sides_of_one_that_is_left_alone(low: int, shown: bool, tmp_path: Path) -> None:
    rows = f"nisa.dma_copy(rows[0:1], x[0:1]); nisa.dma_copy(rows[{low}:32], x[{low}:32])"
    found = Subject.of(tmp_path, SHUFFLED.replace("nisa.dma_copy(rows, x[0:32])", rows), square)
    assert (not found.proof().open) is shown
    assert found.verdict().verdict is (Verdict.SUCCESSFUL if shown else Verdict.FAILED)


@pytest.mark.parametrize(("low", "shown"), [(1, True), (2, False)])
def test_rows_of_an_operand_with_an_axis_less_are_no_partitions(low: int, shown: bool, tmp_path: Path) -> None:
    body = """
    @nki.jit
    def kernel(x):
        part = nl.ndarray((8, 8), dtype=x.dtype, buffer=nl.sbuf)
        part[0:1, :] = nl.load(x[0:1, 0:8])
        part[LOW:8, :] = nl.load(x[LOW:8, 0:8])
        found = nl.add(nl.load(x).reshape((8, 8, 8)), part)
        out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        nl.store(out, found[0:1].reshape((1, 64)))
        return out
    """

    def domain(v: Verification) -> None:
        v.call(v.tensor("x", (8, 64), float32))

    found = Subject.of(tmp_path, body.replace("LOW", str(low)), domain, legacy=True)
    assert (not found.proof().open) is shown
    assert found.verdict().verdict is (Verdict.SUCCESSFUL if shown else Verdict.FAILED)
