"""Limits are what contracts declare to be some, and `the kernel's own asserts enforce this` is proved or not said."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.main import main
from nkiverify.frontend.domain.expressions import condition as meaning
from nkiverify.frontend.domain.syntax import parse
from nkiverify.products.derive.domain_candidates import bounds_from_above
from nkiverify.symbolic.atoms import Dimension
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.terms import of_atom

HEAD = """\
import math

import nki
import nki.isa as nisa
import nki.language as nl


def body(x, P, N):
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def kernel(x):
    P, N = x.shape
"""

#: A table with a place for each tile is too short for large inputs, at sizes far beyond those that are run.
TABLE = """\
    assert P == 128 and N % {tile} == 0
    out = nl.ndarray((P, {table}), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((P, {table}), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(sums, 0.0)
    for i in range(N // {tile}):
        t = nl.ndarray((P, {tile}), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * {tile}:(i + 1) * {tile}])
        nisa.tensor_reduce(dst=sums[:, i:i + 1], op=nl.add, data=t, axis=1)
    nisa.dma_copy(dst=out, src=sums)
    return out
"""


def said(source: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status of `check` with what it prints, in one line."""
    path = folder / "kernel.py"
    path.write_text(HEAD + source, encoding="utf-8")
    status = main(["check", f"{path}::kernel", "--no-cache"])
    return status, " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("tile", "table"), [(128, 16), (512, 8), (512, 9), (512, 64), (1024, 5), (2048, 3), (100, 50)])
def test_a_table_that_is_too_short_is_no_limit(
    tile: int, table: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = said(TABLE.format(tile=tile, table=table), tmp_path, capsys)
    assert status == 1, out
    assert "limits:" not in out
    assert f"N = {tile * (table + 1)} is accepted and the slice {table}:{table + 1} leaves dimension 1" in out


#: What is added to the column in each iteration, and the last number of tiles for which there are columns.
COUNTED = {"step = 3 - step; k += step": 11, "k = k * 3 % 19": 9, "step, k = k, k + step": 8}


@pytest.mark.parametrize("count", COUNTED)
def test_the_last_size_of_a_table_that_is_counted_in_steps(
    count: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = "k = 1" if "%" in count else "k, step = 0, 1"
    text = (
        TABLE.format(tile=512, table=16)
        .replace("i:i + 1", "k:k + 1")
        .replace("    for i in", f"    {start}\n    for i in")
    )
    _, out = said(text.replace("axis=1)\n", f"axis=1)\n        {count}\n"), tmp_path, capsys)
    assert f"N = {512 * (COUNTED[count] + 1)} is accepted and the slice " in out, out


def test_the_last_size_of_a_table_that_other_sizes_fail_besides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is no multiple of the tile leaves a part unwritten, whatever the table holds."""
    text = TABLE.format(tile=512, table=16).replace("assert P == 128 and N % 512 == 0", "assert P == 128")
    text = text.replace("i:i + 1", "k:k + 1").replace("    for i in", "    k = 1\n    for i in")
    text = text.replace("axis=1)\n", "axis=1)\n        k = k * 3 % 19\n")
    _, out = said(text, tmp_path, capsys)
    assert f"N <= {512 * 9}" in out and f"N = {512 * 10} is accepted and the slice " in out, out


#: What a kernel does before `body`, and what is to be said of it: checks, more, or a condition that it lacks.
WORDS = {
    "an assert": ("    assert P == 128\n", "checks"),
    "a raise": ("    if P > 128:\n        raise ValueError('P')\n", "checks"),
    "two raises": ("    if P > 128:\n        raise ValueError\n    if N % 2:\n        raise ValueError\n", "checks"),
    "a raise of some only": ("    if N % 3 == 1 or P > 128:\n        raise ValueError\n", "more"),
    "a square": ("    assert P <= 128 and math.isqrt(N) ** 2 == N\n", "more"),
    "a gap": ("    assert P == 128 and not (9 <= N <= 15)\n", "checks"),
    "one of three": ("    assert P in (32, 64, 128)\n", "more"),
    "either way": ("    assert P <= 64 or P == 128\n", "more"),
    "a way out": ("    assert P <= 128\n    if N > 100:\n        return None\n", "checks"),
    "an assert about both": ("    assert P <= 128 and N % P == 0\n", "checks"),
    "nothing": ("", "lacks"),
}


@pytest.mark.parametrize("name", WORDS)
def test_who_checks_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, expected = WORDS[name]
    status, out = said(f"{source}    return body(x, P, N)\n", tmp_path, capsys)
    assert status == 0, out
    words = {
        "checks": "the kernel's own asserts enforce this",
        "more": "there may be more legal shapes",
        "lacks": "limits: P",
    }
    assert [key for key, text in words.items() if text in out] == [expected], out


def test_the_second_part_of_an_assert_is_part_of_the_domain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, _ = WORDS["a gap"]
    _, out = said(f"{source}    return body(x, P, N)\n", tmp_path, capsys)
    assert "not 9 <= N <= 15" in out.partition("proved for all")[0], out


@pytest.mark.parametrize(
    ("asserted", "printed"),
    [("P <= 7", "P <= 7"), ("P in (1, 2, 3)", "P in (1, 2, 3)"), ("P <= 7 and N <= 4", "P <= 7")],
)
def test_an_assert_behind_what_is_not_understood_is_part_of_the_domain(
    asserted: str, printed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The symbolic run of all shapes ends at `isqrt`, and comes to the assert within `N == 1` only."""
    source = f"    assert math.isqrt(N) ** 2 == N\n    assert {asserted}\n    return body(x, P, N)\n"
    status, out = said(source, tmp_path, capsys)
    assert (status, f"legal where N == 1, {printed} proved" in out) == (0, True), out


def test_a_factor_that_all_products_have_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = """\
    out = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out
"""
    _, out = said(source, tmp_path, capsys)
    assert "kernel is legal where P == 128 " in out, out


@pytest.mark.parametrize(
    ("text", "from_above"),
    [
        ("N <= 512", True),
        ("(H//p)*(W//p) <= 35497", True),
        ("H//p + 2*(W//(p*p)) <= 9", True),
        ("H//p >= 2", False),
        ("p <= H//p", False),
        ("(H//p)*(W//p) - H <= 9", False),
        ("(H//p)*(W//p) <= p", False),
    ],
)
def test_what_is_bounded_of_parts_is_bounded_from_above(text: str, from_above: bool) -> None:
    atoms = {name: of_atom(Dimension(name)) for name in "NHWp"}
    condition = meaning(parse("--where", text)[1], atoms)
    assert isinstance(condition, Condition) and bounds_from_above(condition) is from_above


def test_a_limit_is_that_of_the_domain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without what the domain says of the rows, their product with the columns would be limited."""
    source = """\
    assert P == 1
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, P, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t[0:1, 0, :], src=x)
    nisa.dma_copy(dst=out, src=t[0:1, 0, :])
    return out
"""
    status, out = said(source, tmp_path, capsys)
    assert status == 0, out
    assert "limits: N <= 106492 (SBUF" in out


#: Rows of all batches in tiles; `end` is where a tile that is cut off ends.
BATCHES = """\
    assert P >= 1
    rows, all_rows = x.reshape((P * N, 1)), P * N
    out = nl.ndarray((P * N, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for s in range(0, all_rows, 128):
        e = min(s + 128, {end})
        t = nl.ndarray((e - s, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=rows[s:e])
        nisa.dma_copy(dst=out[s:e], src=t)
    return out
"""


def test_a_limit_of_a_product_is_none_of_its_factors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(BATCHES.format(end="all_rows"), tmp_path, capsys)
    assert status == 0
    assert "kernel is legal for all shapes proved for all such shapes" in text
    assert "limits: N*P <= 2147483520 (32 bits" in text or "limits: P*N <= 2147483520 (32 bits" in text


#: Three tiles of rows, however many there are.
THREE = """\
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(3):
        low, high = min(i * 128, P), min(i * 128 + 128, P)
        if high > low:
            t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t[0 : high - low], src=x[low:high, :])
            nisa.dma_copy(dst=out[low:high], src=t[: high - low])
    return out
"""


def test_no_dimension_is_compared_with_a_minimum_of_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(THREE, tmp_path, capsys)
    assert status == 1
    assert "kernel is legal where P <= 384 proved" in text
