"""Whatever changes while a kernel runs is in the list of AUDIT.md ("State of the model"), with what is done about it.

What the model and the stubs keep between two operations has to be part of what loops compare and paths restore, or
never to change once made. A new table, attribute or cache fails here until it is in that list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from nkiverify.model.known_numbers import Interval, Value
from nkiverify.model.state import Launch, LoopBody, ModelState

ROOT = Path(__file__).parents[2]

#: Where everything that changes is looked for.
MODEL = ("nkiverify/model", "nkiverify/symbolic/execution.py", "stubs")
#: Where tables of modules are, beside the attributes of runs.
AROUND = ("nkiverify/foundation/source.py", "nkiverify/frontend", "nkiverify/symbolic")
#: The classes of runs: each of their attributes is state of one run.
RUNS = {
    "nkiverify/frontend/paths.py": ("Paths", "Scope"),
    "nkiverify/frontend/claiming.py": ("Claiming",),
    "nkiverify/frontend/explorer.py": ("SymbolicExecution",),
}

_MUTABLE = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
_MAKERS = frozenset(
    (
        *("dict", "list", "set", "defaultdict", "deque", "Counter", "OrderedDict", "count", "ContextVar", "local"),
        *("cycle", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet"),
    )
)
_CHANGING = frozenset(
    ("append", "add", "update", "setdefault", "pop", "popitem", "clear", "extend", "insert", "remove", "discard")
)
_CACHES = frozenset(("lru_cache", "cache", "cached_property"))
#: Methods in which an object is being made.
_MAKING = frozenset(("__init__", "__new__", "__set_name__", "__init_subclass__"))


def _sources(parts: tuple[str, ...]) -> Iterator[tuple[str, ast.Module]]:
    for part in parts:
        path = ROOT / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_mutable(value: ast.expr | None) -> bool:
    return isinstance(value, _MUTABLE) or (isinstance(value, ast.Call) and _name_of(value.func) in _MAKERS)


def tables(tree: ast.Module) -> set[str]:
    """Mutable objects at the top of a module that it changes after they are made, and caches of functions."""
    bound: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _is_mutable(statement.value):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            bound.update(target.id for target in targets if isinstance(target, ast.Name))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found.update(node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            found.update({_name_of(node.func.value)} & bound)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found.update({_name_of(node.value)} & bound)
        elif isinstance(node, ast.FunctionDef):
            decorators = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
            if any(_name_of(part) in _CACHES for part in decorators):
                found.add(node.name)
    # What is named as a variable is there to be changed, by whatever means.
    return (found | {name for name in bound if name.islower()}) - {"__all__"}


def attributes(tree: ast.Module) -> set[str]:
    """Attributes assigned where the object is not being made: `Class.name` for one's own, `name` for another's."""
    found: set[str] = set()
    for outer in tree.body:
        owner = outer.name if isinstance(outer, ast.ClassDef) else ""
        for function in ast.walk(outer):
            if not isinstance(function, ast.FunctionDef) or (owner and function.name in _MAKING):
                continue
            for node in ast.walk(function):
                changed = _changed(node)
                if isinstance(changed, ast.Attribute):
                    own = isinstance(changed.value, ast.Name) and changed.value.id == "self" and owner
                    found.add(f"{owner}.{changed.attr}" if own else changed.attr)
    return found


def _changed(node: ast.AST) -> ast.expr | None:
    """What an assignment, or a method that changes a container, changes."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        return node
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        return node.func.value
    return None


def run_attributes(tree: ast.Module, classes: tuple[str, ...]) -> set[str]:
    """The attributes of the classes of runs."""
    found: set[str] = set()
    for outer in tree.body:
        if not isinstance(outer, ast.ClassDef) or outer.name not in classes:
            continue
        found.update(
            f"{outer.name}.{part.target.id}"
            for part in outer.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        )
        found.update(
            f"{outer.name}.{node.attr}"
            for node in ast.walk(outer)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        )
    return found


def what_changes() -> set[str]:
    """Everything that changes while a kernel runs, by file."""
    found: set[str] = set()
    for file, tree in _sources(MODEL):
        found.update(f"{file}: {name}" for name in tables(tree) | attributes(tree))
    for file, tree in _sources(AROUND):
        found.update(f"{file}: {name}" for name in tables(tree))
    for file, classes in RUNS.items():
        ((_, tree),) = _sources((file,))
        found.update(f"{file}: {name}" for name in run_attributes(tree, classes))
    return found


def listed() -> set[str]:
    """What the table of AUDIT.md has."""
    text = (ROOT / "AUDIT.md").read_text(encoding="utf-8")
    section = text.split("\n## State of the model\n", 1)[1].split("\n## ", 1)[0]
    found: set[str] = set()
    for row in re.findall(r"^\| `(.+?)` \| (.+?) \|", section, re.MULTILINE):
        found.update(f"{row[0]}: {name}" for name in re.findall(r"`(.+?)`", row[1]))
    return found


@pytest.mark.every_case
def test_everything_that_changes_is_in_the_list() -> None:
    assert sorted(what_changes() - listed()) == []


@pytest.mark.every_case
def test_the_list_has_nothing_that_is_gone() -> None:
    assert sorted(listed() - what_changes()) == []


def test_every_part_of_the_state_is_recorded_but_what_belongs_to_the_run() -> None:
    """A new part of `ModelState` is compared and restored, or it is one of these."""
    recorded = set(ModelState().__nki_state__())
    assert set(ModelState.__slots__) - recorded == {
        "_contents",
        "_recorded",
        "_assumed",
        "_exchanged",
        "_shared",
        "_own",
        "_looked_at",
        "_written",
        "assigned",
        "entered",
        "taken",
        "follows",
        "follows_floats",
        "launch_grid",
        "overwritten",
    }
    assert recorded - set(ModelState.__slots__) == {"contents"}


@dataclass(frozen=True, slots=True)
class _Holder:
    """A register, by its identity."""

    identity: object


def _known(number: int) -> Value:
    return Value((Interval(number, number),), exact=True)


def test_what_was_recorded_is_put_back() -> None:
    state, register = ModelState(), _Holder("register")
    state.write(register, _known(1), whole=True)
    around = LoopBody()
    state.launch, state.body, state.fixed_orders, state.arguments = Launch((2,), (0,)), around, 1, 1
    recorded = state.__nki_state__()
    state.write(register, _known(2), whole=True)
    state.write(_Holder("another"), _known(3), whole=True)
    state.launch, state.body, state.fixed_orders, state.arguments = Launch((2,), (1,)), None, 0, 2
    state.__nki_restore__(recorded)
    found, other = state.read(register), state.read(_Holder("another"))
    assert found is not None
    assert found.intervals is not None
    assert [interval.low for interval in found.intervals] == [1]
    assert other is None
    assert {**state.__nki_state__(), "contents": None} == {**recorded, "contents": None}


def test_what_begins_to_exist_holds_nothing() -> None:
    state, register = ModelState(), _Holder("register")
    state.write(register, _known(1), whole=True)
    before = state.contents
    state.allocated(register.identity)
    assert state.read(register) is None
    state.contents = before
    assert state.read(register) is not None
