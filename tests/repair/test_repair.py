"""Repairs: what is told mends the kernel, computes what is wanted, and an assert is the last resort."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.loader import load_module
from nkiverify.frontend.trees import reading_instead
from nkiverify.products.repair.patches import RepairAnswer, RepairQuestion
from nkiverify.products.repair.repair import repaired
from nkiverify.verify.options import Options

COPY = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R % 128 == 0
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(R // 128):
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out
"""

TRANSPOSE = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R % 128 == 0 and C % 128 == 0
    out = nl.ndarray((C, R), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(R // 128):
        for c in range(C // 128):
            tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
            result = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[r * 128 : (r + 1) * 128, c * 128 : (c + 1) * 128])
            nisa.nc_transpose(dst=turned, data=tile)
            nisa.tensor_copy(dst=result, src=turned)
            nisa.dma_copy(dst=out[c * 128 : (c + 1) * 128, r * 128 : (r + 1) * 128], src=result)
    return out
"""


def repair(folder: Path, text: str, against: str = "", seconds: float = 20.0) -> RepairAnswer:
    """The answer about a kernel with this text; `against` is the text of a reference."""
    (folder / "kernel.py").write_text(text, encoding="utf-8")
    name = ""
    if against:
        (folder / "reference.py").write_text(against, encoding="utf-8")
        name = f"reference.py::{'kernel' if 'nki' in against else 'reference'}"
    asked = RepairQuestion("kernel.py::kernel", folder, against=name, seconds=seconds)
    return repaired(asked, Options(root=folder, largest_range=True, timeout=seconds))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("dst=out[i * 128 : (i + 1) * 128, :]", "dst=out[i * 127 : (i + 1) * 128, :]"),
        ("src=x[i * 128 : (i + 1) * 128, :]", "src=x[i * 128 + 1 : (i + 1) * 128, :]"),
        ("dst=tile, src=x", "dst=tile[:, 0:1], src=x"),
    ],
)
def test_an_edit_of_one_place_is_taken_back(tmp_path: Path, written: str, meant: str) -> None:
    found = repair(tmp_path, COPY.replace(written, meant))
    assert found.patches and found.patches[0].text(COPY.replace(written, meant)) == COPY
    assert found.patches[0].whole


SHORT = COPY.replace(
    "dst=tile, src=x[i * 128 : (i + 1) * 128, :]", "dst=tile[0:64, :], src=x[i * 128 : i * 128 + 64, :]"
)
HALVES = COPY.replace("R % 128 == 0", "R % 128 == 0 and C % 2 == 0").replace(
    "        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])\n",
    "        nisa.dma_copy(dst=tile[:, 0 : C // 2], src=x[i * 128 : (i + 1) * 128, 0 : C // 2])\n"
    "        nisa.dma_copy(dst=tile[:, 0 : C // 2], src=x[i * 128 : (i + 1) * 128, C // 2 : C])\n",
)
LEGACY = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R % 128 == 0
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(R // 128):
        made = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        tile = nl.load(x[i * 128 : (i + 1) * 128, 0:C])
        made[0:64, 0:C] = nl.multiply(tile, 2.0)[0:64, 0:C]
        nl.store(out[i * 128 : (i + 1) * 128, 0:C], made)
    return out
"""


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        (SHORT, "dst=tile[0:128, :], src=x[i * 128 : i * 128 + 128, :]"),
        (HALVES, "dst=tile[:, C // 2 : C], src=x[i * 128 : (i + 1) * 128, C // 2 : C]"),
        # A store of the tile that is loaded leaves out what is computed.
        (LEGACY, "made[0:128, 0:C] = nl.multiply(tile, 2.0)[0:128, 0:C]"),
    ],
)
def test_a_store_that_is_too_short_is_not_filled_with_zeros(tmp_path: Path, text: str, mended: str) -> None:
    found = repair(tmp_path, text)
    assert found.patches[0].whole and mended in found.patches[0].text(text)


SUMS = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    R, C = x.shape
    assert R % 128 == 0
    out = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(R // 128):
        tile = nl.ndarray((128, C), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=tile, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total)
        nisa.reciprocal(dst=total, data=total)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out
"""


def test_a_sum_that_is_never_begun_is_begun_and_no_zeros_stand_for_it(tmp_path: Path) -> None:
    found = repair(tmp_path, SUMS)
    assert "reduce_res=total, reduce_cmd=nisa.reduce_cmd.reset_reduce)" in found.patches[0].text(SUMS)


EXCHANGED = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(a, b):
    M, K = a.shape
    _, N = b.shape
    assert N <= 512
    out = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in range(M // 128):
        total = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.psum)
        for k in range(K // 128):
            s = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
            t = nl.ndarray((128, N), dtype=b.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=s, src=a[k * 128 : (k + 1) * 128, m * 128 : (m + 1) * 128])
            nisa.dma_copy(dst=t, src=b[k * 128 : (k + 1) * 128, :])
            nisa.nc_matmul(dst=total, stationary=s, moving=t)
        made = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=made, src=total)
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, :], src=made)
    return out
"""


def test_dimensions_named_in_the_wrong_order_are_no_assert_that_they_are_equal(tmp_path: Path) -> None:
    found = repair(tmp_path, EXCHANGED)
    assert "K, M = a.shape" in found.patches[0].text(EXCHANGED)
    # Whole tiles are still not checked, as before.
    assert "M % 128 == 0" in found.patches[0].left and "M == K" not in found.patches[0].left


def test_exchanged_blocks_of_a_transpose_are_no_assert_that_it_is_square(tmp_path: Path) -> None:
    right = "dst=out[c * 128 : (c + 1) * 128, r * 128 : (r + 1) * 128]"
    wrong = TRANSPOSE.replace(right, "dst=out[r * 128 : (r + 1) * 128, c * 128 : (c + 1) * 128]")
    found = repair(tmp_path, wrong)
    assert found.patches[0].text(wrong) == TRANSPOSE
    assert found.patches[0].equal.startswith("equal to the kernel as it is")
    assert not any(one.kind == "assert" for one in found.patches)


def test_what_the_reference_does_not_compute_is_not_told(tmp_path: Path) -> None:
    wrong = COPY.replace("src=x[i * 128 : (i + 1) * 128, :]", "src=x[i * 128 + 1 : (i + 1) * 128, :]")
    twice = "def reference(x):\n    return 2 * x\n"
    assert not any(one.kind != "assert" for one in repair(tmp_path, wrong, twice).patches)
    same = "def reference(x):\n    return x\n"
    first = repair(tmp_path, wrong, same).patches[0]
    assert first.text(wrong) == COPY
    assert first.equal.startswith("equal to reference.py::reference")


def test_a_reference_may_stand_in_the_file_of_the_kernel(tmp_path: Path) -> None:
    wrong = COPY.replace("src=x[i * 128 : (i + 1) * 128, :]", "src=x[i * 128 + 1 : (i + 1) * 128, :]")
    text = wrong + "\n\ndef reference(x):\n    return x\n"
    (tmp_path / "kernel.py").write_text(text, encoding="utf-8")
    asked = RepairQuestion("kernel.py::kernel", tmp_path, against="kernel.py::reference", seconds=20.0)
    first = repaired(asked, Options(root=tmp_path, largest_range=True, timeout=20.0)).patches[0]
    assert first.text(text).startswith(COPY)
    assert first.equal.startswith("equal to kernel.py::reference")


def test_an_assert_is_offered_where_nothing_else_mends_it(tmp_path: Path) -> None:
    lacking = COPY.replace("    assert R % 128 == 0\n", "")
    first = repair(tmp_path, lacking, COPY).patches[0]
    assert (first.kind, first.whole, first.caution) == ("assert", True, "")
    assert "assert R % 128 == 0" in first.text(lacking)


def test_an_assert_that_leaves_one_tile_says_so_and_comes_last(tmp_path: Path) -> None:
    # Two mistakes: no edit of one place takes them back.
    wrong = COPY.replace("[i * 128 : (i + 1) * 128, :]", "[i * 256 : i * 256 + 128, :]")
    found = repair(tmp_path, wrong, "def reference(x):\n    return x\n", seconds=4.0)
    last = found.patches[-1]
    assert last.kind == "assert"
    assert "the loop goes round at most once" in last.caution


def test_a_kernel_of_which_nothing_fails_is_left_alone(tmp_path: Path) -> None:
    found = repair(tmp_path, COPY)
    assert (found.wrong, found.patches, found.tried) == (False, (), 0)


def test_a_text_is_read_instead_of_a_file_as_long_as_it_stands_for_it(tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text("size = 1\n", encoding="utf-8")
    assert load_module("kernel.py", tmp_path)[0].size == 1
    with reading_instead(file.resolve(), "size = 2\n"):
        assert load_module("kernel.py", tmp_path)[0].size == 2
    assert load_module("kernel.py", tmp_path)[0].size == 1
    other = (tmp_path / "other.py").resolve()
    with reading_instead(other, "size = 3\n"):
        assert load_module("other.py", tmp_path)[0].size == 3
    with pytest.raises(UsageError):
        load_module("other.py", tmp_path)


def test_the_command_writes_the_first_patch_and_all_of_them_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "kernel.py"
    file.write_text(COPY.replace("dst=out[i * 128 :", "dst=out[i * 127 :"), encoding="utf-8")
    assert main(["repair", "kernel.py", "--json", "found.json", "--apply"]) == 0
    assert file.read_text(encoding="utf-8") == COPY
    told = capsys.readouterr().out
    assert "+        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)" in told
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert found["patches"][0]["text"] == COPY
    assert found["patches"][0]["diff"] in told
    assert main(["repair", "kernel.py"]) == 0
    assert "nothing fails that an edit could mend" in capsys.readouterr().out


GROUPED = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, shared):
    H, D = x.shape
    G, _ = shared.shape
    out = nl.ndarray((H, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for g in range(G):
        for r in range(H // G):
            h = g * (H // G) + r
            one = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
            other = nl.ndarray((1, D), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=one, src=x[h : h + 1, :])
            nisa.dma_copy(dst=other, src=shared[g : g + 1, :])
            nisa.tensor_tensor(dst=one, data1=one, data2=other, op=nl.add)
            nisa.dma_copy(dst=out[h : h + 1, :], src=one)
    return out
"""


def test_another_order_of_rows_is_no_patch(tmp_path: Path) -> None:
    # With one group, or one row in each, both orders are the same.
    found = repair(tmp_path, GROUPED.replace("g * (H // G) + r", "r * G + g + 1"), GROUPED)
    assert found.wrong
    for patch in found.patches:
        text = patch.text(GROUPED.replace("g * (H // G) + r", "r * G + g + 1"))
        assert "h = r * G + g\n" not in text, patch


SCALED = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, s):
    N, D = x.shape
    out = nl.ndarray((N, D), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((N + 127) // 128):
        p = min(128, N - i * 128)
        t = nl.ndarray((128, D), dtype=x.dtype, buffer=nl.sbuf)
        k = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[:p, :], src=x[i * 128 : i * 128 + p, :])
        nisa.dma_copy(dst=k[:p, :], src=s[i * 128 : i * 128 + p, :])
        nisa.tensor_scalar(dst=t[:p, :], data=t[:p, :], op0=nl.multiply, operand0=k[:p, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + p, :], src=t[:p, :])
    return out
"""


def test_an_edit_goes_before_asserts_though_conditions_are_left_that_were_there_before(tmp_path: Path) -> None:
    """The kernel does not check the shape of `s`, with the edit or without."""
    written = SCALED.replace("operand0=k[:p, :]", "operand0=k")
    first, *others = repair(tmp_path, written, seconds=40.0).patches
    assert first.text(written) == SCALED
    assert first.left == ("s1 == 1", "N == s0")
    assert others[-1].kind == "assert"


MATMUL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(lhsT, rhs):
    K, M = lhsT.shape
    K2, N = rhs.shape
    assert K == K2 == 128 and M <= 128 and N <= 512
    out = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.copy(nl.matmul(nl.load(lhsT), nl.load(rhs)), dtype=lhsT.dtype))
    return out
"""


def test_a_forgotten_flag_is_given_though_the_kernel_computes_something_else_where_it_is_square(
    tmp_path: Path,
) -> None:
    found = repair(tmp_path, MATMUL)
    first, *others = found.notes
    assert first.whole
    assert "nl.matmul(nl.load(lhsT), nl.load(rhs), transpose_x=True)" in first.text(MATMUL)
    assert first.equal == "DIFFERENT from the kernel as it is: read it, as nothing says what is meant"
    # What leaves square tensors alone comes last of all.
    assert others[-1].kind == "assert" and others[-1].caution
    assert not found.patches


def test_what_is_different_is_shown_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "kernel.py"
    file.write_text(MATMUL, encoding="utf-8")
    assert main(["repair", "kernel.py", "--json", "found.json", "--apply"]) == 1
    assert file.read_text(encoding="utf-8") == MATMUL
    told = capsys.readouterr()
    assert "no edit of these kinds mends it" in told.out
    assert told.out.index("not applied: a flag") < told.out.index("DIFFERENT") < told.out.index("not applied: assert")
    assert "nothing is written" in told.err
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert not found["patches"]
    assert [one["kind"] for one in found["not_applied"]][-1] == "assert"


def test_what_is_different_from_a_reference_is_not_told_even_where_the_kernel_has_to_be_square(tmp_path: Path) -> None:
    found = repair(tmp_path, MATMUL, "def reference(lhsT, rhs):\n    return lhsT @ rhs\n")
    assert not any("DIFFERENT" in one.equal for one in found.patches)


def test_a_sum_begins_with_the_loop_where_it_is_told_to_go_on(tmp_path: Path) -> None:
    text = (
        COPY.replace("def kernel(x)", "def kernel(x, y)")
        .replace(
            """    for i in range(R // 128):
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
""",
            """    out = nl.ndarray((64, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((64, 32), dtype=nl.float32, buffer=nl.psum)
    for i in range(R // 128):
        left = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        right = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=x[i * 128 : (i + 1) * 128, 0:64])
        nisa.dma_copy(dst=right, src=y[i * 128 : (i + 1) * 128, 0:32])
        nisa.nc_matmul(dst=total, stationary=left, moving=right, accumulate=True)
    result = nl.ndarray((64, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=out, src=result)
""",
        )
        .replace("assert R % 128 == 0", "assert R % 128 == 0 and x.shape == (R, 64) and y.shape == (R, 32)")
    )
    found = repair(tmp_path, text)
    assert "accumulate=i > 0)" in found.patches[0].text(text)
