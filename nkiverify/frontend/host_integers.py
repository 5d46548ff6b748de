"""The functions that kernel code calls to have its plain integers examined: see `nkiverify.frontend.watched_integers`.

In a symbolic run an integer beyond 32 bits is a claim that fails, in a concrete run a broken contract.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import BuiltinMethodType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType
from typing import Any

from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.foundation.source import identity
from nkiverify.frontend import refused
from nkiverify.frontend.seen import shown
from nkiverify.frontend.slots import slot
from nkiverify.frontend.symbolic_text import percent
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.integers import SymInt
from nkiverify.symbolic.numpy_numbers import examine, examine_partial, examine_products, without_warnings
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from nkiverify.symbolic.values import beyond, kernel_frame, tell

#: Operators that may divide by zero or leave their type, by their names in `operator`.
EXAMINED: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "pow", "lshift", "neg")},
    **{name: getattr(operator, name) for name in ("floordiv", "mod", "truediv")},
    "abs": abs,
    "divmod": divmod,
}
#: Functions and methods of NumPy that combine elements one after the other, and how.
PARTIAL: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("sum", "cumsum", "nansum", "nancumsum", "cumulative_sum"), operator.add),
    **dict.fromkeys(("prod", "cumprod", "nanprod", "nancumprod", "cumulative_prod"), operator.mul),
}
_NUMPY = of_numpy(lambda: (np.generic, np.ndarray))
_ARRAY = of_numpy(lambda: (np.ndarray,))
#: Types of operands that need no look, by identity, as a metaclass of the kernel's may say what a class equals; and all
#: operators.
_PLAIN = frozenset(map(identity, (int, float, SymInt)))
_OPERATIONS: dict[str, Callable[..., Any]] = {name: getattr(operator, name) for name in dir(operator) if name[0] != "_"}

#: Bits of what a kernel's text outside functions, or another file, states: whether they have a sign is not known.
_STATED_MAX = 2**32 - 1


def computed(value: Any) -> Any:
    """The result of an operator, or a literal."""
    kind = type(value)
    if kind is int:
        if not INT32_MIN <= value <= INT32_MAX:
            _report(value)
    elif kind is str:
        shown(value)
    elif kind is not SymInt:
        large = beyond(value)
        if large is not None:
            _report(large)
    return value


def called(value: Any) -> Any:
    """The result of a call; of a tuple, its elements."""
    if value is NotImplemented:
        _refuse_not_implemented()
    for part in value if type(value) is tuple else (value,):
        computed(part)
        if identity(type(part)) in refused.CLASSES:
            refused.made(part)
        if type(part) is SymInt:
            run = execution_in_progress()
            if run is not None:
                run.handed_back(part, sys._getframe(1))
    return value


def binary(name: str, left: Any, right: Any) -> Any:
    """The result of an operator, by its name in `operator`."""
    if isinstance(left, str) and name in ("mod", "imod"):
        return computed(percent(left, right))
    operation = _OPERATIONS[name]
    if not (identity(type(left)) in _PLAIN and identity(type(right)) in _PLAIN) and examine_operator(name, left, right):
        return computed(without_warnings(operation, left, right))
    return computed(operation(left, right))


def unary(name: str, operand: Any) -> Any:
    """The result of an operator of one operand, by its name in `operator`."""
    operation = _OPERATIONS[name]
    if identity(type(operand)) not in _PLAIN and examine_operator(name, operand):
        return computed(without_warnings(operation, operand))
    return computed(operation(operand))


def stated(value: Any) -> Any:
    """A number that is not made where it is read."""
    if type(value) is int and not INT32_MIN <= value <= _STATED_MAX:
        _report(value)
    return value


def examine_operator(name: str, *operands: Any) -> bool:
    """Look at the operands of an operator, by its name in `operator`, before it is applied; whether anything is wrong
    with them."""
    plain = name.removeprefix("i")
    if plain == "matmul" and any(isinstance(operand, _ARRAY) for operand in operands):
        examine_products(*operands)
    return plain in EXAMINED and examine(EXAMINED[plain], *operands)


def method(found: Any) -> Any:
    """A method of numbers, `found` as an attribute: those of Python's classes take symbolic values as well, and tell;
    those of NumPy are examined."""
    kind = type(found)
    if kind is MethodWrapperType or kind is BuiltinMethodType:
        owner = found.__self__
        if isinstance(owner, _NUMPY):
            return lambda *values, **named: _of_numpy(found, owner, values, named)
        if found.__name__ == "__getattribute__":
            return lambda *values: method(found(*values))
    if kind is WrapperDescriptorType or kind is MethodDescriptorType:
        if issubclass(found.__objclass__, _NUMPY):
            return lambda owner, *values, **named: _of_numpy(found.__get__(owner), owner, values, named)
        if found.__name__ == "__getattribute__":
            return lambda *values: method(found(*values))
    return slot(found) or found


def _of_numpy(found: Any, owner: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of a method of a number or array of NumPy, its operands examined."""
    name = found.__name__.strip("_")
    if name in PARTIAL:
        examine_reduction(name, owner, *values, **named)
    elif name == "dot":
        examine_products(owner, *values[:1])
    elif name[0] == "r" and name[1:] in EXAMINED:
        examine(EXAMINED[name[1:]], *values[:1], owner)
    else:
        examine_operator(name, owner, *values[:1])
    return tell(found(*values, **named))


def examine_reduction(name: str, values: Any, axis: Any = None, *positional: Any, **named: Any) -> None:
    """Look at the partial results of a sum or product of NumPy, by its name."""
    others = len(positional) > 2 or not {"dtype", "out", "keepdims"}.issuperset(named)
    examine_partial(PARTIAL[name], np.asarray(values), axis, others)


def _refuse_not_implemented() -> None:
    """Refuse a call that gives NotImplemented: a slot of C that `method` has not seen may not know a symbolic value."""
    run = execution_in_progress()
    if run is not None and run.symbolic:
        raise unsupported("a call that gives NotImplemented", "use the operator")


def _report(value: int) -> None:
    run, frame = execution_in_progress(), kernel_frame(sys._getframe(1))
    if run is not None and frame is not None:
        run.host_number(value, frame)
