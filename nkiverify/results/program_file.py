"""Shape programs as JSON: `dump` writes a program, `load` reads it, and deciding it again gives the same verdicts.

    {"format": "nkiverify-program", "version": 1, "root": REFERENCE, "objects": [OBJECT, …]}

An OBJECT is a list that begins with its kind; what it is made of are scalars or REFERENCEs, {"at": position}, to
objects further up, so that what the program has once is there once: two views of one storage name one storage.

    ["dimension", name]  ["index", name, extent, representative]  ["div", numerator, denominator]  ["min", term, …]
    ["select", condition, term, term]                        atoms
    ["term", [coefficient, atom, …], …]                      a polynomial: coefficient * atom * …
    ["compare", "<=", term]  ["all", condition, …]  ["any", …] conditions: terms are compared with 0
    ["tuple", …]  ["list", …]  ["set", …]  ["dict", [key, value], …]  ["float", text]  ["array", dtype, shape, bytes]
    ["contract", id]  ["dtype", name]  ["operation", id]     what the tables of the model have
    ["member", class, name]  ["value", module, name]         a member of an enumeration; a function or a constant
    ["record", class, {field: value, …}]                     everything else: claims, loops, operations, views, storages

Places are relative to the folder that is given to `dump`. Only records of nkiverify's own classes are written and read;
`NotStorable` says what a program has besides.
"""

from __future__ import annotations

import base64
import enum
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import count
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

from nkiverify.foundation.errors import InternalError, UsageError
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import Site
from nkiverify.ir.contract import Contract
from nkiverify.ir.program import Block, Program
from nkiverify.model.contracts import contract
from nkiverify.model.dtypes import DType, dtype_named, legacy_dtype_named
from nkiverify.model.registry import Declaration, declaration
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Atom, Dimension, Div, Index, Min, Select, Term
from nkiverify.symbolic.conditions import Comparison, Junction, Relation

FORMAT, VERSION = "nkiverify-program", 1

_SCALARS = (type(None), bool, int, str)
#: Whose functions and classes are named, as values of arguments.
_LIBRARIES = frozenset(("nkiverify", "numpy", "ml_dtypes", "builtins"))
#: Numbers the indices of programs that are loaded: each has its own.
_loaded = count()


class NotStorable(UsageError):
    """A program has something that is no data of nkiverify's, such as an object of the kernel's own classes."""


def dump(program: Program, root: Path) -> str:
    """The program as JSON, with places relative to `root`. Raises `NotStorable`."""
    writer = _Writer(root)
    reference = writer.written(program)
    return json.dumps({"format": FORMAT, "version": VERSION, "root": reference, "objects": writer.objects})


def load(text: str, root: Path) -> Program:
    """The program that `dump` has written. Raises `UsageError` where it is none of this version."""
    try:
        found = json.loads(text)
        if (found.get("format"), found.get("version")) != (FORMAT, VERSION):
            raise UsageError(f"this is no {FORMAT} of version {VERSION}")
        reader = _Reader(root)
        for one in found["objects"]:
            reader.read(one)
        program = reader.value(found["root"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise UsageError(f"this is no {FORMAT} of version {VERSION}: {error}") from None
    if not isinstance(program, Program):
        raise UsageError(f"this is no {FORMAT} of version {VERSION}: it has no program")
    return program


class _Writer:
    """Writes objects, each after those that it is made of."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.objects: list[list[Any]] = []
        #: The positions of objects, which are kept, by identity.
        self._positions: dict[int, int] = {}
        self._kept: list[object] = []
        self._open: set[int] = set()

    def written(self, value: Any) -> Any:
        """A scalar, or the reference to an object that has been written."""
        if type(value) in _SCALARS:
            return value
        position = self._positions.get(id(value))
        if position is None:
            if id(value) in self._open:
                raise NotStorable(f"a {type(value).__name__} that is a part of itself")
            self._open.add(id(value))
            one = self._object(value)
            self._open.discard(id(value))
            position = self._positions[id(value)] = len(self.objects)
            self._kept.append(value)
            self.objects.append(one)
        return {"at": position}

    def _all(self, values: Any) -> list[Any]:
        return [self.written(value) for value in values]

    def _object(self, value: Any) -> list[Any]:
        if isinstance(value, Term):
            return ["term", *([factor, *self._all(atoms)] for atoms, factor in value.monomials.items())]
        if isinstance(value, Atom):
            return self._atom(value)
        if isinstance(value, Comparison):
            return ["compare", value.relation.value, self.written(value.term)]
        if isinstance(value, Junction):
            return ["all" if value.conjunction else "any", *self._all(value.parts)]
        if isinstance(value, enum.Enum):
            return ["member", _name(type(value)), value.name]
        if isinstance(value, Contract) and _is_defined(value):
            return ["contract", value.id]
        if isinstance(value, Declaration):
            return ["operation", value.name]
        if isinstance(value, DType):
            return ["dtype", str(value)]
        return self._container(value) or self._record(value)

    def _atom(self, atom: Atom) -> list[Any]:
        if isinstance(atom, Dimension):
            return ["dimension", atom.name]
        if isinstance(atom, Index):
            return ["index", atom.name, self.written(atom.extent), atom.representative]
        if isinstance(atom, Div):
            return ["div", self.written(atom.numerator), self.written(atom.denominator)]
        if isinstance(atom, Min):
            return ["min", *self._all(atom.terms)]
        assert isinstance(atom, Select)
        return ["select", *self._all((atom.condition, atom.when_true, atom.when_false))]

    def _container(self, value: Any) -> list[Any]:
        if type(value) in (tuple, list):
            return [type(value).__name__, *self._all(value)]
        if type(value) in (set, frozenset):
            return ["set", *self._all(value)]
        if isinstance(value, Mapping):
            return ["dict", *([self.written(key), self.written(one)] for key, one in value.items())]
        if isinstance(value, float):
            return ["float", repr(value)]
        if isinstance(value, np.ndarray):
            data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
            return ["array", value.dtype.str, list(value.shape), data]
        return []

    def _record(self, value: Any) -> list[Any]:
        cls = type(value)
        if not cls.__module__.startswith("nkiverify."):
            if isinstance(value, type | FunctionType | BuiltinFunctionType) and _is_found(value):
                return ["value", value.__module__, value.__qualname__]
            raise NotStorable(f"a {cls.__module__}.{cls.__qualname__}: {value!r}")
        return ["record", _name(cls), {name: self.written(one) for name, one in self._state(value)}]

    def _state(self, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Block):
            # What has been stated is of interest while claims are.
            yield "items", value.items
            return
        for name in _names(type(value)):
            one: Any = getattr(value, name, _MISSING)
            if isinstance(value, Site) and name == "file" and Path(one).is_relative_to(self._root):
                one = Path(one).relative_to(self._root).as_posix()
            if one is not _MISSING:
                yield name, one


_MISSING = object()


class _Reader:
    """Makes the objects again, in the order in which they were written."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._objects: list[Any] = []
        self._number = next(_loaded)

    def value(self, written: Any) -> Any:
        """The value of a scalar or a reference."""
        return self._objects[written["at"]] if isinstance(written, dict) else written

    def read(self, one: list[Any]) -> None:
        """Make the next object."""
        kind, *parts = one
        self._objects.append(self._made(kind, parts))

    def _all(self, parts: list[Any]) -> list[Any]:
        return [self.value(part) for part in parts]

    def _made(self, kind: str, parts: list[Any]) -> Any:
        makes: dict[str, Callable[[], Any]] = {
            "term": lambda: terms.make({self._monomial(atoms): factor for factor, *atoms in parts}),
            "compare": lambda: conditions.compare(Relation(parts[0]), self.value(parts[1])),
            "all": lambda: conditions.conjunction(self._all(parts)),
            "any": lambda: conditions.disjunction(self._all(parts)),
            "member": lambda: _class(parts[0])[parts[1]],
            "contract": lambda: contract(parts[0]),
            "operation": lambda: declaration(parts[0]),
            "dtype": lambda: _dtype(parts[0]),
            "tuple": lambda: tuple(self._all(parts)),
            "list": lambda: self._all(parts),
            "set": lambda: frozenset(self._all(parts)),
            "dict": lambda: {self.value(key): self.value(one) for key, one in parts},
            "float": lambda: float(parts[0]),
            "array": lambda: np.frombuffer(base64.b64decode(parts[2]), parts[0]).reshape(parts[1]),
            "value": lambda: _found(*parts),
            "record": lambda: self._record(*parts),
        }
        return makes[kind]() if kind in makes else self._atom(kind, parts)

    def _monomial(self, atoms: list[Any]) -> tuple[Atom, ...]:
        return tuple(sorted(self._all(atoms), key=lambda atom: atom.uid))

    def _atom(self, kind: str, parts: list[Any]) -> Atom:
        if kind == "dimension":
            term = terms.dimension(parts[0])
        elif kind == "index":
            key = self._number, len(self._objects)
            term = terms.index(parts[0], self.value(parts[1]), key, parts[2])
        elif kind == "div":
            term = terms.div_atom(*self._all(parts))
        elif kind == "min":
            term = terms.minimum(self._all(parts))
        elif kind == "select":
            term = terms.select(*self._all(parts))
        else:
            raise ValueError(f"there is no kind of object {kind!r}")
        (atom,) = term.atoms
        return atom

    def _record(self, name: str, state: Mapping[str, Any]) -> Any:
        cls = _class(name)
        if issubclass(cls, Block):
            return Block(self.value(state["items"]))
        made = object.__new__(cls)
        for field, written in state.items():
            one = self.value(written)
            if cls is Site and field == "file":
                one = str(self._root / one)
            object.__setattr__(made, field, one)
        return made


def _name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _class(name: str) -> Any:
    module, _, qualified = name.partition(":")
    found = _found(module, qualified)
    if not module.startswith("nkiverify.") or not isinstance(found, type):
        raise ValueError(f"{name} is no class of nkiverify")
    return found


def _found(module: str, qualified: str) -> Any:
    if module.partition(".")[0] not in _LIBRARIES:
        raise ValueError(f"{module} is no module of nkiverify's")
    found: Any = sys.modules[module]
    for part in qualified.split("."):
        found = getattr(found, part)
    return found


def _is_found(value: Any) -> bool:
    try:
        return _found(value.__module__, value.__qualname__) is value
    except (KeyError, ValueError, AttributeError, TypeError):
        return False


def _is_defined(rule: Contract) -> bool:
    try:
        return contract(rule.id) is rule
    except InternalError:
        return False


def _dtype(name: str) -> DType:
    return dtype_named(name) or legacy_dtype_named(name)  # type: ignore[return-value]


def _names(cls: type) -> list[str]:
    """The attributes of the objects of a class."""
    if is_dataclass(cls):
        return [one.name for one in fields(cls)]
    slots = [name for base in cls.__mro__ for name in vars(base).get("__slots__", ())]
    return [name for name in slots if name != "__weakref__"]
