"""What kernel files do at import: nothing outside of them."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from nkiverify.foundation import process
from nkiverify.frontend import loader
from nkiverify.frontend.instrument import Rewriting
from tests.check.kernel_files import COPY, Checker, write

ASKING = {
    "a file": ("weights = open('weights.bin', 'rb').read()", "the file 'weights.bin'"),
    "a path": ("from pathlib import Path\ntext = Path('weights.bin').read_text()", "the file "),
    "an array": ("import numpy as np\ntable = np.load('table.npy')", "the file 'table.npy'"),
    "a file to write": ("log = open('log.txt', 'w')", "the file 'log.txt'"),
    "a folder": ("import os\nos.mkdir('out')", "the folder 'out'"),
    "the network": ("import urllib.request as r\nr.urlopen('http://127.0.0.1:9/')", "the network at "),
    "a socket": ("import socket\nsocket.socket().connect(('127.0.0.1', 9))", "the network at '127.0.0.1:9'"),
    "a program": ("import subprocess\nsubprocess.run(['true'])", "the program 'true'"),
    "a shell": ("import os\nos.system('true')", "the program 'true'"),
    "in a function": ("def table():\n    return open('t').read()\nt = table()", "the file 't'"),
    "removing a file": ("import os\nos.unlink('weights.bin')", "the file 'weights.bin'"),
    "removing a path": ("from pathlib import Path\nPath('weights.bin').unlink()", "the file 'weights.bin'"),
    "a new name": ("import os\nos.rename('weights.bin', 'other')", "the file 'weights.bin'"),
    "an empty file": ("import os\nos.truncate('weights.bin', 0)", "the file 'weights.bin'"),
    "a link": ("import os\nos.symlink('/etc/hostname', 'made')", "the file '/etc/hostname'"),
    "a hard link": ("import os\nos.link('weights.bin', 'made')", "the file 'weights.bin'"),
    "rights": ("import os\nos.chmod('weights.bin', 0)", "the file 'weights.bin'"),
    "a copy": ("import shutil\nshutil.copy('weights.bin', 'made')", "the file 'weights.bin'"),
    "a temporary file": ("import tempfile\nt = tempfile.NamedTemporaryFile()", "the file "),
    "a temporary folder": ("import tempfile\nt = tempfile.mkdtemp()", "the folder "),
    "a database": ("import sqlite3\nsqlite3.connect('made.db')", "the file 'made.db'"),
    "a list of files": ("import os\nnames = os.listdir('/etc')", "the folder '/etc'"),
    "a pattern of files": ("import glob\nnames = glob.glob('/etc/*')", "the folder '/etc/*'"),
    "another working folder": ("import os\nos.chdir('/')", "the folder '/'"),
    "another process": ("import os\nos.posix_spawn('/usr/bin/touch', ['touch', 'made'], {})", "the program "),
    "a fork": ("import os\nif os.fork() == 0:\n    os._exit(0)", "the program 'os.fork'"),
    "another program": ("import os\nos.execv('/usr/bin/touch', ['touch', 'made'])", "the program '/usr/bin/touch'"),
    "lines of a file": ("import linecache\nlines = linecache.getlines('/etc/hostname')", "the file '/etc/hostname'"),
    "a datagram": ("import socket\nsocket.socket(2, 2).sendto(b'x', ('127.0.0.1', 9))", "the network at '127.0.0.1:9'"),
    "a port": ("import socket\nsocket.socket().connect_ex(('127.0.0.1', 9))", "the network at '127.0.0.1:9'"),
    "a server": ("import socket\nsocket.socket().bind(('127.0.0.1', 0))", "the network at '127.0.0.1:0'"),
    "a name": ("import socket\nsocket.gethostbyname('localhost')", "the network at 'localhost'"),
    "a signal": ("import os, signal\nos.kill(os.getppid(), 0)", "the machine: 'os.kill'"),
    "the environment": ("import os\nos.putenv('X', '1')", "the machine: 'os.putenv'"),
    "C": ("import ctypes\nlib = ctypes.CDLL(None)", "the machine: 'ctypes.dlopen'"),
    "a log file": ("import logging\nlogging.FileHandler('made.log')", "the file "),
    "a file by its number": ("import os\nf = os.open('weights.bin', 0)", "the file 'weights.bin'"),
    "pickled code": ("import pickle\npickle.loads(b'cos\\nsystem\\n(Vtouch made\\ntR.')", "the program 'touch made'"),
    "and handles errors": ("try:\n    t = open('t').read()\nexcept OSError:\n    t = ''", "the file 't'"),
}
#: Those that execute code nobody has seen: no kernel of the file has a verdict.
CHANGING = {name: ASKING.pop(name) for name in ("C", "pickled code")}


@pytest.mark.parametrize(("line", "asked"), CHANGING.values(), ids=CHANGING.keys())
def test_what_may_have_changed_anything_leaves_nothing_known(check: Checker, line: str, asked: str) -> None:
    write(check.folder, k=COPY.replace("@nki.jit", line.replace("\n", "\n    ") + "\n\n\n    @nki.jit"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    assert f"importing it asks for {asked}" in check.err
    assert "which may have changed anything by way of" in " ".join(check.out.split())


@pytest.mark.parametrize(("line", "asked"), ASKING.values(), ids=ASKING.keys())
def test_what_a_file_asks_for_is_refused_in_one_line(check: Checker, line: str, asked: str) -> None:
    (check.folder / "weights.bin").write_bytes(b"1")
    kernel = COPY.replace("@nki.jit", line.replace("\n", "\n    ") + "\n\n\n    @nki.jit")
    write(check.folder, k=kernel)
    before = sorted(check.folder.iterdir())
    # The kernel does not depend on it.
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 0
    (warning, *_) = [one for one in check.err.splitlines() if str(check.folder) in one]
    assert warning.startswith(f"nkiverify: warning: {check.folder / 'k.py'}:")
    # Where the system refuses sockets, there is none that could be connected.
    assert f"importing it asks for {asked}" in warning or ("network" in asked and "asks for what it may not" in warning)
    assert sorted(check.folder.iterdir()) == before


@pytest.mark.parametrize("statement", ["TILE = int(open('weights.bin').read())", "import os\nTILE = os.system('true')"])
def test_a_kernel_that_depends_on_it_is_unknown(check: Checker, statement: str) -> None:
    (check.folder / "weights.bin").write_bytes(b"128")
    indented = statement.replace("\n", "\n    ")
    kernel = COPY.replace("@nki.jit", f"{indented}\n\n\n    @nki.jit").replace("F % tile", "F % TILE")
    write(check.folder, k=kernel)
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 3
    assert "could not compute: " in " ".join(check.out.split())


@pytest.mark.parametrize("handler", ["except BaseException:", "except:"])
def test_no_handler_takes_the_refusal_for_an_answer(check: Checker, handler: str) -> None:
    statement = f"try:\n        TILE = int(open('t').read())\n    {handler}\n        TILE = 128"
    write(check.folder, k=COPY.replace("@nki.jit", f"{statement}\n\n\n    @nki.jit"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]") == 2
    (error,) = check.err.splitlines()
    assert error.endswith("k.py:7: importing it asks for the file 't'")


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


READING = COPY.replace("@nki.jit", "TILE = int(open('sizes/tile').read())\n\n\n    @nki.jit").replace("128", "TILE")


@pytest.fixture
def reading(check: Checker) -> Checker:
    """A folder with a kernel that depends on a file."""
    (check.folder / "sizes").mkdir()
    (check.folder / "sizes" / "tile").write_text("128")
    (check.folder / "other").write_text("128")
    write(check.folder, k=READING)
    return check


@pytest.mark.parametrize("where", ["read:sizes", "read:sizes/tile", "read:."])
def test_a_file_that_kernels_may_read_is_read_and_assumed_to_stay(reading: Checker, where: str) -> None:
    assert reading("k.py::copy", "--arg", "a=bf16[P,F]", "--allow", where) == 0
    path = (reading.folder / where.removeprefix("read:")).resolve()
    assert f"what kernels may read stays as it is: {path}" in " ".join(reading.out.split())
    assert str(reading.folder) not in reading.err


@pytest.mark.parametrize("where", [[], ["--allow", "read:other"], ["--allow", "network"]])
def test_another_file_is_refused_all_the_same(reading: Checker, where: list[str]) -> None:
    assert reading("k.py::copy", "--arg", "a=bf16[P,F]", *where) == 3
    assert "asks for the file 'sizes/tile'" in reading.err


def test_settings_allow_relative_to_themselves(reading: Checker) -> None:
    (reading.folder / "pyproject.toml").write_text('[tool.nkiverify]\nallow = ["read:sizes"]\n')
    assert reading("k.py::copy", "--arg", "a=bf16[P,F]") == 0


@pytest.mark.parametrize("line", ["open('sizes/tile', 'a')", "import os; os.remove('sizes/tile')"])
def test_what_may_be_read_may_not_be_written(reading: Checker, line: str) -> None:
    write(reading.folder, k=COPY.replace("P, F = a.shape", f"P, F = a.shape\n        {line}"))
    assert reading("k.py::copy", "--arg", "a=bf16[P,F]", "--allow", "read:sizes") == 3
    assert "the kernel asks for the file 'sizes/tile'" in " ".join(reading.out.split())


@pytest.mark.parametrize(("where", "status"), [([], 3), (["--allow", "read:."], 3), (["--allow", "network"], 0)])
def test_the_network_is_allowed_by_itself(check: Checker, where: list[str], status: int) -> None:
    line = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    write(check.folder, k=COPY.replace("P, F = a.shape", f"P, F = a.shape\n        {line}"))
    assert check("k.py::copy", "--arg", "a=bf16[P,F]", *where) == status


@pytest.mark.parametrize("what", ["write:sizes", "read:", "read:none", "sizes", ""])
def test_what_cannot_be_allowed_is_a_usage_error(reading: Checker, what: str) -> None:
    assert reading("k.py::copy", "--arg", "a=bf16[P,F]", "--allow", what) == 2
    assert reading.err.startswith("nkiverify: error: --allow: ")


def test_a_kernel_starts_no_thread_which_nobody_would_see(check: Checker) -> None:
    (check.folder / "victim").touch()
    started = "import os, threading; t = threading.Thread(target=os.remove, args=('victim',)); t.start()"
    write(check.folder, k=COPY.replace("P, F = a.shape", f"P, F = a.shape\n        {started}"))
    for shape, said in (("P,F", "`threading.Thread` in a launch: "), ("64,256", "the kernel asks for a thread: ")):
        assert check("k.py::copy", "--arg", f"a=bf16[{shape}]") == 3
        assert said in " ".join(check.out.split())
    assert (check.folder / "victim").exists()


def test_what_a_kernel_leaves_to_be_done_later_is_refused_as_well(
    check: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "for_kernels", True)
    (check.folder / "victim").touch()
    # Armed in one module: other copies of it are collected in the midst of other tests.
    later = "ARMED = []\nclass Later:\n    def __del__(self):\n        ARMED and open('victim', 'w')\n"
    later += "LATER = [Later()]\n@nki.jit"
    write(check.folder, k=COPY.replace("@nki.jit", later.replace("\n", "\n    ")))
    _, space = loader.load_kernel("k.py::copy", check.folder, Rewriting.FULL)
    module = space.modules["k"]
    unraisable: list[Any] = []
    before, sys.unraisablehook = sys.unraisablehook, unraisable.append
    vars(module)["ARMED"].append(True)
    try:
        vars(module)["LATER"].clear()
        # What has looked at the module's state may still hold the object.
        gc.collect()
    finally:
        sys.unraisablehook = before
        vars(module)["ARMED"].clear()
    assert [type(one.exc_value).__name__ for one in unraisable] == ["UnsupportedConstruct"]
    assert (check.folder / "victim").exists()
