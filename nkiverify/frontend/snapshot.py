"""The state a loop body could change: everything mutable that kernel code can reach, as it is at one moment.

A loop can be summarised by one run of its body only if nothing is carried from one iteration to the next. Python code
can carry state anywhere: in locals, closures, globals, attributes, class attributes, default arguments, lists,
dictionaries,
iterators, generators. So before a body runs, everything mutable reachable from the frames of kernel code and from the
globals of kernel modules is recorded, and afterwards compared; whatever changed is carried state. The same record puts
the state back where another path through the body is explored.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import KERNEL_MARKER, identity, is_kernel_frame
from nkiverify.frontend.holders import (
    MISSING,
    Holder,
    OpaqueState,
    Unchanged,
    attributes_of,
    holder_of,
    holder_of_container,
    is_leaf,
    is_stateless,
    keeps_attributes,
    labels_of,
    own_attributes_of,
    parts_inside,
)
from nkiverify.frontend.refused import class_refused
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.segments import Element
from nkiverify.symbolic.substitution import is_plain, own_dict, same_keys, same_plain

#: What the import system puts into a module.
_MODULE_NAMES = frozenset({"__builtins__", "__loader__", "__spec__", "__nki__"})

#: Whether the objects of a class have no state to watch, for the classes met; by identity, as a metaclass of the
#: kernel's may say what a class equals.
_leaf: dict[int, bool] = {}
_met: list[type] = []


@dataclass(frozen=True, slots=True, eq=False)
class StateChange:
    """One part of a mutable object that a body changed. `before` or `after` is missing where it was added or
    removed."""

    holder: Holder
    key: Any
    before: Any
    after: Any

    def describe(self) -> str:
        """The change, for a message."""
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
    """The mutable state reachable from kernel code.

    What modules lead to is most of it, and rarely changes: it is not walked again where an earlier snapshot has done so
    (`earlier`, by the modules) and all of that is as it was.
    """

    def __init__(
        self,
        frame: types.FrameType | None,
        extra: Iterable[object] = (),
        earlier: dict[frozenset[int], Snapshot] | None = None,
    ) -> None:
        self._holders: dict[int, tuple[Holder, dict[Any, Any]]] = {}
        #: Functions without attributes, which are most: attributes that are added are state.
        self._bare: list[types.FunctionType] = []
        self._seen: set[int] = set()
        self._keep: list[object] = []
        #: Whether names of functions count: in a loop, nobody assigns them.
        self._whole = frame is None
        #: What the modules lead to, where that is a snapshot of its own.
        self._reached: Snapshot | None = None
        self._unchanged: Unchanged | None = None
        #: Whether it is all that the objects lead to: what a generator that is running does is not.
        self._is_all = True
        #: An object whose state can be neither compared nor put back, if one is within reach.
        self.opaque: OpaqueState | None = None
        #: A class of the kernel's that is refused in a launch, if one is within reach.
        self.refused: type | None = None
        pending: deque[object] = deque(extra)
        walker: types.FrameType | None = frame
        modules: dict[int, dict[str, Any]] = {}
        while walker is not None:
            if is_kernel_frame(walker):
                pending.extend(value for name, value in walker.f_locals.items() if not name.startswith("@"))
                modules[identity(walker.f_globals)] = walker.f_globals
            walker = walker.f_back
        reached = None if earlier is None else self._of_modules(modules, earlier)
        if reached is None:
            pending.extend(modules.values())
        else:
            self._seen = set(reached._seen)
        self._walk(pending)
        self._reached = reached
        if reached is not None:
            self.opaque = self.opaque or reached.opaque
            self.refused = self.refused or reached.refused

    def _walk(self, pending: deque[object]) -> None:
        seen = self._seen
        while pending:
            value = pending.popleft()
            # Most of what is met is a number, a text or there already.
            if not _leaf.get(identity(type(value))) and identity(value) not in seen:
                self._visit(value, pending)

    @staticmethod
    def _of_modules(modules: dict[int, dict[str, Any]], earlier: dict[frozenset[int], Snapshot]) -> Snapshot:
        """The state that modules lead to: as an `earlier` snapshot has found it, if all of it is as it was."""
        key = frozenset(modules)
        found = earlier.get(key)
        if found is None or not found._stands():
            found = earlier[key] = Snapshot(None)
            found._whole = False
            found._walk(deque(modules.values()))
            found._unchanged = Unchanged(found._holders.values())
        return found

    def _stands(self) -> bool:
        """True if nothing of it has changed, so that the same objects lead to the same ones."""
        assert self._unchanged is not None
        return self._is_all and self._unchanged() and not any(function.__dict__ for function in self._bare)

    def _perhaps_changed(self) -> Iterator[Snapshot]:
        """The parts of it in which something may have changed."""
        yield self
        if self._reached is not None and not self._reached._stands():
            yield self._reached

    def _visit(self, value: object, pending: deque[object]) -> None:
        kind = type(value)
        if identity(kind) not in _leaf:
            _met.append(kind)
            _leaf[identity(kind)] = is_leaf(value)
            if _leaf[identity(kind)]:
                return
        self._seen.add(identity(value))
        self._keep.append(value)
        if kind is types.GeneratorType and value.gi_running:  # type: ignore[attr-defined]
            # Its frame is one of those that lead here.
            self._is_all = False
            return
        if kind is types.FunctionType:
            self._visit_function(value, pending)  # type: ignore[arg-type]
            return
        # Most of what has state is a dictionary.
        holder = holder_of_container(value) or self._holder_of(value, kind, pending)
        if holder is None:
            if self._whole:
                self._visit_attributes(value, pending)
            return
        content = holder.read(value)
        self._holders[identity(value)] = (holder, content)
        if kind is dict and KERNEL_MARKER in content:
            self._note_builtins(content)
            pending.extend(part for name, part in content.items() if name not in _MODULE_NAMES)
        else:
            pending.extend(content.values())
        pending.append(kind)
        if kind is dict:
            pending.extend(key for key in content if not isinstance(key, str))
        if isinstance(value, type):
            if "__del__" in content:
                # When it runs, and whether it does, is up to the memory of the interpreter.
                self.opaque = self.opaque or OpaqueState(value, f"the class {value.__name__}, which has a finalizer,")
            if self.refused is None and class_refused(value):
                self.refused = value

    def _holder_of(self, value: object, kind: type, pending: deque[object]) -> Holder | None:
        """How the state of `value` is read and written, if it has any; what it leads to besides is `pending`."""
        wrapped = None if isinstance(value, type) else own_dict(value).get("__wrapped__")
        if wrapped is not None:
            # A decorated kernel: its default arguments are those of the function inside.
            pending.append(wrapped)
        inside = parts_inside(value)
        if inside is not None:
            pending.extend(inside)
            if not keeps_attributes(kind) or isinstance(value, types.ModuleType):
                return None
        try:
            holder = holder_of(value) if inside is None else attributes_of(value)
        except OpaqueState as found:
            self.opaque = self.opaque or found
            return None
        if holder is None and inside is None:
            _leaf[identity(kind)] = is_stateless(kind)
        return holder

    def _visit_attributes(self, value: object, pending: deque[object]) -> None:
        """The attributes of an object whose parts are not followed, but for the lists among them."""
        holder = own_attributes_of(value)
        if holder is not None:
            content = holder.read(value)
            self._holders[identity(value)] = (holder, content)
            pending.extend(part for part in content.values() if type(part) is list)

    def _note_builtins(self, names: dict[Any, Any]) -> None:
        """The built-in names of a module of kernels, which are its own, and not followed."""
        own = names.get("__builtins__")
        holder = holder_of_container(own) if self._whole and type(own) is dict else None
        if holder is not None:
            self._holders[identity(own)] = (holder, holder.read(own))

    def _visit_function(self, function: types.FunctionType, pending: deque[object]) -> None:
        if self._whole:
            labels = labels_of(function)
            content = labels.read(function)
            self._holders[identity(function)] = (labels, content)
            pending.extend(content.values())
        pending.extend(function.__closure__ or ())
        pending.extend(function.__defaults__ or ())
        if function.__kwdefaults__:
            pending.append(function.__kwdefaults__)
        if function.__dict__:
            pending.append(function.__dict__)
        else:
            self._bare.append(function)
        if KERNEL_MARKER in function.__globals__:
            pending.append(function.__globals__)

    def changes(self) -> Iterator[StateChange]:
        """The differences from what was recorded."""
        for part in self._perhaps_changed():
            yield from part._own_changes()

    def _own_changes(self) -> Iterator[StateChange]:
        for holder, content in self._holders.values():
            if holder.has(content):
                continue
            now = holder.read(holder.value)
            if content.keys() == now.keys() and not same_keys(content, now):
                # The order of a dictionary is seen by whoever runs through it, as is a key that is equal to another.
                yield StateChange(holder, "order", tuple(content), tuple(now))
            for key in dict.fromkeys((*content, *now)):
                before, after = content.get(key, MISSING), now.get(key, MISSING)
                if not _unchanged(before, after):
                    yield StateChange(holder, key, before, after)

        for function in self._bare:
            if function.__dict__:
                added = holder_of_container(function.__dict__)
                assert added is not None
                yield from (StateChange(added, key, MISSING, value) for key, value in function.__dict__.items())

    def knows(self, value: object) -> bool:
        """True if `value` was there when the state was recorded."""
        if identity(value) in self._seen:
            return True
        bare = self._bare if self._reached is None else [*self._bare, *self._reached._bare]
        return type(value) is dict and any(function.__dict__ is value for function in bare)

    def restore(self) -> None:
        """Put everything back as it was recorded; `OpaqueState` where something that changed cannot be."""
        for part in self._perhaps_changed():
            part._restore_own()

    def _restore_own(self) -> None:
        for holder, content in self._holders.values():
            if holder.has(content):
                continue
            now = holder.read(holder.value)
            if same_keys(now, content) and all(_unchanged(content.get(key, MISSING), now[key]) for key in now):
                continue
            if holder.write is None:
                raise OpaqueState(holder.value)
            try:
                holder.write(holder.value, content)
            except (TypeError, AttributeError):
                raise OpaqueState(holder.value) from None
        for function in self._bare:
            if function.__dict__:
                function.__dict__.clear()


def missing(value: object) -> bool:
    """True if a side of a `StateChange` is absent."""
    return value is MISSING


def _unchanged(before: object, after: object) -> bool:
    if before is after:
        return True
    if isinstance(before, Element) and isinstance(after, Element):
        return _unchanged(before.value, after.value)
    return is_plain(before) and is_plain(after) and same_plain(before, after)
