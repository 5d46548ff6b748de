"""What kernels do while they run: nothing outside of them, and nothing that ends the verifier."""

from __future__ import annotations

import tempfile
import textwrap

import pytest

from tests.check.kernel_files import COPY, Checker, write

ASKING = {
    "a file": ("open('/etc/hostname').read()", "the file '/etc/hostname'"),
    "a file to write": ("open('made', 'w')", "the file 'made'"),
    "a program": ("import os; os.system('touch made')", "the program 'touch made'"),
    "a fork": ("import os; os.fork()", "the program 'os.fork'"),
    "the network": ("import socket; socket.create_connection(('127.0.0.1', 9))", "the network at '127.0.0.1'"),
    "a database": ("import sqlite3; sqlite3.connect('made')", "the file 'made'"),
    "in spite of a handler": ("try: open('made', 'w')\nexcept BaseException: pass", "the file 'made'"),
}


@pytest.mark.parametrize(("statement", "asked"), ASKING.values(), ids=ASKING.keys())
def test_what_a_running_kernel_asks_for_is_unknown_at_its_place(check: Checker, statement: str, asked: str) -> None:
    kernel = COPY.replace("P, F = a.shape\n", "P, F = a.shape\n" + textwrap.indent(statement, " " * 8) + "\n", 1)
    write(check.folder, k=kernel)
    before = sorted(check.folder.iterdir())
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    assert f"the kernel asks for {asked}" in " ".join(check.out.split())
    assert "k.py:" in check.out
    assert sorted(check.folder.iterdir()) == before


OWN_FILES = """
import tempfile, os
with tempfile.NamedTemporaryFile(suffix='.txt', delete=False) as f:
    f.write(b'128')
assert open(f.name).read() == '128'
os.remove(f.name)
"""


def test_temporary_files_of_a_kernel_are_its_own_and_gone_when_it_ends(
    check: Checker, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The system's folder of temporary files is also that of the tests that run beside this one.
    ours = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(ours))
    monkeypatch.setenv("TMPDIR", str(ours))
    statements = textwrap.indent(OWN_FILES, " " * 8)
    write(check.folder, k=COPY.replace("P, F = a.shape\n", "P, F = a.shape\n" + statements + "\n", 1))
    assert check("k.py::copy", "--arg", "a=bf16[64,256]") == 0, check.out
    assert not list(ours.iterdir())


LEAVING = {
    "by a path": "open(f.name + '/../../../../etc/hostname')",
    "by a link": "import os; os.symlink('/etc/hostname', f.name + '2')",
    "by another name": "import os; os.link('/etc/hostname', f.name + '3')",
    "by a folder": "import tempfile; tempfile.mkdtemp()",
    "by a descriptor": "open(1, 'w')",
    "another file": "import tempfile; tempfile.NamedTemporaryFile(dir='.')",
}


@pytest.mark.parametrize("statement", LEAVING.values(), ids=LEAVING.keys())
def test_they_are_no_way_to_other_files(check: Checker, statement: str) -> None:
    statements = f"        import tempfile; f = tempfile.NamedTemporaryFile(delete=False)\n        {statement}\n"
    write(check.folder, k=COPY.replace("P, F = a.shape\n", "P, F = a.shape\n" + statements, 1))
    assert check("k.py::copy", "--arg", "a=bf16[64,256]") == 3, check.out
    assert "the kernel asks for the fi" in " ".join(check.out.split()).replace("the folder", "the file")


EXCEPTIONS = {
    "one that is no Exception": "class Own(BaseException): pass\nraise Own('rows')",
    "one that ends generators": "raise GeneratorExit('rows')",
    "one that asks to end": "raise SystemExit('rows')",
    "one without a text": "class Mute(Exception):\n    def __str__(self): return 5\nraise Mute",
    "one whose text raises": "class Mute(Exception):\n    def __str__(self): return 1 // 0\nraise Mute",
    "one whose text raises itself": "class Own(BaseException):\n    def __str__(self): raise Own()\nraise Own",
    "one whose text ends": "class Own(BaseException):\n    def __str__(self): raise SystemExit(0)\nraise Own",
}


@pytest.mark.parametrize("statement", EXCEPTIONS.values(), ids=EXCEPTIONS.keys())
def test_what_a_kernel_raises_is_a_finding_at_its_place(check: Checker, statement: str) -> None:
    kernel = COPY.replace("P, F = a.shape\n", "P, F = a.shape\n" + textwrap.indent(statement, " " * 8) + "\n", 1)
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", "--phase", "1") == 1
    assert "kernel.exception" in check.out and "raise " in check.out
    assert "Traceback" not in check.out + check.err


NO_MESSAGE = """
try: assert F < 0
except AssertionError as error: assert error.args == ()
"""


@pytest.mark.parametrize("extents", ["64,256", "P,F"])
def test_an_assert_without_a_message_has_none(check: Checker, extents: str) -> None:
    """Neither for the kernel that catches it, nor in what is told of it."""
    catching = textwrap.indent(NO_MESSAGE, " " * 8)
    write(check.folder, k=COPY.replace("P, F = a.shape\n", "P, F = a.shape\n" + catching + "\n", 1))
    assert check("k.py::copy", "--arg", f"a=bf16[{extents}]", "--phase", "1") in (0, 3), check.out
    assert "AssertionError" not in check.out
    write(check.folder, k=COPY.replace("P, F = a.shape\n", "P, F = a.shape\n        assert F < 0\n", 1))
    assert check("k.py::copy", "--arg", "a=bf16[64,256]", "--phase", "1") == 1
    assert "exception = AssertionError\n" in check.out
