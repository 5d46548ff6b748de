"""Arithmetic and conditions over dimensions, for ordinary and symbolic integers the same."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nkiverify.foundation.near_names import did_you_mean
from nkiverify.frontend.domain.syntax import OptionText
from nkiverify.symbolic import all_of, any_of, ceil_div, maximum, minimum, negate

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": minimum, "max": maximum, "ceil_div": ceil_div}

#: Exponents beyond this make numbers that no dimension has.
_LARGEST_EXPONENT = 64


def names_in(node: ast.expr) -> Iterator[ast.Name]:
    """The names of dimensions in an expression, in the order they are written."""
    called = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    found = [part for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in called]
    yield from sorted(found, key=lambda name: name.col_offset)


def check_integer(node: ast.expr, text: OptionText) -> None:
    """Raise `TextError` where `node` is not an integer expression."""
    if (isinstance(node, ast.Constant) and type(node.value) is int) or isinstance(node, ast.Name):
        return
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        check_integer(node.operand, text)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        check_integer(node.left, text)
        check_integer(node.right, text)
        divides = isinstance(node.op, ast.FloorDiv | ast.Mod)
        if divides and not _is_divisor(node.right):
            raise text.error("divide by a positive number or by a dimension", node.right)
        if isinstance(node.op, ast.BitAnd) and not (_is_mask(node.left) or _is_mask(node.right)):
            raise text.error("`&` takes the lowest bits: one side is 1, 3, 7, 15, …", node)
        if isinstance(node.op, ast.LShift | ast.RShift) and not _is_exponent(node.right):
            raise text.error(f"shift by a number of at most {_LARGEST_EXPONENT}", node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, exponent = node.left, node.right
        if not (_is_positive(base) and isinstance(exponent, ast.Constant) and type(exponent.value) is int):
            raise text.error("a power is one of two numbers", node)
        if not _is_exponent(exponent):
            raise text.error(f"an exponent is at most {_LARGEST_EXPONENT}", exponent)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        raise text.error("a dimension is an integer: divide with //", node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        if node.keywords or len(node.args) < 2 or (node.func.id == "ceil_div" and len(node.args) != 2):
            raise text.error(f"{node.func.id} takes two numbers", node)
        for argument in node.args:
            check_integer(argument, text)
    else:
        raise text.error("this is no integer: write a number, a name, or arithmetic with them", node)


def divisors_in(node: ast.expr) -> Iterator[ast.Name]:
    """The dimensions that are divided by in an expression."""
    divisions = (part for part in ast.walk(node) if isinstance(part, ast.BinOp))
    for part in divisions:
        if isinstance(part.op, ast.FloorDiv | ast.Mod):
            yield from (name for name in ast.walk(part.right) if isinstance(name, ast.Name))


def _is_divisor(node: ast.expr) -> bool:
    """True if `node` is a positive number, a dimension, or a product of such."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _is_divisor(node.left) and _is_divisor(node.right)
    return _is_positive(node) or isinstance(node, ast.Name)


def _is_positive(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0


def _is_exponent(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= _LARGEST_EXPONENT


def _is_mask(node: ast.expr) -> bool:
    """True if `node` is a number whose bits are all 1: what is left of another one under it is a remainder."""
    return (
        isinstance(node, ast.Constant)
        and type(node.value) is int
        and node.value > 0
        and not node.value & node.value + 1
    )


def integer(node: ast.expr, dimensions: Mapping[str, Any]) -> Any:
    """The value of an expression that `check_integer` lets pass."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return dimensions[node.id]
    if isinstance(node, ast.UnaryOp):
        value = integer(node.operand, dimensions)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = integer(node.left, dimensions), integer(node.right, dimensions)
        return left**right if isinstance(node.op, ast.Pow) else _ARITHMETIC[type(node.op)](left, right)
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return _FUNCTIONS[node.func.id](*(integer(argument, dimensions) for argument in node.args))


def check_condition(node: ast.expr, text: OptionText, known: Mapping[str, object]) -> None:
    """Raise `TextError` where `node` is not a condition on the dimensions `known`."""
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            check_condition(part, text, known)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        if isinstance(node.operand, ast.BinOp):
            _check_known(node.operand, text, known)
        else:
            check_condition(node.operand, text, known)
    elif isinstance(node, ast.Compare):
        for part in (node.left, *node.comparators):
            _check_known(part, text, known)
        for position, comparison in enumerate(node.ops):
            if type(comparison) not in _COMPARISONS:
                raise text.error("compare with ==, !=, <, <=, > or >=", node.comparators[position])
    else:
        raise text.error("this is no condition: compare integers, and combine with `and`, `or`, `not`", node)


def _check_known(node: ast.expr, text: OptionText, known: Mapping[str, object]) -> None:
    check_integer(node, text)
    for name in names_in(node):
        if name.id not in known:
            raise text.error(f"no --arg has a dimension {name.id}{did_you_mean(name.id, known)}", name)


def condition(node: ast.expr, dimensions: Mapping[str, Any]) -> Any:
    """The truth of a condition that `check_condition` lets pass, without splitting the run."""
    if isinstance(node, ast.BoolOp):
        parts = [condition(part, dimensions) for part in node.values]
        return all_of(*parts) if isinstance(node.op, ast.And) else any_of(*parts)
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.operand, ast.BinOp):
            # `not K % 128`: it is zero.
            return integer(node.operand, dimensions) == 0
        return negate(condition(node.operand, dimensions))
    assert isinstance(node, ast.Compare)
    values = [integer(part, dimensions) for part in (node.left, *node.comparators)]
    pairs = zip(node.ops, values[:-1], values[1:], strict=True)
    return all_of(*(_COMPARISONS[type(comparison)](left, right) for comparison, left, right in pairs))
