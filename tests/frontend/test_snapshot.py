"""What a snapshot of a kernel's state holds."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest

from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.holders import follows_module
from nkiverify.frontend.numeric_modules import as_kernels_see
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.model.stub import stub


def test_what_stands_for_a_module_of_a_library_is_followed_as_that() -> None:
    seen = as_kernels_see(np)
    assert seen is not np
    assert not follows_module(seen)
    found = Snapshot(None, [seen])
    # A kernel can change its containers; its names nothing assigns.
    assert found.knows(np.typecodes)
    assert not found.knows(seen.add)


def test_preparing_a_stub_is_no_state_that_an_iteration_leaves() -> None:
    """A stub is prepared when it is called first: loops in which that was were unrolled, as if they left something."""

    def add(x: Any, y: Any, *, dtype: Any = None, mask: Any = None) -> Any: ...

    add.__module__ = "nki.language"
    add = stub(add)
    found = Snapshot(None, [add])
    assert found.opaque is None
    assert add(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32)).sum() == 8
    assert list(found.changes()) == []


#: A module of a kernel's, with what snapshots find in it, and a place of it that takes one.
MODULE = """
import dataclasses
import snapshots

class Slotted:
    __slots__ = ("one", "two")
    def __init__(self):
        self.one = 1

class Held:
    def call(self):
        return self

@dataclasses.dataclass
class Record:
    size: int = 128

def helper():
    return 1

def with_cell():
    kept = [0]
    def inner():
        nonlocal kept
        kept = kept
        return kept
    def put(value):
        nonlocal kept
        kept = value
    return inner, put

count, entries, numbers, slotted, held = 0, {"a": 1, "b": 2}, [1, 2], Slotted(), Held()
held.part = Held()
inner, put = with_cell()

def kernel(*more):
    return snapshots.take(*more)
"""

#: Changes of what the module leads to, each of another kind of object.
CHANGES = {
    "a name": "count = 1",
    "a new name": "another = 1",
    "an entry": "entries['a'] = 2",
    "a new entry": "entries['c'] = 2",
    "an entry less": "del entries['b']",
    "the order of entries": "entries['a'] = entries.pop('a')",
    "a key that is equal": "entries.pop('b'); entries.pop('a'); entries[True] = 1",
    "an element": "numbers[0] = 2",
    "a slot": "slotted.one = 2",
    "a slot that had no value": "slotted.two = 2",
    "a slot without a value": "del slotted.one",
    "an attribute": "held.part.size = 1",
    "another object": "held.part = Held()",
    "an attribute of a class": "Held.size = 1",
    "the class of an object": "held.__class__ = type('Other', (), {})",
    "an attribute of a function": "helper.calls = 1",
    "a variable of a function": "put([1])",
    "a field of a dataclass": "dataclasses.fields(Record)[0].default = 64",
}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], dict[frozenset[int], Snapshot]]:
    """The names of such a module, and what its snapshots have found that modules lead to."""
    earlier: dict[frozenset[int], Snapshot] = {}
    library = types.ModuleType("snapshots")
    vars(library)["take"] = lambda *more: Snapshot(sys._getframe(1), more, earlier)
    monkeypatch.setitem(sys.modules, "snapshots", library)
    kernels = types.ModuleType("module_of_a_kernel")
    monkeypatch.setitem(sys.modules, "module_of_a_kernel", kernels)
    names = vars(kernels)
    names[KERNEL_MARKER] = True
    exec(compile(MODULE, "module_of_a_kernel", "exec", dont_inherit=True), names)
    return names, earlier


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_modules_lead_to_is_walked_again_once_it_has_changed(
    change: str, module: tuple[dict[str, Any], dict[frozenset[int], Snapshot]]
) -> None:
    names, earlier = module
    first = names["kernel"]()
    (kept,) = earlier.values()
    again = names["kernel"]()
    assert [*earlier.values()] == [kept]
    assert not [*first.changes()]
    assert not [*again.changes()]

    exec(change, names)
    # Either says so, with the part of the modules that they share.
    assert [*first.changes()]
    assert [(one.key, one.after) for one in first.changes()] == [(one.key, one.after) for one in again.changes()]
    later = names["kernel"]()
    assert [*earlier.values()] != [kept]
    assert not [*later.changes()]

    if "__class__" not in change and "dataclasses" not in change:
        again.restore()
        assert not [*first.changes()]
        assert [*later.changes()]


def test_an_object_that_a_module_leads_to_is_known_to_all_snapshots(
    module: tuple[dict[str, Any], dict[frozenset[int], Snapshot]],
) -> None:
    names, _ = module
    mine: list[object] = []
    for _ in range(2):
        found = names["kernel"](mine)
        assert found.knows(mine)
        assert found.knows(names["held"].part)
        assert found.knows(names["helper"].__dict__)
        assert not found.knows([])
        mine.append(1)
        assert [one.holder.value for one in found.changes()] == [mine]
        mine.clear()
