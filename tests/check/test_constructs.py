"""Host Python that public kernels use: each copies a matrix by tiles of 64 columns, for every number of them."""

from __future__ import annotations

import textwrap

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
import functools, itertools, logging, math, operator
from collections import namedtuple
from dataclasses import asdict, dataclass, field
from enum import Flag, auto
from typing import NamedTuple
import nki
import nki.isa as nisa
import nki.language as nl

{top}


@nki.jit
def kernel(a, flag=True):
    P, F = a.shape
    assert P <= 128 and F % 64 == 0
    out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)

    def copy(start, size):
        tile = nl.ndarray((P, size), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=a[:, start : start + size])
        nisa.dma_copy(dst=out[:, start : start + size], src=tile)

{body}
    return out
"""

#: By what is used: what stands at the top of the module, and in the kernel.
CONSTRUCTS = {
    "named tuples": (
        """
        Span = namedtuple("Span", "start size")
        class Part(NamedTuple):
            start: int
            size: int = 64
            @property
            def stop(self): return self.start + self.size
        """,
        """
        for i in range(F // 64):
            span = Span(i * 64, 64)
            assert Part(span.start).stop <= F
            copy(*span)
        """,
    ),
    "special methods": (
        """
        class Tiles:
            def __init__(self, n, w): self.n, self.w = n, w
            def __len__(self): return self.n
            def __getitem__(self, i): return i * self.w
            def __contains__(self, i): return 0 <= i < self.n
            def __eq__(self, other): return self.n == other.n
            def __call__(self, i): return self[i], self.w
        """,
        """
        tiles = Tiles(F // 64, 64)
        assert tiles == Tiles(F // 64, 32)
        for i in range(len(tiles)):
            assert i in tiles
            copy(*tiles(i))
        """,
    ),
    "contexts and counters of a class": (
        """
        class Scope:
            depth = 0
            def __enter__(self):
                Scope.depth += 1
                return self
            def __exit__(self, *exception):
                Scope.depth -= 1
        """,
        """
        for i in range(F // 64):
            with Scope() as scope:
                assert scope.depth == 1
                copy(i * 64, 64)
        """,
    ),
    "inheritance": (
        """
        class Base(nl.NKIObject):
            width = 64
            @classmethod
            def of(cls, n):
                made = cls()
                made.n = n
                return made
            def start(self, i): return i * self.width
        class Derived(Base):
            @staticmethod
            def twice(x): return 2 * x
            def start(self, i): return super().start(i) + self.twice(0)
        """,
        """
        plan = Derived.of(F // 64)
        for i in range(plan.n):
            copy(plan.start(i), plan.width)
        """,
    ),
    "flags, match and exceptions": (
        """
        class Mode(Flag):
            READ = auto()
            WRITE = auto()
        def width(kind):
            match kind:
                case "wide" | "default": return 64
                case int(size): return size
                case _: raise ValueError(kind)
        def looked_up(table):
            try:
                return table["width"]
            except KeyError:
                return width("default")
        """,
        """
        assert Mode.READ in Mode.READ | Mode.WRITE
        for i in range(F // looked_up({})):
            copy(i * width(64), width("wide"))
        """,
    ),
    "dataclasses and dictionaries": (
        """
        @dataclass
        class Config:
            width: int = 64
            names: list = field(default_factory=list)
        OPERATORS = {"copy": nl.copy, "exp": nl.exp}
        """,
        """
        config = Config(**{**asdict(Config()), "width": 32})
        operator_ = OPERATORS.get("exp" if flag else "copy", nl.copy)
        sizes = {name: size for name, size in [("a", config.width), ("b", 64)] if size < 64}
        assert list(sizes) == ["a"] and operator_ == nl.exp
        for i in range(F // sizes["a"]):
            copy(i * config.width, config.width)
        """,
    ),
    "functions of functions": (
        """
        def scaled(factor, x): return factor * x
        def product(*values, scale=1, **ignored): return functools.reduce(operator.mul, values) * scale
        def halved(n): return n if n <= 64 else halved(n // 2)
        """,
        """
        import math as arithmetic
        start = functools.partial(scaled, halved(256))
        total = 0
        def count():
            nonlocal total
            total += 1
        for i in range(arithmetic.ceil(F / product(8, 8, other=1))):
            copy(start(i), 64)
        for _ in range(3):
            count()
        assert total == 3
        """,
    ),
    "objects that are run over": (
        """
        class Tiles:
            def __init__(self, n, w): self.parts = tuple([(i * w, min(w, n - i * w)) for i in range(n // w)])
            def __iter__(self): return iter(self.parts)
        """,
        """
        print(f"{F / 3:.2f} of {F:>8}, {math.sqrt(F):.1e}")
        for start, size in Tiles(F // 64, 1):
            copy(start * 64, size * 64)
        for i, (start, size) in enumerate(Tiles(F, 64)):
            assert start == i * 64
            copy(start, size)
        """,
    ),
    "loops with ends of their own": (
        "",
        """
        for i, (size, name) in enumerate(zip([32, 16, 16], "abc")):
            if name == "c":
                continue
            copy(i * 16, size - size % 16)
        for i, j in itertools.product(range(2), range(2)):
            if F < 256:
                break
            copy((i * 2 + j) * 64, 64)
        for i in reversed(range(-(-F // 100))):
            copy(i * 100, min(100, F - i * 100))
        """,
    ),
    "lists of tiles by name": (
        "log = logging.getLogger(__name__)",
        """
        tiles = []
        for i in range(F // 64):
            tile = nl.ndarray((P, 64), dtype=a.dtype, buffer=nl.sbuf, name=f"tile_{i}")
            nisa.dma_copy(dst=tile, src=a[:, nl.ds(i * 64, 64)])
            tiles.append(tile)
            log.debug("%s of %d", tile.name, F)
        print(f"{F:>8} {P=}")
        for i in range(F // 64):
            where = slice(i * 64, i * 64 + 64)
            nisa.dma_copy(dst=out[:, where], src=tiles[i])
        """,
    ),
}


def text(construct: str) -> str:
    top, body = (textwrap.dedent(part).strip() for part in CONSTRUCTS[construct])
    return KERNEL.format(top=top, body=textwrap.indent(body, "    "))


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_shape_is_verified(check: Checker, construct: str) -> None:
    write(check.folder, k=text(construct))
    assert check("k.py::kernel", "--arg", "a=bf16[P,F]", "--phase", "1,2") == 0, check.out
    assert "bounded" not in check.out.partition("Outside")[0]


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_so_is_one_shape(check: Checker, construct: str) -> None:
    write(check.folder, k=text(construct))
    assert check("k.py::kernel", "--arg", "a=bf16[64,256]", "--phase", "1,2") == 0, check.out


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_columns_that_no_tile_ends_with_are_refuted(check: Checker, construct: str) -> None:
    # Without the precondition some construct reads past the end, or asserts that it does not.
    write(check.folder, k=text(construct).replace(" and F % 64 == 0", "").replace("F // ", "1 + F // "))
    assert check("k.py::kernel", "--arg", "a=bf16[P,F]", "--phase", "1") == 1, check.out


@pytest.mark.parametrize(
    ("length", "status"), [("n", 1), ("n + 5", 0), ("n - 11", 1), ("-1", 1), ("'n'", 1), ("n * 2", 0)]
)
def test_the_length_of_an_object(check: Checker, length: str, status: int) -> None:
    source = f"""
        class Sized:
            def __init__(self, n): self.n = n
            def __len__(self): return self.n


        def kernel(n):
            for _ in range(1):
                assert len(Sized({length})) != 5
    """
    write(check.folder, k=source)
    assert check("k.py::kernel", "--arg", "n=n:1..10", "--phase", "1") == status, check.out


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("for i in parts: assert i < n", 0),
        # What a loop has run over gives nothing more: not known here, and no success.
        ("for i in parts: pass\n            for i in parts: assert i > n", 3),
        ("f'{n:.1f} {n / 2:>9}'", 0),
        ("f'{n:s}'", 1),
        ("f'{n / 2:d}'", 1),
    ],
)
def test_what_python_takes_an_iterator_and_a_format_for(check: Checker, line: str, status: int) -> None:
    source = f"""
        def kernel(n):
            parts = iter([i for i in range(n)])
            {line}
    """
    write(check.folder, k=source)
    assert check("k.py::kernel", "--arg", "n=n:1..4000", "--phase", "1") == status, check.out


TABLES = "TABLE = {0: 5, 1: 6, 2: 7, 3: 8, 4: 9}\nNAMED = {f't{i}': TABLE[i] for i in TABLE}"

VALUES = {
    "keys of a table": ("for i in range(5):\n    assert TABLE[i] < {}", "10", "9"),
    "elements of a text": ("for i in range(5):\n    assert 'abcde'[i] != {}", "'f'", "'e'"),
    "text as a key": ("for i in range(5):\n    assert NAMED[f't{i}'] < {}", "10", "9"),
    "text as a new key": (
        "seen = dict()\nfor i in range(5):\n    seen['t' + str(i)] = i\n"
        "for i in range(5):\n    assert seen[f't{i:d}'] < {}", "5", "4",
    ),
    "bits": ("for i in range(32):\n    assert (i ^ 1) < {}", "32", "31"),
    "masked bits": ("for i in range(6):\n    assert i & 5 < {}", "6", "5"),
    "comprehensions": ("mask = [i ^ 1 for i in range(32)]\nfor _ in range(1):\n    assert mask[31] == {}", "30", "31"),
    "loops within one another": (
        "for i in range(4):\n    for j in range(n):\n        assert TABLE[i] + j < {} + n", "8", "7"
    ),
}  # fmt: skip


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("what", VALUES)
def test_loops_of_known_length_give_numbers_where_python_needs_them(check: Checker, what: str, right: bool) -> None:
    body, holds, fails = VALUES[what]
    body = textwrap.indent(body.replace("{}", holds if right else fails), "    ")
    (check.folder / "k.py").write_text(f"{TABLES}\n\n\ndef kernel(n):\n{body}\n")
    assert check("k.py::kernel", "--arg", "n=n:1..9", "--phase", "1") == (0 if right else 1), check.out
    assert "bounded" not in check.out


def test_loops_of_unknown_length_do_not(check: Checker) -> None:
    (check.folder / "k.py").write_text("def kernel(n):\n    for i in range(n):\n        x = i ^ 5\n")
    assert check("k.py::kernel", "--arg", "n=n:1..9000", "--phase", "1") == 3
    assert "a bitwise operation: i is symbolic" in check.out


STEPS = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(a, s):
    P, F = a.shape
    out = nl.ndarray((P, F), dtype=a.dtype, buffer=nl.shared_hbm)
    for start in range(0, F, s):
        stop = start + s
        {tail}
        tile = nl.ndarray((P, s), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:, : stop - start], src=a[:, start:stop])
        nisa.dma_copy(dst=out[:, start:stop], src=tile[:, : stop - start])
    return out
"""


@pytest.mark.parametrize(
    ("tail", "step", "status", "shown"),
    [
        ("stop = min(stop, F)", "1..512", 0, "no contract is violated"),
        ("", "1..512", 1, "idx.oob"),
        ("stop = min(stop, F)", "0..512", 1, "range() arg 3 must not be zero"),
    ],
)
def test_ranges_with_a_step_of_any_size(check: Checker, tail: str, step: str, status: int, shown: str) -> None:
    write(check.folder, k=STEPS.format(tail=tail))
    assert check("k.py::kernel", "--arg", "a=f32[128,F:1..4096]", "--arg", f"s=s:{step}") == status, check.out
    assert shown in " ".join(check.out.split())


SEARCH = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(a, w):
    P, F = a.shape
    while F % w:
        w -= 1
    assert {claim}
    out = nl.ndarray((P, w), dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((P, w), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a[:, 0:w])
    nisa.dma_copy(dst=out, src=tile)
    return out
"""


@pytest.mark.parametrize(
    ("claim", "status", "shown"),
    [
        ("F % w == 0", 0, ""),
        ("w > 1 or F < 2", 1, "reproduced by running the kernel"),
        # True of the number that the statement ends with, but not of every divisor.
        ("w > 1 or F % 2 or first < 2", 3, "a number that a `while` statement makes smaller until it fits"),
    ],
)
def test_what_is_not_so_of_the_number_that_is_found_is_no_fault(
    check: Checker, claim: str, status: int, shown: str
) -> None:
    body = SEARCH.format(claim=claim).replace("    P, F = a.shape\n", "    P, F = a.shape\n    first = w\n", 1)
    write(check.folder, k=body)
    arguments = ("--arg", "a=f32[128,F:1..64]", "--arg", "w=W:1..16", "--phase", "1")
    assert check("k.py::kernel", *arguments) == status, check.out
    assert shown in " ".join(check.out.split())
