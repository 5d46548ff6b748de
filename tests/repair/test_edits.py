"""Edits: what may have been meant instead of what is written, as text that leaves all else as it is."""

from __future__ import annotations

import ast

import pytest

from nkiverify.products.repair.edits import edits_of
from nkiverify.products.repair.kernel_source import KernelSource
from nkiverify.products.repair.nearness import distances, functions_near
from nkiverify.products.repair.patches import with_replacements
from nkiverify.products.repair.surroundings import surroundings

HEAD = """\
import nki.isa as nisa
import nki.language as nl

TILE_M, TILE_K = 64, 128
TILE = 128


def kernel(x, y):
    K, M = x.shape
    out = nl.ndarray((K, M), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(K // TILE):
        rows = 128
        for m in range((M + 127) // 128):
            {line}
    return out
"""


def edited(line: str) -> set[str]:
    """The lines that edits make of `line`, in a kernel."""
    source = KernelSource(HEAD.format(line=line))
    number = HEAD.splitlines().index("            {line}")
    function = next(node for node in source.tree.body if isinstance(node, ast.FunctionDef))
    found = set()
    for statement, around in surroundings(source, function):
        for edit in edits_of(statement, around):
            text = with_replacements(source.text, edit.replacements)
            ast.parse(text)
            found.add(text.splitlines()[number].strip())
    return found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("f(x[m * TILE_K : m * TILE_K + 5])", "f(x[k * TILE_K : m * TILE_K + 5])"),
        ("f(x[m * TILE : m * TILE + TILE])", "f(x[k * TILE : k * TILE + TILE])"),
        ("f(x[0:500], y[0:500])", "f(x[0:128], y[0:128])"),
        ("f(x[k + 1 : k + 1 + rows])", "f(x[k : k + rows])"),
        ("f(x[:, 3 * rows : 4 * rows])", "f(x[:, 2 * rows : 3 * rows])"),
        ("f(x[(k + 1) * 8])", "f(x[k * 8])"),
        ("f(x[0 : rows + 1])", "f(x[0 : rows])"),
        ("f(x.ap([[0, M], [1, K]]))", "f(x.ap([[0, K], [1, M]]))"),
        ("nl.matmul(x, y)", "nl.matmul(x, y, transpose_x=True)"),
        ("nl.sum(x, axis=1)", "nl.sum(x, axis=1, keepdims=True)"),
        ("nisa.nc_matmul(x, y, y, accumulate=True)", "nisa.nc_matmul(x, y, y, accumulate=m > 0)"),
        ("nisa.tensor_copy(dst=out, src=x)", "nisa.dma_copy(dst=out, src=x)"),
        ("g = M // TILE", "g = (M + TILE - 1) // TILE"),
        ("g = (M + 127) // 128", "g = M // 128"),
        ("g = -(-M // TILE)", "g = M // TILE"),
        ("size = TILE", "size = min(TILE, K - k * TILE)"),
        ("f(x[m * 128 : (m + 1) * 128])", "f(x[m * 128 : min((m + 1) * 128, M)])"),
        ("nisa.nc_matmul(dst=total, stationary=x, moving=y)", "nisa.nc_matmul(dst=total, stationary=y, moving=x)"),
        ("f(x[k, m])", "f(x[m, k])"),
        ("nisa.tensor_reduce(dst=total, data=x, axis=2)", "nisa.tensor_reduce(dst=total, data=x, axis=1)"),
        ("nl.store(x[k, m], y, mask=(k < M) & (m < K))", "nl.store(x[k, m], y, mask=(k < K) & (m < M))"),
        ("t = nl.load(x[k, m])", "t = nl.load(x[k, m], mask=(k < x.shape[0]) & (m < x.shape[1]))"),
        ("f(k <= M)", "f(k < M)"),
        ("total = y", "total += y"),
        ("nisa.nc_matmul(dst=total, stationary=x, moving=y)", None),
        ("f(dst=out[0:128, 0:rows], src=total)", "f(dst=out[0:128, 0:rows], src=total[0:128, 0:rows])"),
        ("f(dst=out[0:rows], src=x[k : k + 128])", "f(dst=out[0:rows], src=x[k : k + rows])"),
        ("f(dst=out[0], src=total)", "f(dst=out[m], src=total)"),
        ("f(dst=out[:, 0:128], src=total)", "f(dst=out[:, m * 128 : (m + 1) * 128], src=total)"),
        (
            "t = nl.ndarray((8, 8), dtype=x.dtype, buffer=nl.psum)",
            "t = nl.ndarray((8, 8), dtype=x.dtype, buffer=nl.sbuf)",
        ),
        (
            "t = nl.ndarray((8, 8), dtype=x.dtype, buffer=nl.sbuf)",
            "t = nl.zeros((8, 8), dtype=x.dtype, buffer=nl.sbuf)",
        ),
        ("f(x, accumulate=False)", "f(x, accumulate=True)"),
        (
            "nisa.activation(dst=y, data=x, reduce_res=t)",
            "nisa.activation(dst=y, data=x, reduce_res=t, reduce_cmd=nisa.reduce_cmd.reset_reduce)",
        ),
        (
            "nisa.activation(dst=y, data=x, reduce_res=t, reduce_cmd=nisa.reduce_cmd.idle)",
            "nisa.activation(dst=y, data=x, reduce_res=t, reduce_cmd=nisa.reduce_cmd.reset_reduce)",
        ),
        ("q = max(t, n - k)", "q = min(t, n - k)"),
    ],
)
def test_what_may_have_been_meant_is_among_the_edits(written: str, meant: str | None) -> None:
    found = edited(written)
    assert written in found, "edits elsewhere leave the line as it is"
    assert meant is None or meant in found


def test_brackets_are_added_where_they_are_needed_and_taken_where_they_are_not() -> None:
    source = KernelSource("a = n * (k + 1)\nb = n // t\nc = f(k + 1)\n")
    first, second, third = (one.value for one in source.tree.body if isinstance(one, ast.Assign))
    assert isinstance(first, ast.BinOp) and isinstance(second, ast.BinOp) and isinstance(third, ast.Call)
    assert with_replacements(source.text, [source.replaced(first.right, "k")]).startswith("a = n * k\n")
    assert "b = (n + 1) // t" in with_replacements(source.text, [source.replaced(second.left, "n + 1")])
    assert "c = f(k)" in with_replacements(source.text, [source.replaced(third.args[0], "k")])


def test_replacements_count_characters_not_bytes() -> None:
    source = KernelSource('"""Größe"""; a = n\n')
    value = source.tree.body[1]
    assert isinstance(value, ast.Assign)
    assert with_replacements(source.text, [source.replaced(value.value, "m")]) == '"""Größe"""; a = m\n'


def test_what_gives_a_name_its_value_is_nearer_than_what_has_nothing_of_it() -> None:
    text = "def kernel(x):\n    n = x.shape[0]\n    q = 3\n    for i in range(n):\n        f(i, n)\n    g(q)\n"
    source = KernelSource(text)
    (function,) = functions_near(source, "kernel", {5})
    statements = [one for one, _ in surroundings(source, function)]
    found = {one.lineno: far for one, far in distances(statements, {5}).items()}
    assert found == {2: 1, 3: 3, 4: 1, 5: 0, 6: 3}
