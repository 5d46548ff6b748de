"""Kernels that are wrong at few shapes, of which no list of shapes that is drawn has one.

Each is composed of a rare condition on two dimensions (a late branch, a threshold, a coincidence, a product), of a way
to make a number of it, and of a fault that the number causes. Its verdict is never an unbounded SUCCESSFUL. Its twin is
wrong nowhere, as the condition is contradicted: its verdict is never FAILED.
"""

from __future__ import annotations

import itertools
import random
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from lab.subject import Bench, Subject
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Run
from nkiverify.verify.options import Options
from nkiverify.verify.verifier import verify

#: The extents of both dimensions: their product fits in 32 bits.
LEAST, HIGH = 8, 46_340
_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class Rare:
    """A condition on `n` and `m` in Python's syntax, after the statements of `first`, and a shape where it is true."""

    name: str
    condition: str
    at: tuple[int, int]
    first: str = ""


RARE = (
    Rare("late branch", "n > 36543", (36544, 8)),
    Rare("one value", "n == 34321", (34321, 9)),
    Rare("one remainder", "n % 8191 == 17", (8208, 8)),
    Rare("a remainder beyond a threshold", "n % 128 == 127 and n > 40000", (40063, 8)),
    Rare("a product beyond a threshold", "n * m > 2000000000", (46000, 46000)),
    Rare("one product", "n * m == 39989 * 1009", (39989, 1009)),
    Rare("a coincidence", "n == 2 * m + 12345", (12361, 8)),
    Rare("a square", "n * n == m", (200, 40000)),
    Rare("one quotient", "n // m == 777", (777 * 8, 8)),
    Rare("a remainder of the other", "m > 5000 and n % m == m - 1", (10001, 5001)),
    Rare("a minimum at its bound", "min(n, 40001) == 40001", (40001, 8)),
    Rare("a maximum above its bound", "max(n - 40000, m - 40000, 0) > 0", (40001, 8)),
    Rare("a product of distances", "(n - 400) * (m - 30000) > 0 and n > 1000", (1001, 30001)),
    Rare("bits", "n & 0x8000", (0x8000, 8)),
    Rare("shifted", "(n >> 13) == 5", (5 << 13, 8)),
    Rare("a long range", "len(range(0, n, 128)) > 300", (300 * 128 + 1, 8)),
    Rare("rounded up", "-(-n // 512) == 80", (80 * 512, 8)),
    Rare("a divided product", "(n * m) // 128 == 65536", (32768, 256)),
    Rare("a conjunction", "n >= 40000 and m >= 40000 and n - m == 7", (40007, 40000)),
    Rare("a sum", "n + m == 43456", (43448, 8)),
    Rare("divmod", "divmod(n, 1000) == (36, 6)", (36006, 8)),
    Rare("a loop counted down", "k == 66", (66 * 600, 8), "k = 0\nwhile (k + 1) * 600 <= n:\n    k += 1"),
    Rare("a length", "len(tiles) == 37", (37 * 1024, 8), "tiles = [t for t in range(n // 1024)]"),
    Rare("the last of a list", "ends[-1] == 43008", (43100, 8), "ends = [i * 1024 for i in range(n // 1024 + 1)]"),
    Rare("a sum in a loop", "total == 180", (60 * 700, 8), "total = 0\nfor i in range(n // 700):\n    total += 3"),
)

#: How `bad` becomes 1 where `{rare}` is true, and 0 elsewhere.
WAYS = {
    "a branch": "if {rare}:\n    bad = 1\nelse:\n    bad = 0",
    "an expression": "bad = 1 if {rare} else 0",
    "a number of a truth": "bad = int(bool({rare}))",
    "an index": "bad = (0, 1)[bool({rare})]",
    "a default": "bad = ({rare}) and 1 or 0",
    "a function that returns early": (
        "def number():\n    if not ({rare}):\n        return 0\n    return 1\nbad = number()"
    ),
    "an exception": (
        "try:\n    if {rare}:\n        raise ValueError('rare')\n    bad = 0\nexcept ValueError:\n    bad = 1"
    ),
    "a list that grows": "found = []\nif {rare}:\n    found.append(m)\nbad = len(found)",
    "a loop that ends": "bad = 0\nwhile ({rare}) and bad < 1:\n    bad += 1",
    "a dictionary": "bad = {{True: 1, False: 0}}[bool({rare})]",
    "behind many branches": (
        "flags = 0\nfor bit in (9, 10, 11, 12, 13, 14, 15, 16):\n    if n > 2 ** bit:\n        flags += 1\n"
        "bad = 0\nif {rare}:\n    bad = 1"
    ),
    "an iteration": "bad = 0\nfor i in range(3):\n    if i == 2 and ({rare}):\n        bad = 1",
    "an object": "class Box:\n    bad = 0\nbox = Box()\nif {rare}:\n    box.bad = 1\nbad = box.bad",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Statements that break a rule of a phase where `bad` is 1, and none where it is 0."""

    name: str
    phase: int
    statements: str


FAULTS = (
    Fault("beyond the row", 1, "nisa.dma_copy(dst=tile, src=x[0:1, m - 8 + bad : m + bad])"),
    Fault("too many partitions", 1, "tall = nl.ndarray((128 + bad, 4), dtype=nl.float32, buffer=nl.sbuf)"),
    Fault("two extents", 1, "nisa.dma_copy(dst=tile[0:1, 0 : 8 - bad], src=x[0:1, 0:8])"),
    Fault("a division by zero", 2, "quotient = 8 // (1 - bad)"),
    Fault("beyond 32 bits", 2, "large = 2147483647 + bad"),
    Fault(
        "too much memory",
        3,
        "wide = nl.ndarray((128, 40000 + 20000 * bad), dtype=nl.float32, buffer=nl.sbuf)\nnisa.memset(wide, 0.0)",
    ),
    Fault(
        "read unwritten",
        4,
        "other = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.memset(other[0:1, 0 : 8 - bad], 0.0)\nnisa.tensor_copy(dst=tile, src=other)",
    ),
    Fault("an output in part", 4, "width = 8 - bad"),
)

_KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    n, m = x.shape
{first}
{way}
    width = 8
    tile = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile, 0.0)
    out = nl.ndarray((1, 8), dtype=nl.float32, buffer=nl.shared_hbm)
{fault}
    nisa.dma_copy(dst=out[0:1, 0:width], src=tile[0:1, 0:width])
    return out
"""


@dataclass(frozen=True, slots=True)
class Adversary:
    """A kernel, the phase that it is wrong in, and a shape of `x` where it is."""

    name: str
    phase: int
    at: tuple[int, int]
    source: str
    twin: str


def _composed(rare: Rare, way: str, fault: Fault) -> Adversary:
    def source(condition: str) -> str:
        lines = {"first": rare.first, "way": WAYS[way].format(rare=condition), "fault": fault.statements}
        return _KERNEL.format(**{name: textwrap.indent(text, "    ") for name, text in lines.items()})

    nowhere = f"({rare.condition}) and n % 7 == 7"
    return Adversary(f"{rare.name}, {way}, {fault.name}", fault.phase, rare.at, source(rare.condition), source(nowhere))


def adversaries(count: int, seed: int) -> Iterator[Adversary]:
    """`count` of all that can be composed, each once."""
    composed = list(itertools.product(RARE, WAYS, FAULTS))
    for rare, way, fault in random.Random(seed).sample(composed, count):
        yield _composed(rare, way, fault)


def verdict(source: str, phase: int, bench: Bench, at: tuple[int, int] | None = None) -> Run:
    """The verdict about a kernel in one phase, for all its shapes or `at` one."""
    shape = at or (f'v.dim("n", {LEAST}, {HIGH})', f'v.dim("m", {LEAST}, {HIGH})')
    harness = f'def target(v):\n    v.call(v.tensor("x", ({shape[0]}, {shape[1]}), float32))\n'
    with bench.target(Subject(source, harness, ())) as target:
        options = Options(root=target.root, phases=(phase,), timeout=_SECONDS, unhurried=True)
        (run,) = verify(replace(target, expect={}), options)
    return run
