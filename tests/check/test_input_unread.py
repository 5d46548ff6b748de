"""Parts of an input that no shape should drop, and parts that a kernel leaves out on purpose."""

from __future__ import annotations

import re
import textwrap

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    out = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(total, 0.0)

    def add(columns, width):
        t = nl.ndarray((P, width), dtype=x.dtype, buffer=nl.sbuf)
        part = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=columns)
        nisa.tensor_reduce(dst=part, op=nl.add, data=t, axis=1)
        nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)

{body}
    nisa.dma_copy(dst=out, src=total)
    return out
"""
WHOLE_TILES = "for i in range(N // {T}):\n    add(x[:, i * {T} : (i + 1) * {T}], {T})"
#: The body of the kernel, the shape, the part that is left out, and for which N.
DROPPED = {
    "the tail of the columns": (WHOLE_TILES.format(T=512), "f32[128,N:1..8192]", "x[:, 512:]", 513),
    "another tile": (WHOLE_TILES.format(T=96), "f32[128,N]", "x[:, 96:]", 97),
    "sizes that are even": (WHOLE_TILES.format(T=512), "f32[128,N:2..8192:2]", "x[:, 512:]", 514),
    "both dimensions open": (WHOLE_TILES.format(T=64), "f32[P:1..128,N:1..8192]", "x[:, 64:]", 65),
    "the last tile but for a full one": (
        "for i in range((N + 63) // 64 - 1):\n    add(x[:, i * 64 : (i + 1) * 64], 64)\n"
        "if N % 64 == 0:\n    add(x[:, N - 64 : N], 64)",
        "f32[128,N:1..8192]",
        "x[:, 64:]",
        65,
    ),
}
#: A range that the kernel leaves out at some size and at larger ones: the body, the shape, the range, for which N.
LEFT_OUT = {
    "one column": ("add(x[:, 0:1], 1)", "f32[128,N:1..8192]", "x[:, 1:]", 2),
    "the last column": ("add(x[:, N - 1 : N], 1)", "f32[128,N:1..8192]", "x[:, :1]", 2),
    "one half": ("add(x[:, 0 : N // 2], N // 2)", "f32[128,N:2..8192:2]", "x[:, 1:]", 2),
    "no more than a tile": ("w = min(N, 512)\nadd(x[:, 0:w], w)", "f32[128,N:1..8192]", "x[:, 512:]", 513),
    "one shape": (WHOLE_TILES.format(T=512), "f32[128,513]", "x[:, 512:]", None),
    **{
        f"tiles of {tile} at steps of {step}": (
            f"for i in range(N // {tile}):\n    add(x[:, i * {step} : i * {step} + {tile}], {tile})",
            f"f32[128,N:{tile}..8192:{tile}]",
            f"x[:, {step + tile}:]",
            2 * tile,
        )
        for tile, step in ((512, 128), (256, 128), (64, 32), (128, 1), (100, 10), (32, 31), (512, 511), (16, 4))
    },
    **{
        f"the first {columns} are passed over": (
            f"add(x[:, {columns} : N], N - {columns})",
            f"f32[128,N:{columns + 1}..4096]",
            f"x[:, :{columns}]",
            columns + 1,
        )
        for columns in (1, 2, 7, 64, 128, 500)
    },
    **{
        f"the last {columns} are left out": (
            f"add(x[:, 0 : N - {columns}], N - {columns})",
            f"f32[128,N:{columns + 1}..4096]",
            "x[:, 1:]",
            columns + 1,
        )
        for columns in (1, 3, 8, 100)
    },
    **{
        f"columns {first} to {last} are passed over": (
            f"add(x[:, 0:{first}], {first})\nadd(x[:, {last}:N], N - {last})",
            f"f32[128,N:{last + 1}..4096]",
            f"x[:, {first}:{last}]",
            last + 1,
        )
        for first, last in ((1, 2), (5, 9), (64, 128), (100, 101))
    },
}
LEFT_OUT |= {
    "one half of a view": (
        "v = x.reshape((P, 2, N // 2))\nadd(v[:, 0, :], N // 2)",
        "f32[128,N:2..8192:2]",
        "x[:, 1:]",
        2,
    ),
    "all but one of the parts of a view": (
        "v = x.reshape((P, N // 4, 4))\nadd(v[:, 0, :], 4)",
        "f32[128,N:8..8192:4]",
        "x[:, 4:]",
        8,
    ),
}
INTENDED = {
    "every other column, by a stride": ("add(x[:, 0:N:2], (N + 1) // 2)", "f32[P:1..128,N:2..64]"),
    "each column of a view in turn": (
        "v = x.reshape((P, N // 4, 4))\nfor k in range(4):\n    add(v[:, :, k], N // 4)",
        "f32[128,N:8..64:4]",
    ),
    "one column of each part of a view": (
        "v = x.reshape((P, N // 4, 4))\nadd(v[:, :, 0], N // 4)",
        "f32[128,N:8..64:4]",
    ),
    "every other column": ("for i in range((N + 1) // 2):\n    add(x[:, 2 * i : 2 * i + 1], 1)", "f32[128,N:1..512]"),
    "a tail that is read": (
        "for i in range((N + 511) // 512):\n    w = min(512, N - i * 512)\n    add(x[:, i * 512 : i * 512 + w], w)",
        "f32[128,N:1..8192]",
    ),
    "whole tiles only": (WHOLE_TILES.format(T=512), "f32[128,N:512..8192:512]"),
    "all at once": ("add(x[:, 0:N], N)", "f32[128,N:1..8192]"),
    "two halves": ("add(x[:, 0 : N // 2], N // 2)\nadd(x[:, N // 2 : N], N - N // 2)", "f32[128,N:2..8192]"),
    "from the end": (
        "for i in range(N // 64):\n    add(x[:, N - 64 * (i + 1) : N - 64 * i], 64)",
        "f32[128,N:64..4096:64]",
    ),
    "tiles that overlap": ("for i in range(N - 1):\n    add(x[:, i : i + 2], 2)", "f32[128,N:2..64]"),
    "either way": ("if N > 512:\n    add(x[:, 0:N], N)\nelse:\n    add(x, N)", "f32[128,N:1..8192]"),
    **{
        f"whole tiles of {tile}": (WHOLE_TILES.format(T=tile), f"f32[128,N:{tile}..8192:{tile}]")
        for tile in (1, 32, 100, 128, 1024)
    },
    "nothing of it": ("pass", "f32[128,N:1..8192]"),
}


def verdict(check: Checker, body: str, x: str, *options: str) -> int:
    """The exit status of checking a kernel that adds up columns of x."""
    write(check.folder, k=KERNEL.format(body=textwrap.indent(body, "    ")))
    return check("k.py::kernel", "--arg", f"x={x}", *options)


@pytest.mark.parametrize("name", DROPPED)
def test_a_dropped_tail_is_told_of(name: str, check: Checker) -> None:
    body, x, part, n = DROPPED[name]
    assert verdict(check, body, x) == 0, check.out
    text = " ".join(check.out.split())
    assert text.count("warning df.input_unread") == 1
    assert re.search(rf"{re.escape(part)} is never read for ([PN] = \d+, )*N = {n}, all of x is for N = ", text), text


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_range_that_is_never_read_is_told_of(name: str, check: Checker) -> None:
    body, x, part, n = LEFT_OUT[name]
    assert verdict(check, body, x) == 0, check.out
    text = " ".join(check.out.split())
    assert text.count("warning df.input_unread") == 1
    assert f"{part} is never read" + (f" for N = {n}" if n is not None else "") in text, text


@pytest.mark.parametrize("name", INTENDED)
def test_of_what_is_read_nothing_is_said_nor_of_what_is_no_range(name: str, check: Checker) -> None:
    body, x = INTENDED[name]
    assert verdict(check, body, x) == 0, check.out
    assert "df.input_unread" not in check.out


def test_where_keeps_the_sizes_that_are_asked_about(check: Checker) -> None:
    body, x, _, _ = DROPPED["the tail of the columns"]
    assert verdict(check, body, x, "--where", "N % 512 == 0", "--where", "N >= 512") == 0
    assert "df.input_unread" not in check.out


def test_warnings_fail_where_asked_to(check: Checker) -> None:
    body, x, _, _ = DROPPED["the tail of the columns"]
    assert verdict(check, body, x, "-W", "error") == 1
    assert check.out.splitlines()[-1] == "FAILED (warnings): 1 warning, df.input_unread, which -W error makes fail"
    assert verdict(check, body, x, "--warnings", "error=df.input_unread") == 1
    assert verdict(check, body, x, "-W", "error=df.unused") == 0
    assert "warning df.input_unread" in check.out
    assert verdict(check, body, x, "-W", "error", "-W", "ignore=df.input_unread") == 0
    assert "df.input_unread" not in check.out
    assert verdict(check, body, x, "-W", "ignore") == 0
    assert "df.input_unread" not in check.out
    body, x = INTENDED["a tail that is read"]
    assert verdict(check, body, x, "-W", "error") == 0
    assert "FAILED" not in check.out


@pytest.mark.parametrize("rule", ["df.unusd", "error=nc_matmul.k_le_128", "ignore=", "errors"])
def test_a_rule_that_there_is_not_is_a_usage_error(rule: str, check: Checker) -> None:
    body, x, _, _ = DROPPED["the tail of the columns"]
    assert verdict(check, body, x, "-W", rule) == 2
    assert check.out == ""


OF_ONE_ARGUMENT = """
    import dataclasses

    import nki
    import nki.isa as nisa
    import nki.language as nl


    @dataclasses.dataclass
    class Pair:
        one: object
        two: object


    @nki.jit
    def copy(pair):
        out = nl.ndarray((64, 96), dtype=nl.bfloat16, buffer=nl.shared_hbm)
        tile = nl.ndarray((64, 96), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:, 0:32], src=pair.one)
        for at in range(4):
            nisa.dma_copy(dst=tile[:, 32 + 16 * at : 48 + 16 * at], src=pair.two[:, 16 * at : 16 * at + 16])
        nisa.dma_copy(dst=out, src=tile)
        return out
"""


def test_tensors_of_one_argument_are_each_an_input(check: Checker) -> None:
    """They may share a name: of such a one nothing is told."""
    write(check.folder, k=OF_ONE_ARGUMENT)
    assert check("k.py::copy", "--arg", "pair=Pair(bf16[64,32], bf16[64,64])") == 0, check.out
    assert "df.input_unread" not in check.out
