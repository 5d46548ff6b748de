"""Which files count, and what stands against remembering anything: always at least what an import really loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.resources import root
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend import seen
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.frontend.seen import read_by
from nkiverify.project.manifest_targets import load_targets
from nkiverify.results.cache.key import Keys
from nkiverify.results.cache.sources import Sources, harness_sources, kernel_sources
from nkiverify.verify.options import Options


def written(folder: Path, files: dict[str, str]) -> Path:
    """The folder with these files, and a mark of a repository's top."""
    for name, text in {"pyproject.toml": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def names(sources: Sources, folder: Path) -> set[str]:
    """The files, relative to the folder."""
    return {Path(file).relative_to(folder).as_posix() for file in sources.files}


KERNEL = "\n\ndef kernel(x):\n    return x\n"

LAYOUTS: dict[str, dict[str, str]] = {
    "a module beside it": {"k.py": "import helper" + KERNEL, "helper.py": ""},
    "a helper of a helper": {"k.py": "import a" + KERNEL, "a.py": "from b import c", "b.py": "c = 1"},
    "in a function": {"k.py": "def kernel(x):\n    import helper\n", "helper.py": ""},
    "in a try": {"k.py": "try:\n    import helper\nexcept ImportError:\n    pass" + KERNEL, "helper.py": ""},
    "a package, and the packages around it": {
        "p/__init__.py": "",
        "p/k.py": "from .q.r import s" + KERNEL,
        "p/q/__init__.py": "from .t import u",
        "p/q/r.py": "s = 1",
        "p/q/t.py": "u = 1",
    },
    "two levels up": {
        "p/__init__.py": "",
        "p/q/__init__.py": "",
        "p/q/k.py": "from .. import r\nfrom ..s import t" + KERNEL,
        "p/r.py": "",
        "p/s.py": "t = 1",
    },
    "a star": {"k.py": "from p import *" + KERNEL, "p/__init__.py": "__all__ = ['q']", "p/q.py": ""},
    "a folder without __init__": {"k.py": "from p import q" + KERNEL, "p/q.py": ""},
    "from the top of the repository": {"kernels/k.py": "from tools.q import r" + KERNEL, "tools/q.py": "r = 1"},
    "in src": {"kernels/k.py": "import q" + KERNEL, "src/q.py": ""},
    "a name that is a module": {"k.py": "import p" + KERNEL, "p/__init__.py": "from p import q", "p/q.py": ""},
}


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_every_module_that_is_imported_counts(tmp_path: Path, files: dict[str, str]) -> None:
    written(tmp_path, files)
    kernel = next(name for name in files if name.endswith("k.py"))
    sources = kernel_sources(kernel, tmp_path)
    assert sources.obstacle == ""
    assert names(sources, tmp_path) == files.keys()
    assert _loaded(f"{kernel}::kernel", tmp_path) <= sources.files.keys()


def test_a_harness_module_has_helpers_beside_it(tmp_path: Path) -> None:
    files = {"harness/a.py": "import _b\nfrom c.d import e", "harness/_b.py": "", "harness/c/d.py": "e = 1"}
    sources = harness_sources(written(tmp_path, files) / "harness" / "a.py")
    assert sources.obstacle == "" and names(sources, tmp_path) == files.keys()


def test_a_file_with_the_name_of_a_module_of_python_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text("import statistics\n")
    before = kernel_sources("k.py::kernel", tmp_path)
    (tmp_path / "statistics.py").write_text("LIMIT = 1\n")
    after = kernel_sources("k.py::kernel", tmp_path)
    assert before.found["statistics"] == "" and after.found["statistics"] == str(tmp_path / "statistics.py")


def test_a_file_that_would_come_first_is_noticed(tmp_path: Path) -> None:
    written(tmp_path, {"k.py": "import helper" + KERNEL, "src/helper.py": "", "kernels/k.py": "import helper" + KERNEL})
    before = kernel_sources("kernels/k.py", tmp_path)
    (tmp_path / "kernels" / "helper.py").touch()
    after = kernel_sources("kernels/k.py", tmp_path)
    assert before.found["helper"] != after.found["helper"]


def test_a_module_that_was_not_there_is_noticed(tmp_path: Path) -> None:
    text = "try:\n    import helper\nexcept ImportError:\n    helper = None" + KERNEL
    before = kernel_sources("k.py", written(tmp_path, {"k.py": text}))
    (tmp_path / "helper.py").touch()
    assert before.found != kernel_sources("k.py", tmp_path).found


READ: dict[str, tuple[str, str]] = {
    "the environment": ("import os\nX = os.environ.get('X')", "k.py:2 uses os.environ"),
    "a variable of it": ("from os import getenv", "k.py:1 uses os.getenv"),
    "whether there is a file": ("import os.path as p\nX = p.exists('x')", "k.py:2 uses posixpath.exists"),
    "a path": ("from pathlib import Path", "k.py:1 uses pathlib.Path"),
    "a clock": ("import time\nX = time.time()", "k.py:2 uses time.time"),
    "a clock by its name": ("from time import time", "k.py:1 uses time.time"),
    "a module by its name": (
        "import logging\nX = getattr(getattr(logging, 'os'), 'environ')",
        "k.py:2 uses os.environ",
    ),
    "an attribute of it": (
        "import operator, logging\nX = operator.attrgetter('os.environ')(logging)",
        "k.py:2 uses os.",
    ),
    "a name that is computed": ("import logging\nX = getattr(logging, 'o' + 's').environ", "k.py:2 uses os.environ"),
    "getattr by another name": ("import logging\ng = getattr\nX = g(logging, 'os').environ", "k.py:3 uses os.environ"),
    "numpy's clock": ("import numpy as np\nX = np.datetime64('now')", "k.py:2 uses numpy.datetime64"),
    "numpy's clock by its name": ("import numpy as np\nX = getattr(np, 'datetime64')", "k.py:2 uses numpy.datetime64"),
    "dice": ("import random\nX = random.random()", "k.py:2 uses random.random"),
    "numpy's dice": ("import numpy as np\nx = np.random.rand(3)", "k.py:2 uses numpy.random"),
    "numpy's dice by name": ("from numpy.random import rand", "k.py:1 uses numpy.random.rand"),
    "an import by name": ("import importlib\nx = importlib.import_module('helper')", "k.py:2 uses importlib."),
    "an import by call": ("x = __import__('helper')", "k.py:1 imports helper by a name that is computed"),
    "text that imports": ("exec('import helper')", "k.py:1 imports helper by a name that is computed"),
    "the modules there are": ("import sys\nX = sys.modules", "k.py:2 uses sys.modules"),
    "another process": ("import subprocess\nX = subprocess.run", "k.py:2 uses subprocess.run"),
    "in a helper": ("import helper", "helper.py:2 uses os.environ"),
    "somewhere on the path": ("import elsewhere", "k.py:1 imports elsewhere, which may read more"),
    "an installed package": ("import pytest", "k.py:1 imports pytest, which may read more"),
    "numpy by another name": ("import numpy as np\nn = np\nx = n.random", "k.py:3 uses numpy.random"),
    "a module of numpy's": ("import numpy as np\nx = np.rec.array", "k.py:2 uses numpy.rec"),
    "a clock of another module": ("import logging\nx = logging.time.time()", "k.py:2 uses time.time"),
    "a clock from another module": ("from logging import time\nx = time.time()", "k.py:2 uses time.time"),
    "what differs between processes": ("x = hash('x')", "k.py:1 uses hash()"),
    "identities": ("x = list(map(id, [x for x in 'ab']))", "k.py:1 uses id()"),
    "the order of texts": ("X = [x for x in {'a', 'b'}]", "k.py:1 makes a set, whose order may differ"),
    "the order of what has addresses": ("X = 1\nY = list(set([object, X]))", "k.py:2 makes a set"),
    "the order that a key leaves open": ("X = sorted({'ab', 'cd'}, key=len)", "k.py:1 makes a set"),
    "the order of texts that come one by one": ("X = {x for x in 'ab'}", "k.py:1 makes a set"),
    "the order of keys": ("X = dict(a=1, b=2).keys() - dict(a=1)", "k.py:1 makes a set"),
    "the order of texts by a type": ("from dataclasses import field\nX = field(default_factory=set)", "k.py:2 makes"),
    "built-ins by text": ("x = globals()['__builtins__']['id'](3)", "k.py:1 uses id()"),
    "a frame": ("import inspect\nx = inspect.currentframe()", "k.py:2 uses inspect.currentframe"),
    "everything of a module": ("from os import *", "k.py:1 uses os."),
    "a number from an address": ("X = object().__hash__()", "k.py:1 uses what may be made of an address"),
    "the address of an array": ("import numpy as np\nX = np.ones(3).ctypes.data", "k.py:2 uses what may be made of an"),
    "an order by texts": ("X = sorted([len, abs], key=str)", "k.py:1 uses what may be made of an address"),
    "texts that C code makes": ("X = list(map(repr, [len, abs]))", "k.py:1 uses what may be made of an address"),
}
#: Texts of an object of Python's, or of the kernel's, at the top level of a module and in a function.
ADDRESSES = (
    "f'{X}'", "f'{X!r:>{99}}'", "str(X)", "repr([X])", "format(X)", "ascii(X)", "'%s' % X", "'{}'.format(X)",
    "'{a}'.format_map({'a': X})", "', '.join(map(str, [X]))", "X.__repr__()", "(lambda x: f'{x}')(X)",
    "max([X], key=lambda x: f'{x}')",
)  # fmt: skip


@pytest.mark.parametrize("rewriting", [Rewriting.NONE, Rewriting.FULL])
@pytest.mark.parametrize(("line", "message"), READ.values(), ids=READ.keys())
def test_what_is_read_beside_modules_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str, rewriting: Rewriting
) -> None:
    files = {"k.py": line + KERNEL, "helper.py": "import os\nX = os.environ"}
    written(tmp_path / "repository", files)
    written(tmp_path, {"other/elsewhere.py": ""})
    monkeypatch.syspath_prepend(str(tmp_path / "other"))
    if rewriting is Rewriting.FULL and line.startswith(("exec", "x = globals")):
        pytest.skip("refused")
    load_kernel("k.py::kernel", tmp_path / "repository", rewriting)
    assert read_by([str(tmp_path / "repository" / "k.py")]).startswith(message)


@pytest.mark.parametrize("rewriting", [Rewriting.ARITHMETIC, Rewriting.FULL])
@pytest.mark.parametrize("value", ["object()", "lambda: 0", "type('Own', (), {})()", "(x for x in 'ab')"])
@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_in_a_text_is_seen(tmp_path: Path, text: str, value: str, rewriting: Rewriting) -> None:
    for body in (f"X = {value}\nY = {text}", f"X = {value}\ndef f():\n    return {text}\nY = f()"):
        written(tmp_path, {"k.py": body + KERNEL})
        load_kernel("k.py::kernel", tmp_path, rewriting)
        line = body.splitlines().index(next(one for one in body.splitlines() if text in one)) + 1
        assert read_by([str(tmp_path / "k.py")]) == f"k.py:{line} makes text of an object, with its address"
        seen._read.clear()


@pytest.mark.parametrize("rewriting", [Rewriting.NONE, Rewriting.FULL])
@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np\nx = np.float32, np.prod([1, 2])",
        "import nki.language as nl\nnl.load",
        "import torch_that_is_nowhere",
        "import math\nX = getattr(math, 'ta' + 'u', 6)",
        "import collections\nx = collections.abc.Sequence",
        "from collections import abc, namedtuple\nimport collections.abc",
        "import os, sys, time, random, logging\nX = os.path.join('a', 'b'), sys.maxsize, logging.getLogger('x')",
        "exec('X = 1')\nY = hash(3)",
        "import helper",
        "X = 'a' in {'a', 'b'}, len(set('ab')), sorted({'a', 'b'}), list({1, 2}), isinstance({}, (set, frozenset))",
        "X: set[int] | None = None\ndef f(x: frozenset[str]) -> set[str]: ...",
        "X = 'x'.join(map(str, (1, 2))), f'{3:>{4}}', repr([dict, 'a']), '%s' % int, str(Exception('x'))",
        "class C:\n    def __repr__(self): return 'C()'\nX = f'{C()}', str(C), repr(3.5), '{}'.format([C()])",
    ],
)
def test_what_gives_the_same_each_time_is_not(tmp_path: Path, line: str, rewriting: Rewriting) -> None:
    written(tmp_path, {"k.py": line + KERNEL, "helper.py": "import os"})
    load_kernel("k.py::kernel", tmp_path, rewriting)
    assert read_by([str(tmp_path / "k.py")]) == ""


HARNESS = """\
from nkiverify.manifest import SUCCESSFUL, Kind, target
{line}

@target(kernel="k.py::kernel", family="f", kind=Kind.SYMBOLIC, expect={{1: SUCCESSFUL}})
def kernel(v):
    v.call(v.dim("N"))
"""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import os; SIZE = os.environ.get('SIZE')", "nkiverify_targets.py:2 uses os.environ"),
        ("TEXT = open(__file__).read()", "nkiverify_targets.py:2 uses open()"),
        ("import _sizes", "_sizes.py:1 uses time.time"),
        ("from p.q import SIZE", "q.py:1 uses time.time"),
        ("import pytest", "nkiverify_targets.py:2 imports pytest, which may read more"),
        ("import os, time; from nkiverify.model.dtypes import float32", ""),
    ],
)
def test_what_a_harness_reads_is_seen(tmp_path: Path, line: str, message: str) -> None:
    clock = "from time import time; SIZE = time()"
    harness = {"nkiverify_targets.py": HARNESS.format(line=line), "_sizes.py": clock, "p/q.py": clock}
    written(tmp_path, {"k.py": KERNEL, **harness})
    (found,) = load_targets(tmp_path)
    assert Keys(Options(root=tmp_path)).obstacle(found).startswith(message)
    assert bool(Keys(Options(root=tmp_path)).digest(found)) is not bool(message)


def test_of_every_target_all_files_that_are_loaded_count() -> None:
    keys = Keys(Options(root=root()))
    targets = load_targets(root())
    assert [target.name for target in targets if keys.obstacle(target)] == []
    for kernel in sorted({target.kernel for target in targets}):
        assert _loaded(kernel, root()) <= kernel_sources(kernel, root()).files.keys()


def _loaded(kernel: str, base: Path) -> set[str]:
    """The files of the kernel modules that importing it really loads."""
    _, space = load_kernel(kernel, base, Rewriting.NONE)
    files = (getattr(module, KERNEL_MARKER, None) for module in space.modules.values())
    return {file for file in files if file is not None}
