"""Attributes that kernel code reads and writes, where that would tell a symbolic value from the one it stands for, or
change something a snapshot does not hold."""

from __future__ import annotations

import types
from typing import Any

from nkiverify.frontend.explorer import SymbolicRun
from nkiverify.frontend.holders import is_watched
from nkiverify.frontend.lists import SymList
from nkiverify.frontend.ranges import SymRange
from nkiverify.frontend.text import SymText
from nkiverify.run import run_in_progress, unsupported
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.integers import SymInt
from nkiverify.symbolic.rationals import SymRational

#: Classes of symbolic values, and what they stand for.
STAND_INS: dict[type, type] = {
    SymInt: int,
    SymList: list,
    SymRational: float,
    Condition: bool,
    SymText: str,
    SymRange: range,
}

#: Attributes that symbolic values have and what they stand for has not.
OWN_NAMES = frozenset(
    name
    for ours, theirs in STAND_INS.items()
    for name in {*dir(ours), *getattr(ours, "__slots__", ())} - set(dir(theirs))
    if not name.startswith("__")
)

#: What a function or class is made of: a change of it changes what it does.
_MAKE_UP = frozenset({"__class__", "__bases__", "__code__", "__defaults__", "__kwdefaults__", "__mro__"})
#: What only describes a function.
_LABELS = frozenset({"__name__", "__qualname__", "__doc__", "__module__", "__wrapped__", "__annotations__"})


def stands_for(value: object) -> type | None:
    """The built-in class whose place the symbolic `value` takes; None for any other value."""
    return STAND_INS.get(type(value))


def lacks(value: object, name: str) -> bool:
    """Whether `name` is an attribute of ours that the value a symbolic one stands for does not have."""
    kind = stands_for(value)
    return kind is not None and not hasattr(kind, name)


def read(value: Any, name: str) -> Any:
    """`value.name`, where that is the name of an attribute of ours."""
    if lacks(value, name):
        raise no_attribute(value, name)
    return getattr(value, name)


def no_attribute(value: object, name: str) -> AttributeError:
    """What Python raises where the value that `value` stands for has no such attribute."""
    kind = stands_for(value)
    assert kind is not None
    return AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")


def storing(value: Any, name: str) -> Any:
    """`value`, an attribute of which is about to be assigned or deleted: it must be one whose state is compared."""
    run = run_in_progress()
    if not isinstance(run, SymbolicRun):
        return value
    if stands_for(value) is not None:
        raise no_attribute(value, name)
    described = type(value).__name__
    if name in _MAKE_UP or not is_watched(value):
        raise unsupported(f"assigning the attribute `{name}` of a {described}")
    if isinstance(value, types.FunctionType | type) and name in _LABELS and run.open_loops:
        raise unsupported(f"assigning the attribute `{name}` of a {described} in a loop")
    return value


def inspecting(value: Any, name: str) -> Any:
    """`value`, of which `name` is about to be read: what it leads to must be state that is compared."""
    if not isinstance(run_in_progress(), SymbolicRun) or _holds(value, name):
        return value
    raise unsupported(f"the attribute `{name}` of a {type(value).__name__}")


def _holds(value: Any, name: str) -> bool:
    """Whether a snapshot that reaches `value` has what its attribute `name` leads to."""
    if name == "__dict__":
        return not isinstance(value, types.ModuleType | types.FunctionType | type) or is_watched(value)
    return name == "__annotations__" and not isinstance(value, types.FunctionType)


def sym_setattr(value: Any, name: str, part: Any) -> None:
    """`setattr`."""
    setattr(storing(value, name), name, part)


def sym_delattr(value: Any, name: str) -> None:
    """`delattr`."""
    delattr(storing(value, name), name)


def sym_hasattr(value: Any, name: str) -> bool:
    """`hasattr`."""
    return False if lacks(value, name) else hasattr(value, name)


def sym_getattr(value: Any, name: str, *default: Any) -> Any:
    """`getattr`."""
    if lacks(value, name):
        if default:
            return default[0]
        raise no_attribute(value, name)
    return getattr(value, name, *default)


def sym_id(value: Any) -> int:
    """`id`: of a symbolic value it would be that of a term, of which equal ones are one object."""
    if stands_for(value) is not None and not isinstance(value, SymList):
        raise unsupported(f"id() of a symbolic {STAND_INS[type(value)].__name__}")
    return id(value)
