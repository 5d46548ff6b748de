"""Modules of operations are imported when they are asked for, and nobody can see which have been."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab import stubs
from nkiverify.foundation import resources

_IMPORTED = "[name for name in sys.modules if name.startswith('nkiverify.model.ops.')]"
_LISTED = """
from nkiverify.model.contracts import all_contracts
from nkiverify.model.registry import declarations
print(*(one.name for one in declarations()), *(one.id for one in all_contracts()))
"""

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def double(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.tensor_tensor(dst=tile, data1=tile, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
OPERATORS = """\
from neuronxcc import nki
import neuronxcc.nki.language as nl


@nki.jit
def double(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.load(a)
    nl.store(out, -(tile + tile))
    return out
"""
ASSIGNED = """\
import nki
import nki.language as nl


@nki.jit
def double(a):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.load(a)
    tile[...] = nl.add(tile, tile)
    nl.store(out, tile)
    return out
"""
_CHECK = """
import sys
from nkiverify.foundation.process import is_for_kernels
from nkiverify.cli.main import main
from nkiverify.run import supervisor

is_for_kernels()
supervisor.in_child = lambda subject, work, *rest: work()
{before}
main(sys.argv[1:])
"""


def printed(program: str, *words: str) -> str:
    """The output of a program of Python."""
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_table_is_current() -> None:
    assert (resources.root() / "nkiverify/model/ops/table.py").read_text(encoding="utf-8") == stubs.table()


def test_one_operation_imports_its_module_and_those_of_it() -> None:
    program = (
        f"import sys\nfrom nkiverify.model.registry import declaration\ndeclaration('nl.ndarray')\nprint(*{_IMPORTED})"
    )
    names = printed(program).split()
    assert "nkiverify.model.ops.host" in names
    assert {"nkiverify.model.ops.searches", "nkiverify.model.ops.functions"}.isdisjoint(names)


def test_what_is_listed_is_the_same_whatever_was_asked_for_before() -> None:
    asked = "from nkiverify.model.registry import declaration\ndeclaration('nisa.tensor_copy')\n"
    assert printed(_LISTED) == printed(asked + _LISTED)


def test_a_contract_imports_the_module_that_defines_it() -> None:
    program = "from nkiverify.model.contracts import contract\nprint(contract('dma_copy.count').statement)"
    assert "dma_copy" in printed(program)


@pytest.mark.parametrize(
    "kernel",
    [KERNEL, KERNEL.replace("src=a)", "src=a[1:])"), OPERATORS, ASSIGNED],
    ids=["right", "wrong", "with operators", "with an assignment"],
)
def test_a_check_says_the_same_where_all_are_imported(kernel: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(kernel)
    words = ("check", str(file), "--no-cache")
    all_of_them = "from nkiverify.model import ops\nops.load_all()"
    some, every = (printed(_CHECK.format(before=before), *words) for before in ("", all_of_them))
    assert "double" in some
    assert "internal" not in some.lower()
    assert re.sub(r"[0-9.]+ s$", "", some, flags=re.M) == re.sub(r"[0-9.]+ s$", "", every, flags=re.M)


def test_an_import_that_was_interrupted_is_made_again() -> None:
    program = """
import sys
from nkiverify.model import registry

def interrupt(*words, **more):
    raise RecursionError

meaning, registry.Declaration.meaning = registry.Declaration.meaning, interrupt
try:
    registry.declaration("nisa.dma_copy")
except RecursionError:
    registry.Declaration.meaning = meaning
    print(registry.declaration("nisa.dma_copy").computes is not None)
"""
    assert printed(program) == "True\n"
