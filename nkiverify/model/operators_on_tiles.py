"""Python's operators on values of the legacy API: tiles, and accesses with index tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from nkiverify.model.contracts import require


class TileOperators:
    """`+ - * / ** << >> & | ^ ~` and comparisons compute new tiles ("leg.operators")."""

    __slots__ = ()

    def __neg__(self) -> Any:
        return _operations().operator_on("negative", self)

    def __invert__(self) -> Any:
        return _operations().operator_on("invert", self)

    def __eq__(self, other: object) -> Any:
        # `tensor == None` is how a kernel asks whether an optional tensor is there.
        return False if other is None else _operations().operator("equal", self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None else _operations().operator("not_equal", self, other)

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> NoReturn:
        require("leg.control_arange", False)
        raise TypeError("the truth value of a tensor is not known while the kernel is traced")


def _operations() -> Any:
    # Imported late: the operations are built on tensors, which are built on these operators.
    from nkiverify.model.ops import legacy_elementwise

    return legacy_elementwise


def _binary(name: str) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        return _operations().operator(name, self, other)

    return operation


def _reflected(name: str) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        return _operations().operator(name, other, self)

    return operation


def _in_place(name: str) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        return _operations().in_place(name, self, other)

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
