"""Classes of kernels that derive from `NKIObject`: the constructor that the front end of NKI gives them.

NKI generates `__init__` from all fields of a class that has none; a field without a value is None ("lang.classes").
Python does so for dataclasses alone, takes no field without a default after one with, and passes over fields without
an annotation. So the classes are completed as they are made, before any `@dataclass` sees them.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, get_origin

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def shown_as(example: Callable[..., Any]) -> Callable[[FunctionT], FunctionT]:
    """The signature of `example` is what `inspect.signature` tells of the function."""

    def shown(function: FunctionT) -> FunctionT:
        function.__signature__ = inspect.signature(example)  # type: ignore[attr-defined]
        return function

    return shown


class KernelObject:
    """The base of `NKIObject`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" not in cls.__dict__:
            _complete(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if "__fields_added__" in cls.__dict__ and "__dataclass_fields__" not in cls.__dict__:
            _as_dataclass(cls)
        return super().__new__(cls)

    def _set_fields(self, values: tuple[Any, ...], named: dict[str, Any]) -> None:
        """The generated `__init__` of a class that is no dataclass."""
        fields = _declared(type(self))
        if len(values) > len(fields):
            raise TypeError(f"{type(self).__name__} has {len(fields)} fields, but {len(values)} values are given")
        given = dict(zip(fields, values, strict=False))
        for name in given.keys() & named.keys():
            raise TypeError(f"{type(self).__name__} is given {name} twice")
        for name, value in (given | named).items():
            setattr(self, name, value)
        after = getattr(self, "__post_init__", None)
        if after is not None and "__init__" not in _own_names(type(self)):
            after()


#: What stands for the place in a class from which on fields are given by name only.
_BY_NAME = "_by_name"


def _complete(cls: type) -> None:
    """Give every field of a class a default, and every value an annotation: what `@dataclass` makes fields of."""
    own = _annotations(cls)
    inherited: dict[str, Any] = {}
    bare: list[str] = []
    for base in reversed(cls.__mro__[1:]):
        if "__dataclass_fields__" not in base.__dict__ and "__init__" not in base.__dict__:
            names = list(_annotations(base))
            ordered = _declared_in(base)
            inherited |= {name: _annotations(base)[name] for name in ordered if name not in own}
            bare += [name for name in names if name not in ordered and name not in own and name != _BY_NAME]
    slots = cls.__dict__.get("__slots__", ())
    for name, kind in own.items():
        if not hasattr(cls, name) and name not in slots and not _is_constant(kind):
            setattr(cls, name, None)
    bare += [name for name, value in cls.__dict__.items() if name not in own and _is_plain(name, value)]
    found = inherited | own
    if bare and found and not any(kind is dataclasses.KW_ONLY for kind in found.values()):
        # By name only: where they stand among the fields without a value is not known.
        found |= {_BY_NAME: dataclasses.KW_ONLY, **dict.fromkeys(bare, Any)}
    elif bare:
        found |= dict.fromkeys(bare, Any)
    cls.__annotations__ = found
    if own and any("__dataclass_fields__" in base.__dict__ for base in cls.__mro__[1:]):
        cls.__fields_added__ = tuple(own)  # type: ignore[attr-defined]


def _as_dataclass(cls: type) -> None:
    """A class without `@dataclass` that adds fields to those of a dataclass: its `__init__` takes both."""
    frozen = any(base.__dict__["__dataclass_params__"].frozen for base in _dataclasses(cls))
    dataclasses.dataclass(eq=False, repr=False, frozen=frozen)(cls)


def _dataclasses(cls: type) -> list[Any]:
    return [base for base in cls.__mro__ if "__dataclass_params__" in base.__dict__]


def _declared(cls: type) -> list[str]:
    """The fields of a class with annotations, those of its bases first."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        found |= dict.fromkeys(_declared_in(base))
    return list(found)


def _declared_in(cls: type) -> list[str]:
    found: list[str] = []
    for name, kind in _annotations(cls).items():
        if kind is dataclasses.KW_ONLY:
            break
        if not _is_constant(kind):
            found.append(name)
    return found


def _annotations(cls: type) -> dict[str, Any]:
    return dict(inspect.get_annotations(cls))


def _is_constant(kind: object) -> bool:
    """True if an annotation is `ClassVar[…]` or `KW_ONLY`, which declare no field."""
    text = kind if isinstance(kind, str) else ""
    named = text.partition("[")[0].rpartition(".")[2] in ("ClassVar", "KW_ONLY")
    return named or kind in (ClassVar, dataclasses.KW_ONLY) or get_origin(kind) is ClassVar


def _is_plain(name: str, value: object) -> bool:
    """True if a name of a class body is a value: no method, no property, nothing that Python put there."""
    if name.startswith("__") or callable(value) or isinstance(value, dataclasses.Field):
        return False
    # A value that can change would be shared by all objects: `@dataclass` refuses it.
    return not hasattr(type(value), "__get__") and type(value).__hash__ is not None


def _own_names(cls: type) -> set[str]:
    """Names that classes of the kernel define, `NKIObject` and what it is made of left out."""
    bases = [base for base in cls.__mro__ if issubclass(base, KernelObject) and base is not KernelObject]
    return {name for base in bases[:-1] for name in base.__dict__}
