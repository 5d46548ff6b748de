"""What kernel code calls to have its plain integers looked at: see `nkiverify.frontend.watching`.

In a symbolic run an integer beyond 32 bits is a claim that fails, in a concrete run a broken contract.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType, MethodWrapperType, WrapperDescriptorType
from typing import Any

import numpy as np

from nkiverify.symbolic.execution import execution_in_progress
from nkiverify.symbolic.integers import SymInt
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from nkiverify.symbolic.values import as_term, beyond, tell

#: Bits of what a kernel's text outside functions, or another file, states: whether they have a sign is not known.
_STATED_MAX = 2**32 - 1


def computed(value: Any) -> Any:
    """The result of an operator, or a literal."""
    kind = type(value)
    if kind is int:
        if not INT32_MIN <= value <= INT32_MAX:
            _report(value, sys._getframe(1))
    elif kind is not SymInt:
        large = beyond(value)
        if large is not None:
            _report(large, sys._getframe(1))
    return value


def called(value: Any) -> Any:
    """The result of a call; of a tuple, its elements."""
    kind = type(value)
    if kind is tuple:
        for part in value:
            large = beyond(part)
            if large is not None:
                _report(large, sys._getframe(1))
    elif kind is not SymInt:
        large = beyond(value)
        if large is not None:
            _report(large, sys._getframe(1))
    return value


def stated(value: Any) -> Any:
    """A number that is not made where it is read."""
    if type(value) is int and not INT32_MIN <= value <= _STATED_MAX:
        _report(value, sys._getframe(1))
    return value


def divisor(value: Any) -> Any:
    """A divisor. NumPy divides by zero, with a warning."""
    if isinstance(value, np.generic) and isinstance(value, np.number) and not value:
        raise ZeroDivisionError("division by zero")
    return value


def method(found: Any) -> Any:
    """A method of numbers, `found` as an attribute: that of `int` takes symbolic integers as well, and tells."""
    if type(found) is WrapperDescriptorType and found.__objclass__ is int:
        return _method(found.__name__, found)
    if type(found) is MethodWrapperType and type(found.__self__) is int:
        name, number = found.__name__, found.__self__
        unbound = _method(name, getattr(int, name))
        return lambda *values: unbound(number, *values)
    return found


def _method(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*values: Any) -> Any:
        if any(isinstance(value, SymInt) for value in values) and as_term(values[0]) is not None:
            return getattr(SymInt, name)(as_term(values[0]), *values[1:])
        return tell(plain(*values))

    return compute


def _report(value: int, frame: FrameType) -> None:
    run = execution_in_progress()
    if run is not None:
        run.host_number(value, frame)
