"""Python's operators on values of the legacy API, tiles and accesses with index tensors, and assignment to elements.

What computes them is built on tensors, which are built on these operators: it registers itself (`compute_with`), in
modules of operations, which are imported when the first operator asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkiverify.model import ops
from nkiverify.model.contracts import require
from nkiverify.symbolic.execution import key_of

#: Operations in the modules that register themselves here.
_COMPUTING, _ASSIGNING = "nl.negative", "setitem"


def _unary_operator(name: str, operand: object, /) -> Any:
    ops.load(_COMPUTING)
    return _unary_operator(name, operand)


def _binary_operator(name: str, left: object, right: object, /) -> Any:
    ops.load(_COMPUTING)
    return _binary_operator(name, left, right)


def _in_place_operator(name: str, target: object, value: object, /) -> Any:
    ops.load(_COMPUTING)
    return _in_place_operator(name, target, value)


def _assignment(destination: object, value: object, /) -> None:
    ops.load(_ASSIGNING)
    _assignment(destination, value)


def compute_with(
    *,
    unary: Callable[[str, object], Any],
    binary: Callable[[str, object, object], Any],
    in_place: Callable[[str, object, object], Any],
) -> None:
    """Let these functions compute the operators: each takes the name of the `nl` function, then the operands."""
    global _unary_operator, _binary_operator, _in_place_operator
    _unary_operator, _binary_operator, _in_place_operator = unary, binary, in_place


def assign_with(assignment: Callable[[object, object], None]) -> None:
    """Let this function assign a value, the second, to a view of a tensor of the current API."""
    global _assignment
    _assignment = assignment


def assign(destination: object, value: object) -> None:
    """`destination[...] = value` in the current API."""
    _assignment(destination, value)


class TileOperators:
    """`+ - * / ** << >> & | ^ ~` and comparisons compute new tiles ("leg.operators")."""

    __slots__ = ()

    def __neg__(self) -> Any:
        return _unary_operator("negative", self)

    def __invert__(self) -> Any:
        return _unary_operator("invert", self)

    def __eq__(self, other: object) -> Any:
        # `tensor == None` is how a kernel asks whether an optional tensor is there.
        return False if other is None else _binary_operator("equal", self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None else _binary_operator("not_equal", self, other)

    def __hash__(self) -> int:
        return key_of(self)

    def __bool__(self) -> bool:
        require("leg.control_arange", False)
        raise TypeError("the truth value of a tensor is not known while the kernel is traced")


def _binary(name: str) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        return _binary_operator(name, self, other)

    return operation


def _reflected(name: str) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        return _binary_operator(name, other, self)

    return operation


def _in_place(name: str) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        return _in_place_operator(name, self, other)

    return operation


for _symbol, _name in (
    ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("pow", "power"),
    ("lshift", "left_shift"), ("rshift", "right_shift"), ("and", "bitwise_and"), ("or", "bitwise_or"),
    ("xor", "bitwise_xor"),
):  # fmt: skip
    setattr(TileOperators, f"__{_symbol}__", _binary(_name))
    setattr(TileOperators, f"__r{_symbol}__", _reflected(_name))
    setattr(TileOperators, f"__i{_symbol}__", _in_place(_name))
for _symbol, _name in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
    setattr(TileOperators, f"__{_symbol}__", _binary(_name))
