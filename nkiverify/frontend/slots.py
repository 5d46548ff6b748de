"""Slots of Python's own classes called by name, with symbolic operands: `(100).__ge__(n)`, `map(int.__add__, …)`.

C code takes a symbolic number for no number at all and answers NotImplemented, which is true where a truth value is
asked for. Here a slot answers what Python's does for the value that the symbolic one stands for; what it cannot answer
is unsupported. An operator needs none of this: Python asks the other operand's class next.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, MethodDescriptorType, MethodType, MethodWrapperType, WrapperDescriptorType
from typing import Any

from nkiverify.frontend.symbolic_text import percent
from nkiverify.symbolic.execution import unsupported
from nkiverify.symbolic.numpy_numbers import apply
from nkiverify.symbolic.stands_for import StandsFor
from nkiverify.symbolic.values import tell

#: Operands that the slots of a number take, by its class; they answer NotImplemented to any other.
_TAKES: dict[type, tuple[type, ...]] = {
    bool: (int,),
    int: (int,),
    float: (int, float),
    complex: (int, float, complex),
}
#: Classes with slots that are answered here; a class before those that it is derived from.
_CLASSES = (*_TAKES, str, tuple, list)

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "truediv", "pow")},
    **{name: getattr(operator, name) for name in ("lshift", "rshift", "xor")},
    "and": operator.and_,
    "or": operator.or_,
    "divmod": divmod,
}
_ORDER: dict[str, Callable[..., Any]] = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge")}


def _swapped(operation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda left, right: operation(right, left)


#: What slots with one operand besides their owner compute, by their names.
_OPERATIONS: dict[str, Callable[..., Any]] = {
    **{f"__{name}__": operation for name, operation in (_ARITHMETIC | _ORDER).items()},
    **{f"__r{name}__": _swapped(operation) for name, operation in _ARITHMETIC.items()},
    "__eq__": operator.eq,
    "__ne__": operator.ne,
}
_OF_ONE = frozenset({"neg", "pos", "abs", "invert", "bool", "int", "float", "complex", "index", "trunc", "floor"})

#: Names of attributes that may be slots or other methods of numbers, or slots of text and sequences.
SLOTS = (
    frozenset(_OPERATIONS)
    | {f"__{name}__" for name in (*_OF_ONE, "ceil", "round", "format", "hash", "repr", "str", "getattribute")}
    | {f"__{name}__" for name in ("contains", "getitem", "iter", "len", "iadd", "imul")}
    | {name for kind in _TAKES for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}
)


def slot(found: Any) -> Callable[..., Any] | None:
    """The function for where kernel code reads `found`, a slot or method of one of Python's own classes or of a
    symbolic number; None for anything else."""
    kind = type(found)
    if kind is MethodWrapperType or kind is BuiltinMethodType:
        owner, name, owned_by = found.__self__, found.__name__, _class_of(found.__self__)
        if owned_by is None:
            return _guarded(found) if kind is MethodWrapperType else None
        if owned_by not in _TAKES and kind is BuiltinMethodType:
            return None
        return partial(_called, owned_by, name, found, owner)
    if kind is WrapperDescriptorType or kind is MethodDescriptorType:
        name, holder = found.__name__, found.__objclass__
        if holder not in _CLASSES:
            return _guarded(found) if kind is WrapperDescriptorType else None
        return lambda owner, *values, **named: _called(holder, name, partial(found, owner), owner, *values, **named)
    if kind is MethodType and found.__name__ in _OPERATIONS and _is_symbolic(found.__self__):
        number = found.__self__
        if number._stands_for in _TAKES:
            return partial(_called, number._stands_for, found.__name__, found, number)
    return None


def _class_of(value: object) -> type | None:
    return next((kind for kind in _CLASSES if isinstance(value, kind)), None)


def _is_symbolic(value: object) -> bool:
    return issubclass(type(value), StandsFor)


def _stands_for(value: Any) -> type:
    return value._stands_for if _is_symbolic(value) else type(value)


def _called(kind: type, name: str, found: Callable[..., Any], owner: Any, /, *values: Any, **named: Any) -> Any:
    """The result of the slot or method `name` of `kind` for `owner`; `found` is that of C for these values."""
    if not _is_symbolic(owner) and not any(map(_is_symbolic, values)):
        return tell(found(*values, **named))
    if not issubclass(_stands_for(owner), kind):
        raise TypeError(
            f"descriptor '{name}' requires a '{kind.__name__}' object but received a '{_stands_for(owner).__name__}'"
        )
    operation = _OPERATIONS.get(name)
    if operation is None or len(values) != 1 or named:
        return _answered(getattr(owner, name)(*values, **named), name)
    (value,) = values
    if kind is str and name == "__mod__":
        return percent(owner, value)
    if kind in _TAKES:
        unordered = kind is complex and name.strip("_") in _ORDER
        if unordered or not issubclass(_stands_for(value), _TAKES[kind]):
            return NotImplemented
        if type(owner) is not kind and not _is_symbolic(owner):
            # The number itself: operators of a class of the kernel's are not asked.
            owner = kind.__pos__(owner)  # type: ignore[operator]
    try:
        return tell(apply(operation, owner, value))
    except TypeError:
        # It takes the class of such an operand, and not the symbolic one.
        raise unsupported(f"`{name}` with a symbolic operand") from None


def _guarded(found: Callable[..., Any]) -> Callable[..., Any]:
    """`found`, a slot of a class that is not answered for here, unsupported where it knows no symbolic value."""
    return partial(_asked, found) if type(found) is MethodWrapperType else lambda *values: _asked(found, *values)


def _asked(found: Callable[..., Any], /, *values: Any, **named: Any) -> Any:
    result = found(*values, **named)
    return _answered(result, found.__name__) if any(map(_is_symbolic, values)) else result


def _answered(result: Any, name: str) -> Any:
    if result is NotImplemented:
        raise unsupported(f"`{name}` with a symbolic operand")
    return result
