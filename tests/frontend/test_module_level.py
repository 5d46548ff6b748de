"""Modules of kernels are imported as Python imports them; what a refusal may have changed is not known afterwards.

The modules are in `module_level/*.txt`; each makes X.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nkiverify.foundation.allowed import NOTHING, Allowed
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend import guard
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_module
from nkiverify.frontend.placeholders import Placeholder

REWRITINGS = (Rewriting.NONE, Rewriting.ARITHMETIC, Rewriting.FULL)
HELPERS = {
    "helper.py": """
SIZE = 4
def size():
    return SIZE
def __getattr__(name):
    if name == 'computed':
        return 8
    raise AttributeError(name)
""",
    "config.py": """
TABLE = {'x': 0}
VALUE = 0
class C:
    x = 0
def load(path):
    global VALUE
    VALUE = int(open(path).read())
def of(name):
    return TABLE[name]
""",
    "sets.py": "import config\nconfig.VALUE = int(v)\n",
    "starred.py": "SIZE = 1\nfrom missing_pkg import *\n",
    "one.txt": "1",
}


def sections(file: Path) -> dict[str, str]:
    """The modules in a file, by name."""
    found = [section.partition("\n") for section in file.read_text().split("\n-- ")[1:]]
    return {title: body for title, _, body in found}


SAME, REFUSED, MISSING, SETTLED = (
    sections(Path(__file__).with_name("module_level") / f"{name}.txt")
    for name in ("same", "refused", "missing", "settled")
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in HELPERS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def load(folder: Path, text: str, rewriting: Rewriting, allowed: Allowed = NOTHING) -> tuple[Any, bool]:
    """X in a module of this text, and whether kernels of it have verdicts."""
    (folder / "k.py").write_text(text)
    before = guard.allowed()
    guard.allow(allowed)
    try:
        module, space = load_module("k.py", folder, rewriting)
    finally:
        guard.allow(before)
    return vars(module).get("X", Placeholder("X")), not space.doubts


def unknown(folder: Path, text: str, rewriting: Rewriting, allowed: Allowed = NOTHING) -> bool:
    """True if nothing is said of kernels that use X: they are UNKNOWN, or the file cannot be used."""
    try:
        found, settled = load(folder, text, rewriting, allowed)
    except UsageError:
        return True
    return not settled or type(found) is Placeholder


#: Imports each module that it is given in Python itself.
PLAIN = """
import importlib, json, linecache, sys
found = {}
for name, text in json.load(sys.stdin).items():
    open("k.py", "w").write(text)
    for module in ("k", "helper", "config", "pk", "pk.sub", "pk.data", "folder"):
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    linecache.clearcache()
    try:
        found[name] = repr(importlib.import_module("k").X)
    except Exception as error:
        found[name] = f"raises {error!r}"
json.dump(found, sys.stdout)
"""


def plain(folder: Path, texts: dict[str, str]) -> dict[str, str]:
    """The text of X after importing each module in Python itself."""
    for name, text in HELPERS.items():
        (folder / name).write_text(text)
    given = {"input": json.dumps(texts), "cwd": folder, "text": True}
    done = subprocess.run([sys.executable, "-B", "-c", PLAIN], capture_output=True, check=True, **given)  # type: ignore[call-overload]
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return plain(tmp_path_factory.mktemp("plain"), SAME)


@pytest.mark.parametrize("name", SAME)
def test_a_module_is_what_python_makes_of_it(name: str, python: dict[str, str], folder: Path) -> None:
    for rewriting in REWRITINGS:
        found, settled = load(folder, SAME[name], rewriting)
        assert settled and repr(found) == python[name], rewriting


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_a_refused_statement_may_have_changed_is_unknown(text: str, folder: Path) -> None:
    for rewriting in REWRITINGS:
        assert unknown(folder, text, rewriting), rewriting


@pytest.mark.parametrize("text", MISSING.values(), ids=MISSING.keys())
def test_what_a_missing_package_may_have_changed_is_unknown(text: str, folder: Path) -> None:
    for rewriting in REWRITINGS:
        assert unknown(folder, text, rewriting), rewriting


@pytest.mark.parametrize("text", SETTLED.values(), ids=SETTLED.keys())
def test_what_cannot_have_been_changed_is_known(text: str, folder: Path) -> None:
    for rewriting in REWRITINGS:
        assert load(folder, text, rewriting) == (1, True), rewriting


LOADER = sections(Path(__file__).with_name("module_level") / "loader.txt")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("loaded")
    with_package(folder)
    return plain(folder, LOADER)


def with_package(folder: Path) -> None:
    (folder / "pk" / "data").mkdir(parents=True)
    (folder / "folder").mkdir()
    for name, text in {
        "pk/__init__.py": '"""A package."""\nNAME = "pk"\n',
        "pk/sub.py": "NAME = __name__[-3:]\n",
        "pk/g.txt": "1",
        "pk/data/h.txt": "2",
        "folder/h.txt": "3",
    }.items():
        (folder / name).write_text(text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LOADER)
def test_the_import_system_answers_as_python_does_or_not_at_all(
    name: str, loaded: dict[str, str], folder: Path
) -> None:
    with_package(folder)
    for allowed in (NOTHING, Allowed(reads=(str(folder),))):
        for rewriting in REWRITINGS:
            if not unknown(folder, LOADER[name], rewriting, allowed):
                found, _ = load(folder, LOADER[name], rewriting, allowed)
                assert repr(found) == loaded[name], (rewriting, allowed)
