"""The state a loop body could change: everything mutable that kernel code can reach, as it is at one moment.

A loop can be summarised by one run of its body only if nothing is carried from one iteration to the next. Python code
can carry state anywhere: in locals, closures, globals, attributes, class attributes, default arguments, lists,
dictionaries,
iterators, generators. So before a body runs, everything mutable reachable from the frames of kernel code and from the
globals of kernel modules is recorded, and afterwards compared; whatever changed is carried state. The same record puts
the state back where another path through the body is explored.
"""

from __future__ import annotations

import enum
import functools
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from nkiverify.frontend.lists import Element, Segment, SymList
from nkiverify.frontend.values import PLAIN, has_hidden_state, slot_names
from nkiverify.source import KERNEL_MARKER, is_kernel_frame
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.terms import Atom, Term

_MISSING: Any = object()
#: What the import system puts into a module.
_MODULE_NAMES = frozenset({"__builtins__", "__loader__", "__spec__", "__nki__"})
#: Where C types come from whose objects do not change.
_STATELESS_MODULES = (
    *("builtins", "operator", "_operator", "re", "types", "typing", "decimal", "fractions", "datetime", "weakref"),
    "_abc",
)
_CACHED = type(functools.lru_cache(lambda: None))

#: Code of these packages keeps no state that a kernel's meaning depends on, or keeps it in the run.
_OWN_PACKAGES = ("nkiverify", "nki", "neuronxcc")
_LEAF_PACKAGES = (*_OWN_PACKAGES, "logging", "numpy", "ml_dtypes", "abc", "typing", "enum", "re", "math")

_LEAF_TYPES = (
    *PLAIN,
    bool,
    Term,
    Condition,
    SymRational,
    Atom,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.CodeType,
    types.GenericAlias,
    types.FrameType,
    types.TracebackType,
    BaseException,
    np.dtype,
    np.generic,
)


#: Whether the objects of a class have no state to watch, for the classes met.
_leaf: dict[type, bool] = {}


class OpaqueState(Exception):
    """Something reachable has hidden state that can be neither compared nor put back."""

    def __init__(self, value: object) -> None:
        super().__init__(f"an object of type {type(value).__module__}.{type(value).__qualname__}")


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """A mutable object, how to read its parts and how to write them back."""

    value: Any
    read: Callable[[Any], dict[Any, Any]]
    write: Callable[[Any, dict[Any, Any]], None] | None

    def assign(self, key: Any, part: Any) -> None:
        """Change one part."""
        if type(self.value) is dict:
            self.value[key] = part
            return
        assert self.write is not None
        self.write(self.value, {**self.read(self.value), key: part})


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """One part of a mutable object that a body changed. `before` or `after` is missing where it was added or
    removed."""

    holder: Holder
    key: Any
    before: Any
    after: Any

    def describe(self) -> str:
        """What changed, for a message."""
        kind = type(self.holder.value).__name__
        names = {"dict": f"the entry {self.key!r} of a dictionary", "cell": "a variable of an enclosing function"}
        if isinstance(self.holder.value, SymList | list):
            return "a list"
        if kind in names:
            return names[kind]
        if isinstance(self.key, str):
            return f"the attribute `{self.key}` of a {kind}"
        return f"a {kind}"


class Snapshot:
    """The mutable state reachable from kernel code."""

    def __init__(self, frame: types.FrameType | None, extra: Iterable[object] = ()) -> None:
        self._holders: dict[int, tuple[Holder, dict[Any, Any]]] = {}
        self._seen: set[int] = set()
        self._keep: list[object] = []
        #: An object whose state can be neither compared nor put back, if one is within reach.
        self.opaque: OpaqueState | None = None
        pending: deque[object] = deque(extra)
        walker: types.FrameType | None = frame
        modules: dict[int, dict[str, Any]] = {}
        while walker is not None:
            if is_kernel_frame(walker):
                pending.extend(value for name, value in walker.f_locals.items() if not name.startswith("@"))
                modules[id(walker.f_globals)] = walker.f_globals
            walker = walker.f_back
        pending.extend(modules.values())
        while pending:
            self._visit(pending.popleft(), pending)

    def _visit(self, value: object, pending: deque[object]) -> None:
        kind = type(value)
        if _leaf.get(kind) or id(value) in self._seen:
            return
        if kind not in _leaf:
            # A member of an enumeration of the kernel's own may have attributes beside its value.
            own_member = isinstance(value, enum.Enum) and _is_kernel_class(kind)
            _leaf[kind] = isinstance(value, _LEAF_TYPES) and not own_member
            if _leaf[kind]:
                return
        self._seen.add(id(value))
        self._keep.append(value)
        if isinstance(value, tuple | frozenset):
            pending.extend(value)
            return
        if kind is types.FunctionType:
            self._visit_function(value, pending)  # type: ignore[arg-type]
            return
        wrapped = None if isinstance(value, type) else getattr(value, "__wrapped__", None)
        if wrapped is not None:
            # A decorated kernel: its default arguments are those of the function inside.
            pending.append(wrapped)
        inside = _parts_inside(value)
        if inside is not None:
            pending.extend(inside)
            return
        try:
            holder = _holder_of(value)
        except OpaqueState as found:
            self.opaque = self.opaque or found
            return
        if holder is None:
            return
        content = holder.read(value)
        self._holders[id(value)] = (holder, content)
        if kind is dict and KERNEL_MARKER in content:
            pending.extend(part for name, part in content.items() if name not in _MODULE_NAMES)
        else:
            pending.extend(content.values())
        pending.append(kind)
        if kind is dict:
            pending.extend(key for key in content if not isinstance(key, str))

    def _visit_function(self, function: types.FunctionType, pending: deque[object]) -> None:
        pending.extend(function.__closure__ or ())
        pending.extend(function.__defaults__ or ())
        pending.extend((function.__kwdefaults__ or {}).values())
        if function.__dict__:
            pending.append(function.__dict__)
        if KERNEL_MARKER in function.__globals__:
            pending.append(function.__globals__)

    def changes(self) -> Iterator[Change]:
        """What differs now from what was recorded."""
        for holder, content in self._holders.values():
            now = holder.read(holder.value)
            if list(content) != list(now) and content.keys() == now.keys():
                # The order of a dictionary is seen by whoever runs through it.
                yield Change(holder, "order", tuple(content), tuple(now))
            for key in content.keys() | now.keys():
                before, after = content.get(key, _MISSING), now.get(key, _MISSING)
                if not _unchanged(before, after):
                    yield Change(holder, key, before, after)

    def knows(self, value: object) -> bool:
        """Whether `value` was there when the state was recorded."""
        return id(value) in self._seen

    def restore(self) -> None:
        """Put everything back as it was recorded; `OpaqueState` where something that changed cannot be."""
        for holder, content in self._holders.values():
            now = holder.read(holder.value)
            if list(now) == list(content) and all(_unchanged(content.get(key, _MISSING), now[key]) for key in now):
                continue
            if holder.write is None:
                raise OpaqueState(holder.value)
            try:
                holder.write(holder.value, content)
            except (TypeError, AttributeError):
                raise OpaqueState(holder.value) from None


def _parts_inside(value: object) -> Iterable[object] | None:
    """What an object without state of its own leads to; None for one that may have state."""
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, types.ModuleType):
        return [vars(value)] if KERNEL_MARKER in vars(value) else ()
    if isinstance(value, property):
        return value.fget, value.fset, value.fdel
    if isinstance(value, functools.partial):
        return value.func, value.args, value.keywords
    return None


def missing(value: object) -> bool:
    """Whether a side of a `Change` is absent."""
    return value is _MISSING


def _unchanged(before: object, after: object) -> bool:
    if before is after:
        return True
    if isinstance(before, Element) and isinstance(after, Element):
        return _unchanged(before.value, after.value)
    if type(before) is not type(after):
        return False
    return isinstance(before, int | str | float | bytes | bool) and before == after


def _holder_of(value: object) -> Holder | None:
    kind = type(value)
    if isinstance(value, _CACHED):
        # A function that remembers results: a call it had not seen before changes what it does later.
        return Holder(value, lambda cached: {"misses": cached.cache_info().misses}, None)
    known = _HOLDERS.get(kind)
    if known is not None:
        return Holder(value, *known)
    if isinstance(value, type):
        if value not in _kernel_classes:
            _kernel_classes[value] = _is_kernel_class(value)
        return Holder(value, _read_class, _write_class) if _kernel_classes[value] else None
    if hasattr(value, "__nki_state__"):
        return Holder(value, lambda it: it.__nki_state__(), lambda it, state: it.__nki_restore__(state))
    if isinstance(value, np.ndarray):
        return Holder(value, _read_array, _write_array)
    package = (kind.__module__ or "").partition(".")[0]
    if package in _LEAF_PACKAGES:
        return None
    if has_hidden_state(kind):
        raise OpaqueState(value)
    if hasattr(value, "__dict__") or (slot_names(kind) and not isinstance(value, dict | list | set | deque)):
        return Holder(value, _read_object, _write_object)
    if isinstance(value, dict):
        return Holder(value, dict, _write_dict)
    if isinstance(value, list):
        return Holder(value, _read_sequence, _write_list)
    if isinstance(value, set | deque):
        return Holder(value, _read_elements, None)
    return _by_reduction(value)


def _by_reduction(value: object) -> Holder | None:
    """Objects of C types: what `pickle` would write of them is their state; those it refuses are opaque."""
    try:
        if type(value).__module__ in _STATELESS_MODULES and not hasattr(value, "__next__"):
            return None
        _reduce(value)
    except Exception:
        raise OpaqueState(value) from None
    return Holder(value, _reduce, None)


def _reduce(value: Any) -> dict[Any, Any]:
    reduced = value.__reduce__()
    return {"": repr(reduced)} if isinstance(reduced, str) else dict(enumerate(_flat(reduced)))


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


#: Whether a class is defined in kernel code, for the classes met.
_kernel_classes: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def _is_kernel_class(cls: type) -> bool:
    return (
        any(
            isinstance(member, types.FunctionType) and KERNEL_MARKER in member.__globals__
            for member in vars(cls).values()
        )
        or cls.__module__ in _kernel_modules
    )


#: Names of the modules loaded as kernel code, which classes without methods are recognised by.
_kernel_modules: set[str] = set()


def register_kernel_module(name: str) -> None:
    """Make classes of the module of this name part of the state that is watched."""
    _kernel_modules.add(name)


def _read_sequence(value: Any) -> dict[Any, Any]:
    return dict(enumerate(value))


def _read_elements(value: Any) -> dict[Any, Any]:
    return {("element", id(part)): part for part in value} if isinstance(value, set) else _read_sequence(value)


def _write_list(value: list[Any], content: dict[Any, Any]) -> None:
    value[:] = list(content.values())


def _write_dict(value: dict[Any, Any], content: dict[Any, Any]) -> None:
    value.clear()
    value.update(content)


def _read_array(value: Any) -> dict[Any, Any]:
    # Objects in an array are followed one by one; numbers are compared together.
    return dict(enumerate(value.flat)) if value.dtype == object else {"": value.tobytes()}


def _write_array(value: Any, content: dict[Any, Any]) -> None:
    if value.dtype == object:
        value.flat[:] = list(content.values())
    else:
        value[...] = np.frombuffer(content[""], value.dtype).reshape(value.shape)


def _read_parts(value: SymList) -> dict[Any, Any]:
    parts: dict[Any, Any] = {}
    for position, part in enumerate(value.parts):
        parts[position] = part
        # For the walk to what the elements hold; only the parts themselves are written back.
        parts["within", position] = part.template if isinstance(part, Segment) else part.value
    return parts


def _write_parts(value: SymList, content: dict[Any, Any]) -> None:
    value.parts = [part for key, part in content.items() if isinstance(key, int)]


def _read_cell(value: types.CellType) -> dict[Any, Any]:
    try:
        return {"": value.cell_contents}
    except ValueError:
        return {}


def _write_cell(value: types.CellType, content: dict[Any, Any]) -> None:
    if content:
        value.cell_contents = content[""]
    else:
        del value.cell_contents


def _read_class(value: type) -> dict[Any, Any]:
    return {name: member for name, member in vars(value).items() if name not in ("__dict__", "__weakref__", "__doc__")}


def _write_class(value: type, content: dict[Any, Any]) -> None:
    for name in set(_read_class(value)) - set(content):
        delattr(value, name)
    for name, member in content.items():
        if vars(value).get(name, _MISSING) is not member:
            setattr(value, name, member)


def _read_object(value: object) -> dict[Any, Any]:
    content: dict[Any, Any] = {}
    for name in slot_names(type(value)):
        try:
            content[name] = object.__getattribute__(value, name)
        except AttributeError:
            continue
    content.update(getattr(value, "__dict__", {}))
    # A class derived from a container has elements beside its attributes.
    if isinstance(value, list | deque):
        content.update((("element", position), part) for position, part in enumerate(value))
    elif isinstance(value, dict):
        content.update((("element", key), part) for key, part in value.items())
    elif isinstance(value, set):
        content.update((("element", id(part)), part) for part in value)
    return content


def _write_object(value: Any, content: dict[Any, Any]) -> None:
    elements = {key[1]: part for key, part in content.items() if isinstance(key, tuple)}
    if isinstance(value, list):
        list.__setitem__(value, slice(None), list(elements.values()))
    elif isinstance(value, dict):
        dict.clear(value)
        dict.update(value, elements)
    elif isinstance(value, set | deque) and list(elements.values()) != list(value):
        raise OpaqueState(value)
    attributes = {name: part for name, part in content.items() if isinstance(name, str)}
    for name in [name for name in _read_object(value) if isinstance(name, str) and name not in attributes]:
        object.__delattr__(value, name)
    for name, part in attributes.items():
        object.__setattr__(value, name, part)


def _read_generator(value: types.GeneratorType[Any, Any, Any]) -> dict[Any, Any]:
    frame = value.gi_frame
    if frame is None:
        return {"finished": True}
    return {"at": frame.f_lasti, **{f"local {name}": part for name, part in frame.f_locals.items()}}


_HOLDERS: dict[type, tuple[Callable[[Any], dict[Any, Any]], Callable[[Any, dict[Any, Any]], None] | None]] = {
    list: (_read_sequence, _write_list),
    dict: (dict, _write_dict),
    set: (_read_elements, None),
    deque: (_read_elements, None),
    SymList: (_read_parts, _write_parts),
    types.CellType: (_read_cell, _write_cell),
    types.GeneratorType: (_read_generator, None),
    types.MappingProxyType: (dict, None),
}
