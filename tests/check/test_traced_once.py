"""Tensors placed in loops of the legacy API: the body is traced once, so each has one place."""

from __future__ import annotations

import textwrap

import pytest

from tests.check.kernel_files import Checker, write

CURSOR = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl


    @nki.jit
    def kernel(x, bytes_between):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        cursor = 0
        for block in LOOP(x.shape[0] // 256):
            rows = nl.ndarray(
                (2, nl.par_dim(128), 512), dtype=x.dtype, buffer=nki.compiler.sbuf.mod_alloc(base_addr=cursor)
            )
            cursor += bytes_between
            other = nl.ndarray(
                (nl.par_dim(128), 512), dtype=x.dtype, buffer=nki.compiler.sbuf.mod_alloc(base_addr=cursor)
            )
            cursor += 100000
            other[...] = 1.0
            for part in nl.affine_range(2):
                here = nl.ds(block * 256 + part * 128, 128)
                rows[part] = nl.load(x[here])
                nl.store(out[here], value=nl.add(rows[part], other))
        return out
"""


@pytest.mark.parametrize(
    ("loop", "bytes_between", "contract"),
    [
        ("nl.sequential_range", 2048, ""),
        ("nl.affine_range", 2048, ""),
        ("range", 2048, ""),
        # One place for both, in the first iteration already.
        ("nl.sequential_range", 2044, "mem.placed_overlap"),
        # Unrolled while it is traced: every iteration has its own place, the third one outside.
        ("nl.static_range", 2048, "mem.addr_range"),
    ],
)
def test_a_cursor_that_every_iteration_moves_on(loop: str, bytes_between: int, contract: str, check: Checker) -> None:
    write(check.folder, k=CURSOR.replace("LOOP", loop))
    words = ("--arg", "x=f32[1024,512]", "--arg", f"bytes_between={bytes_between}", "--phase", "1,3")
    assert check("k.py::kernel", *words) == (1 if contract else 0), check.out
    assert contract in check.out


HELPED = """
    def places(count):
        found, at = [], 0
        for _ in RANGE:
            found.append(at)
            at += 128
        return found
"""
KERNEL = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl
    from helper import places


    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for at in places(x.shape[0] // 128):
            nl.store(out[at : at + 128], nl.load(x[at : at + 128]))
        return out
"""


@pytest.mark.parametrize(
    ("numbers", "rows", "status"), [("range(count)", "256", 3), ("range(count)", "128*n", 3), ("(0, 1)", "256", 0)]
)
def test_a_helper_counts_in_a_range(numbers: str, rows: str, status: int, check: Checker) -> None:
    """Its module names no API: that of the kernel that calls it counts."""
    write(check.folder, k=KERNEL, helper=HELPED.replace("RANGE", numbers))
    assert check("k.py::kernel", "--arg", f"x=f32[{rows},512]", "--phase", "4") == status, check.out


def test_a_module_that_is_loaded_before_the_kernel_counts_in_a_range(check: Checker) -> None:
    """The first of the modules that names the legacy API is not the first that is loaded."""
    first = "from helper import places\nfrom main import kernel\n"
    write(check.folder, k=first, main=KERNEL, helper=HELPED.replace("RANGE", "range(count)"))
    assert check("k.py::kernel", "--arg", "x=f32[256,512]", "--phase", "4") == 3, check.out
    assert "whose body is traced once" in " ".join(check.out.split())


REST = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.language as nl


    @nki.jit
    def kernel(x):
        out = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
        rest = x.shape[0]
        for i in LOOP((x.shape[0] + 127) // 128):
            rows = min(128, rest)
            here = nl.ds(i * 128, rows)
            nl.store(out[here], nl.load(x[here]))
            rest -= 128
        return out
"""


@pytest.mark.parametrize("rows", ["200", "n:1..512"])
@pytest.mark.parametrize(
    ("loop", "status"), [("range", 3), ("nl.sequential_range", 3), ("nl.affine_range", 3), ("nl.static_range", 0)]
)
def test_what_is_left_of_the_rows_is_what_the_first_iteration_finds(
    loop: str, status: int, rows: str, check: Checker
) -> None:
    """Traced once, the body reads 128 rows in each iteration, past the end."""
    write(check.folder, k=REST.replace("LOOP", loop))
    assert check("k.py::kernel", "--arg", f"x=f32[{rows},64]", "--phase", "1") == status, check.out
    assert ("traced once" in check.out) is (status == 3)


@pytest.mark.parametrize("over", ["map(int, RANGE)", "filter(None, RANGE)", "itertools.chain(RANGE)", "iter(RANGE)"])
@pytest.mark.parametrize(("loop", "status"), [("range", 3), ("nl.sequential_range", 3), ("nl.static_range", 0)])
def test_whatever_runs_over_the_numbers_of_a_loop(over: str, loop: str, status: int, check: Checker) -> None:
    """The symbolic run has the last word in a launch of numbers, and sees it as well."""
    loops = f"import itertools\nat = 0\nfor i in {over.replace('RANGE', f'{loop}(1, 3)')}:"
    body = textwrap.indent(loops, " " * 8)
    start, end = KERNEL.split("        for at in places(x.shape[0] // 128):\n")
    end = end.replace("        return", "            at += 128\n        return")
    write(check.folder, k=f"{start}{body}\n{end}".replace("    from helper import places\n", ""))
    assert check("k.py::kernel", "--arg", "x=f32[256,512]", "--phase", "4") == status, check.out
