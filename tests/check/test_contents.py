"""Ranges of the integers in arguments: indices of gathers, bounds of loops on the device, registers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
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


def test_without_a_range_one_claim_is_open_and_the_argument_that_closes_it_is_named(check: Checker) -> None:
    write(check.folder, k=KERNELS)
    assert check(*GATHER, "idx=u32[P,1]") == 3
    shown = " ".join(check.out.split())
    assert "3 SUCCESSFUL, 1 UNKNOWN" in shown
    assert "dma_copy.oob at k.py:14: nobody said which integers are in idx" in shown
    assert "--arg idx='uint32[P, 1] in 0..V - 1'" in shown
    # What it names is taken as it is.
    assert check(*GATHER, "idx=uint32[P, 1] in 0..V - 1") == 0


def test_a_range_that_no_integer_is_in_is_outside_the_domain(check: Checker) -> None:
    write(check.folder, k=KERNELS)
    assert check(*GATHER, "idx=u32[P,1] in 3..V-1", "--where", "V < 4") == 5
    assert check(*GATHER, "idx=u32[P,1] in 3..V-1", "--where", "V < 5 and P <= 128") == 0
    # What is assumed for that is said.
    assert check(*GATHER, "idx=u32[P,1] in 3..V-1", "--where", "P <= 128") == 0
    assert "4 <= V" in check.out


SUMS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl

    @nki.jit
    def moved(table, idx, by):
        V, D = table.shape
        P, _ = idx.shape
        i = nl.ndarray((P, 1), dtype=idx.dtype, buffer=nl.sbuf)
        j = nl.ndarray((P, 1), dtype=idx.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=i, src=idx)
        nisa.dma_copy(dst=j, src=by)
        nisa.tensor_tensor(dst=i, data1=i, data2=j, op=nl.subtract)
        t = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=table.vector_select(0, i))
        out = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=t)
        return out

    @nki.jit
    def appended(parts, counts):
        R, W = parts.shape
        ends = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.sbuf)
        nisa.memset(ends, 0)
        out = nl.ndarray((2, W), dtype=parts.dtype, buffer=nl.shared_hbm)
        n = nl.ndarray((1, R), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=n, src=counts)
        for r in range(R):
            row = nl.ndarray((1, W), dtype=parts.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=row, src=parts[r : r + 1])
            place = out.ap([[W, 1], [1, W]], offset=r * W, scalar_offset=ends[:, r : r + 1], indirect_dim=1)
            nisa.dma_copy(dst=place, src=row)
            nisa.tensor_tensor(dst=ends[:, r : r + 1], data1=ends[:, r : r + 1], data2=n[:, r : r + 1], op=nl.add)
        if SECOND:
            nisa.dma_copy(dst=out.ap([[W, 1], [1, W]], scalar_offset=ends[:, 0:1], indirect_dim=1), src=row)
        return out
"""


@pytest.mark.parametrize(
    ("table", "idx", "by", "shown"),
    [
        ("20,8", "3..22", "0..3", "idx[:] = 22, by[:] = 0"),
        ("20,8", "3..19", "0..3", ""),
        ("19,8", "3..22", "3..4", "idx[:] = 3, by[:] = 4"),
        ("D:19..20,8", "4..22", "3..4", "idx[:] = 22, by[:] = 3"),
    ],
)
def test_numbers_that_meet_are_tried_at_the_ends_of_their_ranges(
    check: Checker, table: str, idx: str, by: str, shown: str
) -> None:
    write(check.folder, k=SUMS)
    words = [f"table=f32[{table}]", f"idx=i32[4,1] in {idx}", f"by=i32[4,1] in {by}"]
    given = [part for word in words for part in ("--arg", word)]
    status = check("k.py::moved", *given)
    if shown == "":
        # 19 - 0 is the last row, and 3 - 3 the first.
        assert status == 0, check.out
        return
    assert status == 1, check.out
    assert "dma_copy.oob" in check.out and shown in " ".join(check.out.split())


@pytest.mark.parametrize(("second", "phases"), [(False, "SSSS"), (True, "F")])
def test_a_part_of_an_index_tile_holds_what_was_written_there(check: Checker, second: bool, phases: str) -> None:
    write(check.folder, k=SUMS.replace("SECOND", str(second)))
    status = check("k.py::appended", "--arg", "parts=f32[2,16]", "--arg", "counts=i32[1,2] in 17..32")
    assert status == (1 if phases == "F" else 0), check.out


@pytest.mark.parametrize(("n", "status"), [("i32[1,1] in 1..F", 0), ("i32[1,1] in 1..F+1", 1), ("i32[1,1]", 3)])
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
        (
            "float8_e8m0fnu[P,1] in 0..3",
            "only integers and floats have a range, not float8_e8m0fnu",
            "float8_e8m0fnu[P,1]",
        ),
        ("f32[P,1] in 0..F", "the ends of a range of floats are two numbers", "F"),
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


PLACED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl

    @nki.jit
    def scatter(x, ids):
        P, D = x.shape
        out = nl.ndarray((P, D), dtype=x.dtype, buffer=nl.shared_hbm)
        i = nl.ndarray((P, 1), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.dma_copy(dst=i, src=ids)
        nisa.tensor_scalar(dst=i, data=i, op0=nl.subtract, operand0=100)
        t = nl.ndarray((P, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        nisa.dma_copy(dst=out.vector_select(0, i), src=t)
        return out

    @nki.jit
    def counted(x, n):
        P, F = x.shape
        out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
        c = nl.ndarray((1, 1), dtype=n.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=c, src=n)
        r = nisa.register_alloc(c)
        t = nl.ndarray((P, 1), dtype=x.dtype, buffer=nl.sbuf)
        for k in nl.dynamic_range(r):
            nisa.dma_copy(dst=t, src=x[:, nl.ds(k, 1)])
            nisa.dma_copy(dst=out[:, nl.ds(k, 1)], src=t)
        return out

    @nki.jit
    def halves(x, ids):
        P, D = x.shape
        out = nl.ndarray((2, 4 * P, D), dtype=x.dtype, buffer=nl.shared_hbm)
        half = nl.program_id(0)
        i = nl.ndarray((P, 1), dtype=ids.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=i, src=ids)
        t = nl.ndarray((P, D), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        for block in range(4):
            nisa.dma_copy(dst=out[half, block * P : block * P + P, :], src=t)
        rows = out.reshape((8 * P, D)).ap(pattern=[[D, P], [1, D]], offset=half * 4 * P * D, vector_offset=i)
        nisa.dma_copy(dst=rows, src=t)
        return out
"""


def verdicts(text: str) -> dict[int, str]:
    """The verdicts by phase in a table that was printed."""
    rows = re.findall(r"^\w+ +([1-4])  ([A-Z]+)", text, re.MULTILINE)
    return {int(phase): verdict for phase, verdict in rows}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (range(100, 116), {1: "SUCCESSFUL", 2: "SUCCESSFUL", 3: "SUCCESSFUL", 4: "SUCCESSFUL"}),
        # A row is written twice, another one never.
        ([100, 100, *range(102, 116)], {1: "SUCCESSFUL", 2: "SUCCESSFUL", 3: "SUCCESSFUL", 4: "FAILED"}),
        (range(101, 117), {1: "FAILED", 2: "SUCCESSFUL", 3: "SUCCESSFUL", 4: "UNKNOWN"}),
    ],
)
def test_contents_of_a_file_say_which_rows_are_written(
    check: Checker, numbers: Sequence[int], expected: dict[int, str]
) -> None:
    write(check.folder, k=PLACED)
    np.save(check.folder / "ids.npy", np.array(numbers, np.uint32)[::-1].reshape(16, 1))
    check("k.py::scatter", "--arg", "x=f32[16,8]", "--arg", "ids=@ids.npy")
    assert verdicts(check.out) == expected, check.out


def test_a_range_leaves_it_open_which_rows_are_written(check: Checker) -> None:
    write(check.folder, k=PLACED)
    assert check("k.py::scatter", "--arg", "x=f32[16,8]", "--arg", "ids=u32[16,1] in 100..115") == 3
    assert verdicts(check.out) == {1: "SUCCESSFUL", 2: "SUCCESSFUL", 3: "SUCCESSFUL", 4: "UNKNOWN"}
    assert "give them: --arg NAME=@FILE.npy" in " ".join(check.out.split())


@pytest.mark.parametrize(
    ("number", "expected"),
    [(8, ("SUCCESSFUL", "SUCCESSFUL")), (7, ("SUCCESSFUL", "FAILED")), (9, ("FAILED", "UNKNOWN"))],
)
def test_a_device_loop_goes_round_as_often_as_a_file_says(
    check: Checker, number: int, expected: tuple[str, str]
) -> None:
    write(check.folder, k=PLACED)
    np.save(check.folder / "n.npy", np.array([[number]], np.int32))
    check("k.py::counted", "--arg", "x=f32[16,8]", "--arg", "n=@n.npy")
    found = verdicts(check.out)
    assert (found[1], found[4]) == expected, check.out


@pytest.mark.parametrize(("last", "verdict"), [(63, "SUCCESSFUL"), (64, "UNKNOWN")])
def test_programs_that_scatter_to_parts_of_their_own_do_not_meet(check: Checker, last: int, verdict: str) -> None:
    write(check.folder, k=PLACED)
    check("k.py::halves", "--arg", "x=f32[16,8]", "--arg", f"ids=u32[16,1] in 0..{last}", "--grid", "2")
    assert verdicts(check.out)[4] == verdict, check.out


WHILE = """
    import nki
    import nki.isa as nisa
    import nki.language as nl

    @nki.jit
    def downwards(x, n):
        P, F = x.shape
        out = nl.ndarray((P, F), dtype=x.dtype, buffer=nl.shared_hbm)
        left = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=left, src=n)
        t = nl.ndarray((P, 1), dtype=x.dtype, buffer=nl.sbuf)
        r = nisa.register_alloc()
        nisa.register_load(r, left)
        {statement} r:
            nisa.tensor_scalar(left, left, nl.subtract, 1)
            nisa.register_load(r, left)
            nisa.dma_copy(dst=t, src=x[:, nl.ds(r, 1)])
            nisa.dma_copy(dst=out[:, nl.ds(r, 1)], src=t)
        return out
"""


@pytest.mark.parametrize(
    ("statement", "number", "expected"),
    [
        ("while", 8, ("SUCCESSFUL", "SUCCESSFUL")),
        ("while", 7, ("SUCCESSFUL", "FAILED")),
        ("while", 9, ("FAILED", "UNKNOWN")),
        # What an `if` on a register means, no document says.
        ("if", 8, ("UNKNOWN", "UNKNOWN")),
    ],
)
def test_a_while_over_a_register_goes_round_as_often_as_a_file_says(
    check: Checker, statement: str, number: int, expected: tuple[str, str]
) -> None:
    write(check.folder, k=WHILE.format(statement=statement))
    np.save(check.folder / "n.npy", np.array([[number]], np.int32))
    check("k.py::downwards", "--arg", "x=f32[16,8]", "--arg", "n=@n.npy")
    found = verdicts(check.out)
    assert (found[1], found[4]) == expected, check.out


PADDED = """
    import nki
    import nki.isa as nisa
    import nki.language as nl

    @nki.jit
    def padded(table, ids):
        V, D = table.shape
        P, _ = ids.shape
        out = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.shared_hbm)
        i = nl.ndarray((P, 1), dtype=ids.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=i, src=ids)
        t = nl.ndarray((P, D), dtype=table.dtype, buffer=nl.sbuf)
        nisa.memset(dst=t[{first}:P, :], value=0.0)
        nisa.dma_copy(dst=t, src=table.vector_select(0, i), oob_mode=nisa.oob_mode.skip)
        nisa.dma_copy(dst=out, src=t)
        return out
"""


@pytest.mark.parametrize(
    ("first", "numbers", "verdict"),
    [
        (12, [*range(12), -1, -1, -1, -1], "SUCCESSFUL"),
        # The row before the last four is neither filled nor gathered.
        (12, [*range(11), -1, -1, -1, -1, -1], "FAILED"),
        (15, [*range(16)], "SUCCESSFUL"),
        (0, [-1] * 16, "SUCCESSFUL"),
    ],
)
def test_rows_that_a_gather_skips_keep_what_they_hold(
    check: Checker, first: int, numbers: Sequence[int], verdict: str
) -> None:
    write(check.folder, k=PADDED.format(first=first))
    np.save(check.folder / "ids.npy", np.array(numbers, np.int32).reshape(16, 1))
    check("k.py::padded", "--arg", "table=f32[16,8]", "--arg", "ids=@ids.npy")
    assert verdicts(check.out)[4] == verdict, check.out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("@none.npy", "none.npy cannot be read: No such file or directory"),
        ("@text.npy", "text.npy cannot be read: it holds no array in NumPy's format"),
        ("@long.npy", "long.npy holds int64, which is no NKI dtype; write for example ids='int32[16, 1] in @long.npy'"),
        ("u32[8,1] in @long.npy", "long.npy holds an array of shape (16, 1)"),
        ("u8[16,1] in @long.npy", "long.npy holds numbers from 100 to 300, which are not all uint8 (0..255)"),
        ("f32[16,1] in @long.npy", "long.npy holds int64, not float32"),
        ("Config(1) in @long.npy", "a file holds the elements of a tensor, written u32[P,1] in @FILE.npy"),
    ],
)
def test_a_file_that_does_not_fit_is_one_clear_line(check: Checker, given: str, message: str) -> None:
    write(check.folder, k=PLACED)
    (check.folder / "text.npy").write_text("hello")
    np.save(check.folder / "long.npy", np.linspace(100, 300, 16).astype(np.int64).reshape(16, 1))
    assert check("k.py::scatter", "--arg", "x=f32[16,8]", "--arg", f"ids={given}") == 2
    assert check.err.splitlines()[0] == f"nkiverify: error: --arg ids: {message}"


def test_a_file_fixes_a_dimension(check: Checker) -> None:
    write(check.folder, k=PLACED)
    np.save(check.folder / "ids.npy", np.arange(100, 116, dtype=np.uint32).reshape(16, 1))
    words = ("k.py::scatter", "--arg", "x=f32[P,8]", "--arg", "ids=u32[P,1] in @ids.npy", "--phase", "1,2,3")
    assert check(*words) == 0, check.out
    assert "P == 16" in check.out
