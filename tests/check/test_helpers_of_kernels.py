"""What kernels do with their helpers: patterns made for nothing, kernels as helpers, tensors that may be given."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

#: The last of the patterns is past the end, and nothing reads it unless `guard` lets it.
PATTERNS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def pieces(a, wide=4):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        part = nl.ndarray((P, F), dtype=a.dtype, buffer={buffer})
        {load}
        for i in range(F // wide + 1):
            piece = part.ap([[F, P], [1, wide]], offset=i * wide){view}
            if {guard}:
                nisa.dma_copy(dst=out[:, i * wide : (i + 1) * wide], src=piece)
        return out
"""
SBUF = {"buffer": "nl.sbuf", "load": "nisa.dma_copy(dst=part, src=a)", "view": ""}


@pytest.mark.parametrize("view", ["", ".reshape((P, 2, wide // 2)).reshape((P, wide))", ".view(nl.float16)"])
@pytest.mark.parametrize("argument", ["a=bf16[64,16]", "a=bf16[P:1..128,F:4..512:4]"])
def test_a_pattern_that_nothing_reads_may_be_past_the_end(check: Checker, argument: str, view: str) -> None:
    write(check.folder, k=PATTERNS.format(**{**SBUF, "view": view}, guard="i < F // wide"))
    assert check("k.py::pieces", "--arg", argument) == 0, check.out


@pytest.mark.parametrize("view", ["", ".reshape((P, 2, wide // 2)).reshape((P, wide))", ".view(nl.float16)"])
@pytest.mark.parametrize("argument", ["a=bf16[64,16]", "a=bf16[P:1..128,F:4..512:4]"])
def test_one_that_is_read_may_not(check: Checker, argument: str, view: str) -> None:
    kernel = PATTERNS.format(**{**SBUF, "view": view}, guard="i <= F // wide")
    write(check.folder, k=kernel.replace("out[:, i * wide : (i + 1) * wide]", "out[:, 0:wide]"))
    assert check("k.py::pieces", "--arg", argument, "--phase", "1") == 1, check.out
    assert "ap.partition_overflow" in check.out


@pytest.mark.parametrize(
    "use",
    [
        "out = {far}\n        return out",
        "nisa.dma_copy(dst=out.ap([[8, 4], [1, 8]], scalar_offset=ids.ap([[1, 1], [1, 1]], offset=1)), src=a)",
        "nisa.dma_copy(dst={far}, src=a)",
        "nisa.tensor_copy({far}, a)",
    ],
)
def test_every_use_counts(check: Checker, use: str) -> None:
    kernel = """
        import nki
        import nki.isa as nisa
        import nki.language as nl


        @nki.jit
        def far(a):
            out = nl.ndarray((4, 8), dtype=a.dtype, buffer=nl.shared_hbm)
            ids = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.memset(ids, value=0)
            USE
            return out
    """
    text = use.format(far="out.ap([[8, 4], [1, 8]], offset=8)").replace("\n        ", "\n            ")
    write(check.folder, k=kernel.replace("USE", text))
    assert check("k.py::far", "--arg", "a=bf16[4,8]", "--phase", "1") == 1, check.out
    assert "ap.in_bounds" in check.out or "ap.partition_overflow" in check.out


#: A function that no decorator makes a kernel; it calls one.
NESTED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def load(a, width):
        half = nl.ndarray((128, width), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=half, src=a[:, nl.ds(nl.program_id(0) * width, width)])
        return half


    def twice(a):
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        width = a.shape[1] // nl.num_programs(0)
        half = load(a, width)
        nisa.dma_copy(dst=out[:, nl.ds(nl.program_id(0) * width, width)], src=half)
        return out
"""


@pytest.mark.parametrize("grid", ["1", "2"])
def test_a_kernel_called_by_a_kernel_runs_in_the_program_that_calls_it(check: Checker, grid: str) -> None:
    write(check.folder, k=NESTED)
    check("k.py::twice", "--arg", "a=bf16[128,64]", "--grid", grid)
    # That it calls one is another rule's matter; the other phases see what it does.
    assert "--grid: twice is not launched" not in check.err
    for phase in (2, 3, 4):
        assert check("k.py::twice", "--arg", "a=bf16[128,64]", "--grid", grid, "--phase", str(phase)) == 0, check.out


def test_its_programs_leave_out_what_they_leave_out(check: Checker) -> None:
    write(
        check.folder,
        k=NESTED.replace("src=a[:, nl.ds(nl.program_id(0) * width", "src=a[:, nl.ds(nl.program_id(0) * a.shape[1]"),
    )
    assert check("k.py::twice", "--arg", "a=bf16[128,64]", "--grid", "2", "--phase", "1") == 1, check.out
    assert "idx.oob" in check.out


def test_a_function_that_only_launches_is_called_as_it_is(check: Checker) -> None:
    launcher = NESTED[: NESTED.index("    def twice")].replace("return half", "return a") + (
        "    def launch(a):\n        return load[2](a, a.shape[1] // 2)\n"
    )
    write(check.folder, k=launcher)
    assert check("k.py::launch", "--arg", "a=bf16[128,64]", "--phase", "1") == 0, check.out


GIVEN = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    class Options:
        def __init__(self, bias=None):
            self.bias = bias


    @nki.jit
    def copy(a, bias=None):
        options = Options(bias)
        out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=options.bias if options and options.bias else a)
        return out
"""


@pytest.mark.parametrize("bias", ["bias=None", "bias=bf16[4,8]"])
def test_a_tensor_is_true(check: Checker, bias: str) -> None:
    write(check.folder, k=GIVEN)
    assert check("k.py::copy", "--arg", "a=bf16[4,8]", "--arg", bias, "--phase", "1,4") == 0, check.out


def test_and_the_one_that_is_given_is_used(check: Checker) -> None:
    write(check.folder, k=GIVEN)
    assert check("k.py::copy", "--arg", "a=bf16[4,8]", "--arg", "bias=bf16[4,9]", "--phase", "1") == 1, check.out
