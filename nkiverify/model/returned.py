"""The results of a kernel: the tensors in it, wherever they are.

One walk for all that ask: the claims about results, phase 4, the simulator, `equiv`. It looks at what objects hold and
runs none of the kernel's code. What it cannot look into is refused, never passed over: a tensor may be there.
"""

from __future__ import annotations

import copy
import enum
import functools
import re
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.foundation.source import is_kernel_class
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import Hardware
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.operators import Operator
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.substitution import state_of

#: How many parts of a result are examined: what is shared is met once for each way to it.
MAX_PARTS = 10_000


class StepKind(enum.Enum):
    """How one gets from an object to a part of it."""

    ITEM = enum.auto()
    KEY = enum.auto()
    ATTRIBUTE = enum.auto()
    #: To a member of a set, or an entry whose key is no plain value: one of several that nothing tells apart.
    MEMBER = enum.auto()


@dataclass(frozen=True, slots=True)
class PathStep:
    """From an object to a part of it: the position, the key or the name of the attribute."""

    kind: StepKind
    name: Any

    def __str__(self) -> str:
        if self.kind is StepKind.ATTRIBUTE:
            return f".{self.name}"
        return f"{{{self.name}}}" if self.kind is StepKind.MEMBER else f"[{self.name!r}]"


Path = tuple[PathStep, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A tensor in a result, or a value without parts, and the way to it."""

    path: Path
    value: Any

    @property
    def place(self) -> str:
        """The way to it as Python writes it: `result[1]['b']`."""
        return "result" + "".join(map(str, self.path))

    def called(self, name: str) -> str:
        """`name` with the way to it, as a word: `result_1_b`."""
        words = [str(step.name) for step in self.path]
        return "_".join((name, *(re.sub(r"\W+", "_", word).strip("_") for word in words)))


@dataclass(frozen=True, slots=True)
class Above:
    """A part of a result that is one of the objects it is in: the one this many steps from the top."""

    steps: int


class _Opaque(Exception):
    """Something that cannot be looked into."""


# --- asking -----------------------------------------------------------------------------------------------------------


def leaves(result: Any) -> list[Leaf]:
    """Every tensor and every value without parts in a result.

    Raises `UnsupportedConstruct` where something cannot be looked into.
    """
    return list(_walk(result))


def tensors_in(result: Any) -> list[Tensor]:
    """The tensors in a result. Raises `UnsupportedConstruct` where there may be one that is not seen."""
    return [leaf.value for leaf in leaves(result) if isinstance(leaf.value, Tensor)]


def named_tensors(name: str, result: Any) -> list[tuple[str, Tensor]]:
    """The tensors in a result, each with a name of its own, in which `name` stands for the whole.

    Raises `UnsupportedConstruct` where there may be one that is not seen, or nothing tells two of them apart.
    """
    return uniquely_named(name, [leaf for leaf in leaves(result) if isinstance(leaf.value, Tensor)])


def uniquely_named(name: str, found: Iterable[Leaf]) -> list[tuple[str, Any]]:
    """The values of leaves with different names. Raises `UnsupportedConstruct` where nothing tells two apart."""
    paths: set[Path] = set()
    values: dict[str, Any] = {}
    for leaf in found:
        if leaf.path in paths:
            raise ambiguous(leaf)
        paths.add(leaf.path)
        called = plain = leaf.called(name)
        number = 2
        while called in values:
            called, number = f"{plain}_{number}", number + 1
        values[called] = leaf.value
    return list(values.items())


def ambiguous(leaf: Leaf) -> BaseException:
    """The exception to raise where nothing tells a part of a result from another one."""
    return unsupported(f"{leaf.place} in what the kernel returns: nothing tells which one it is", "use a tuple")


def converted(result: Any, convert: Callable[[Tensor], Any]) -> Any:
    """A result with other objects in the place of its tensors; what holds none is the same object."""
    return _converted(result, convert, {}) if tensors_in(result) else result


# --- walking ----------------------------------------------------------------------------------------------------------


def _walk(result: Any) -> Iterator[Leaf]:
    #: What is yet to be examined, the next one last; None where an object is left.
    pending: list[tuple[Path, Any] | None] = [((), result)]
    above: list[int] = []
    looked_into: dict[int, object] = {}
    count = 0
    while pending:
        top = pending.pop()
        if top is None:
            above.pop()
            continue
        path, value = top
        count += 1
        if count > MAX_PARTS:
            raise unsupported(f"a result with more than {MAX_PARTS} parts")
        if isinstance(value, Tensor):
            yield Leaf(path, value)
        elif id(value) in above:
            yield Leaf(path, Above(above.index(id(value))))
        else:
            try:
                parts = _parts(value)
                _refuse_tensors(_code_of(value), looked_into)
            except _Opaque as reason:
                raise unsupported(f"{reason} in what the kernel returns ({Leaf(path, value).place})") from None
            if parts:
                above.append(id(value))
                pending.append(None)
                pending.extend(((*path, step), part) for step, part in reversed(parts))
            else:
                yield Leaf(path, value)


#: Classes, these very ones, whose objects hold nothing else; by identity, as a metaclass of the kernel's may say what a
#: class equals.
_PLAIN = frozenset(
    id(kind)
    for kind in (
        *(int, float, complex, bool, str, bytes, bytearray, range, object, Fraction, type(None), type(...)),
        *(type(NotImplemented), re.Pattern, DType, MemoryRegion, Operator, Hardware),
    )
)
#: Classes whose objects, those of derived ones as well, hold nothing else.
_PLAIN_BASES = (Term, Condition, SymRational, Atom, types.ModuleType, *of_numpy(lambda: (np.generic, np.dtype)))
_ARRAY = of_numpy(lambda: (np.ndarray,))
#: Classes of C whose contents are read.
_SEQUENCES: tuple[type, ...] = (tuple, list, deque, SymList, type({}.keys()), type({}.values()), type({}.items()))
_MAPPINGS = (dict, types.MappingProxyType)
_SETS = (set, frozenset)
_OPEN = (
    *(*_SEQUENCES, *_MAPPINGS, *_SETS, OrderedDict, defaultdict, Counter, types.SimpleNamespace),
    *(int, float, complex, str, bytes, bytearray, Fraction, object),
)
_FUNCTIONS = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, staticmethod, classmethod),
    *(property, types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType),
)
#: Of what a class has besides functions: slots, fields of named tuples, what abstract classes remember, annotations.
_DESCRIPTORS = (
    *(types.MemberDescriptorType, types.GetSetDescriptorType, types.GenericAlias, types.UnionType),
    *(type(vars(namedtuple("_Fields", "field"))["field"]), type(vars(Sequence)["_abc_impl"])),
)
#: `__flags__` of a class that a class statement has made.
_HEAP_TYPE = 1 << 9

_Parts = list[tuple[PathStep, Any]]


def _parts(value: Any) -> _Parts:
    """The parts that an object holds itself. Raises `_Opaque`."""
    kind = type(value)
    if id(kind) in _PLAIN or isinstance(value, (*_PLAIN_BASES, type)) or kind.__module__ == "typing":
        return []
    if isinstance(value, slice):
        return [(PathStep(StepKind.ATTRIBUTE, name), getattr(value, name)) for name in ("start", "stop", "step")]
    if isinstance(value, _ARRAY):
        return _of_array(value)
    if isinstance(value, _FUNCTIONS):
        raise _Opaque(f"a function ({kind.__name__})")
    if hasattr(kind, "__next__"):
        raise _Opaque(f"an iterator ({kind.__name__})")
    if not _readable(kind):
        raise _Opaque(f"an object of type {kind.__name__}")
    return [*_elements(value), *((PathStep(StepKind.ATTRIBUTE, name), part) for name, part in _attributes(value))]


def _readable(kind: type) -> bool:
    """True if what objects of a class hold is in their elements and attributes."""
    if any(kind is one for one in _OPEN):
        return True
    if issubclass(kind, BaseException) or kind.__module__.partition(".")[0] == "nkiverify":
        return False
    # A class of C that is not known may hold anything.
    others = [base for base in kind.__mro__ if not any(base is one for one in _OPEN)]
    return all(base.__flags__ & _HEAP_TYPE for base in others) and not any(
        isinstance(member, types.MethodDescriptorType) for base in others for member in vars(base).values()
    )


def _elements(value: Any) -> _Parts:
    if isinstance(value, _SEQUENCES):
        return [(PathStep(StepKind.ITEM, position), part) for position, part in enumerate(_iterated(value))]
    if isinstance(value, _SETS):
        return [(PathStep(StepKind.MEMBER, "member"), part) for part in _iterated(value)]
    found: _Parts = []
    for key, part in _entries(value):
        if _is_name(key):
            found.append((PathStep(StepKind.KEY, _named(key)), part))
        else:
            found += [(PathStep(StepKind.MEMBER, "key"), key), (PathStep(StepKind.MEMBER, "value"), part)]
    return found


def _iterated(value: Any) -> Iterator[Any]:
    """The elements that are there, whatever a derived class says it has."""
    kinds: tuple[Any, ...] = (tuple, list, deque, set, frozenset)
    for kind in kinds:
        if isinstance(value, kind):
            return kind.__iter__(value)  # type: ignore[no-any-return]
    return iter(value)


def _entries(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(dict.items(value))
    return list(value.items()) if isinstance(value, types.MappingProxyType) else []


def _is_name(key: object) -> bool:
    """True if the key of an entry says which one it is, in other kernels as well."""
    if type(key) is tuple:
        return all(map(_is_name, key))
    return isinstance(key, enum.Enum | DType) or type(key) in (int, bool, float, str, bytes, type(None))


def _named(key: Any) -> Any:
    if isinstance(key, enum.Enum):
        return f"{type(key).__name__}.{key.name}"
    return tuple(map(_named, key)) if type(key) is tuple else key


def _attributes(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, SymList | Fraction):
        # These are how it holds what it stands for.
        return []
    names = state_of(value)
    return [(name, part) for name, part in names.items() if not (isinstance(value, enum.Enum) and name[:2] == "__")]


def _of_array(value: np.ndarray[Any, Any]) -> _Parts:
    if not value.dtype.hasobject:
        return []
    if type(value) is not np.ndarray or value.dtype != object:
        raise _Opaque("an array of records or of a derived class")
    return [(PathStep(StepKind.ITEM, position), value[position]) for position in np.ndindex(value.shape)]


# --- code -------------------------------------------------------------------------------------------------------------


def _code_of(value: object) -> object:
    """The objects that have to hold no tensor, for an object's elements and attributes to be all that is in it."""
    if isinstance(value, defaultdict):
        return (value.default_factory, type(value))
    return value if isinstance(value, type) else type(value)


def _refuse_tensors(code: object, seen: dict[int, object]) -> None:
    """Raise `_Opaque` where a class, or a function, keeps what may be a tensor. `seen` has been examined before."""
    pending: list[object] = [code]
    while pending:
        part = pending.pop()
        if isinstance(part, Tensor):
            raise _Opaque(f"a tensor that {getattr(code, '__qualname__', 'a function')} keeps,")
        if id(part) in seen:
            continue
        seen[id(part)] = part
        if len(seen) > MAX_PARTS:
            raise _Opaque("a class that keeps more than can be looked at,")
        pending.extend(_inside(part))


def _inside(part: Any) -> Iterable[object]:
    """The objects that a part of a class or of a function leads to."""
    if isinstance(part, types.FunctionType):
        cells = (_content(cell) for cell in part.__closure__ or ())
        return (*cells, *(part.__defaults__ or ()), *(part.__kwdefaults__ or {}).values(), *part.__dict__.values())
    if isinstance(part, type):
        return [member for base in part.__mro__ if is_kernel_class(base) for member in _members(base)]
    if isinstance(part, types.MethodType | types.BuiltinFunctionType | types.MethodWrapperType):
        return part.__self__, getattr(part, "__func__", None)
    if isinstance(part, staticmethod | classmethod):
        return (part.__func__,)
    if isinstance(part, property):
        return part.fget, part.fset, part.fdel
    if isinstance(part, functools.partial):
        return part.func, part.args, part.keywords
    if isinstance(part, (*_FUNCTIONS, *_DESCRIPTORS)):
        return ()
    return (*(inner for _, inner in _parts(part)), _code_of(part))


def _members(cls: type) -> list[object]:
    return [
        member
        for name, member in vars(cls).items()
        if isinstance(member, types.FunctionType) or not (name.startswith("__") and name.endswith("__"))
    ]


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


# --- with something else in the place of tensors ----------------------------------------------------------------------


def _converted(value: Any, convert: Callable[[Tensor], Any], done: dict[int, Any]) -> Any:
    if isinstance(value, Tensor):
        return convert(value)
    if id(value) in done:
        return done[id(value)]
    if not _parts(value):
        return value
    fresh = functools.partial(_converted, convert=convert, done=done)
    if isinstance(value, tuple):
        elements = [fresh(part) for part in tuple.__iter__(value)]
        attributes = {name: fresh(part) for name, part in _attributes(value)}
        if all(new is old for new, old in zip(elements, tuple.__iter__(value), strict=True)) and not attributes:
            return value
        made: Any = tuple.__new__(type(value), elements)
    else:
        if not isinstance(value, (list, deque, dict, *_ARRAY)) and (_elements(value) or isinstance(value, slice)):
            if any(isinstance(leaf.value, Tensor) for leaf in leaves(value)):
                raise unsupported(f"arrays in the place of tensors, in a {type(value).__name__}")
            return value
        # It may be reached from what it holds.
        made = done[id(value)] = copy.copy(value)
        attributes = {name: fresh(part) for name, part in _attributes(value)}
        if isinstance(value, dict):
            for key, part in _entries(value):
                if not _is_name(key) and tensors_in(key):
                    raise unsupported("arrays in the place of tensors that are keys")
                dict.__setitem__(made, key, fresh(part))
        elif isinstance(value, list | deque):
            for position, part in enumerate(_iterated(value)):
                (list if isinstance(value, list) else deque).__setitem__(made, position, fresh(part))
        elif isinstance(value, _ARRAY):
            for step, part in _of_array(value):
                made[step.name] = fresh(part)
    for name, part in attributes.items():
        object.__setattr__(made, name, part)
    return made
