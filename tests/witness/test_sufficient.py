"""On the domain that is said to suffice, what was refuted holds; nothing is said where none is known."""

from __future__ import annotations

import itertools
import shlex

import pytest

from nkiverify.frontend.domain.expressions import condition as meaning
from nkiverify.frontend.domain.syntax import parse
from nkiverify.symbolic.atoms import Dimension
from nkiverify.symbolic.evaluation import Valuation
from nkiverify.symbolic.terms import of_atom
from nkiverify.verify.witness.sufficient import plain_parts
from tests.check.kernel_files import COPY, Checker, write
from tests.check.test_contents import KERNELS

#: A row of `F` columns, and of `H * W`, in one tile; and an `exp` that has a smaller limit of its own.
WHOLE = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def rows(a):
        P, F = a.shape
        assert P % 2 == 0
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a)
        nisa.activation(dst=t, op=nl.exp, data=t)
        nisa.dma_copy(dst=out, src=t)
        return out


    @nki.jit
    def images(a):
        P, H, W = a.shape
        out = nl.ndarray((P, H * W), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, H * W), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a.reshape((P, H * W)))
        nisa.dma_copy(dst=out, src=t)
        return out


    @nki.jit
    def tiles(a):
        P, F = a.shape
        out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, F // 128 * 128), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a[:, 0 : F // 128 * 128])
        nisa.dma_copy(dst=out[:, 0 : F // 128 * 128], src=t)
        return out


    @nki.jit
    def strided(a):
        P, H, W = a.shape
        out = nl.ndarray((P, W), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, 3, W), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=a[:, 0:3, :])
        u = nl.ndarray((P, W, 3), dtype=a.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=u, src=t.permute((0, 2, 1)))
        nisa.dma_copy(dst=out, src=u[:, :, 0])
        return out


    @nki.jit
    def too_large(a):
        P, F = a.shape
        out = nl.ndarray((P, 1), dtype=a.dtype, buffer=nl.shared_hbm)
        t = nl.ndarray((P, 120000 + F), dtype=a.dtype, buffer=nl.sbuf)
        nisa.memset(dst=t, value=0)
        nisa.dma_copy(dst=out, src=t[:, 0:1])
        return out
"""


#: What has to hold is about two quotients.
QUOTIENTS = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def packed(a):
        P, F = a.shape
        out = nl.ndarray((P // 8, 4), dtype=a.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=a[0 : F // 4, 0:4])
        return out
"""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys) -> Checker:  # type: ignore[no-untyped-def]
    """`nkiverify check`, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Checker(tmp_path, capsys)


def advised(out: str) -> list[str]:
    """What the last line says to type."""
    *_, last = out.strip().splitlines()
    said, _, words = last.partition(" with --where ")
    assert said == "no phase fails", out
    return ["--where", *shlex.split(words)]


@pytest.mark.parametrize(
    ("kernel", "argument", "conditions"),
    [
        # The first that is illegal is said by the refutation: 65537 columns, 106493, 129 partitions.
        ("rows", "a=bf16[P,F]", "P <= 128 and F <= 65536"),
        ("rows", "a=bf16[128,F]", "F <= 65536"),
        ("images", "a=f32[128,H,W]", "H*W <= 53246"),
        # 415 tiles of 128 columns are as many as fit, and 127 columns make no tile more.
        ("tiles", "a=f32[128,F:128..]", "F <= 53247"),
        # A stride of W elements, if there is more than one step of it.
        ("strided", "a=f32[128,3,W]", "W <= 8874"),
        ("strided", "a=u8[128,3,W]", "W <= 32767"),
    ],
)
def test_where_it_suffices_nothing_fails(check: Checker, kernel: str, argument: str, conditions: str) -> None:
    write(check.folder, k=WHOLE)
    words = [f"k.py::{kernel}", "--arg", argument, "--phase", "1,3"]
    assert check(*words) == 1
    advice = advised(check.out)
    assert advice[1] == conditions
    # The asserts that were assumed are assumed again.
    assert ("--assume-asserts" in advice) == (kernel == "rows")
    assert check(*words, *advice) == 0, check.out


def test_tails_of_tiles_and_indices_of_loops(check: Checker) -> None:
    kernel = COPY.replace("assert F % tile == 0", "assert F").replace(
        "nl.affine_range(F // tile)", "range(-(-F // tile))"
    )
    write(check.folder, k=kernel)
    words = ["k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1,3,4"]
    assert check(*words) == 1
    # What phase 4 has no shape to run for is, on that domain, proved.
    assert "idx.oob is broken (phase 1)" in check.out
    advice = advised(check.out)
    assert advice == ["--where", "F % 128 == 0", "--assume-asserts"]
    assert check(*words, *advice) == 0, check.out


def test_nothing_is_said_where_no_shape_would_be_left(check: Checker) -> None:
    write(check.folder, k=WHOLE)
    assert check("k.py::too_large", "--arg", "a=bf16[128,F]", "--phase", "3") == 1
    assert "holds " not in check.out and "--where" not in check.out


@pytest.mark.parametrize(
    ("body", "conditions"),
    [
        ("assert n % 6 == 0", "n % 6 == 0"),
        ("assert (n + 1) % 6 != 0", "(n + 1) % 6 != 0"),
        ("assert n // 6 == (n + 1) // 6", "n//6 == (n + 1)//6"),
    ],
)
def test_equations(check: Checker, body: str, conditions: str) -> None:
    write(check.folder, k=f"import nki\n\n\ndef kernel(n):\n    for i in range(1):\n        {body}\n    return n\n")
    words = ["k.py::kernel", "--arg", "n=n:1..", "--phase", "1"]
    assert check(*words) == 1, check.out
    said = [line for line in check.out.splitlines() if line.startswith("  holds ")]
    assert said == [f"  holds    where {conditions}"], check.out


def test_nothing_is_said_of_contents(check: Checker) -> None:
    write(check.folder, k=KERNELS)
    assert check("k.py::gather", "--arg", "table=f32[V,D:1..512]", "--arg", "idx=u32[P,1]", "--phase", "1") == 3
    assert "--where" not in check.out


def test_phases_of_which_nothing_is_known_are_told_apart(check: Checker) -> None:
    # A last tile that is left out: columns of the result are not written.
    kernel = COPY.replace("        assert P <= 128\n", "").replace('        assert F % tile == 0, f"{F} columns"\n', "")
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 1
    assert "FAILED: copy (phase 1), copy (phase 4)" in check.out
    assert check.out.endswith("no phase fails with --where 'P <= 128 and F % 128 == 0'\n")
    assert check("k.py::copy", "--arg", "a=bf16[128,F]", "--phase", "4") == 1
    assert check.out.endswith("phase 4 holds with --where 'F % 128 == 0'\n")
    # Not the smallest shape, F = 1, for which nothing is stored: the store is named that should have gone further.
    assert "witness  F = 129  # any F that is no multiple of 128 fails" in check.out
    assert "because  out[0, 128] is never written" in check.out
    assert "dma_copy" in check.out.partition("because")[0]
    assert check("k.py::copy", "--arg", "a=bf16[128,513]", "--phase", "4") == 1
    assert "--derive" not in check.out


def test_what_relates_quotients_is_refuted_like_anything_else(check: Checker) -> None:
    write(check.folder, k=QUOTIENTS)
    assert check("k.py::packed", "--arg", "a=f32[P:8..,F:4..]", "--phase", "1") == 1, check.out
    assert "FAILED" in check.out


_PLAIN = [
    "n <= min(7, n)",
    "2*n + m <= 3*min(7, m + 1)",
    "-n//4 >= -3",
    "(-n*m)//5 >= -4",
    "3*(n//4) <= 7",
    "2*((n + m)//3) >= 5",
    "n*m//4 <= 6 and m <= min(n, 5)",
    "n//4 == 2",
    "n <= min(7, m//2)",
]


@pytest.mark.parametrize("text", _PLAIN)
def test_plain_parts_say_the_same(text: str) -> None:
    atoms = {name: Dimension(name) for name in "nm"}
    names = {name: of_atom(atom) for name, atom in atoms.items()}
    whole = meaning(parse("--where", text)[1], names)
    parts = list(plain_parts(whole))
    assert parts
    for n, m in itertools.product(range(-6, 24), repeat=2):
        at = Valuation({atoms["n"]: n, atoms["m"]: m})
        assert at.holds(whole) == all(map(at.holds, parts)), (n, m)


def test_nothing_is_left_of_a_minimum_that_bounds() -> None:
    n = of_atom(Dimension("n"))
    assert [str(one) for one in plain_parts(meaning(parse("--where", "n <= min(7, n)")[1], {"n": n}))] == ["n <= 7"]
    assert [str(one) for one in plain_parts(meaning(parse("--where", "(-n)//4 >= -3")[1], {"n": n}))] == ["n <= 12"]
