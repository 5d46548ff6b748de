"""What a kernel is checked with where nobody says: read from its text."""

from __future__ import annotations

import ast
import re
import textwrap
from contextlib import nullcontext
from pathlib import Path

import pytest

from nkiverify.foundation.errors import UsageError
from nkiverify.project.inference import Inferred, KernelText, check_tensors, inferred, inferred_for

HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n"


def of(text: str, given: tuple[str, ...] = ()) -> Inferred:
    """What is inferred for the last function of `text`."""
    tree = ast.parse(HEAD + textwrap.dedent(text))
    function = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)][-1]
    return inferred(tree, function, given)


ARGUMENTS = {
    "unpacking names the dimensions": ("def k(x):\n    K, M = x.shape", ["x=bf16[K,M]"]),
    "what is not named is named after the tensor": ("def k(x):\n    _, M = x.shape", ["x=bf16[x0,M]"]),
    "positions name them as well": ("def k(x):\n    M = x.shape[1]\n    K = x.shape[0]", ["x=bf16[K,M]"]),
    "from the end": ("def k(x):\n    assert len(x.shape) == 3\n    D = x.shape[-1]", ["x=bf16[x0,x1,D]"]),
    "the shape by another name": ("def k(x):\n    s = x.shape\n    A, B, C = s", ["x=bf16[A,B,C]"]),
    "a docstring names what the code does not": (
        'def k(x, w, y):\n    """Scaled.\n\n    x: [N, D], in HBM\n    - w (nl.ndarray): of shape (1, D)\n'
        '    y: [T]\n    """\n'
        "    N, D = x.shape\n    nl.load(w[0:1, :])\n    nl.load(y[0:1, :])",
        ["x=bf16[N,D]", "w=bf16[w0,w_D]", "y=bf16[y0,y1]"],
    ),
    "a docstring of one line": (
        'def k(x, gamma):\n    """Norm of x: (B, H), with gamma: (H,) for each column."""\n'
        "    nl.load(x)\n    nl.load(gamma)",
        ["x=bf16[B,H]", "gamma=bf16[gamma_H]"],
    ),
    "a docstring is no fact": (
        'def k(a, b):\n    """\n    a: [R, C]\n    b: [R, C]\n    """\n    nl.load(a[0:1, :])\n    nl.load(b[0:1, :])',
        ["a=bf16[R,C]", "b=bf16[b_R,b_C]"],
    ),
    "a docstring calls by another name what the code names": (
        'def k(x, w):\n    """Scaled.\n\n    x: [N, D]\n    w: (1, D)\n    """\n'
        "    n, d = x.shape\n    nl.load(w[0:1, :])",
        ["x=bf16[n,d]", "w=bf16[w0,w_d]"],
    ),
    "a docstring calls another dimension by that name": (
        'def k(x, y, w):\n    """Scaled.\n\n    x: [B, H]\n    y: [H, N]\n    w: [1, B]\n    """\n'
        "    H, _ = x.shape\n    nl.load(y[0:1, :])\n    nl.load(w[0:1, :])",
        ["x=bf16[H,x1]", "y=bf16[y_H,N]", "w=bf16[w0,B]"],
    ),
    "a docstring has the dimensions that the code does not need": (
        'def k(x):\n    """x: [B, S, H]"""\n    B = x.shape[0]\n'
        "    t = nl.ndarray(x.shape[1:], dtype=x.dtype, buffer=nl.sbuf)\n"
        "    nisa.dma_copy(dst=t, src=x[0])",
        ["x=bf16[B,S,H]"],
    ),
    "two tensors share no dimension": (
        "def k(a, b):\n    K, M = a.shape\n    K, N = b.shape",
        ["a=bf16[K,M]", "b=bf16[K2,N]"],
    ),
    "one with a shape of another": ("def k(a, b):\n    P, F, G = a.shape\n    assert b.shape == a.shape", None),
    "indexing": ("def k(x):\n    nl.load(x[0, :, 3:4])", ["x=bf16[x0,x1,x2]"]),
    "an assert on the dtype": ("def k(x):\n    R, C = x.shape\n    assert x.dtype == nl.float32", ["x=f32[R,C]"]),
    "an annotation": ("def k(x: 'f32[R, 512]'):\n    nl.load(x)", ["x=f32[R,x1]"]),
    "an integer": ("def k(n):\n    for i in range(n):\n        pass", ["n=n:1.."]),
    "an offset": ("def k(x, at):\n    R, C = x.shape\n    nl.load(x[at + 1, :])", ["x=bf16[R,C]", "at=at:0.."]),
    "an index": ("def k(x, at):\n    R, C = x.shape\n    nl.load(x[at, :])", ["x=bf16[R,C]", "at=at:0.."]),
    "a flag": ("def k(fast):\n    if fast:\n        pass", ["fast=False"]),
    "a text": ("def k(mode):\n    if mode == 'causal':\n        pass", ["mode='causal'"]),
    "a number": ("def k(eps):\n    nisa.tensor_scalar(dst=1, data=2, op0=nl.add, operand0=eps)", ["eps=1.0"]),
    "a number beside a tile": (
        "def k(x, eps):\n    t = nl.load(x[0:1, 0:2])\n    r = nl.rsqrt(nl.mean(t, axis=1) + eps)",
        ["x=bf16[x0,x1]", "eps=1.0"],
    ),
    "a number in arithmetic on tiles": (
        "def k(x, alpha):\n    t = nl.load(x[0:1, 0:2])\n    d = t - t\n    nl.store(x, value=2 * alpha * d)",
        ["x=bf16[x0,x1]", "alpha=1.0"],
    ),
    "an integer beside the extents of a tile": (
        "def k(x, n):\n    t = nl.load(x[0:1, 0:2])\n    P = t.shape[0]\n    nl.store(x[0 : P * n, 0], value=t)",
        ["x=bf16[x0,x1]", "n=n:1.."],
    ),
    "a dtype": ("def k(kind):\n    nl.ndarray((1, 2), dtype=kind)", ["kind=bf16"]),
    "an assert on a parameter for a dtype": (
        "def k(kind):\n    assert kind in (nl.float8_e4m3, nl.float16)\n    nl.ndarray((1, 2), dtype=kind)",
        ["kind=f8_e4m3"],
    ),
    "a default that the kernel refuses": (
        "def k(x, causal=True, fast=True, way='a', n=3):\n    A, B = x.shape\n    assert causal == False\n"
        "    assert not fast, 'slow only'\n    assert way == 'b'\n    assert n == 3",
        ["x=bf16[A,B]", "causal=False", "fast=False", "way='b'"],
    ),
    "defaults stay": ("def k(x, tile=128, eps=1e-6):\n    A, B = x.shape", ["x=bf16[A,B]"]),
    "a helper's look": ("def h(t):\n    A, B, C = t.shape\ndef k(x):\n    h(x)", ["x=bf16[A,B,C]"]),
    "a launched kernel's look": ("def h(t):\n    A, B, C = t.shape\ndef k(x):\n    h[2](x)", ["x=bf16[A,B,C]"]),
    "a helper's look, by keyword": ("def h(n, t):\n    A, B, C = t.shape\ndef k(x):\n    h(3, t=x)", ["x=bf16[A,B,C]"]),
}


@pytest.mark.parametrize(("text", "expected"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments(text: str, expected: list[str] | None) -> None:
    found = of(text)
    assert not found.missing
    assert list(found.arguments) == (expected or ["a=bf16[P,F,G]", "b=bf16[b0,b1,b2]"])


def test_indices_have_the_range_of_what_they_index() -> None:
    found = of("""
        def k(table, ids):
            V, D = table.shape
            T, _ = ids.shape
            tile = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=ids[0:128, :])
            nisa.dma_copy(dst=1, src=table.ap(pattern=[[D, 128], [1, D]], vector_offset=tile, indirect_dim=0))
    """)
    assert found.arguments == ("table=bf16[V,D]", "ids=i32[T,ids1] in 0..V-1")


def test_what_is_given_is_left_out() -> None:
    assert of("def k(a, b):\n    K, M = a.shape\n    J, N = b.shape", ("a",)).arguments == ("b=bf16[J,N]",)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("x=(128, 512)", "x='bf16[128, 512]'"), ("x=f32", "x='f32[R,C]'"), ("x=bf16[1,2]", ""), ("n=(1,2)", "")],
)
def test_a_shape_or_a_dtype_alone_is_no_tensor(typed: str, meant: str, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(f"{HEAD}def k(x, n):\n    R, C = x.shape\n    a, b = n\n")
    kernel = KernelText.of("k.py", "k", tmp_path)
    with pytest.raises(UsageError, match=re.escape(f"a tensor is written {meant}")) if meant else nullcontext():
        check_tensors(kernel, [typed])
    assert kernel.inferred(["x=f32", "n=(1,2)"]).arguments == ()


def test_what_cannot_be_inferred_is_named() -> None:
    found = of("def k(x, config, parts):\n    K, M = x.shape\n    config.tile\n    for part in parts:\n        pass")
    assert [one.name for one in found.missing] == ["config", "parts"]
    assert found.missing[0].why == "an object of which the kernel uses attributes"


def test_what_is_not_one_thing_is_asked_for() -> None:
    """A dictionary is no tensor, and what stands in a list of things to go through is no extent."""
    found = of("""
        def k(cache, table: dict, x, y):
            for old, new in {"k": (cache["k"], x), "v": (cache["v"], y)}.items():
                nl.load(old)
    """)
    assert [one.name for one in found.missing] == ["cache", "table", "x", "y"]
    assert "\"{'k': …, 'v': …}\"" in found.missing[0].why
    assert found.missing[1].why.startswith("a dictionary")
    assert found.missing[2].why == "nothing tells what it is"


@pytest.mark.parametrize("returned", ["scaled", "nki.jit(scaled)", "nki.jit()(scaled)"])
def test_a_kernel_that_a_function_makes(returned: str, tmp_path: Path) -> None:
    text = "def make(n):\n    def scaled(x, y):\n        A, B, C = x.shape\n        D, E = y.shape\n    return "
    (tmp_path / "k.py").write_text(f"{HEAD}{text}{returned}\nmade = make(2)\n")
    assert inferred_for("k.py", "made", tmp_path, ()).arguments == ("x=bf16[A,B,C]", "y=bf16[D,E]")


def test_a_program_id_asks_for_a_grid() -> None:
    assert of("def k(x):\n    K, M = x.shape\n    nl.program_id(0)").grid == "2"
    legacy = ast.parse("import neuronxcc.nki.language as nl\ndef k(x):\n    nl.program_id(0)\n    nl.program_id(1)")
    function = legacy.body[1]
    assert isinstance(function, ast.FunctionDef)
    assert inferred(legacy, function).grid == "G0,G1"


HELPERS = """
    from enum import Enum

    class Mode(Enum):
        FAST = 1

    def rank(t):
        A, B, C = t.shape
"""


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from ops.helpers import rank, Mode", "rank(x)"),
        ("from ops.helpers import Mode, rank as look", "look(x)"),
        ("from ops import helpers, Mode", "helpers.rank(x)"),
        ("from ops import rank, Mode", "rank(x)"),
        ("import ops as o\nfrom ops import Mode", "o.rank(x)"),
        ("from .ops.helpers import Mode, rank", "rank(x)"),
        ("from .ops import helpers as h, Mode", "h.rank(t=x)"),
        # Both import the name from each other, beside what is there.
        (
            "from circle import nothing\nfrom ops.helpers import *\nfrom ops.helpers import Mode, rank",
            "nothing(rank(x))",
        ),
    ],
)
def test_helpers_and_enumerations_of_other_files(imports: str, call: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "__init__.py").write_text("from .helpers import Mode, rank\n")
    (tmp_path / "ops" / "helpers.py").write_text(textwrap.dedent(HELPERS))
    (tmp_path / "circle.py").write_text("from kernel import nothing\n")
    file = tmp_path / "kernel.py"
    file.write_text(f"{HEAD}{imports}\ndef k(x, mode: Mode):\n    {call}\n")
    found = inferred_for("kernel.py", "k", tmp_path, ())
    assert found.arguments == ("x=bf16[A,B,C]", "mode=Mode.FAST")
    assert not found.missing


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ("    P, F = sizes\n    for i in range(P):\n        nl.load(x[i : i + F, :])", "sizes=(P:1.., F:1..)"),
        ("    w = sizes[1]\n    nl.load(x[0 : w * 2, :])", "sizes=(sizes0:1.., w:1..)"),
    ],
)
def test_sizes_in_a_tuple(body: str, argument: str) -> None:
    assert of(f"def k(x, sizes):\n{body}").arguments == ("x=bf16[x0,x1]", argument)


def test_a_comment_beside_a_parameter_names_its_dimensions(tmp_path: Path) -> None:
    text = HEAD + textwrap.dedent("""
        def k(
            a,  # type: (M, K) bf16
            b,  # [T, N]
            c, d,  # [P, Q]
        ):
            nl.load(a)
            nl.load(b)
            nl.load(c)
            nl.load(d)
        """)
    (tmp_path / "kernels.py").write_text(text)
    found = inferred_for("kernels.py", "k", tmp_path, ())
    assert found.arguments == ("a=bf16[M,K]", "b=bf16[T,N]", "c=bf16[c0,c1]", "d=bf16[d0,d1]")


def test_a_comment_names_dimensions(tmp_path: Path) -> None:
    text = HEAD + textwrap.dedent("""
        def k(q, cache):
            # q: [B, S, H]
            # cache: [B, T, H], a page each
            nl.load(q[0, :, :])
            nl.load(cache[0, :, :])
        """)
    (tmp_path / "kernels.py").write_text(text)
    found = inferred_for("kernels.py", "k", tmp_path, ())
    assert found.arguments == ("q=bf16[B,S,H]", "cache=bf16[cache_B,T,cache_H]")
