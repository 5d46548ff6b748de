"""How `check` launches what is no decorated function: helpers given tensors on chip, objects that give a kernel."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.check.kernel_files import COPY, Checker, write

HELPER = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    def doubled(tile, out):
        size = tile.shape[0] // nl.num_programs(0)
        whole = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=whole, data=tile, op0=nl.multiply, operand0=2.0)
        rows = nl.ds(nl.program_id(0) * size, size)
        nisa.dma_copy(dst=out[rows, :], src=whole[rows, :])
        return whole
"""

ARGUMENTS = ("--arg", "tile=f32[P,64]@sbuf", "--arg", "out=f32[P,64]", "--where", "P <= 128 and P % 2 == 0")
CONCRETE = ("--arg", "tile=f32[128,64]@sbuf", "--arg", "out=f32[128,64]")


def verdicts(check: Checker, *words: str) -> list[str]:
    """The verdicts of the phases that had something to verify."""
    check(*words, "--json", "results.json")
    assert "error" not in check.err, check.err
    runs = json.loads((check.folder / "results.json").read_text(encoding="utf-8"))["runs"]
    return [run["verdict"] for run in runs]


@pytest.mark.parametrize("arguments", [ARGUMENTS, CONCRETE])
@pytest.mark.parametrize("grid", [(), ("--grid", "2")])
def test_a_helper_is_verified_in_all_phases_on_a_grid_or_not(
    check: Checker, arguments: tuple[str, ...], grid: tuple[str, ...]
) -> None:
    write(check.folder, k=HELPER)
    assert verdicts(check, "k.py::doubled", *arguments, *grid) == ["SUCCESSFUL"] * 4, check.out


def test_what_a_helper_returns_has_to_be_written(check: Checker) -> None:
    write(check.folder, k=HELPER.replace("dst=whole, data=tile", "dst=whole[:64], data=tile[:64]"))
    assert verdicts(check, "k.py::doubled", *CONCRETE)[3] == "FAILED"
    assert "df.output_written" in check.out or "df.read_unwritten" in check.out


@pytest.mark.parametrize("arguments", [ARGUMENTS, CONCRETE])
def test_each_program_has_its_own_tensors_on_chip(check: Checker, arguments: tuple[str, ...]) -> None:
    """What one core writes to a tile that it was given is no matter of the other one; what both store to HBM is."""
    write(check.folder, k=HELPER.replace("dst=whole,", "dst=tile,").replace("src=whole[", "src=tile["))
    found = verdicts(check, "k.py::doubled", *arguments, "--grid", "2")
    # `whole` is returned, and nothing has written it.
    assert found[:3] == ["SUCCESSFUL"] * 3, check.out
    write(
        check.folder,
        k=HELPER.replace("dst=whole,", "dst=tile,")
        .replace("src=whole[", "src=tile[")
        .replace("return whole", "return tile"),
    )
    assert verdicts(check, "k.py::doubled", *arguments, "--grid", "2") == ["SUCCESSFUL"] * 4, check.out
    write(check.folder, k=HELPER.replace("nl.program_id(0) * size, size", "0, tile.shape[0]"))
    assert verdicts(check, "k.py::doubled", *arguments, "--grid", "2")[3] != "SUCCESSFUL"


def test_what_a_helper_was_given_takes_space_from_its_beginning_to_its_end(check: Checker) -> None:
    """50,000 columns of float32 are 200,000 bytes of a partition; SBUF has 212,984."""
    helper = """
        import nki.isa as nisa
        import nki.language as nl


        def two(a, b):
            first = nl.ndarray((128, 1), dtype=a.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=first, src=a[:, 0:1])
            second = nl.ndarray((128, {columns}), dtype=a.dtype, buffer=nl.sbuf)
            nisa.memset(dst=second, value=0.0)
            nisa.tensor_tensor(dst=b[:, 0:1], data1=first, data2=second[:, 0:1], op=nl.add)
    """
    words = ("k.py::two", "--arg", "a=f32[128,25000]@sbuf", "--arg", "b=f32[128,25000]@sbuf", "--no-spills")
    write(check.folder, k=helper.replace("{columns}", "3000"))
    assert verdicts(check, *words)[-2] == "SUCCESSFUL", check.out
    shown = " ".join(check.out.split())
    assert "212004 of 212984 bytes of a partition" in shown and "b 100000" in shown
    # Four times the memory is what certainly does not fit.
    write(check.folder, k=helper.replace("{columns}", "4000"))
    assert verdicts(check, *words)[-2] != "SUCCESSFUL", check.out


IN_BRACKETS = (
    COPY
    + """

    class Launcher:
        def __init__(self, kernel):
            self.kernel = kernel

        def __getitem__(self, cores):
            def launch(**arguments):
                return self.kernel[cores](**arguments)
            return launch


    on_cores = Launcher(copy)
    number = 3
"""
)


def test_an_object_that_gives_a_kernel_in_brackets_is_launched_so(check: Checker) -> None:
    write(check.folder, k=IN_BRACKETS.replace("@nki.jit", "@nki.jit", 1))
    for words in (("k.py::on_cores[1]",), ("k.py::on_cores", "--grid", "1")):
        assert check(*words, "--arg", "a=bf16[64,256]") == 0, check.out + check.err
    assert check("k.py::on_cores", "--arg", "a=bf16[64,256]") == 2
    assert check.err == "nkiverify: error: on_cores is launched in brackets: --grid 2, or k.py::on_cores[2]\n"
    assert check("k.py::number", "--arg", "a=bf16[64,256]") == 2
    assert "number in k.py is not a function" in check.err


def test_modules_are_found_from_the_folder_that_check_is_called_in(check: Checker) -> None:
    """Without a mark of a repository; a test that is there imports the library that is under `src`."""
    write(
        check.folder,
        src__lib__kernels=COPY,
        tests__deep__t="""
        from lib.kernels import copy


        def launch(a):
            return copy(a)
    """,
    )
    assert check("tests/deep/t.py::launch", "--arg", "a=bf16[64,256]") == 0, check.out + check.err


CONSTANT = """
    import tempfile
    import numpy as np
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def added(a, path):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        left = nl.ndarray((32, 64), dtype=a.dtype, buffer=nl.sbuf)
        right = nl.ndarray((32, 64), dtype=a.dtype, buffer=nl.sbuf)
        rows = nl.ds(nl.program_id(0) * 32, 32)
        table = nl.shared_constant(path)
        nisa.dma_copy(dst=left, src=a[rows, :])
        nisa.dma_copy(dst=right, src=table)
        nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
        nisa.dma_copy(dst=out[rows, :], src=left)
        return out


    def launch(a, columns):
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file, np.ones((32, columns), np.float32))
            file.flush()
            return added[a.shape[0] // 32](a, file.name)
"""


@pytest.mark.parametrize("rows", [32, 64])
@pytest.mark.parametrize(("columns", "status"), [(64, 0), (65, 1)])
def test_a_shared_constant_has_the_shape_of_the_array_in_its_file(
    check: Checker, rows: int, columns: int, status: int
) -> None:
    write(check.folder, k=CONSTANT)
    assert check("k.py::launch", "--arg", f"a=f32[{rows},64]", "--arg", f"columns={columns}") == status, check.out


def test_a_file_that_the_kernel_has_not_made_is_not_read(check: Checker) -> None:
    write(check.folder, k=CONSTANT)
    np.save(check.folder / "table.npy", np.ones((32, 64), np.float32))
    assert check("k.py::added", "--arg", "a=f32[32,64]", "--arg", "path='table.npy'") == 3
    assert "the kernel asks for the file 'table.npy'" in " ".join(check.out.split())


def test_a_constant_is_not_written_by_the_programs_that_name_it_and_writing_to_it_is_unknown(check: Checker) -> None:
    array = CONSTANT.replace("nl.shared_constant(path)", "nl.shared_constant(np.ones((32, 64), np.float32))")
    words = ("k.py::added", "--arg", "a=f32[32*n,64]", "--arg", "path=None", "--grid", "n", "--where", "n <= 2")
    write(check.folder, k=array)
    assert check(*words) == 0, check.out
    write(check.folder, k=array.replace("dst=right, src=table", "dst=table, src=left"))
    assert check(*words) == 3, check.out
    assert "writing to a shared constant" in check.out


SCATTER = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def scatter(rows, start):
        part = nl.ndarray((64, 32), dtype=rows.dtype, buffer=nl.private_hbm)
        filled = nl.ndarray((64, 32), dtype=rows.dtype, buffer=nl.sbuf)
        nisa.memset(dst=filled, value=0.0)
        nisa.dma_copy(dst=part, src=filled)
        at = nl.ndarray((1, 1), dtype=start.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=at, src=start)
        tile = nl.ndarray((16, 32), dtype=rows.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=rows)
        nisa.dma_copy(dst=part.ap(pattern=[[32, 16], [1, 32]], offset=0, scalar_offset=at, indirect_dim=0), src=tile)
        out = nl.ndarray((2, 64, 32), dtype=rows.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out[nl.program_id(0)], src=part)
        return out
"""


@pytest.mark.parametrize(("memory", "verdict"), [("private_hbm", "SUCCESSFUL"), ("shared_hbm", "UNKNOWN")])
def test_an_indirect_write_meets_that_of_another_program_in_memory_they_share_alone(
    check: Checker, memory: str, verdict: str
) -> None:
    write(check.folder, k=SCATTER.replace("buffer=nl.private_hbm", f"buffer=nl.{memory}"))
    words = ("--arg", "rows=f32[16,32]", "--arg", "start=i32[1,1] in 0..48", "--grid", "2", "--phase", "4")
    found = verdicts(check, "k.py::scatter", *words)
    assert found == [verdict] or (verdict == "UNKNOWN" and found == ["FAILED"]), check.out


FACTORY = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    def make(columns):
        limit = 512 if nisa.get_nc_version() >= nisa.nc_version.gen3 else 256

        @nki.jit
        def copy(a):
            tile = nl.ndarray((a.shape[0], min(columns, limit)), dtype=a.dtype, buffer=nl.sbuf)
            out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
            nisa.dma_copy(dst=tile, src=a)
            nisa.dma_copy(dst=out, src=tile)
            return out

        return copy
"""


@pytest.mark.parametrize(("target", "status"), [("trn2", 0), ("trn1", 1)])
def test_a_factory_may_ask_for_the_hardware_of_each_run(check: Checker, target: str, status: int) -> None:
    write(check.folder, k=FACTORY)
    for kernel in ("k.py::make(512)", "k.py::make(512)[1]"):
        assert check(kernel, "--arg", "a=bf16[64,512]", "--target", target) == status, check.out + check.err


REVISIONS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def copy(a):
        tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        revision = nisa.get_nc_sub_version()
        assert 0 <= revision <= 1
        if {loads}:
            nisa.dma_copy(dst=tile, src=a)
        else:
            nisa.memset(dst=tile{part}, value=0)
        nisa.dma_copy(dst=out, src=tile)
        return out
"""


@pytest.mark.parametrize("size", ["64", "N:1..512"])
@pytest.mark.parametrize(
    ("loads", "part", "phase", "verdict"),
    [
        ("revision", "", 4, "SUCCESSFUL"),
        ("revision", "[:, 1:]", 4, "FAILED"),
        ("not revision", "[:, 1:]", 4, "FAILED"),
        ("revision", "[:, :513]", 1, "FAILED"),
        ("not revision", "[:, :513]", 1, "FAILED"),
        ("revision < 2", "[:, 1:]", 4, "SUCCESSFUL"),
    ],
)
def test_a_kernel_that_asks_for_the_silicon_revision_is_verified_for_both(
    check: Checker, loads: str, part: str, phase: int, verdict: str, size: str
) -> None:
    write(check.folder, k=REVISIONS.format(loads=loads, part=part))
    assert verdicts(check, "k.py::copy", "--arg", f"a=bf16[64,{size}]", "--phase", str(phase)) == [verdict], check.out
    if verdict == "FAILED":
        value = int(loads.startswith("not"))
        assert f"nisa.get_nc_sub_version() = {value}" in check.out


LEGACY = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl


    @nki.jit
    def rows(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        mine = nl.ds(nl.program_id(0) * 32, 32)
        nl.store(out[mine], nl.load(a[mine]))
        return out


    def launch(a):
        return rows[{grid}](a)
"""


@pytest.mark.parametrize("grid", ["4", "nl.nc(2) * 2", "2 * nl.nc(2)", "nl.spmd_dim(nl.nc(2), 2)"])
def test_a_legacy_grid_is_as_large_as_the_product_that_is_written(check: Checker, grid: str) -> None:
    write(check.folder, k=LEGACY.replace("{grid}", grid))
    assert check("k.py::launch", "--arg", "a=f32[128,64]") == 0, check.out
    # One program more than there are rows for; and one less, which leaves rows unwritten.
    assert check("k.py::launch", "--arg", "a=f32[96,64]") == 1
    assert check("k.py::launch", "--arg", "a=f32[160,64]") == 1
    assert check("k.py::rows", "--arg", "a=f32[128,64]", "--grid", grid) == 0, check.out + check.err
    assert check(f"k.py::rows[{grid}]", "--arg", "a=f32[96,64]") == 1
    assert check("k.py::rows", "--arg", "a=f32[128,64]", "--grid", "nl.nc(2, 2)") == 2


def test_a_legacy_kernel_on_gen4_is_what_it_is_on_gen3_and_a_warning(check: Checker) -> None:
    write(check.folder, k=LEGACY.replace("{grid}", "4"))
    words = ("k.py::launch", "--arg", "a=f32[128,64]", "--target", "trn3")
    assert check(*words) == 0, check.out
    assert "warning leg.generation" in check.out
    assert check(*words, "--strict") == 1
    assert check("k.py::launch", "--arg", "a=f32[96,64]", "--target", "trn3") == 1


@pytest.mark.parametrize("package", ["nki", "neuronxcc.nki"])
def test_a_kernel_may_be_decorated_with_trace(check: Checker, package: str) -> None:
    kernel = COPY if package == "nki" else LEGACY.replace("{grid}", "4")
    write(check.folder, k=kernel.replace("nki.jit", "nki.trace"))
    name = "copy" if package == "nki" else "launch"
    assert check(f"k.py::{name}", "--arg", "a=f32[128,256]") == 0, check.out + check.err


def test_a_file_may_have_dots_in_its_name(check: Checker) -> None:
    write(check.folder, k=COPY, v1_2=COPY.replace("a.shape", "a.shape[:1]"))
    (check.folder / "k.py").rename(check.folder / "v1.2.py")
    for _ in range(2):
        assert check("v1.2.py::copy", "--arg", "a=bf16[64,256]") == 0, check.out + check.err
        assert check("v1_2.py::copy", "--arg", "a=bf16[64,256]") == 1


ANNOTATED = """
    import torch
    import neuronxcc.nki.typing as nt
    from typing import Callable, Optional, Union
    import nki.typing

    Given = Union[torch.Tensor, "nl.ndarray", nt.tensor]
    Perhaps = nt.tensor | None
    Other = None | nt.mutable_tensor
    Shaped = Optional[nki.typing.tensor[128, 512]] if False else torch.Tensor | nt.tensor | None
    Making = Callable[[torch.Tensor], nt.mutable_tensor]
"""


def test_annotations_are_unions_of_anything(check: Checker) -> None:
    kernel = COPY.replace("def copy(a, tile=128)", "def copy(a: Given, tile: Perhaps = 128, b: Other | Shaped = None)")
    write(check.folder, k=ANNOTATED.rstrip() + "\n" + kernel)
    assert check("k.py::copy", "--arg", "a=bf16[64,256]") == 0, check.out + check.err


NESTED = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl

    @nki.jit(mode="trace")
    def put(out, tile):
        rows = nl.program_id(0) * 64 if OWN else 0
        nl.store(out[rows : rows + 64, :], tile)

    @nki.jit(mode="trace")
    def turned(to, of):
        for at in nl.affine_range(2):
            to[:, nl.ds(at * 32, 32)] = nl.copy(of[:, nl.ds(at * 32, 32)])

    @nki.jit
    def kernel(a):
        out = nl.ndarray((128 if OWN else 64, 64), dtype=a.dtype, buffer=nl.shared_hbm)
        for at in nl.affine_range(2):
            other = nl.ndarray((nl.par_dim(64), 64), dtype=a.dtype)
            if at == 0:
                turned(other, nl.load(a[nl.ds(nl.program_id(0) * 64, 64), :]))
                put(out, other)
        return out
"""


@pytest.mark.parametrize(("own", "status"), [(True, 0), (False, 1)])
def test_a_kernel_that_a_kernel_calls_runs_in_the_program_that_calls_it(check: Checker, own: bool, status: int) -> None:
    """Its loops are within those around the call, and what it writes is written by that program."""
    write(check.folder, k=NESTED.replace("OWN", str(own)))
    assert check("k.py::kernel", "--arg", "a=bf16[128,64]", "--grid", "2") == status, check.out
    assert ("df.programs" in check.out) == (not own)


BLOCKS = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl

    @nki.jit
    def kernel(a):
        out = nl.ndarray((64, 64), dtype=a.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((nl.par_dim(64), 64), dtype=nl.float32, buffer=nl.sbuf)
        for at in nl.affine_range(3):
            total[...] += nl.load(a[at])
        nl.store(out, total)
        return out
"""


def test_marks_of_the_partition_dimension_are_the_same_in_every_run(check: Checker) -> None:
    write(check.folder, k=BLOCKS)
    assert check("k.py::kernel", "--arg", "a=bf16[3,64,64]") == 0, check.out


@pytest.mark.parametrize(("extents", "advice"), [("64,256", ""), ("P,F", ", or verify the kernel for concrete shapes")])
def test_concrete_shapes_are_no_advice_where_they_are_given(check: Checker, extents: str, advice: str) -> None:
    write(check.folder, k=COPY.replace("P, F = a.shape\n", "P, F = a.shape\n        nl.par_dim(P)\n", 1))
    assert check("k.py::copy", "--arg", f"a=bf16[{extents}]", "--phase", "1") == 3
    assert f"write it in another way{advice}\n" in check.out
