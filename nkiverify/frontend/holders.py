"""How the parts of a mutable object are read and written back, for every kind of object a kernel can hold."""

from __future__ import annotations

import copyreg
import enum
import functools
import gc
import pickle
import sys
import types
import weakref
from collections import deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice, repeat
from operator import attrgetter, is_
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.foundation.source import KERNEL_MARKER, identity, is_kernel_class
from nkiverify.frontend.identities import WATCHING
from nkiverify.frontend.process_state import is_shown
from nkiverify.frontend.seen import library_module
from nkiverify.model.launch import Kernel
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.segments import Segment
from nkiverify.symbolic.substitution import HEAP_TYPE, PLAIN, has_hidden_state, own_dict, same_keys, slot_names

#: The absence of a part.
MISSING: Any = object()

#: Where C types come from whose objects do not change.
_STATELESS_MODULES = (
    *("builtins", "operator", "_operator", "re", "types", "typing", "fractions", "datetime"),
    "_abc",
)
_CACHED = type(functools.lru_cache(lambda: None))
_CONTAINERS = (dict, list, set, deque)

#: Code of these packages keeps no state that a kernel's meaning depends on, or keeps it in the run.
_OWN_PACKAGES = ("nkiverify", "nki", "neuronxcc")
_LIBRARIES = ("logging", "ml_dtypes", "abc", "typing", "enum", "re", "math")
_LEAF_PACKAGES = (*_OWN_PACKAGES, *_LIBRARIES)
#: What `pickle` writes of objects whose class says nothing of their state.
_RECONSTRUCTOR = vars(copyreg)["_reconstructor"]
#: What NumPy has besides arrays and generators of random numbers that never changes.
_NUMPY_LEAVES = of_numpy(lambda: (np.dtype, np.generic, np.ufunc, type(np.sum), np.finfo, np.iinfo))
_DTYPE = of_numpy(lambda: (np.dtype,))

_LEAF_TYPES = (
    *PLAIN,
    bool,
    types.NotImplementedType,
    types.EllipsisType,
    Term,
    Condition,
    SymRational,
    Atom,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    # What a field of a named tuple is.
    type(vars(namedtuple("_Fields", "field"))["field"]),
    types.CodeType,
    types.FrameType,
    types.TracebackType,
    *_NUMPY_LEAVES,
)


class OpaqueState(Exception):
    """Something reachable has hidden state that can be neither compared nor put back."""

    def __init__(self, value: object, description: str = "") -> None:
        super().__init__(description or f"an object of type {type(value).__module__}.{type(value).__qualname__}")


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """A mutable object, how to read its parts and how to write them back."""

    value: Any
    read: Callable[[Any], dict[Any, Any]]
    write: Callable[[Any, dict[Any, Any]], None] | None

    def has(self, content: dict[Any, Any]) -> bool:
        """True if the parts are those of `content`, the same objects in the same order. Asked of all that a loop can
        reach, several times for each path through it, so that dictionaries and attributes are compared where they are:
        nearly always nothing has changed."""
        value = self.value
        if type(value) is dict:
            same = len(content) == len(value) and all(map(is_, content.values(), value.values()))
            return same and (all(map(is_, content, value)) or same_keys(content, value))
        if self.read is _read_object and _has_own(value, content):
            return True
        now = self.read(value)
        return all(map(is_, content.values(), now.values())) and same_keys(content, now)

    def assign(self, key: Any, part: Any) -> None:
        """Change one part."""
        if type(self.value) is dict:
            self.value[key] = part
            return
        assert self.write is not None
        self.write(self.value, {**self.read(self.value), key: part})

    def remove(self, key: Any) -> None:
        """Take one part away, if it is there."""
        assert self.write is not None
        left = dict(self.read(self.value))
        left.pop(key, None)
        self.write(self.value, left)

    def assigns_alone(self, key: Any) -> bool:
        """True if a part can be changed to any object without a change of others."""
        if self.write is _write_object:
            return isinstance(key, str) and key != "__class__"
        return self.write in (_write_dict, _write_cell, _write_parts)


class Unchanged:
    """The parts of holders, compared with what they had for those of the common kinds together: in a fraction of the
    time that `Holder.has` of each takes. What has other parts is not said, nor is it certain that something has."""

    __slots__ = ("_dicts", "_keys", "_kinds", "_objects", "_others", "_parts", "_sizes", "_slotted")

    def __init__(self, holders: Iterable[tuple[Holder, dict[Any, Any]]]) -> None:
        self._dicts: list[dict[Any, Any]] = []
        #: Objects that have nothing but attributes, and their classes.
        self._objects: list[object] = []
        self._kinds: list[type] = []
        #: Objects with slots by their class, with what was in the slots.
        self._slotted: dict[type, tuple[list[object], list[object]]] = {}
        self._others: list[tuple[Holder, dict[Any, Any]]] = []
        entries: list[dict[Any, Any]] = []
        attributes: list[dict[Any, Any]] = []
        for holder, content in holders:
            value, kind = holder.value, type(holder.value)
            slots = None
            if holder.read is _read_object and not isinstance(value, _CONTAINERS):
                slots = slot_names(kind)
            if kind is dict:
                self._dicts.append(value)
                entries.append(content)
            elif slots == () and kind.__dictoffset__:
                self._objects.append(value)
                self._kinds.append(kind)
                attributes.append({name: part for name, part in content.items() if name != "__class__"})
            elif slots and not kind.__dictoffset__ and len(content) == 1 + len(slots):
                objects, parts = self._slotted.setdefault(kind, ([], []))
                objects.append(value)
                parts += islice(content.values(), 1, None)
            else:
                self._others.append((holder, content))
        #: Of dictionaries and of attributes, one after the other.
        entries += attributes
        self._sizes = [*map(len, entries)]
        self._keys = [*chain.from_iterable(entries)]
        self._parts = [*chain.from_iterable(map(dict.values, entries))]

    def __call__(self) -> bool:
        """True if all of them have the very same parts, in the same order."""
        entries = [*self._dicts, *map(own_dict, self._objects)]
        return (
            all(map(is_, map(type, self._objects), self._kinds))
            and [*map(len, entries)] == self._sizes
            and all(map(is_, chain.from_iterable(map(dict.keys, entries)), self._keys))
            and all(map(is_, chain.from_iterable(map(dict.values, entries)), self._parts))
            and all(_same_slots(kind, objects, parts) for kind, (objects, parts) in self._slotted.items())
            and all(holder.has(content) for holder, content in self._others)
        )


def _same_slots(kind: type, objects: list[object], parts: list[object]) -> bool:
    """True if objects of a class have the same parts in all their slots."""
    try:
        now = chain.from_iterable(map(_slots_of(kind)[1], objects))
        return all(map(is_, map(type, objects), repeat(kind))) and all(map(is_, now, parts))
    except AttributeError:
        return False


#: What describes a function or class, besides its `__dict__`.
LABELS = frozenset({"__name__", "__qualname__", "__doc__", "__module__", "__wrapped__", "__annotations__"})
#: What a function or class is made of, besides what is in it.
MAKE_UP = frozenset({"__class__", "__bases__", "__code__", "__defaults__", "__kwdefaults__", "__mro__"})
_OF_FUNCTIONS = tuple(name for name in sorted(LABELS | MAKE_UP) if name in vars(types.FunctionType))
_OF_CLASSES = {name: vars(type)[name] for name in ("__bases__", "__name__", "__qualname__")}


# --- which objects have state -----------------------------------------------------------------------------------------


def is_leaf(value: object) -> bool:
    """True if objects of the class of `value` have neither parts nor state of their own; the same for all of them."""
    kind = type(value)
    if isinstance(value, enum.Enum):
        # A member of an enumeration of the kernel's own may have attributes besides its value.
        return not is_kernel_class(kind)
    if not isinstance(value, _LEAF_TYPES):
        return False
    # A class derived from `int` or `str` has attributes, be it the kernel's or that of a library; a fraction has slots.
    slotted = isinstance(value, PLAIN) and bool(slot_names(kind))
    return not (kind.__dictoffset__ or slotted or is_kernel_class(kind))


def is_stateless(kind: type) -> bool:
    """True if objects of a class of ours, for which `holder_of` finds nothing, have nothing for any of them: tensors,
    and what they consist of."""
    ours = (kind.__module__ or "").partition(".")[0] in _OWN_PACKAGES
    return ours and not issubclass(kind, type) and not keeps_attributes(kind)


def keeps_attributes(kind: type) -> bool:
    """True if objects of a class have attributes that can be assigned, besides what the class they derive from
    holds."""
    return bool(kind.__dictoffset__) or is_kernel_class(kind)


def is_watched(value: Any) -> bool:
    """True if an attribute that kernel code assigns to `value` is part of the state that is compared."""
    if isinstance(value, types.FunctionType):
        return KERNEL_MARKER in value.__globals__
    if isinstance(value, type):
        return is_kernel_class(value)
    if isinstance(value, types.ModuleType):
        return follows_module(value)
    if is_leaf(value):
        return False
    try:
        if parts_inside(value) is not None:
            return keeps_attributes(type(value))
        return holder_of(value) is not None
    except OpaqueState:
        return True


def follows_module(module: types.ModuleType) -> bool:
    """True if the names of a module are state: it is a kernel's, or one the kernel has made itself; those of modules
    that all kernels are shown are compared with them (`frontend.process_state`)."""
    module = library_module(module)
    names = vars(module)
    return KERNEL_MARKER in names or (not is_shown(module) and sys.modules.get(names.get("__name__", "")) is not module)


def parts_inside(value: object) -> Iterable[object] | None:
    """The objects that one without state of its own leads to; None for one that may have state."""
    if isinstance(value, tuple | frozenset):
        return value
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    if isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
        return () if isinstance(value.__self__, types.ModuleType) else (value.__self__,)
    if isinstance(value, types.ModuleType):
        return [vars(value)] if follows_module(value) else _of_library(library_module(value))
    if isinstance(value, property):
        return value.fget, value.fset, value.fdel
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    if isinstance(value, types.GenericAlias):
        return value.__origin__, *value.__args__
    if isinstance(value, staticmethod | classmethod):
        return (value.__func__,)
    if isinstance(value, super):
        # Its own attributes, past those of the object it stands for.
        return (_SUPER_SELF.__get__(value),)
    return None


#: Containers of libraries that a kernel could change, by the name of the module.
_containers: dict[str, list[object]] = {}
#: Names of `sys` whose contents are the import system's.
_IMPORT_SYSTEM = frozenset({"modules", "meta_path", "path_hooks", "path_importer_cache"})


_SUPER_SELF = vars(super)["__self__"]


def _of_library(module: types.ModuleType) -> list[object]:
    """The public containers of a library's module; in `sys.modules`, what a kernel may have put there."""
    if module.__name__.partition(".")[0] in _OWN_PACKAGES:
        return []
    if module.__name__ not in _containers:
        _containers[module.__name__] = [
            part
            for name, part in vars(module).items()
            if isinstance(part, dict | list | set | deque | bytearray)
            and not name.startswith("_")
            and not (module is sys and name in _IMPORT_SYSTEM)
        ]
    if module is not sys:
        return _containers[module.__name__]
    # Of a thousand nearly all are modules, which is asked first.
    others = [entry for entry in sys.modules.values() if type(entry) is not types.ModuleType]
    strange = [entry for entry in others if not isinstance(entry, types.ModuleType | type | None)]
    return [*_containers[module.__name__], *(entry for entry in strange if not _made_by_library(type(entry)))]


def _made_by_library(kind: type) -> bool:
    """True for a class of an installed package: some put objects of their own in place of modules (`zipp` does), and
    whether one of those is there depends on what else the process has imported."""
    package = (kind.__module__ or "").partition(".")[0]
    module = sys.modules.get(kind.__module__)
    return (
        package not in sys.stdlib_module_names
        and isinstance(module, types.ModuleType)
        and KERNEL_MARKER not in vars(module)
    )


def holder_of_container(value: object) -> Holder | None:
    """How the state of an object is read and written whose class alone says so; None for any other."""
    known = _HOLDERS.get(identity(type(value)))
    return None if known is None else Holder(value, *known)


def holder_of(value: object) -> Holder | None:
    """How the state of `value` is read and written; None if it has none. Raises `OpaqueState` where it is hidden."""
    kind = type(value)
    if isinstance(value, _CACHED):
        return Holder(value, _read_cached, _write_cached)
    known = holder_of_container(value)
    if known is not None:
        return known
    if isinstance(value, type):
        return Holder(value, _read_class, _write_class) if is_kernel_class(value) else None
    if hasattr(kind, "__nki_state__"):
        return Holder(value, lambda it: it.__nki_state__(), lambda it, state: it.__nki_restore__(state))
    if kind.__module__ == "numpy" and kind is np.ndarray:
        return Holder(value, _read_array, _write_array)
    if isinstance(value, BaseException):
        return Holder(value, _read_exception, None)
    package = (kind.__module__ or "").partition(".")[0]
    if isinstance(value, weakref.ReferenceType) or package in ("weakref", "_weakrefset"):
        # What is compared is held, so that nothing dies that would have died.
        raise OpaqueState(value)
    if package in _LEAF_PACKAGES:
        return None
    if package == "numpy":
        return _of_numpy(value)
    if isinstance(value, functools.partial):
        return Holder(value, _read_partial, None)
    if isinstance(value, PLAIN):
        return Holder(value, _read_object, _write_object)
    if has_hidden_state(kind):
        raise OpaqueState(value)
    if kind.__dictoffset__ or (_fields(kind) if isinstance(value, _CONTAINERS) else slot_names(kind)):
        return Holder(value, _read_object, _write_object)
    if isinstance(value, dict):
        return Holder(value, dict, _write_dict)
    if isinstance(value, list):
        return Holder(value, _read_sequence, _write_list)
    if isinstance(value, set | deque):
        return Holder(value, _read_elements, None)
    return _by_reduction(value)


def labels_of(function: types.FunctionType) -> Holder:
    """The names and texts that describe a function, but for those in its `__dict__`, and its code and defaults."""
    return Holder(function, _read_labels, None)


def attributes_of(value: object) -> Holder:
    """The attributes of an object whose other parts do not change: those of a class derived from `tuple`, say."""
    return Holder(value, _read_object, _write_object)


def own_attributes_of(value: object) -> Holder | None:
    """The attributes of an object whose parts are not followed, as they are a library's, or ours; None where none can
    be assigned to it."""
    kind = type(value)
    if not kind.__dictoffset__ or isinstance(value, type | types.ModuleType):
        return None
    followed = isinstance(value, Kernel) or (kind.__module__ or "").partition(".")[0] in _LIBRARIES
    return attributes_of(value) if followed else None


def _by_reduction(value: object) -> Holder | None:
    """Objects of C types: what `pickle` would write of them is their state; those it refuses are opaque."""
    try:
        if type(value).__module__ in _STATELESS_MODULES and not hasattr(type(value), "__next__"):
            return None
        found = _reduce(value)
    except Exception:
        raise OpaqueState(value) from None
    if found.get(0) is _RECONSTRUCTOR and any(part is not type(value) for part in gc.get_referents(value)):
        # It holds more than that tells of.
        raise OpaqueState(value)
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


def _of_numpy(value: object) -> Holder | None:
    """An object of NumPy, an array of a derived class or a generator of random numbers: as `pickle` would write it."""
    if isinstance(value, (type, *_DTYPE)):
        return None
    try:
        pickle.dumps(value)
    except Exception:
        raise OpaqueState(value) from None
    return Holder(value, lambda it: {"": pickle.dumps(it)}, None)


# --- reading and writing ----------------------------------------------------------------------------------------------


def _read_sequence(value: Any) -> dict[Any, Any]:
    return dict(enumerate(value))


def _read_elements(value: Any) -> dict[Any, Any]:
    if isinstance(value, set):
        return {("element", identity(part)): part for part in value}
    return {**_read_sequence(value), "maxlen": value.maxlen}


def _write_list(value: list[Any], content: dict[Any, Any]) -> None:
    value[:] = list(content.values())


def _write_dict(value: dict[Any, Any], content: dict[Any, Any]) -> None:
    value.clear()
    value.update(content)


def _read_array(value: Any) -> dict[Any, Any]:
    # Objects in an array are followed one by one; numbers are compared together.
    elements = dict(enumerate(value.flat)) if value.dtype == object else {"": value.tobytes()}
    return {"form": f"{value.shape} {value.strides} {value.dtype.str} {value.flags.writeable}", **elements}


def _write_array(value: Any, content: dict[Any, Any]) -> None:
    elements = {key: part for key, part in content.items() if key != "form"}
    if content["form"] != _read_array(value)["form"]:
        raise OpaqueState(value)
    if value.dtype == object:
        value.flat[:] = list(elements.values())
    else:
        value[...] = np.frombuffer(elements[""], value.dtype).reshape(value.shape)


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
    own = {name: member for name, member in vars(value).items() if name not in ("__dict__", "__weakref__")}
    for name, watching in WATCHING.items():
        if own.get(name) is watching:
            del own[name]
    return {**own, **{name: part.__get__(value) for name, part in _OF_CLASSES.items()}}


def _write_class(value: type, content: dict[Any, Any]) -> None:
    now = _read_class(value)
    for name in now.keys() - content.keys():
        delattr(value, name)
    for name, member in content.items():
        if now.get(name, MISSING) is not member:
            setattr(value, name, member)


def _read_object(value: object) -> dict[Any, Any]:
    kind = type(value)
    content: dict[Any, Any] = {"__class__": kind}
    names, slots = _slots_of(kind)
    try:
        content.update(zip(names, slots(value), strict=True))
    except AttributeError:
        # Some have no value.
        for name in names:
            try:
                content[name] = object.__getattribute__(value, name)
            except AttributeError:
                continue
    content.update(own_dict(value))
    # A class derived from a container has elements besides its attributes.
    if isinstance(value, list | deque):
        content.update((("element", position), part) for position, part in enumerate(value))
    elif isinstance(value, dict):
        content.update((("element", key), part) for key, part in value.items())
    elif isinstance(value, set):
        content.update((("element", identity(part)), part) for part in value)
    return content


def _write_object(value: Any, content: dict[Any, Any]) -> None:
    elements = {key[1]: part for key, part in content.items() if isinstance(key, tuple)}
    if isinstance(value, list):
        list.__setitem__(value, slice(None), list(elements.values()))
    elif isinstance(value, dict):
        # By the class in C that keeps the elements, and perhaps their order; not by what the kernel makes of it.
        keeper: type[dict[Any, Any]] = next(base for base in type(value).__mro__ if not base.__flags__ & HEAP_TYPE)
        keeper.clear(value)
        keeper.update(value, elements)
    elif isinstance(value, set | deque) and list(elements.values()) != list(value):
        raise OpaqueState(value)
    now = _read_object(value)
    for name in [name for name in now if isinstance(name, str) and name not in content]:
        object.__delattr__(value, name)
    for name, part in content.items():
        if isinstance(name, str) and now.get(name, MISSING) is not part:
            object.__setattr__(value, name, part)


def _read_labels(function: types.FunctionType) -> dict[Any, Any]:
    return {name: getattr(function, name) for name in _OF_FUNCTIONS}


def _read_cached(function: Any) -> dict[Any, Any]:
    """The memory of a function with an `lru_cache`: a call it had not seen before changes what it does later.

    Kernel code can change a result that is remembered, and can ask for the counts.
    """
    inside = gc.get_referents(function)
    own = own_dict(function)
    remembered = [part for part in inside if type(part) is not dict]
    # Without a limit of its size the cache is a dictionary; with one, its links are taken apart already.
    remembered += [part for each in inside if type(each) is dict and each is not own for part in each.values()]
    info = function.cache_info()
    return {"hits": info.hits, "misses": info.misses, **dict(enumerate(remembered))}


def _write_cached(function: Any, state: dict[Any, Any]) -> None:
    if state["hits"] or state["misses"]:
        # There is no way to make it remember.
        raise TypeError
    function.cache_clear()


def _read_partial(value: functools.partial[Any]) -> dict[Any, Any]:
    return {"function": value.func, "arguments": value.args, "keywords": value.keywords, "": value.__dict__}


def _has_own(value: object, content: dict[Any, Any]) -> bool:
    """True if it is seen at once that an object has the slots and attributes of `content`."""
    kind = type(value)
    if content["__class__"] is not kind or isinstance(value, _CONTAINERS):
        return False
    names, slots = _slots_of(kind)
    own, before = own_dict(value), 1 + len(names)
    if len(content) != before + len(own):
        return False
    try:
        parts = chain(slots(value), own.values())
    except AttributeError:
        return False
    now = islice(content.values(), 1, None)
    return all(map(is_, now, parts)) and all(map(is_, islice(content, before, None), own))


#: The slots of objects of a class, and how all of them are read together, for the classes met.
_slots_of_class: dict[int, tuple[type, tuple[str, ...], Callable[[Any], Iterable[Any]]]] = {}


def _slots_of(kind: type) -> tuple[tuple[str, ...], Callable[[Any], Iterable[Any]]]:
    """The names of what objects of a class hold next to `__dict__`, and a function that gives the values of all of
    them; it raises `AttributeError` where one has none. No code of the kernel runs."""
    known = _slots_of_class.get(identity(kind))
    if known is None:
        names = _fields(kind) if issubclass(kind, _CONTAINERS) else slot_names(kind)
        # A class of the kernel's may say how attributes are read.
        together = attrgetter(*names) if len(names) > 1 and not is_kernel_class(kind) else None
        known = _slots_of_class[identity(kind)] = kind, names, together or partial(_one_by_one, names=names)
    return known[1:]


def _one_by_one(value: object, names: tuple[str, ...]) -> list[object]:
    return [object.__getattribute__(value, name) for name in names]


#: What objects of classes written in C hold next to `__dict__`, for the classes met.
_fields_of: dict[int, tuple[type, tuple[str, ...]]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """The names of what objects of a class hold next to `__dict__`: slots, and fields of classes written in C."""
    known = _fields_of.get(identity(kind))
    if known is None:
        names = tuple(
            name
            for base in kind.__mro__
            for name, member in vars(base).items()
            if isinstance(member, types.GetSetDescriptorType | types.MemberDescriptorType)
            and name not in ("__dict__", "__weakref__")
        )
        known = _fields_of[identity(kind)] = kind, names
    return known[1]


def _read_exception(value: BaseException) -> dict[Any, Any]:
    found = {name: getattr(value, name, MISSING) for name in _fields(type(value))}
    return {**found, **vars(value)}


def _read_generator(value: types.GeneratorType[Any, Any, Any]) -> dict[Any, Any]:
    frame = value.gi_frame
    if frame is None:
        return {"finished": True}
    return {"at": frame.f_lasti, **{f"local {name}": part for name, part in frame.f_locals.items()}}


_How = tuple[Callable[[Any], dict[Any, Any]], Callable[[Any, dict[Any, Any]], None] | None]
_CONTAINERS_BY_CLASS: dict[type, _How] = {
    list: (_read_sequence, _write_list),
    dict: (dict, _write_dict),
    set: (_read_elements, None),
    deque: (_read_elements, None),
    SymList: (_read_parts, _write_parts),
    types.CellType: (_read_cell, _write_cell),
    types.GeneratorType: (_read_generator, None),
    types.MappingProxyType: (dict, None),
}
#: By identity: a metaclass of the kernel's may say what a class equals.
_HOLDERS = {identity(kind): how for kind, how in _CONTAINERS_BY_CLASS.items()}
