"""Tensors that the kernel places: in range, apart while they are live, and used in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from tests.memory.kernels import target_of
from tests.soundness.trap import verdict


def for_n(v: Verification) -> None:
    """Call the kernel with any n."""
    v.call(v.dim("n"))


def run_of(source: str, folder: Path, high: int | None = None) -> Run:
    """The verdict of phase 3 about the kernel for every n up to `high`."""
    return verdict(target_of(source, lambda v: v.call(v.dim("n", high=high)), folder), 3)


TWICE = """
def kernel(n):
    for i in range(n):
        one = tile(8, address=(0, 32 * (i % 2)))
        two = tile(8, address=(0, {second}))
        nisa.memset(one, 0)
        nisa.memset(two, 1)
        nisa.tensor_tensor(two, one, two, nl.add)
"""


def test_buffers_that_take_turns_are_apart(tmp_path: Path) -> None:
    assert run_of(TWICE.format(second="64"), tmp_path).verdict is Verdict.SUCCESSFUL


def test_a_buffer_in_the_way_of_every_second_iteration(tmp_path: Path) -> None:
    run = run_of(TWICE.format(second="32"), tmp_path)
    assert run.verdict is Verdict.FAILED
    (violation,) = run.violations
    assert (violation.contract, violation.witness, violation.replayed) == ("mem.placed_overlap", {"n": 2}, True)


KEPT = """
def kernel(n):
    kept = []
    for i in range(n):
        one = tile(8, address=(0, {start}))
        nisa.memset(one, 0)
        kept.append(one)
    for i in range(n):
        nisa.tensor_copy(kept[i], kept[i])
"""


def test_tiles_of_a_list_lie_one_behind_the_other(tmp_path: Path) -> None:
    assert run_of(KEPT.format(start="32 * i"), tmp_path, high=6655).verdict is Verdict.SUCCESSFUL


def test_the_first_tile_of_a_list_beyond_the_partition(tmp_path: Path) -> None:
    # 6655 * 32 bytes are 212960, and 212984 are usable.
    run = run_of(KEPT.format(start="32 * i"), tmp_path)
    assert run.verdict is Verdict.FAILED
    (violation,) = run.violations
    assert (violation.contract, violation.witness, violation.replayed) == ("mem.addr_range", {"n": 6656}, True)


def test_tiles_of_a_list_that_come_round_again(tmp_path: Path) -> None:
    run = run_of(KEPT.format(start="32 * (i % 4)"), tmp_path)
    assert run.verdict is Verdict.FAILED
    found = {(one.contract, one.witness["n"]) for one in run.violations if one.replayed}
    assert found == {("mem.placed_overlap", 5)}


def test_tiles_of_a_list_a_byte_too_close(tmp_path: Path) -> None:
    run = run_of(KEPT.format(start="31 * i"), tmp_path, high=100)
    assert run.verdict is Verdict.FAILED
    assert run.violations[0].witness == {"n": 2}


def test_one_behind_the_other_in_time_may_share_a_place(tmp_path: Path) -> None:
    source = """
    def kernel(n):
        one = tile(8, address=(0, 0))
        nisa.memset(one, 0)
        two = tile(8, address=(0, 0))
        nisa.memset(two, 0)
        nisa.tensor_copy(two, two)
    """
    assert run_of(source, tmp_path).verdict is Verdict.SUCCESSFUL


def test_side_by_side_in_partitions_is_apart(tmp_path: Path) -> None:
    source = """
    def kernel(n):
        one = tile(4, 64, address=(0, 0))
        two = tile(4, 32, address=({partition}, 0))
        nisa.memset(one, 0)
        nisa.memset(two, 0)
        nisa.tensor_copy(two, one[0:32, :])
    """
    assert run_of(source.format(partition=64), tmp_path).verdict is Verdict.SUCCESSFUL
    # Partition 32 is behind the 16 bytes of a partition, and not behind the partitions.
    for partition in (0, 32):
        run = run_of(source.format(partition=partition), tmp_path)
        assert (run.verdict, run.violations[0].contract) == (Verdict.FAILED, "mem.placed_overlap")


def test_an_allocator_written_in_the_kernel(tmp_path: Path) -> None:
    source = """
    class Stack:
        def __init__(self):
            self.top = 0

        def tile(self, columns):
            one = tile(columns, address=(0, self.top))
            self.top += {size}
            return one

    def kernel(n):
        stack = Stack()
        tiles = [stack.tile(n), stack.tile(n)]
        nisa.memset(tiles[0], 0)
        nisa.memset(tiles[1], 0)
        nisa.tensor_copy(tiles[1], tiles[0])
    """
    assert run_of(source.format(size="4 * columns"), tmp_path, high=1000).verdict is Verdict.SUCCESSFUL
    run = run_of(source.format(size="2 * columns"), tmp_path, high=1000)
    assert (run.verdict, run.violations[0].contract) == (Verdict.FAILED, "mem.placed_overlap")


def test_reusing_a_place_in_turn_within_an_iteration_is_left_open(tmp_path: Path) -> None:
    # Each is written anew before it is read: legal as far as anyone can tell, and its lifetime says otherwise.
    source = """
    def kernel(n):
        one = tile(8, address=(0, 0))
        two = tile(8, address=(0, 0))
        for i in range(n):
            nisa.memset(one, 0)
            nisa.tensor_copy(one, one)
            nisa.memset(two, 0)
            nisa.tensor_copy(two, two)
    """
    run = run_of(source, tmp_path)
    assert (run.verdict, run.qualifier) == (Verdict.UNKNOWN, "may not fit")


# ---------------------------------------------------------------------------------------------- start partitions, views

STARTS = [
    ("t[0:40]", True), ("t[32:64]", True), ("t[64:128]", True), ("t[96:128]", True), ("t[96:97]", True),
    ("t[40:80]", False), ("t[32:65]", False), ("t[64:129 - 1]", True), ("t[16:32]", False), ("t[1:2]", False),
    ("t.ap([[64, 32], [1, 64]], offset=32 * 64)", True), ("t.ap([[64, 32], [1, 64]], offset=8 * 64)", False),
    ("t[64:96].slice(0, 16, 32)", False),
    ("t[64:96].view(nl.bfloat16)", True),
    ("t[16:48].view(nl.bfloat16)", False),
    ("t.view(nl.bfloat16)[16:48, 3:4]", False),
    ("tile16()[16:48].view(nl.float32)", False),
    ("tile16()[32:64, 8:16].view(nl.float32)", True),
    ("t[64:96].reshape((32, 8, 8))[:, 3, :]", True),
    ("t.reshape((128, 8, 8))[8:16, 3, :]", False),
    ("t.reshape((128, 1, 64))[8:16, 0, :]", False),
    ("tile(1)[40:80]", False),
    ("tile(1)[64:128]", True),
    ("t.reshape((128, 8, 8)).permute((0, 2, 1))[32:64, :, 3]", True),
]  # fmt: skip


@pytest.mark.parametrize(("view", "legal"), STARTS)
def test_where_an_access_may_start(view: str, legal: bool, tmp_path: Path) -> None:
    run = run_of(f"def kernel(n):\n    t = tile(64)\n    nisa.memset({view}, 0)\n", tmp_path)
    assert run.verdict is (Verdict.SUCCESSFUL if legal else Verdict.FAILED), run.reason
    assert {one.contract for one in run.violations} == (set() if legal else {"mem.start_partition"})


def test_a_small_tensor_may_be_placed_so_that_its_part_can_start(tmp_path: Path) -> None:
    # A tensor of 96 partitions may start at 32: its part from 32 on then starts at 64.
    source = "def kernel(n):\n    t = tile(64, {rows})\n    nisa.memset(t[32:{rows}], 0)\n"
    assert run_of(source.format(rows=96), tmp_path).verdict is Verdict.SUCCESSFUL
    assert run_of(source.format(rows=97), tmp_path).verdict is Verdict.FAILED


def test_for_which_sizes_a_part_can_start(tmp_path: Path) -> None:
    source = "def kernel(n):\n    t = tile(64)\n    nisa.memset(t[64:64 + n], 0)\n    nisa.memset(t[0:n], 0)\n"
    assert run_of(source, tmp_path, high=64).verdict is Verdict.SUCCESSFUL
    source = "def kernel(n):\n    t = tile(64)\n    nisa.memset(t[32:32 + n], 0)\n"
    run = run_of(source, tmp_path, high=64)
    assert (run.verdict, run.violations[0].witness) == (Verdict.FAILED, {"n": 33})


def test_a_dma_reaches_every_row(tmp_path: Path) -> None:
    source = """
    def kernel(x):
        t = tile(64)
        nisa.dma_copy(t[7:9], x)
    """
    target = target_of(source, lambda v: v.call(v.tensor("x", (2, 64), float32)), tmp_path)
    assert verdict(target, 3).verdict is Verdict.SUCCESSFUL


# -------------------------------------------------------------------------------------------------- legacy allocators

MODULO = """
def kernel(x):
    kept = nl.ndarray((4, nl.par_dim(128), 8), nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    for i in range({ahead}):
        kept[i] = nl.load(x)
    for i in range(4 - {ahead}):
        nl.store(x, kept[i])
        kept[i + {ahead}] = nl.load(x)
    for i in range(4 - {ahead}, 4):
        nl.store(x, kept[i])
"""


@pytest.mark.parametrize(("ahead", "expected"), [(1, Verdict.SUCCESSFUL), (2, Verdict.SUCCESSFUL), (3, Verdict.FAILED)])
def test_blocks_in_fewer_tiles_than_there_are(ahead: int, expected: Verdict, tmp_path: Path) -> None:
    def call(v: Verification) -> None:
        v.call(v.tensor("x", (128, 8), float32))

    run = verdict(target_of(MODULO.format(ahead=ahead), call, tmp_path, legacy=True), 3)
    assert run.verdict is expected, run.reason
    assert {one.contract for one in run.violations} <= {"mem.placed_overlap"}


@pytest.mark.parametrize(("shape", "expected"), [("128, 9, 8", Verdict.SUCCESSFUL), ("9, 128, 8", Verdict.FAILED)])
def test_tiles_are_counted_where_there_are_block_dimensions(shape: str, expected: Verdict, tmp_path: Path) -> None:
    # Without, all of the tensor is one tile; with one, 9000 tiles of 32 bytes are more than a partition has.
    source = """
    def kernel(x):
        place = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(9000,))
        kept = nl.ndarray((SHAPE), nl.float32, buffer=place)
        kept[...] = nl.load(x)
        nl.store(x, kept)
    """
    parts = shape.replace("128", "nl.par_dim(128)")
    sizes = tuple(map(int, shape.split(", ")))
    target = target_of(
        source.replace("SHAPE", parts), lambda v: v.call(v.tensor("x", sizes, float32)), tmp_path, legacy=True
    )
    run = verdict(target, 3)
    assert run.verdict is expected, run.reason
    assert {one.contract for one in run.violations} <= {"mem.addr_range"}


@pytest.mark.parametrize(("size", "expected"), [(32, Verdict.SUCCESSFUL), (31, Verdict.FAILED)])
def test_blocks_that_a_function_places(size: int, expected: Verdict, tmp_path: Path) -> None:
    source = f"""
    def place(idx, partitions, size):
        return 0, idx[0] * {size}

    def kernel(x):
        kept = nl.ndarray((4, nl.par_dim(128), 8), nl.float32, buffer=ncc.sbuf.alloc(place))
        for i in range(4):
            kept[i] = nl.load(x)
        for i in range(4):
            nl.store(x, kept[i])
    """

    def call(v: Verification) -> None:
        v.call(v.tensor("x", (128, 8), float32))

    run = verdict(target_of(source, call, tmp_path, legacy=True), 3)
    assert run.verdict is expected, run.reason


def test_an_allocator_in_a_large_domain_is_left_open(tmp_path: Path) -> None:
    def call(v: Verification) -> None:
        v.call(v.tensor("x", (128, v.dim("n")), float32))

    source = MODULO.format(ahead=1).replace("kernel(x):", "kernel(x):\n    assert x.shape[1] == 8")
    run = verdict(target_of(source, call, tmp_path, legacy=True), 3)
    assert run.verdict is Verdict.UNKNOWN
    assert "more than 16 shapes" in run.reason


def test_every_program_of_a_grid_has_memories_of_its_own(tmp_path: Path) -> None:
    source = """
    import nki

    @nki.jit
    def kernel(x):
        one = tile(8, address=(0, 32 * nl.program_id(0)))
        two = tile(8, address=(0, 64))
        nisa.memset(one, 0)
        nisa.memset(two, 0)
        nisa.tensor_copy(two, one)
        kept = tile(40000)
        nisa.memset(kept, 0)
        nisa.tensor_copy(kept[:, 0:8], two)
    """

    def call(cores: int) -> Run:
        def function(v: Verification) -> None:
            v.no_spills()
            v.call(v.tensor("x", (128, 8), float32), grid=cores)

        return verdict(target_of(source, function, tmp_path), 3)

    assert call(2).verdict is Verdict.SUCCESSFUL
    run = call(3)
    assert (run.verdict, run.violations[0].contract) == (Verdict.FAILED, "mem.placed_overlap")


@pytest.mark.parametrize(("free", "expected"), [(65536, Verdict.SUCCESSFUL), (65537, Verdict.FAILED)])
def test_what_psum_holds_is_counted_once_however_often_it_is_repeated(
    free: int, expected: Verdict, tmp_path: Path
) -> None:
    source = f"""
def kernel(n):
    column = nl.ndarray((128, 1), nl.float32, nl.psum)
    repeated = nl.ndarray((128, {free}), nl.uint8, nl.sbuf)
    nisa.tensor_copy(repeated, column.broadcast(1, {free}), engine=nisa.engine.vector)
"""
    assert run_of(source, tmp_path).verdict is expected


def test_rows_between_quarters_are_told_apart_in_a_concrete_run(tmp_path: Path) -> None:
    source = """
    def kernel(n):
        one = nl.ndarray((20, 8), nl.float32, nl.sbuf, address=(0, 0))
        two = nl.ndarray((20, 8), nl.float32, nl.sbuf, address=({partition}, 0))
        out = nl.ndarray((40, 8), nl.float32, nl.shared_hbm)
        nisa.memset(one, 0)
        nisa.dma_copy(two, one)
        nisa.dma_copy(out[0:20, :], one)
        nisa.dma_copy(out[20:40, :], two)
    """
    for partition, found in ((20, set()), (19, {"mem.placed_overlap"})):
        run = run_of(source.format(partition=partition), tmp_path, high=1)
        assert {one.contract for one in run.violations} == found
        target = target_of(source.format(partition=partition), lambda v: v.call(1), tmp_path)
        assert {one.contract for one in verdict(target, 3).violations} == found


def test_a_quarter_beside_three_is_not_spilled(tmp_path: Path) -> None:
    source = """
    def kernel(n):
        one, two = tile(53246, {rows}), tile(53246, 32)
        nisa.memset(one, 0)
        nisa.memset(two, 0)
        nisa.tensor_copy(one, one)
        nisa.tensor_copy(two, two)
    """

    def run_with(rows: int) -> Run:
        def once(v: Verification) -> None:
            v.no_spills()
            v.call(1)

        return verdict(target_of(source.format(rows=rows), once, tmp_path), 3)

    assert run_with(96).verdict is Verdict.UNKNOWN
    assert run_with(97).verdict is Verdict.FAILED
