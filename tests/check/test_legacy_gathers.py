"""Kernels of the legacy API that the documentation shows, and that broke rules of nobody's."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

HEAD = """
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, idx):
    n = idx.shape[0]
    i_p = nl.arange(64)[:, None]
    i_f = nl.arange(32)[None, :]
    out = nl.ndarray((n, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range((n + 63) // 64):
        inside = t * 64 + i_p < n
        rows = nl.load(idx[t * 64 + i_p], mask=inside)
{body}
        nl.store(out[t * 64 + i_p, i_f], value=tile, mask=inside)
    return out
"""
GATHER = "        tile = nl.load(x[rows[i_p, 0], i_f], mask=inside)"
#: Indices whose numbers are changed, or computed.
CHANGED = {
    "in place": "        rows += 1\n" + GATHER,
    "computed": "        rows = nl.add(rows, 1, dtype=nl.int32)\n" + GATHER,
    "assigned": "        other = nl.multiply(rows, 2, dtype=nl.int32)\n        rows[...] = other\n" + GATHER,
    "computed, and one assigned": (
        "        rows = nl.add(rows, 1000, dtype=nl.int32)\n        rows[0:1, 0:1] = 0\n" + GATHER
    ),
    "computed by an instruction, and one assigned": (
        "        rows = nisa.tensor_tensor(rows, rows, op=nl.add)\n        rows[0:1, 0:1] = 0\n" + GATHER
    ),
    "filled, and one assigned": (
        "        rows = nl.full((64, 1), 1000, dtype=nl.int32)\n        rows[0:1, 0:1] = 0\n" + GATHER
    ),
    "stored and loaded": (
        "        nl.store(idx[t * 64 + i_p], value=nl.add(rows, 1, dtype=nl.int32), mask=inside)\n"
        "        rows = nl.load(idx[t * 64 + i_p], mask=inside)\n" + GATHER
    ),
}


@pytest.mark.parametrize(
    "x, last, legal, illegal",
    [("f32[100,32]", "{}", 99, 100), ("f32[V,32]", "V-{}", 1, 0)],
    ids=["concrete", "symbolic"],
)
@pytest.mark.parametrize("rows", ["i32[100]", "i32[N:1..1000]"], ids=["concrete", "symbolic"])
def test_rows_are_gathered_by_indices_that_stay_inside(
    x: str, last: str, legal: int, illegal: int, rows: str, check: Checker
) -> None:
    write(check.folder, k=HEAD.format(body=GATHER))
    arguments = ["k.py::kernel", "--arg", f"x={x}", "--arg"]
    assert check(*arguments, f"idx={rows} in 0..{last.format(legal)}") == 0, check.out
    assert check(*arguments, f"idx={rows} in 0..{last.format(illegal)}") == 1
    assert "leg.oob_dynamic" in check.out
    assert "reproduced by running the kernel" in " ".join(check.out.split())


def test_indices_without_a_declared_range_are_not_taken_to_be_inside(check: Checker) -> None:
    write(check.folder, k=HEAD.format(body=GATHER))
    assert check("k.py::kernel", "--arg", "x=f32[100,32]", "--arg", "idx=i32[100]") == 3
    assert "--arg idx='int32[100] in 0..99'" in " ".join(check.out.split())


@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("x", ["f32[100,32]", "f32[V:100..200,32]"], ids=["concrete", "symbolic"])
def test_indices_that_are_changed_are_followed(change: str, x: str, check: Checker) -> None:
    write(check.folder, k=HEAD.format(body=CHANGED[change]))
    # A number moves both ends of a range, which indices may be at; of what is joined to others a run at them tells.
    status = 3 if change == "stored and loaded" else 1
    words = ("k.py::kernel", "--phase", "1", "--arg", f"x={x}", "--arg")
    assert check(*words, "idx=i32[100] in 0..99") == status, check.out


@pytest.mark.parametrize("change", ["in place", "computed", "assigned"])
def test_indices_that_are_changed_and_stay_inside_are_legal(change: str, check: Checker) -> None:
    write(check.folder, k=HEAD.format(body=CHANGED[change]))
    words = ("k.py::kernel", "--phase", "1", "--arg", "x=f32[V,32]", "--arg")
    assert check(*words, "idx=i32[100] in 0..(V-1)//2-1", "--where", "V > 4 and V < 1000000") == 0, check.out


MATMUL = """
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(w, x):
    K, M = w.shape
    _, H, W = x.shape
    out = nl.ndarray((M, H, W), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((M, H, {width}), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        total[...] += nisa.nc_matmul(nl.load(w), nl.load(x))
    nl.store(out, value=nl.copy(total))
    return out
"""


@pytest.mark.parametrize(
    "w, x", [("bf16[64,32]", "bf16[64,4,16]"), ("bf16[K:1..128,M:1..128]", "bf16[K,H:1..16,W:1..32]")]
)
def test_a_product_has_the_free_dimensions_of_the_moving_tile(w: str, x: str, check: Checker) -> None:
    arguments = ["k.py::kernel", "--arg", f"w={w}", "--arg", f"x={x}"]
    write(check.folder, k=MATMUL.format(width="W"))
    assert check(*arguments) == 0, check.out
    write(check.folder, k=MATMUL.format(width="W + 1"))
    assert check(*arguments) == 1
    assert "leg.assign_shape" in check.out


SHUFFLE = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, F = x.shape
    out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    dst = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=dst, src=tile, shuffle_mask=[0] * 4 + [255] * 28)
    nisa.dma_copy(dst=out, src=dst)
    return out
"""


@pytest.mark.parametrize("columns", ["8", "F:1..512"], ids=["concrete", "symbolic"])
def test_a_shuffle_reads_what_it_leaves_alone_and_nothing_else(columns: str, check: Checker) -> None:
    """Four lanes are written: all there are of 4 partitions, and one too few for 5."""
    write(check.folder, k=SHUFFLE)
    assert check("k.py::kernel", "--arg", f"x=f32[4,{columns}]") == 0, check.out
    assert "df." not in check.out
    assert check("k.py::kernel", "--arg", f"x=f32[P:1..4,{columns}]") == 0, check.out
    assert check("k.py::kernel", "--arg", f"x=f32[5,{columns}]") == 1
    assert "df.read_unwritten" in check.out
    assert check("k.py::kernel", "--arg", f"x=f32[P:1..5,{columns}]") == 1
    assert "P = 5" in check.out


EXPERTS = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl


    @nki.jit
    def chosen(weights, which):
        experts, rows, columns = weights.shape
        out = nl.ndarray((rows, columns), dtype=weights.dtype, buffer=nl.shared_hbm)
        expert = nl.load(which)
        i_p, i_f = nl.arange(128)[:, None], nl.arange(columns)[None, :]
        for row in nl.affine_range(rows // 128):
            tile = nl.load(weights[expert[0, 0], row * 128 + i_p, i_f])
            nl.store(out[row * 128 + i_p, i_f], value=tile)
        return out


    @nki.jit
    def folded(weights, which):
        experts, rows, columns = weights.shape
        out = nl.ndarray((128, rows // 128, columns), dtype=weights.dtype, buffer=nl.shared_hbm)
        expert = nl.load(which)
        i_p, i_r, i_f = nl.mgrid[0:128, 0 : rows // 128, 0:columns]
        i_p, i_r = nl.arange(128)[:, None, None], nl.arange(rows // 128)[None, :, None]
        i_f = nl.arange(columns)[None, None, :]
        tile = nl.load(weights[expert[0, 0], i_r * 128 + i_p, i_f])
        nl.store(out, value=tile)
        return out
"""


@pytest.mark.parametrize("kernel", ["chosen", "folded"])
@pytest.mark.parametrize(("last", "status"), [(3, 0), (4, 1)])
def test_one_index_chooses_before_the_partitions(kernel: str, last: int, status: int, check: Checker) -> None:
    write(check.folder, k=EXPERTS)
    words = ("--arg", "weights=bf16[4,256,64]", "--arg", f"which=i32[1,1] in 0..{last}")
    assert check(f"k.py::{kernel}", *words) == status, check.out
    assert status == 0 or "leg.oob_dynamic" in check.out


COPY = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl


    @nki.jit
    def kernel(a, place):
        tile, at = nl.load(a), nl.load(place)
        i_p, i_f = nl.arange(128)[:, None], nl.arange(1)[None, :]
        out = nl.ndarray((128, 1), dtype=a.dtype, buffer=nl.shared_hbm)
        nl.store(out, {copy})
        return out
"""


@pytest.mark.parametrize(
    ("copy", "numbers", "status"),
    [
        ("nisa.tensor_copy_dynamic_src(tile[:, at[0, 0]])", " in 0..63", 0),
        ("nisa.tensor_copy_dynamic_src(tile[:, at[0, 0]])", " in 0..64", 1),
        ("nisa.tensor_copy_dynamic_src(tile[:, at[0, 0]])", "", 3),
        ("nl.copy(tile[:, at[0, 0]])", " in 0..63", 1),
        ("nisa.tensor_copy_dynamic_src(tile[i_p, at[0, 0] + i_f + 3])", " in 0..60", 0),
        ("nisa.tensor_copy_dynamic_src(tile[i_p, i_f + 3 + at[0, 0]])", " in 0..61", 1),
        ("nl.copy(tile[i_p, at[0, 0] + i_f])", " in 0..63", 1),
    ],
)
def test_a_place_on_chip_that_is_known_at_run_time(check: Checker, copy: str, numbers: str, status: int) -> None:
    """Copies made for it take such a place, in bounds for all numbers that are declared; nothing else does."""
    write(check.folder, k=COPY.format(copy=copy))
    words = ("--arg", "a=f32[128,64]", "--arg", f"place=i32[1,1]{numbers}", "--phase", "1")
    assert check("k.py::kernel", *words) == status
    if status:
        assert ("leg.indirect" if "nl.copy" in copy else "leg.oob_dynamic") in check.out
