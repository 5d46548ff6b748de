"""Classes that derive from `NKIObject` get a constructor from all fields; versions of the hardware have an order."""

from __future__ import annotations

import textwrap

import pytest

from tests.check.kernel_files import Checker, write

CLASSES = {
    "fields without a default": ("@dataclass\nclass C(nl.NKIObject):\n    n: int\n    m: int", "C(64, m=2)"),
    "a default before a field without one": (
        "@dataclass\nclass C(nl.NKIObject):\n    n: int = 64\n    m: int",
        "C(m=2)",
    ),
    "a field that is given no value is None": (
        "@dataclass\nclass C(nl.NKIObject):\n    n: int\n    m: int\n"
        "    def __post_init__(self):\n        self.m = 2 if self.m is None else self.m",
        "C(64)",
    ),
    "a value without an annotation": ("@dataclass\nclass C(nl.NKIObject):\n    n: int\n    m = 3", "C(64, m=2)"),
    "the same, left as it is": ("@dataclass\nclass C(nl.NKIObject):\n    n: int\n    m = 2", "C(64)"),
    "values without annotations alone": ("@dataclass\nclass C(nl.NKIObject):\n    n = 1\n    m = 2", "C(n=64)"),
    "a dataclass that adds fields": (
        "@dataclass\nclass B(nl.NKIObject):\n    n: int = 1\n@dataclass\nclass C(B):\n    m: int",
        "C(64, 2)",
    ),
    "a class that adds fields to a dataclass": (
        "@dataclass\nclass B(nl.NKIObject):\n    n: int = 1\nclass C(B):\n    m: int",
        "C(64, m=2)",
    ),
    "a dataclass that adds fields to a plain class": (
        "class B(nl.NKIObject):\n    n: int\n@dataclass\nclass C(B):\n    m: int = 1",
        "C(64, m=2)",
    ),
    "no dataclass": ("class C(nl.NKIObject):\n    n: int\n    m: int = 2", "C(64)"),
    "no dataclass, __post_init__": (
        "class C(nl.NKIObject):\n    n: int\n    def __post_init__(self):\n        self.m = 2",
        "C(n=64)",
    ),
    "no dataclass, no field declared": ("class C(nl.NKIObject):\n    pass", "C(n=64, m=2)"),
    "frozen, with slots": (
        "@dataclass(frozen=True, slots=True)\nclass C(nl.NKIObject):\n    n: int\n    m: int = 2",
        "C(64)",
    ),
    "a class variable and a factory": (
        "@dataclass\nclass C(nl.NKIObject):\n    limit: ClassVar[int]\n    sizes: list = field(default_factory=list)\n"
        "    n: int\n    m: int = 2",
        "C([], 64)",
    ),
    "an __init__ of its own": (
        "class C(nl.NKIObject):\n    n: int\n    def __init__(self, n):\n        super().__init__(m=2)\n"
        "        self.n = n",
        "C(64)",
    ),
}

KERNEL = """
from dataclasses import dataclass, field
from typing import ClassVar
import nki
import nki.isa as nisa
import nki.language as nl

{top}

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
{body}
    for i in range({many}):
        tile = nl.ndarray((x.shape[0], {wide}), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i * {wide} : (i + 1) * {wide}])
        nisa.dma_copy(dst=out[:, i * {wide} : (i + 1) * {wide}], src=tile)
    return out
"""


def verdict(check: Checker, top: str, body: str, many: str, wide: str, x: str, *options: str) -> int:
    """The exit status of checking a kernel that copies `many` tiles, `wide` columns each."""
    write(check.folder, k=KERNEL.format(top=top, body=textwrap.indent(body, "    "), many=many, wide=wide))
    return check("k.py::kernel", "--arg", f"x={x}", *options)


@pytest.mark.parametrize("shape", ["f32[4,128]", "f32[P:1..128,128]"], ids=["concrete", "symbolic"])
@pytest.mark.parametrize("name", CLASSES)
def test_the_constructor_takes_all_fields(name: str, shape: str, check: Checker) -> None:
    """Two tiles of 64 columns are the 128 there are; a constructor that mixed up its fields would not copy them."""
    top, made = CLASSES[name]
    status = verdict(check, top, f"c = {made}", "c.m", "c.n", shape)
    assert status == 0, check.out


@pytest.mark.parametrize("shape", ["f32[4,128]", "f32[P:1..128,128]"], ids=["concrete", "symbolic"])
def test_one_value_too_many_is_no_success(shape: str, check: Checker) -> None:
    top = "class C(nl.NKIObject):\n    n: int\n    m: int = 2"
    status = verdict(check, top, "c = C(64, 2, 1)", "c.m", "c.n", shape)
    assert status == 1
    assert "C has 2 fields, but 3 values are given" in " ".join(check.out.split())


@pytest.mark.parametrize("shape", ["f32[4,128]", "f32[P:1..128,128]"], ids=["concrete", "symbolic"])
@pytest.mark.parametrize("hardware, wide", [("trn1", 64), ("trn2", 32), ("trn3", 32)])
def test_versions_are_ordered_by_generation(shape: str, hardware: str, wide: int, check: Checker) -> None:
    """From gen3 on the tile has half the width: with the other one, half of the output is not written."""
    body = "v = nisa.nc_version\nwide = 32 if nisa.get_nc_version() >= v.gen3 else 64\nassert wide == "
    body += f"{wide}\nassert v.gen2 < v.gen3 <= max(v.gen3, v.gen4) and not v.gen4 < v.gen4 and v.gen3 != 3"
    status = verdict(check, "", body, "128 // wide", "wide", shape, "--target", hardware)
    assert status == 0, check.out
