"""Ranges of the integers in arguments: indices of gathers, bounds of loops on the device, registers."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

KERNELS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl

    @nki.jit
    def gather(table, idx):
        V, D = table.shape
        P, _ = idx.shape
        assert P <= 128
        out = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.shared_hbm)
        i = nl.ndarray((P, 1), dtype=idx.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=i, src=idx)
        t = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=table.vector_select(0, i))
        nisa.dma_copy(dst=out, src=t)
        return out

    @nki.jit
    def loops(x, n):
        P, F = x.shape
        assert P <= 128
        out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
        c = nl.ndarray((1, 1), dtype=n.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=c, src=n)
        r = nisa.register_alloc()
        nisa.register_load(r, c)
        t = nl.ndarray((P, 1), dtype=x.dtype, buffer=nl.sbuf)
        for k in nl.dynamic_range(r):
            nisa.dma_copy(dst=t, src=x.ap(pattern=[[F, P], [1, 1]], offset=0, scalar_offset=k, indirect_dim=1))
            nisa.dma_copy(dst=out.ap(pattern=[[F, P], [1, 1]], offset=0, scalar_offset=k, indirect_dim=1), src=t)
        return out

    def helper(x, k):
        P, F = x.shape
        t = nl.ndarray((P, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x.ap(pattern=[[F, P], [1, 1]], offset=0, scalar_offset=k, indirect_dim=1))
"""

GATHER = ("k.py::gather", "--arg", "table=f32[V,D:1..512]", "--arg")


@pytest.mark.parametrize(
    ("idx", "status"),
    [
        ("u32[P,1] in 0..V-1", 0),
        ("u32[P,1] in 0..V", 1),
        ("i32[P,1] in 0..V-1", 0),
        ("i32[P,1] in -1..V-1", 1),
        # V can be 1, and then holds nothing at 1.
        ("u8[P,1] in 0..min(V, 9) - 1", 0),
        ("u8[P,1] in 0..1", 1),
    ],
)
def test_indices_stay_in_the_table_or_do_not(check: Checker, idx: str, status: int) -> None:
    write(check.folder, k=KERNELS)
    assert check(*GATHER, f"idx={idx}") == status, check.out
    assert ("dma_copy.oob" in check.out) == (status == 1)


def test_without_a_range_the_fix_is_named(check: Checker) -> None:
    write(check.folder, k=KERNELS)
    assert check(*GATHER, "idx=u32[P,1]") == 1
    shown = " ".join(check.out.split())
    assert "0..4294967295 (the whole dtype: declare a range for idx)" in shown


def test_a_range_that_no_integer_is_in_is_outside_the_domain(check: Checker) -> None:
    write(check.folder, k=KERNELS)
    assert check(*GATHER, "idx=u32[P,1] in 3..V-1", "--where", "V < 4") == 5
    assert check(*GATHER, "idx=u32[P,1] in 3..V-1", "--where", "V < 5 and P <= 128") == 0
    # What is assumed for that is said.
    assert check(*GATHER, "idx=u32[P,1] in 3..V-1", "--where", "P <= 128") == 0
    assert "4 <= V" in check.out


@pytest.mark.parametrize(("n", "status"), [("i32[1,1] in 1..F", 0), ("i32[1,1] in 1..F+1", 1), ("i32[1,1]", 1)])
def test_the_bound_of_a_loop_on_the_device(check: Checker, n: str, status: int) -> None:
    write(check.folder, k=KERNELS)
    # Whether all columns are written depends on the number.
    words = ("--arg", "x=f32[P,F]", "--arg", f"n={n}", "--phase", "1,2,3")
    assert check("k.py::loops", *words) == status, check.out


@pytest.mark.parametrize(("last", "status"), [("F-1", 0), ("F", 1)])
def test_a_register(check: Checker, last: str, status: int) -> None:
    write(check.folder, k=KERNELS)
    # It returns nothing that phase 4 could be about.
    words = ("--arg", "x=f32[128,F]@hbm", "--arg", f"k=register in 0..{last}", "--phase", "1,2,3")
    assert check("k.py::helper", *words) == status, check.out


@pytest.mark.parametrize(
    ("idx", "message", "caret"),
    [
        ("u32[P,1] in 0..W", "no --arg has a dimension W", "W"),
        ("f32[P,1] in 0..3", "only integers have a range, not float32", "f32[P,1]"),
        ("u8[P,1] in 0..256", "no uint8 is 256: it is 0..255", "256"),
        ("u32[P,1] in -1..4", "no uint32 is -1: it is 0..4294967295", "-1"),
        ("u8[P,1] in 5..3", "no integer is in this range", "5..3"),
        ("u8[P,1] in ..3", "give both ends of the range", "..3"),
        ("u8[P,1] in 3", "the numbers in a tensor are written u32[P,1] in low..high", "u8[P,1] in 3"),
        ("3 in 0..4", "only a tensor, or `register`, has a range of numbers", "3"),
    ],
)
def test_mistakes_are_shown_where_they_are(check: Checker, idx: str, message: str, caret: str) -> None:
    write(check.folder, k=KERNELS)
    assert check(*GATHER, f"idx={idx}") == 2
    error, text, marks = check.err.splitlines()
    assert error == f"nkiverify: error: --arg idx: {message}"
    assert text[marks.index("^") :][: marks.count("^")] == caret
