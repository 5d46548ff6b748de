"""What kernel files do at import: nothing outside of them."""

from __future__ import annotations

import builtins
import io
import os
import socket
import subprocess

import pytest

from tests.check.kernel_files import COPY, Checker, write

ASKING = {
    "a file": ("weights = open('weights.bin', 'rb').read()", "the file 'weights.bin'"),
    "a path": ("from pathlib import Path; text = Path('weights.bin').read_text()", "the file "),
    "an array": ("import numpy as np; table = np.load('table.npy')", "the file 'table.npy'"),
    "a file to write": ("log = open('log.txt', 'w')", "the file 'log.txt'"),
    "a folder": ("import os; os.mkdir('out')", "the folder 'out'"),
    "the network": ("import urllib.request as r; r.urlopen('http://127.0.0.1:9/')", "the network at "),
    "a socket": ("import socket; socket.socket().connect(('127.0.0.1', 9))", "the network at ('127.0.0.1', 9)"),
    "a program": ("import subprocess; subprocess.run(['true'])", "the program ['true']"),
    "a shell": ("import os; os.system('true')", "the program 'true'"),
    "in a function": ("def table():\n    return open('t').read()\nt = table()", "the file 't'"),
    "and handles all": ("try:\n    t = open('t').read()\nexcept BaseException:\n    t = ''", "the file 't'"),
}


@pytest.mark.parametrize(("line", "asked"), ASKING.values(), ids=ASKING.keys())
def test_a_file_that_asks_for_more_is_refused_in_one_line(check: Checker, line: str, asked: str) -> None:
    (check.folder / "weights.bin").write_bytes(b"1")
    kernel = COPY.replace("@nki.jit", line.replace("\n", "\n    ") + "\n\n\n    @nki.jit")
    write(check.folder, k=kernel)
    before = sorted(check.folder.iterdir())
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 2
    (error,) = check.err.splitlines()
    assert error.startswith(f"nkiverify: error: {check.folder / 'k.py'}:")
    assert f"importing it asks for {asked}" in error
    assert sorted(check.folder.iterdir()) == before


def test_nothing_is_left_of_the_guard(check: Checker) -> None:
    before = (builtins.open, io.open, os.open, os.system, subprocess.Popen.__init__, socket.socket.connect)
    write(check.folder, k=COPY)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0
    write(check.folder, j="import nki\nopen('t')\n" + "def f(a): nki\n")
    assert check("j.py::f", "--arg", "a=bf16[P,F]") == 2
    assert (builtins.open, io.open, os.open, os.system, subprocess.Popen.__init__, socket.socket.connect) == before


def test_libraries_import_themselves_as_they_like(check: Checker) -> None:
    kernel = COPY.replace(
        "import nki\n", "import nki\n    import logging.config, multiprocessing, sqlite3, ctypes.util\n", 1
    )
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0


def test_a_function_that_nobody_calls_may_do_so(check: Checker) -> None:
    kernel = COPY.replace("@nki.jit", "def load():\n        return open('weights.bin').read()\n\n\n    @nki.jit")
    kernel += "\n\n    if __name__ == '__main__':\n        load()\n"
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0
