"""What `nkiverify check` says of a kernel, and what it takes for granted."""

from __future__ import annotations

import json
import re
import textwrap

import pytest

from nkiverify.foundation.errors import UnsupportedConstruct
from tests.check.kernel_files import COPY, Checker, write


def test_a_file_is_listed(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py", "--list") == 0
    assert check.out.splitlines() == [
        "k.py::copy",
        "  line 7: (a, tile=128)",
        "  asserts P <= 128   (line 9)",
        "  asserts F % tile == 0   (line 10)",
    ]


def test_the_asserts_of_the_kernel_are_assumed_and_reported(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0
    assert "Assumed:\n  P <= 128 (line 9)\n  F % tile == 0 (line 10)\n" in check.out


def test_with_where_they_are_claims(check: Checker) -> None:
    write(check.folder, k=COPY)
    domain = ["--arg", "a=bf16[P,F]", "--where", "P <= 128"]
    assert check("k.py::copy", *domain) == 1
    assert "kernel.assert" in check.out
    assert check("k.py::copy", *domain, "--where", "F % 128 == 0") == 0


def test_with_where_they_can_be_assumed_as_well(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--where", "P <= 64", "--assume-asserts") == 0
    assert "Assumed:\n  P <= 64\n  P <= 128 (line 9)\n  F % tile == 0 (line 10)\n" in check.out


def test_phases_that_end_alike_are_told_of_once(check: Checker) -> None:
    write(check.folder, k=COPY.replace("P, F = a.shape", "P, F = a.shape; sizes = {F: P}"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    # Phase 4 tries other shapes, and says how many.
    assert "copy, phases 1 to 3: UNKNOWN\n" in check.out and "copy, phase 4: UNKNOWN\n" in check.out
    assert check.out.count("advice") == 2


def test_what_cannot_be_run_at_all_is_unknown_with_an_advice(check: Checker) -> None:
    loops = "".join(f"{'    ' * depth}for i{depth} in range(n):\n" for depth in range(1, 13))
    write(check.folder, k=f"import nki\n\n\ndef kernel(n):\n{loops}{'    ' * 13}n\n")
    assert check("k.py::kernel", "--arg", "n=n:1..9") == 3
    assert "kernel, phases 1 to 4: UNKNOWN" in check.out
    assert "  advice   put some into a helper function" in check.out


def test_a_dimension_that_has_no_part_in_it_is_not_said_to_fail(check: Checker) -> None:
    write(
        check.folder,
        k=COPY.replace("tile=128", "tile=None").replace("assert F % tile == 0", "tile = F\n        assert F"),
    )
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "3") == 1
    assert "             F = 106493  # any F > 106492 fails" in check.out
    assert re.search("P = 1$", check.out, re.MULTILINE)


BLOCKS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def blocks(a, b):
        K, M = a.shape
        N = b.shape[1]
        assert K == b.shape[0]
        assert M % 128 == 0 and N % 512 == 0
        out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
        for m in range(M // 128):
            for n in range(N // 512):
                total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
                for k in range(K // 128):
                    left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
                    right = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
                    nisa.dma_copy(dst=left, src=a[k * 128 : k * 128 + 128, m * 128 : m * 128 + 128])
                    nisa.dma_copy(dst=right, src=b[k * 128 : k * 128 + 128, n * 512 : n * 512 + 512])
                    nisa.nc_matmul(dst=total, stationary=left, moving=right)
                part = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
                nisa.tensor_copy(dst=part, src=total)
                nisa.dma_copy(dst=out[m * 128 : m * 128 + 128, n * 512 : n * 512 + 512], src=part)
        return out
"""


def test_shapes_that_pass_the_assumed_asserts_are_run(check: Checker) -> None:
    # M = 1 does not pass, M = 128 does; without a tile of K the sum is read unwritten.
    write(check.folder, k=BLOCKS)
    assert check("k.py::blocks", "--arg", "a=bf16[K,M]", "--arg", "b=bf16[K,N]", "--phase", "4") == 1
    assert "df.read_unwritten" in check.out and "witness  K = 1, M = 128, N = 512" in check.out


def test_shapes_within_the_assumed_ranges_are_run(check: Checker) -> None:
    # Small shapes are not in the domain; of the first that are, most have columns that no tile covers.
    write(check.folder, k=COPY.replace("assert F % tile == 0", "assert F"))
    words = ["k.py::copy", "--arg", "a=bf16[P,F]", "--where", "P <= 128 and 200 <= F", "--phase", "4"]
    assert check(*words) == 1
    assert "df.output_written" in check.out and "F = 200" in check.out.partition("witness")[2]


def test_what_one_phase_does_not_understand_is_unknown_in_that_one_only(
    check: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limited(*arguments: object) -> None:
        raise UnsupportedConstruct("a thing", "do without")

    monkeypatch.setattr("nkiverify.verify.case._dataflow", limited)
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    assert check.out.count("SUCCESSFUL ") == 3 and "copy, phase 4: UNKNOWN (a thing)" in check.out
    assert "advice   do without" in check.out


def test_a_cache_at_the_top_of_a_module_is_emptied_for_every_path(check: Checker) -> None:
    kernel = COPY.replace(
        "@nki.jit", "@functools.lru_cache(maxsize=None)\n    def width(n):\n        return max(1, n)\n\n\n    @nki.jit"
    ).replace("import nki\n", "import functools\n    import nki\n", 1)
    # Two paths: both have to find it empty.
    kernel = kernel.replace("assert P <= 128", "assert P <= 128\n        tile = width(64 if P > 64 else 128)")
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--where", "F % 128 == 0 and P <= 128") == 0, check.out
    assert "bounded" not in check.out


def test_a_function_without_tensors_has_no_dataflow(check: Checker) -> None:
    write(check.folder, k="import nki\n\n\ndef size(n):\n    assert n < 100\n    return n * 2\n")
    assert check("k.py::size", "--arg", "n=n:1..9") == 0
    assert not re.search("^size +4", check.out, re.MULTILINE)


def test_an_assert_in_a_loop_is_a_claim(check: Checker) -> None:
    write(check.folder, k=COPY.replace("part = nl.nd", "assert i < 3\n            part = nl.nd"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 1
    assert "kernel.assert" in check.out


def test_an_assert_behind_a_loop_is_a_claim(check: Checker) -> None:
    write(check.folder, k=COPY.replace("return out", "assert F < 1000\n        return out"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 1


def test_the_asserts_of_a_helper_called_at_the_top_are_assumed(check: Checker) -> None:
    helper = "import nki\n\n    def check_columns(F, tile):\n        assert F % tile == 0\n"
    kernel = COPY.replace("import nki\n", helper, 1).replace(
        'assert F % tile == 0, f"{F} columns"', "check_columns(F, tile)"
    )
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0
    assert "  check_columns(F, tile) (line" in check.out


def test_tensors_that_must_agree_are_assumed_to(check: Checker) -> None:
    # Comparing tuples splits the run: the path on which they differ is outside the domain.
    kernel = COPY.replace("def copy(a, tile=128):", "def copy(a, b, tile=128):\n        assert a.shape == b.shape")
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--arg", "b=bf16[Q,G]") == 0
    assert "a.shape == b.shape (line 8)" in check.out


def test_where_no_values_pass_the_asserts_nothing_is_verified(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P:129..,F]") == 5
    assert "no values pass the kernel's own asserts" in check.out
    assert check("k.py::copy", "--arg", "a=bf16[P:128..,F]") == 0


def test_one_shape_that_an_assert_rejects_is_refuted(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[129,128]") == 1
    assert check("k.py::copy", "--arg", "a=bf16[128,128]") == 0


def test_a_contradictory_where_is_named(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--where", "F == 5 and F % 128 == 0") == 5
    assert "no values satisfy --where (F == 5 and F % 128 == 0)" in check.out


def test_every_generation_of_hardware(check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--target", "all", "--phase", "1") == 0
    assert [line.split()[0] for line in check.out.splitlines() if "SUCCESSFUL " in line] == [
        "copy@trn1",
        "copy@trn2",
        "copy@trn3",
    ]


def test_the_results_for_programs(check: Checker) -> None:
    write(check.folder, k=COPY)
    results = check.folder / "results.json"
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--json", str(results)) == 0
    runs = json.loads(results.read_text())["runs"]
    assert [(run["kernel"], run["verdict"]) for run in runs] == [("k.py::copy", "SUCCESSFUL")] * 4
    fits = "each argument in HBM fits the 96 GiB of a trn2 device"
    assert runs[0]["assumptions"] == ["P <= 128 (line 9)", "F % tile == 0 (line 10)", fits]
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--no-device-memory", "--json", str(results)) == 0
    assert fits not in json.loads(results.read_text())["runs"][0]["assumptions"]


def test_nothing_is_written_beside_the_kernel(check: Checker) -> None:
    write(check.folder, k=COPY)
    check("k.py::copy", "--arg", "a=bf16[P,F]")
    assert [path.name for path in check.folder.iterdir()] == ["k.py"]


def test_a_grid_with_a_symbolic_program_id(check: Checker) -> None:
    kernel = """
        import neuronxcc.nki.language as nl
        from neuronxcc import nki

        @nki.jit
        def fill(a):
            out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
            i = nl.program_id(0)
            rows = i * 128 + nl.arange(128)[:, None]
            nl.store(out[rows, nl.arange(64)[None, :]], nl.load(a[rows, nl.arange(64)[None, :]]))
            return out
    """
    write(check.folder, k=kernel)
    assert check("k.py::fill", "--arg", "a=f32[128*n,64]", "--grid", "n", "--phase", "1") == 0
    assert check("k.py::fill[n + 1]", "--arg", "a=f32[128*n,64]", "--phase", "1") == 1


def test_missing_files_and_kernels(check: Checker) -> None:
    write(check.folder, k=COPY, two=COPY + COPY.replace("copy(", "again("), empty="x = 1\n", wrong="def f(:\n")
    for words, message in (
        (["nothing.py"], "no file nothing.py"),
        ([".::copy"], ". is a folder: name a file of it before ::"),
        (["empty.py"], "there are no kernels in empty.py: no function uses NKI"),
        (["empty.py::f"], "no function f in empty.py; there are no kernels in it"),
        (["k.py::cop"], "no function cop in k.py; did you mean copy?"),
        (["k.py::other", "--arg", "a=1"], "no function other in k.py; kernels in it: copy"),
        (["two.py", "--arg", "a=1"], "--arg needs a kernel: two.py::NAME"),
    ):
        assert check(*words) == 2
        assert check.err == f"nkiverify: error: {message}\n"
    assert check("wrong.py") == 2
    assert check.err.endswith("wrong.py:1: not Python: invalid syntax\n")


LATE = """
    def kernel(n, m):
        total = 0
        for i in range(n):
            total = i
        assert total < 400_000_000
        for j in range(m):
            total = j
        return total
"""


def test_a_refutation_that_no_concrete_run_confirms_in_time_is_unknown(
    check: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(check.folder, k="import nki\n" + textwrap.dedent(LATE))
    monkeypatch.setattr("nkiverify.foundation.budget.WitnessBudget.CONTRACTS_FURTHER", 4_000)
    assert check("k.py::kernel", "--arg", "n=n:1..", "--arg", "m=m:1..", "--where", "n > 0") == 3
    shown = " ".join(check.out.split())
    assert re.search(r"kernel.assert at \S*k.py:\d is refuted for n = 4\d+, m = 1, which is not confirmed", shown)
    assert "bound the dimensions" in shown


def test_the_concrete_run_ends_when_it_has_shown_the_violation(check: Checker) -> None:
    # Two lines are refuted on their own; to see them both, one concrete run would go through all rounds.
    kernel = """
        import nki.language as nl


        def kernel(n, m):
            x = n * 2
            for i in range(n):
                assert nl.tile_size.pmax == 128
            return m * 2
    """
    write(check.folder, k=kernel)
    assert check("k.py::kernel", "--arg", "n=n:1..", "--arg", "m=m:1..", "--phase", "2") == 1
    assert "k.py:5" in check.out and "k.py:8" in check.out


KEEPING = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def keeping(a):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        tiles = []
        for i in range(F // 512):
            tile = nl.ndarray((P, 512), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=a[0:P, i * 512 : (i + 1) * 512])
            tiles.append(tile)
        for i in range(F // 512):
            nisa.dma_copy(dst=out[0:P, i * 512 : (i + 1) * 512], src=tiles[i])
        return out
    """


def test_that_everything_fits_at_once_is_claimed_where_it_is_asked_for(check: Checker) -> None:
    write(check.folder, k=KEEPING)
    words = ["k.py::keeping", "--arg", "a=f32[128,F:512..2**20:512]", "--phase", "3"]
    assert check(*words) == 0
    assert check(*words, "--no-spills") == 1
    assert "mem.capacity_live" in check.out
    # 103 tiles of 2048 bytes a partition fit, one more does not.
    assert re.search(r"witness  F = 53248\b", check.out)
    assert check(*words, "--no-spills", "--where", "F <= 52736") == 0


IDLE = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def normalised(x):
        R, C = x.shape
        out = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        total = nl.ndarray((R, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=tile, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=out, src=tile)
        return out
    """


def test_a_sum_that_is_never_begun_is_told_with_the_command_that_begins_it(check: Checker) -> None:
    write(check.folder, k=IDLE)
    assert check("k.py") == 1
    told = " ".join(check.out.split())
    assert "total[0, 0] is read unwritten: nisa.activation stores no sum there with reduce_cmd=idle" in told
    assert "help give nisa.activation reduce_cmd=nisa.reduce_cmd.reset_reduce" in told
    write(check.folder, k=IDLE.replace("reduce_res=total", "reduce_res=total, reduce_cmd=nisa.reduce_cmd.reset_reduce"))
    assert check("k.py") == 0


def test_a_tile_that_is_never_written_is_not_said_to_lack_a_sum(check: Checker) -> None:
    write(check.folder, k=IDLE.replace("reduce_op=nl.add, reduce_res=total", "scale=1.0"))
    assert check("k.py") == 1
    assert "total[0, 0] is read unwritten\n" in check.out and "write all of total before" in check.out


def test_what_may_have_been_meant_by_an_attribute_that_is_not_there_is_told(check: Checker) -> None:
    write(check.folder, k=COPY.replace("P, F = a.shape", "P, F = a.shape\n        a.broadcast_to((1, P, F))"))
    assert check("k.py") == 1
    told = " ".join(check.out.split())
    assert "'NkiTensor' object has no attribute 'broadcast_to'; did you mean broadcast?" in told


def test_a_fault_of_another_rule_is_not_mended_by_beginning_a_sum(check: Checker) -> None:
    write(
        check.folder,
        k="""
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl
    import numpy as np


    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        tile = nl.load(x[0:128, 0:512])
        made = nisa.activation(np.exp, tile, reduce_op=np.add, reduce_res=total[0:128, 0:1])
        for i in nl.affine_range(2):
            total[0:128, 0:1] = nl.load(x[0:128, i : i + 1])
        nl.store(out, total)
        return out
    """,
    )
    assert check("k.py::kernel", "--arg", "x=f32[128,512]", "--phase", "4") == 1
    assert "several iterations touch total[0, 0]" in check.out and "reduce_cmd" not in check.out
    assert "nkiverify explain df.affine_range" in check.out


def test_an_advice_is_said_once(check: Checker) -> None:
    body = COPY.replace("    import nki\n", "    import gc\n    import nki\n", 1)
    write(check.folder, k=body.replace("P, F = a.shape\n", "P, F = a.shape\n        gc.enable()\n"))
    assert check("k.py") == 3
    assert " ".join(check.out.split()).count("compute it before the launch") == 1
