"""Faults put into a module: where they can be, what they do, and which tests of a small project notice them."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from lab.checker import ANSWERING
from lab.exchange import Loaded
from lab.faults import marked, places
from nkiverify.foundation import resources
from tests.clocks import HANGS

SOURCE = '''\
"""A module."""

LIMIT = 2


def within(value: int = 0) -> bool:
    if value < 0:
        raise ValueError(f"{value - 1}")
    return value <= LIMIT


class Box:
    def __init__(self, held):
        self.held = held

    def smaller(self, other):
        return min(self.held, other) if not other == 7 else -1

    def __repr__(self):
        return "a" if self.held > 0 else "b"


def unused(x):
    return x + 1
'''


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    """The module, imported."""
    path = tmp_path / "subject.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("subject", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_a_fault_is_a_slip_in_what_is_computed_not_in_what_is_told() -> None:
    found = [(place.line, place.what) for place in places(ast.parse(SOURCE))]
    assert found == [
        (3, "2 -> 3"),
        (6, "0 -> 1"),
        (7, "if -> never"),
        (8, "raise left out"),
        (7, "Lt -> LtE"),
        (7, "0 -> 1"),
        (9, "LtE -> Lt"),
        (17, "if -> never"),
        (17, "not dropped"),
        (17, "Eq -> NotEq"),
        (17, "min -> max"),
        (17, "minus dropped"),
        (17, "1 -> 2"),
        (24, "Add -> Sub"),
        (24, "1 -> 2"),
    ]


def test_a_fault_is_in_the_functions_of_the_loaded_module_and_leaves_them_again(module: ModuleType) -> None:
    loaded = Loaded(Path(module.__file__ or ""))
    box = module.Box(5)
    by_what = {(place.line, place.what): place for place in places(loaded.tree)}
    with by_what[17, "min -> max"].faulty():
        loaded.take()
        # Objects made before have the fault as well.
        assert (box.smaller(9), module.within(2)) == (9, True)
    with by_what[9, "LtE -> Lt"].faulty():
        loaded.take()
        assert (box.smaller(9), module.within(2)) == (5, False)
    loaded.take()
    assert (box.smaller(9), module.within(2)) == (5, True)


def test_what_runs_at_import_is_told_from_what_a_function_does(module: ModuleType) -> None:
    loaded = Loaded(Path(module.__file__ or ""))
    at_import = []
    for place in places(loaded.tree):
        with place.faulty():
            if loaded.runs_at_import():
                at_import.append((place.line, place.what))
    assert at_import == [(3, "2 -> 3"), (6, "0 -> 1")]


def test_marked_functions_tell_the_statements_they_reach(module: ModuleType) -> None:
    loaded = Loaded(Path(module.__file__ or ""))
    reached: set[int] = set()
    loaded.tree = marked(loaded.tree)
    loaded.mark(reached.add)
    loaded.take()
    assert module.within(1)
    assert reached == {7, 9}
    with pytest.raises(ValueError, match="-2"):
        module.within(-1)
    assert reached == {7, 8, 9}


TESTS = """\
import subject


def test_it_stays_within():
    assert subject.within(0) and not subject.within(3)


def test_it_takes_the_smaller():
    assert subject.Box(5).smaller(9) == 5
"""


@pytest.mark.parametrize("late", [False, True], ids=["imported at once", "imported by the tests"])
def test_each_fault_is_noticed_by_the_first_test_that_fails(late: bool, tmp_path: Path) -> None:
    tests = TESTS.replace("import subject\n", "").replace("():\n", "():\n    import subject\n") if late else TESTS
    (tmp_path / "subject.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "test_subject.py").write_text(tests, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        'import gc\nfrom hypothesis import settings\n\nsettings.register_profile("suite")\n'
        # As the suite does.
        "def pytest_collection_finish():\n    gc.freeze()\n",
        encoding="utf-8",
    )
    found = places(ast.parse(SOURCE))
    job = {
        "tests": ["test_subject.py"],
        "lane": "test",
        "modules": ["subject.py"],
        "faults": {"subject.py": list(range(len(found)))},
        "budget": 10.0,
        "reached": str(tmp_path / "reached"),
        "record": str(tmp_path / "record"),
    }
    (tmp_path / "job").write_text(json.dumps(job), encoding="utf-8")
    command = (sys.executable, "-m", "lab.noticing", "job")
    environment = {"PYTHONPATH": f"{tmp_path}:{resources.root()}", "PATH": ""}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=HANGS)
    said = [json.loads(line) for line in (tmp_path / "record").read_text(encoding="utf-8").splitlines()]
    assert [one["number"] for one in said] == list(range(len(found)))
    by = {(found[one["number"]].line, found[one["number"]].what): one for one in said}
    within, smaller = "test_subject.py::test_it_stays_within", "test_subject.py::test_it_takes_the_smaller"
    assert by[17, "min -> max"]["by"] == by[17, "not dropped"]["by"] == smaller
    assert by[7, "0 -> 1"]["by"] == by[7, "Lt -> LtE"]["by"] == within
    assert by[9, "LtE -> Lt"]["by"] == by[17, "minus dropped"]["by"] == ""
    assert (by[24, "Add -> Sub"]["by"], by[24, "Add -> Sub"]["tests"]) == ("", 0)
    assert [one["at_import"] for one in said].count(True) == 2


def test_every_module_that_is_named_is_there_with_its_tests() -> None:
    for module, tests in ANSWERING.items():
        assert (resources.root() / module).is_file()
        assert all((resources.root() / test).exists() for test in tests)
