"""Comparing and rewriting the values a kernel computes with: numbers, tensors, containers, objects.

Both walk a value as data. What they do not know how to walk they refuse: `same_value` says "not the same" and
`substitute` raises `CannotSubstitute`, so that nothing unknown is taken for unchanged.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import is_
from typing import Any

from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.foundation.source import KERNEL_MARKER, identity, is_kernel_class
from nkiverify.symbolic import terms
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.rationals import SymRational
from nkiverify.symbolic.reals import SymReal
from nkiverify.symbolic.segments import Element, ListOfParts, Segment

#: Values without parts that could depend on a loop index.
PLAIN: tuple[Any, ...] = (
    *(int, float, complex, str, bytes, type(None), enum.Enum, Fraction, range, type(Ellipsis)),
    *of_numpy(lambda: (np.generic,)),
)


#: The flag of classes that are made at run time, as those written in Python are.
HEAP_TYPE = 1 << 9
#: Those that most values are of, by identity: a metaclass of the kernel's may say what a class equals.
_PLAINEST = frozenset(map(identity, (int, str, bool, float, type(None))))


def is_plain(value: object) -> bool:
    """True if `value` has no parts that could depend on a loop index; one of a class derived from `int` may."""
    kind = type(value)
    if identity(kind) in _PLAINEST:
        return True
    # By its class: one of ours says by `__class__` what it stands for, which takes a while to be asked not to.
    return issubclass(kind, PLAIN) and (issubclass(kind, enum.Enum) or not _has_attributes(value))


def _has_attributes(value: object) -> bool:
    """True if an object of a class derived from `int`, `tuple` or another built-in class has attributes as well."""
    kind = type(value)
    if kind.__module__ == "builtins" or _is_ours(value) or isinstance(value, _WITHOUT_ATTRIBUTES):
        return False
    return bool(state_of(value))


class CannotSubstitute(Exception):
    """A value has parts that may depend on a loop index and that cannot be rewritten."""


#: Classes derived from built-in ones whose objects have no attributes.
_WITHOUT_ATTRIBUTES = (Fraction, *of_numpy(lambda: (np.generic,)))
_EMPTY = types.CellType()
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type, property)


#: The slots of the classes met, and whether the state of their objects is what `state_of` finds; by identity.
_classes: dict[int, tuple[type, tuple[str, ...], bool]] = {}


def slot_names(cls: type) -> tuple[str, ...]:
    """The names of all slots of a class and its bases."""
    return _seen_once(cls)[1]


def _seen_once(cls: type) -> tuple[type, tuple[str, ...], bool]:
    found = _classes.get(identity(cls))
    if found is None:
        found = _classes[identity(cls)] = cls, _slots_of(cls), _is_walkable(cls)
    return found


def _slots_of(cls: type) -> tuple[str, ...]:
    names: list[str] = []
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            names.append(f"_{base.__name__.lstrip('_')}{name}" if private else name)
    return tuple(name for name in names if name not in ("__weakref__", "__dict__"))


def state_of(value: object) -> dict[str, object]:
    """The attributes an object holds itself, in `__dict__` and in slots."""
    found: dict[str, object] = {}
    for name in slot_names(type(value)):
        # Past `__getattr__`, which is the kernel's code and may count.
        try:
            found[name] = object.__getattribute__(value, name)
        except AttributeError:
            continue
    found.update(own_dict(value))
    return found


def own_dict(value: object) -> dict[str, Any]:
    """The `__dict__` of an object, empty where it has none; no code of the kernel runs."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def same_plain(one: object, two: object) -> bool:
    """True if two values without parts are the same to whoever looks at them.

    `==` is asked only where Python defines it: a class of the kernel's may call anything equal. And `==` takes 0.0 for
    -0.0, and a range for any other of the same elements.
    """
    if one is two:
        return True
    kind = type(one)
    if kind is not type(two):
        return False
    if identity(kind) in _PLAINEST or kind is bytes:
        return bool(one == two) and (kind is not float or repr(one) == repr(two))
    if isinstance(one, range) and isinstance(two, range):
        pairs = ((one.start, two.start), (one.stop, two.stop), (one.step, two.step))
        return all(same_plain(*pair) for pair in pairs)
    # What is written in Python may say itself what it is equal to, and members of an enumeration are one object each.
    if issubclass(kind, PLAIN) and (kind is Fraction or not kind.__flags__ & HEAP_TYPE):
        return bool(one == two) and repr(one) == repr(two)
    return False


class _Pairs:
    """Objects that have been taken for the same. `known`: whether one was there before what is compared."""

    __slots__ = ("_known", "_met", "_partners")

    def __init__(self, known: Callable[[object], bool]) -> None:
        self._known = known
        #: By identity; the objects are held, so that no other gets the identity of one.
        self._met: dict[tuple[int, int], tuple[object, object]] = {}
        self._partners: dict[tuple[int, bool], int] = {}

    def settled(self, one: object, two: object) -> bool | None:
        """True or False where it is known whether two objects, which are not one, are the same; None where that is up
        to their parts."""
        left, right = identity(one), identity(two)
        if (left, right) in self._met:
            return True
        if not _is_ours(one):
            if self._known(one) or self._known(two):
                # Whoever has the one that was there tells them apart, and sees what is done to it alone.
                return False
            if (left, False) in self._partners or (right, True) in self._partners:
                return False
            self._partners[left, False], self._partners[right, True] = right, left
        self._met[left, right] = one, two
        return None


def same_value(one: object, two: object, known: Callable[[object], bool] = lambda part: False) -> bool:
    """True if two values are surely the same, part by part, whatever the symbolic values are.

    Mutable objects are where each stands for one other, everywhere, and neither is `known` to anybody else.
    """
    return _same(one, two, _Pairs(known))


def _same(one: object, two: object, pairs: _Pairs) -> bool:
    if one is two:
        return True
    if isinstance(one, Term) or isinstance(two, Term):
        left, right = _as_constant(one), _as_constant(two)
        return left is not None and type(left) is type(right) and left == right
    if type(one) is not type(two) or isinstance(one, Condition):
        return False
    if isinstance(one, PLAIN):
        return is_plain(one) and is_plain(two) and same_plain(one, two)
    if isinstance(one, slice) and isinstance(two, slice):
        return _same_values(_bounds(one), _bounds(two), pairs)
    if isinstance(one, SymReal):
        assert isinstance(two, SymReal)
        return one.name == two.name and _same(one.operands, two.operands, pairs)
    if isinstance(one, SymRational):
        assert isinstance(two, SymRational)
        return one.inexact == two.inexact and _same((one.top, one.bottom), (two.top, two.bottom), pairs)
    if isinstance(one, tuple | list | dict) and (_has_attributes(one) or _has_attributes(two)):
        return False
    if isinstance(one, tuple):
        return _same_values(one, two, pairs)  # type: ignore[arg-type]
    settled = pairs.settled(one, two)
    if settled is not None:
        return settled
    if isinstance(one, list):
        return _same_values(one, two, pairs)  # type: ignore[arg-type]
    if isinstance(one, dict):
        return _same_entries(one, two, pairs)  # type: ignore[arg-type]
    if isinstance(one, ListOfParts):
        assert isinstance(two, ListOfParts)
        return _same_parts(one, two, pairs)
    if isinstance(one, _FUNCTIONS) or not _walkable(one):
        return False
    return _same_entries(state_of(one), state_of(two), pairs)


def _same_values(one: Sequence[object], two: Sequence[object], pairs: _Pairs) -> bool:
    return len(one) == len(two) and all(_same(a, b, pairs) for a, b in zip(one, two, strict=True))


def _same_entries(one: Mapping[Any, object], two: Mapping[Any, object], pairs: _Pairs) -> bool:
    return same_keys(one, two) and _same_values(tuple(one.values()), tuple(two.values()), pairs)


def same_keys(one: Iterable[object], two: Iterable[object]) -> bool:
    """True if two dictionaries have the same keys, in the same order: 1 and True are equal, and are not the same."""
    left, right = list(one), list(two)
    return len(left) == len(right) and (all(map(is_, left, right)) or all(map(_same_key, left, right)))


def _same_key(one: object, two: object) -> bool:
    if type(one) is tuple and type(two) is tuple:
        return len(one) == len(two) and all(map(_same_key, one, two))
    return same_plain(one, two)


def _bounds(value: slice) -> tuple[object, object, object]:
    return value.start, value.stop, value.step


def _as_constant(value: object) -> int | None:
    if isinstance(value, Term):
        return value.constant
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _same_parts(one: ListOfParts, two: ListOfParts, pairs: _Pairs) -> bool:
    if len(one.parts) != len(two.parts):
        return False
    for left, right in zip(one.parts, two.parts, strict=True):
        if isinstance(left, Element) and isinstance(right, Element):
            if not _same(left.value, right.value, pairs):
                return False
        elif isinstance(left, Segment) and isinstance(right, Segment):
            if left.length is not right.length:
                return False
            renamed = substitute(right.template, {right.index: terms.of_atom(left.index)})
            if not _same(left.template, renamed, pairs):
                return False
        else:
            return False
    return True


def _walkable(value: object) -> bool:
    return _seen_once(type(value))[2]


def _is_walkable(kind: type) -> bool:
    if issubclass(kind, (BaseException, *PLAIN, tuple)):
        return False
    return kind.__reduce_ex__ is object.__reduce_ex__ and kind.__module__ != "builtins" and not has_hidden_state(kind)


#: Classes of C whose contents are read.
_OPEN_TYPES = (object, list, dict, set, frozenset, tuple, deque, int, str, float, bytes, bool, OrderedDict, defaultdict)


def has_hidden_state(kind: type) -> bool:
    """True if a class derives from one written in C (containers apart), so that its attributes are not all there is."""
    return any(
        base not in _OPEN_TYPES
        and not issubclass(base, BaseException)
        and any(isinstance(member, types.MethodDescriptorType) for member in vars(base).values())
        for base in kind.__mro__
    )


def substitute(
    value: Any, mapping: Mapping[Atom, Term], made_anew: Callable[[object], bool] = lambda part: False
) -> Any:
    """`value` with atoms replaced in every part.

    Parts that do not change are shared, but for mutable ones that, as `made_anew` says, each iteration makes itself.
    """
    return _substitute(value, mapping, {}, made_anew)


def mutable_parts(value: Any) -> list[Any]:
    """The lists, dictionaries and objects in a value that could be changed in place."""
    return [part for part in _parts_within(value) if not isinstance(part, _FUNCTIONS)]


def made_of_kernels(value: Any) -> list[Any]:
    """The functions and classes of kernel code in a value, those of its objects as well."""
    found: dict[int, Any] = {}
    for part in _parts_within(value):
        if isinstance(part, types.FunctionType):
            if KERNEL_MARKER in part.__globals__:
                found[identity(part)] = part
            continue
        kind = part if isinstance(part, type) else type(part)
        if is_kernel_class(kind):
            found[identity(kind)] = kind
    return list(found.values())


def _parts_within(value: Any) -> list[Any]:
    """The parts of a value, but for plain and symbolic numbers, what never changes, and tuples and slices."""
    found: dict[int, Any] = {}
    pending = [value]
    while pending:
        part = pending.pop()
        if is_plain(part) or isinstance(part, Term | Condition | SymRational | Atom) or identity(part) in found:
            continue
        if isinstance(part, tuple) and not _has_attributes(part):
            pending.extend(part)
        elif isinstance(part, slice):
            pending.extend(_bounds(part))
        elif isinstance(part, _FUNCTIONS):
            found[identity(part)] = part
        elif not _is_ours(part):
            found[identity(part)] = part
            pending.extend(contents(part))
    return list(found.values())


def contents(value: Any) -> list[Any]:
    """The parts of a list, dictionary or object, with the names that they have there."""
    if isinstance(value, ListOfParts):
        return [part.value if isinstance(part, Element) else part.template for part in value.parts]
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, list | set | frozenset):
        return list(value)
    own = state_of(value)
    return [*(value if isinstance(value, tuple) else ()), *own, *own.values()]


def _is_ours(value: object) -> bool:
    # Tensors and what they consist of do not change, and iterators are not substituted.
    kind = type(value)
    return not issubclass(kind, ListOfParts) and kind.__module__.partition(".")[0] in ("nkiverify", "nki", "neuronxcc")


def _substitute(
    value: Any, mapping: Mapping[Atom, Term], done: dict[int, Any], made_anew: Callable[[object], bool]
) -> Any:
    kind = type(value)
    if identity(kind) in _PLAINEST:
        return value
    if issubclass(kind, Term):
        return terms.substitute(value, mapping)
    if issubclass(kind, Condition):
        return value.substitute(mapping)
    if is_plain(value):
        return value
    if isinstance(value, SymReal):
        operands = tuple(_substitute(part, mapping, done, made_anew) for part in value.operands)
        return SymReal(value.name, operands, value.bits)
    if isinstance(value, SymRational):
        return SymRational(terms.substitute(value.top, mapping), terms.substitute(value.bottom, mapping), value.inexact)
    if isinstance(value, Atom):
        return value
    if identity(value) in done:
        return done[identity(value)]
    recurse: Callable[[Any], Any] = lambda part: _substitute(part, mapping, done, made_anew)  # noqa: E731
    fresh = not isinstance(value, tuple) and made_anew(value)
    result: Any
    if isinstance(value, (*PLAIN, tuple, dict)) and _has_attributes(value):
        raise CannotSubstitute(f"a {type(value).__name__} with attributes made in a loop")
    if isinstance(value, slice):
        bounds = [recurse(part) for part in _bounds(value)]
        return value if all(map(is_, bounds, _bounds(value))) else slice(*bounds)
    if isinstance(value, tuple):
        parts = [recurse(part) for part in value]
        if all(new is old for new, old in zip(parts, value, strict=True)):
            return value
        if hasattr(value, "_make"):
            return value._make(parts)
        return tuple(parts)
    if isinstance(value, ListOfParts):
        result = value.substituted(recurse, mapping, fresh)
        done[identity(value)] = result
        return result
    if isinstance(value, dict):
        _refuse_kept(list(value), mapping, "a dictionary whose keys depend on a loop index")
        replaced = {key: recurse(part) for key, part in value.items()}
        if all(new is old for new, old in zip(replaced.values(), value.values(), strict=True)):
            if fresh and type(value) is dict:
                done[identity(value)] = replaced
                return replaced
            if not fresh:
                return value
        raise CannotSubstitute("a dictionary whose values depend on a loop index")
    if isinstance(value, _FUNCTIONS):
        if getattr(value, "__closure__", None) or isinstance(value, types.MethodType):
            raise CannotSubstitute("a closure or bound method made in a loop")
        _refuse_kept([value], mapping, "a function or class that keeps a loop index")
        done[identity(value)] = value
        return value
    if (
        isinstance(value, frozenset | set | list)
        or not _walkable(value)
        or (_is_ours(value) and issubclass(kind, Iterator))
    ):
        raise CannotSubstitute(f"a {type(value).__name__} made in a loop")
    if not _is_declared_here(kind):
        recurse(kind)
    return _substitute_object(value, recurse, done, fresh)


def _refuse_kept(pending: list[object], mapping: Mapping[Atom, Term], what: str) -> None:
    """Raise `CannotSubstitute` if parts that are not replaced, or what they keep, would have atoms replaced."""
    seen: dict[int, object] = {}
    while pending:
        part = pending.pop()
        if isinstance(part, Term):
            changes = terms.substitute(part, mapping) is not part
        elif isinstance(part, Condition):
            changes = part.substitute(mapping) is not part
        elif is_plain(part) or identity(part) in seen or _is_declared_here(part):
            continue
        else:
            seen[identity(part)] = part
            pending.extend(_kept_by(part))
            continue
        if changes:
            raise CannotSubstitute(what)


def _is_declared_here(value: Any) -> bool:
    """True for a class or function of a module of ours, which no kernel can change: asked of its module, which has it,
    as anybody may write a name."""
    if not isinstance(value, type | types.FunctionType):
        return False
    module = str(value.__module__)
    return module.startswith("nkiverify.") and vars(sys.modules.get(module, types)).get(value.__name__) is value


def _kept_by(value: Any) -> Iterable[object]:
    """The parts of an object, and what a function or a class keeps."""
    if isinstance(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY]
        return [value.__defaults__, value.__kwdefaults__, value.__dict__, *cells]
    if isinstance(value, types.MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, staticmethod | classmethod):
        return [value.__func__]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, slice):
        return _bounds(value)
    if not isinstance(value, type):
        return contents(value)
    bases = [base for base in value.__mro__ if base.__flags__ & HEAP_TYPE and not _is_declared_here(base)]
    return [part for base in bases for part in vars(base).values()]


def _substitute_object(value: Any, recurse: Callable[[Any], Any], done: dict[int, Any], fresh: bool) -> Any:
    # An object may be reached from itself: its copy is known before its parts are.
    copy = object.__new__(type(value))
    done[identity(value)] = copy
    state = state_of(value)
    replaced = {name: recurse(part) for name, part in state.items()}
    if not fresh and all(replaced[name] is state[name] for name in state):
        done[identity(value)] = value
        return value
    for name, part in replaced.items():
        object.__setattr__(copy, name, part)
    return copy
