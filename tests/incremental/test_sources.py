"""Which files count, and what stands against remembering anything: always at least what an import really loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.foundation.resources import root
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.project.manifest import load_targets
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


OBSTACLES: dict[str, tuple[str, str]] = {
    "the environment": ("import os", "k.py imports os"),
    "a file": ("text = open('x')", "k.py uses open"),
    "a path": ("from pathlib import Path", "k.py imports pathlib"),
    "a clock": ("from time import time", "k.py imports time"),
    "a module by its name": ("import logging\nX = getattr(logging, 'os')", "k.py uses getattr"),
    "an attribute of it": ("import operator, logging\nX = operator.attrgetter('os.environ')(logging)", "k.py uses"),
    "a name that is computed": ("import logging\nX = getattr(logging, 'o' + 's')", "k.py uses getattr"),
    "getattr by another name": ("import logging\ng = getattr\nX = g(logging, 'os')", "k.py uses getattr"),
    "numpy's clock": ("import numpy as np\nX = np.datetime64('now')", "k.py uses numpy.datetime64"),
    "numpy's clock by its name": ("import numpy as np\nX = getattr(np, 'datetime64')", "k.py uses getattr"),
    "dice": ("import random", "k.py imports random"),
    "numpy's dice": ("import numpy as np\nx = np.random.rand(3)", "k.py uses numpy.random"),
    "numpy's dice by name": ("from numpy.random import rand", "k.py imports numpy.random"),
    "numpy's files": ("import numpy\nx = numpy.load('x.npy')", "k.py uses numpy.load"),
    "an import by name": ("import importlib", "k.py imports importlib"),
    "an import by call": ("x = __import__('helper')", "k.py uses __import__"),
    "text that is run": ("exec('import helper')", "k.py uses exec"),
    "the modules there are": ("import sys", "k.py imports sys"),
    "another process": ("import subprocess", "k.py imports subprocess"),
    "in a helper": ("import helper", "helper.py imports os"),
    "somewhere on the path": ("import elsewhere", "k.py imports elsewhere"),
    "an installed package": ("import pytest", "k.py imports pytest"),
    "numpy's files by another name": ("import numpy as np\nnumbers = np\nx = numbers.load('x')", "k.py uses numpy as"),
    "numpy's files by text": ("import numpy as np\nx = getattr(np, 'load')", "k.py uses getattr"),
    "all of numpy": ("from numpy import *", "k.py imports numpy"),
    "numpy's files through another module": ("import numpy as np\nx = np.rec.fromfile('x')", "k.py uses numpy.rec"),
    "a clock of another module": ("import logging\nx = logging.time.time()", "k.py uses logging.time"),
    "a clock from another module": ("from logging import time", "k.py imports time from logging"),
    "what is asked for": ("x = input()", "k.py uses input"),
    "what differs between processes": ("x = hash('x')", "k.py uses hash"),
    "built-ins by text": ("x = globals()['__builtins__']", "k.py uses globals"),
    "built-ins of a frame": ("import inspect\nx = inspect.currentframe().f_builtins", "k.py uses .f_builtins"),
    "another module's os": ("import inspect\nx = inspect.os.environ", "k.py uses ."),
}


@pytest.mark.parametrize(("line", "message"), OBSTACLES.values(), ids=OBSTACLES.keys())
def test_what_reads_more_than_files_is_an_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    files = {"k.py": line + KERNEL, "helper.py": "import os"}
    written(tmp_path / "repository", files)
    written(tmp_path, {"other/elsewhere.py": ""})
    monkeypatch.syspath_prepend(str(tmp_path / "other"))
    assert kernel_sources("k.py", tmp_path / "repository").obstacle.startswith(message)


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np\nx = np.float32",
        "import nki.language as nl\nnl.load",
        "import torch_that_is_nowhere",
        "import math",
        "import math\nX = getattr(math, 'tau', 6)",
        "import collections\nx = collections.abc.Sequence",
        "from collections import abc",
    ],
)
def test_what_gives_the_same_each_time_is_none(tmp_path: Path, line: str) -> None:
    assert kernel_sources("k.py", written(tmp_path, {"k.py": line + KERNEL})).obstacle == ""


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
