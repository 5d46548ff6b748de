"""What is live, for all shapes at once, against concrete runs in which every lifetime is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.records import Run, Verdict
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float16, float32
from tests.bundled import BY_NAME as TARGETS
from tests.memory.kernels import explored, peaks, target_of
from tests.soundness.trap import verdict

#: Shapes on which the peak of all shapes is that of a concrete run.
EXACT = [
    ("matmul_tiled_all", {"K": 384, "M": 256, "N": 512}),
    ("matmul_hoist_load_all", {"K": 384, "M": 256, "N": 1536}),
    ("matmul_block_free_all", {"K": 1024, "M": 512, "N": 1024}),
    ("matmul_fully_optimized_all", {"K": 2048, "M": 2048, "N": 1024}),
    ("matmul_fully_optimized_all", {"K": 1024, "M": 4096, "N": 1024}),
    ("matmul_all", {"K": 1024, "M": 512, "N": 2048}),
    ("tensor_add_all", {"M": 128, "N": 1024}),
    ("transpose2d_all", {"P": 128, "F1": 3, "F2": 5}),
    ("attn_fwd_v2_all", {"seq": 512}),
    ("attn_fwd_v3_all", {"seq": 512, "dtype": 0}),
    ("mamba_v1_all", {"batch": 1, "channels": 128, "seq": 24, "states": 3}),
    ("avgpool_all", {"C": 3, "H": 7, "W": 5, "size": 2}),
]


@pytest.mark.parametrize(
    ("name", "values"), EXACT, ids=[f"{name}-{'-'.join(map(str, v.values()))}" for name, v in EXACT]
)
def test_the_peak_of_a_kernel_is_that_of_its_concrete_run(name: str, values: dict[str, int]) -> None:
    for symbolic, concrete in peaks(TARGETS[name], values):
        assert symbolic == concrete


# ------------------------------------------------------------------------------------------------------ small kernels

#: In a loop of n: its body, and what is live at once, in columns of float32, for n from 1 to 4.
LOOPS = {
    "made and used in an iteration": (
        """
        for i in range(n):
            one = tile(8)
            nisa.memset(one, 0)
            two = tile(4)
            nisa.tensor_copy(two, one[:, 0:4])
            nisa.tensor_copy(two, two)
        """,
        [12, 12, 12, 12],
    ),
    "kept by a list": (
        """
        kept = []
        for i in range(n):
            one = tile(8)
            nisa.memset(one, 0)
            kept.append(one)
        for i in range(n):
            nisa.tensor_copy(kept[i], kept[i])
        """,
        [8, 16, 24, 32],
    ),
    "kept by a list of lists": (
        """
        kept = []
        for i in range(n):
            row = []
            for j in range(3 * n):
                one = tile(2)
                nisa.memset(one, 0)
                row.append(one)
            kept.append(row)
        for i in range(n):
            for j in range(3 * n):
                nisa.tensor_copy(kept[i][j], kept[i][j])
        """,
        [6, 24, 54, 96],
    ),
    "kept by a list, made with the help of another": (
        """
        kept = []
        for i in range(n):
            other = tile(64)
            nisa.memset(other, 0)
            one = tile(8)
            nisa.tensor_copy(one, other[:, 0:8])
            kept.append(one)
        for i in range(n):
            nisa.tensor_copy(kept[i], kept[i])
        """,
        [72, 80, 88, 96],
    ),
    "kept by a list, the help is over before": (
        """
        kept = []
        for i in range(n):
            other = tile(64)
            nisa.memset(other, 0)
            one = tile(8)
            nisa.memset(one, 0)
            kept.append(one)
        for i in range(n):
            nisa.tensor_copy(kept[i], kept[i])
        """,
        [64, 72, 80, 88],
    ),
    "kept by a list and never read": (
        """
        kept = []
        for i in range(n):
            one = tile(8)
            nisa.memset(one, 0)
            kept.append(one)
        """,
        [8, 8, 8, 8],
    ),
    "from before the loop": (
        """
        before = tile(16)
        nisa.memset(before, 0)
        for i in range(n):
            one = tile(8)
            nisa.tensor_copy(one, before[:, 0:8])
            two = tile(4)
            nisa.memset(two, 0)
        """,
        [24, 24, 24, 24],
    ),
    "used before the loop only": (
        """
        before = tile(16)
        nisa.memset(before, 0)
        for i in range(n):
            one = tile(8)
            nisa.memset(one, 0)
        """,
        [16, 16, 16, 16],
    ),
    "one after the other": (
        """
        for i in range(n):
            one = tile(16)
            nisa.memset(one, 0)
        for i in range(n):
            two = tile(8)
            nisa.memset(two, 0)
        """,
        [16, 16, 16, 16],
    ),
    "on one side of a branch": (
        """
        for i in range(n):
            if i % 2 == 0:
                one = tile(16)
                nisa.memset(one, 0)
            else:
                two = tile(24)
                nisa.memset(two, 0)
        """,
        [16, 24, 24, 24],
    ),
    "a size that grows with n": (
        """
        for i in range(n):
            one = tile(8 * n)
            nisa.memset(one, 0)
        """,
        [8, 16, 24, 32],
    ),
    "the last of a loop": (
        """
        for i in range(n):
            one = tile(8)
            nisa.memset(one, 0)
        nisa.tensor_copy(one, one)
        """,
        [8, 8, 8, 8],
    ),
    "through a view": (
        """
        before = tile(16)
        nisa.memset(before, 0)
        view = before[:, 4:8].reshape((128, 2, 2))
        other = tile(32)
        nisa.memset(other, 0)
        for i in range(n):
            one = tile(2)
            nisa.tensor_copy(one, view[:, 0, :])
        """,
        [48, 48, 48, 48],
    ),
    "in a loop on the device": (
        """
        before = tile(16)
        other = tile(32)
        nisa.memset(before, 0)
        nisa.memset(other, 0)
        for i in nl.dynamic_range(n):
            nisa.tensor_copy(before, before)
            one = tile(2)
            nisa.memset(one, 0)
            nisa.tensor_copy(other, other)
        """,
        [50, 50, 50, 50],
    ),
}


def for_n(v: Verification) -> None:
    """Call the kernel with any n."""
    v.call(v.dim("n"))


@pytest.mark.parametrize("case", LOOPS, ids=LOOPS.keys())
def test_what_a_loop_keeps_alive(case: str, tmp_path: Path) -> None:
    body, columns = LOOPS[case]
    target = target_of(f"def kernel(n):{body}", for_n, tmp_path)
    for n, expected in enumerate(columns, 1):
        (symbolic, concrete), psum = peaks(target, {"n": n})
        assert concrete == 4 * expected
        assert symbolic == concrete or (symbolic > concrete and case == "on one side of a branch" and n == 1)
        assert psum == (0, 0)


def test_a_size_that_differs_between_iterations_is_bounded_by_the_largest(tmp_path: Path) -> None:
    source = """
    def kernel(n):
        kept = []
        for i in range(n):
            one = tile(2 * i + 2)
            nisa.memset(one, 0)
            kept.append(one)
        for i in range(n):
            nisa.tensor_copy(kept[i], kept[i])
    """
    (symbolic, concrete), _ = peaks(target_of(source, for_n, tmp_path), {"n": 4})
    assert (symbolic, concrete) == (4 * 4 * 8, 4 * (2 + 4 + 6 + 8))


def test_a_result_that_is_assigned_is_computed_in_its_place(tmp_path: Path) -> None:
    source = """
    def kernel(x):
        kept = nl.ndarray((4, nl.par_dim(128), 8), nl.float32, buffer=nl.sbuf)
        for i in range(4):
            kept[i] = nl.load(x)
        nl.store(x, kept[3])
    """

    def call(v: Verification) -> None:
        v.call(v.tensor("x", (128, 8), float32))

    assert peaks(target_of(source, call, tmp_path, legacy=True), {})[0] == (128, 128)


# ---------------------------------------------------------------------------------------------- the claim of no spills


def no_spills(function: object, source: str, folder: Path) -> Run:
    """The verdict of phase 3 about a kernel, with `no_spills`."""

    def call(v: Verification) -> None:
        v.no_spills()
        function(v)  # type: ignore[operator]

    return verdict(target_of(source, call, folder), 3)


KEEPING = "def kernel(n):" + LOOPS["kept by a list"][0].replace("tile(8)", "tile(1024)")


def test_the_first_number_of_tiles_that_does_not_fit_is_the_witness(tmp_path: Path) -> None:
    # 52 tiles of 4096 bytes are 212992 bytes; 212984 are usable.
    run = no_spills(for_n, KEEPING, tmp_path)
    assert run.verdict is Verdict.FAILED
    (violation,) = [one for one in run.violations if one.replayed]
    assert (violation.contract, violation.witness) == ("mem.capacity_live", {"n": 52})


def test_one_tile_less_fits(tmp_path: Path) -> None:
    run = no_spills(lambda v: v.call(v.dim("n", high=51)), KEEPING, tmp_path)
    assert run.verdict is Verdict.SUCCESSFUL
    assert run.memory[0].fits == {"n": None}


def test_without_the_claim_it_is_only_told(tmp_path: Path) -> None:
    run = verdict(target_of(KEEPING, for_n, tmp_path), 3)
    assert run.verdict is Verdict.SUCCESSFUL
    (sbuf,) = run.memory
    assert (sbuf.live, sbuf.fits, sbuf.limit) == ("4096*n", {"n": 51}, 212984)
    (growth,) = sbuf.along
    assert growth.dimension == "n" and growth.bytes == tuple(4096 * value for value in growth.values)
    assert (growth.values[0], growth.bytes[-1] > sbuf.limit) == (1, True)


@pytest.mark.parametrize(
    ("assumed", "fits"),
    [
        (lambda v, n: v.assume(n % 4 == 0), {"n": 48}),
        (lambda v, n: v.assume(n <= 51), {"n": None}),
        # The next value belongs to another m, so nothing is known of the next one that is.
        (lambda v, n: v.assume(n == 3 * v.dim("m")), {}),
    ],
    ids=["a step", "a bound", "tied to another dimension"],
)
def test_what_is_assumed_of_a_dimension_says_which_values_have_to_fit(
    assumed: Callable[[Verification, Any], None], fits: dict[str, int | None], tmp_path: Path
) -> None:
    def call(v: Verification) -> None:
        n = v.dim("n")
        assumed(v, n)
        v.call(n)

    (sbuf,) = verdict(target_of(KEEPING, call, tmp_path), 3).memory
    assert sbuf.fits == fits


def test_tiles_of_few_partitions_may_lie_side_by_side(tmp_path: Path) -> None:
    narrow = KEEPING.replace("tile(1024)", "tile(1024, 32)")
    # Between what is sufficient and what is necessary nothing is concluded.
    run = no_spills(lambda v: v.call(v.dim("n", 60, 100)), narrow, tmp_path)
    assert (run.verdict, run.qualifier) == (Verdict.UNKNOWN, "may not fit")
    run = no_spills(lambda v: v.call(v.dim("n", 60, 208)), narrow, tmp_path)
    assert run.verdict is Verdict.FAILED


def test_the_control_of_the_manifest_fails_at_the_first_block_too_many() -> None:
    target: Target = TARGETS["matmul_fully_optimized_spills"]
    run = verdict(target, 3)
    assert run.verdict is Verdict.FAILED
    assert [one.values["M"] for one in run.violations if one.replayed] == [10240]
    program, memory = explored(replace(target, hardware="trn1"))
    assert {need.limit for need in memory.needs} == {180224, 16384}
    assert program.dimensions


def test_what_is_told_names_tensors_and_their_place() -> None:
    sbuf, psum = verdict(TARGETS["matmul_tiled_all"], 3).memory
    assert (psum.memory, psum.live, psum.fits) == ("psum", "2048", {})
    assert {one.name for one in sbuf.tensors} == {"stationary", "moving"}
    assert sbuf.place is not None and sbuf.place.line
    assert float16.itemsize * (128 + 512) == int(sbuf.live)
