"""What may be written after --arg, --where and --grid, and how mistakes in it are shown."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import COPY, Checker, write

GOOD = {
    "symbolic extents": ("a=bf16[P:1..128,F]",),
    "numbers": ("a=float32[64,256]",),
    "arithmetic": ("a=bf16[P,128*n]",),
    "a range with a step": ("a=bf16[128,F:128..4096:128]",),
    "a range that starts beside the multiples of its step": ("a=bf16[P:1..127:2,128*n]",),
    "a range without end": ("a=bf16[P,F:128..]",),
    "a dtype of NKI": ("a=nl.bfloat16[P,F]",),
    "an integer": ("a=bf16[P,F]", "tile=64"),
    "an integer of its own": ("a=bf16[P,t*n]", "tile=t:1..512"),
    "an extent as an argument": ("a=bf16[P,F]", "tile=F"),
    "a negative number is a value too": ("a=bf16[P,F]", "tile=-(-64)"),
}


@pytest.mark.parametrize("arguments", GOOD.values(), ids=GOOD.keys())
def test_arguments_are_described_in_a_line(arguments: tuple[str, ...], check: Checker) -> None:
    write(check.folder, k=COPY)
    status = check("k.py::copy", "--phase", "1", *(word for text in arguments for word in ("--arg", text)))
    assert (status, check.err) == (0, "")
    assert "SUCCESSFUL" in check.out


FOLD = """
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def fold(a, shape, names):
    (rows, columns), (last, _) = shape, names
    out = nl.ndarray((rows * columns, last), dtype=a.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=a)
    return out
"""


def test_integers_of_their_own_in_tuples(check: Checker) -> None:
    write(check.folder, k=FOLD)
    words = ["--arg", "a=f32[t*u,n]", "--arg", "shape=(t:1..64, u:2..8:2)", "--arg", "names=(n : 1..16, 'b:1..2')"]
    assert check("k.py::fold", "--phase", "1", *words) == 0
    assert check("k.py::fold", "--phase", "1", *words, "--where", "u == 3") == 5
    # The extents of the argument are those of the tuple.
    assert check("k.py::fold", "--phase", "1", "--arg", "a=f32[t*u+1,n]", *words[2:]) == 1


TABLE = """
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def scaled(table, options):
    out = nl.ndarray(table["x"].shape, dtype=table["x"].dtype, buffer=nl.shared_hbm)
    tile = nl.load(table["x"][:, 0 : options["width"]])
    nl.store(out[:, 0 : options["width"]], nl.multiply(tile, options["factors"][-1]))
    return out
"""


@pytest.mark.parametrize(("width", "status"), [("F", 0), ("F - 1", 1)])
def test_dictionaries_of_tensors_and_numbers(width: str, status: int, check: Checker) -> None:
    write(check.folder, k=TABLE)
    options = f"options={{'width': {width}, 'factors': (1.0, -2.0)}}"
    words = ["--arg", "table={'x': f32[128,F:2..512]}", "--arg", options]
    assert check("k.py::scaled", *words) == status, check.out


BAD = {
    "a dictionary with a key that is a name": (
        ["--arg", "a=bf16[P,F]", "--arg", "tile={P: 2}"],
        "--arg tile: the keys of a dictionary are texts or numbers",
        "{P: 2}",
        " ^",
    ),
    "an unknown dtype": (
        ["--arg", "a=bf17[P,F]"],
        "--arg a: bf17 is no dtype; did you mean bf16?",
        "bf17[P,F]",
        "^^^^",
    ),
    "an open bracket": (["--arg", "a=bf16[P,F"], "--arg a: this is not understood", "bf16[P,F", "    ^"),
    "a true division": (
        ["--arg", "a=bf16[P/2,F]"],
        "--arg a: a dimension is an integer: divide with //",
        "bf16[P/2,F]",
        "     ^^^",
    ),
    "no extent at all": (["--arg", "a=bf16[0,F]"], "--arg a: an extent is at least 1", "bf16[0,F]", "     ^"),
    "a range without a name": (
        ["--arg", "a=bf16[P,1..2]"],
        "--arg a: give the range a name: NAME:low..high",
        "bf16[P,1..2]",
        "       ^^^^",
    ),
    "a range without an end": (
        ["--arg", "a=bf16[P,F:..]"],
        "--arg a: give the range an end: NAME:low.. or NAME:..high; a name alone is every size",
        "bf16[P,F:..]",
        "         ^^",
    ),
    "an empty range": (
        ["--arg", "a=bf16[P,F:10..5]"],
        "--arg a: no integer is in this range",
        "bf16[P,F:10..5]",
        "         ^^^^^",
    ),
    "an empty range in a tuple": (
        ["--arg", "a=bf16[P,F]", "--arg", "tile=(3, t:10..5)"],
        "--arg tile: no integer is in this range",
        "(3, t:10..5)",
        "      ^^^^^",
    ),
    "two ranges of one dimension": (
        ["--arg", "a=bf16[F:1..2,F:1..3]"],
        "--arg a: dimension F has the range 1..2 already",
        "bf16[F:1..2,F:1..3]",
        "            ^^^^^^",
    ),
    "a memory that is not there": (
        ["--arg", "a=bf16[P,F]@hbmm"],
        "--arg a: a memory is one of sbuf, psum, private_hbm, shared_hbm, hbm",
        "bf16[P,F]@hbmm",
        "          ^^^^",
    ),
    "a dimension used but never bound": (
        ["--arg", "a=bf16[P,F]", "--where", "P == 1 and G % 2 == 0"],
        "--where: no --arg has a dimension G",
        "P == 1 and G % 2 == 0",
        "           ^",
    ),
    "a dimension never bound that is to be divided": (
        ["--arg", "a=bf16[P,F]", "--where", "P == 1 and not G % 2"],
        "--where: no --arg has a dimension G",
        "P == 1 and not G % 2",
        "               ^",
    ),
    "a condition that is none": (
        ["--arg", "a=bf16[P,F]", "--where", "F % 128"],
        "--where: this is no condition",
        "F % 128",
        "^^^^^^^",
    ),
    "a name that means nothing": (
        ["--arg", "a=bf16[P,F]", "--arg", "tile=fast"],
        "--arg tile: fast is no dimension of a tensor and no name of the kernel's module",
        "fast",
        "^^^^",
    ),
    "values of a tensor": (
        ["--arg", "a=u32[P,F] in 0..V-1"],
        "--arg a: no --arg has a dimension V",
        "u32[P,F] in 0..V-1",
        "               ^",
    ),
    "a divisor that can be zero": (
        ["--arg", "a=bf16[P,F]", "--arg", "tile=t:0..4", "--where", "F % t == 0"],
        "--where: t can be 0: divide by what is at least 1",
        "F % t == 0",
        "    ^",
    ),
    "letters of other alphabets": (["--arg", "a=bf16[Π,F]"], "--arg a: only ASCII", "bf16[Π,F]", "     ^"),
}


@pytest.mark.parametrize(("words", "message", "text", "carets"), BAD.values(), ids=BAD.keys())
def test_a_mistake_is_shown_with_a_caret(
    words: list[str], message: str, text: str, carets: str, check: Checker
) -> None:
    write(check.folder, k=COPY)
    status = check("k.py::copy", *words)
    first, shown, marked = check.err.splitlines()
    assert status == 2
    assert check.out == ""
    assert first.startswith(f"nkiverify: error: {message}")
    assert (shown, marked) == (f"  {text}", f"  {carets}")


WRONG = {
    "an unknown parameter": (
        ["--arg", "a=bf16[P,F]", "--arg", "tiles=3"],
        "--arg tiles: copy has no such parameter; did",
    ),
    "a parameter given twice": (["--arg", "a=bf16[P,F]", "--arg", "a=bf16[P,F]"], "--arg a is given twice"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG.keys())
def test_arguments_are_those_of_the_kernel(words: list[str], message: str, check: Checker) -> None:
    write(check.folder, k=COPY)
    assert check("k.py::copy", *words) == 2
    assert check.err.startswith(f"nkiverify: error: {message}")
    assert check.err.count("\n") == 1
