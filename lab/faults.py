"""Faults that are put into the checker: one place of a module changed, as a slip of the pen or of the mind would.

A comparison weakened, a sign or a constant off by one, `and` for `or`, a test never taken, a `not` too many, a least
for a greatest, a statement that refuses, records or skips left out. Text for readers is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)

#: A comparison and what a slip makes of it.
_WEAKER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

_OPPOSITE_SIGN: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}

#: Built-in functions and what they are taken for.
_OTHER_FUNCTION = {"min": "max", "max": "min", "all": "any", "any": "all"}

#: Methods that write a value for readers.
_FOR_READERS = ("__repr__", "__str__")


@dataclass(frozen=True, slots=True)
class FaultPlace:
    """A place of a syntax tree: with `value` as `field` of `node`, it has the fault `what`."""

    node: ast.AST
    field: str
    value: object
    what: str
    line: int
    #: Line of the innermost statement the place is in: what reaches it.
    statement: int

    @contextmanager
    def faulty(self) -> Iterator[None]:
        """The tree with the fault in it."""
        before = getattr(self.node, self.field)
        setattr(self.node, self.field, self.value)
        try:
            yield
        finally:
            setattr(self.node, self.field, before)


def places(tree: ast.Module) -> list[FaultPlace]:
    """Every place of a module at which a fault can be put in, in the order of the text."""
    return list(_in_statements(tree, 0))


def _in_statements(node: ast.AST, statement: int) -> Iterator[FaultPlace]:
    """The places in `node`, which is in the statement of this line or is one."""
    if isinstance(node, ast.FunctionDef) and node.name in _FOR_READERS:
        return
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.stmt):
        statement = node.lineno
    line = getattr(node, "lineno", statement)
    for field, value, what in _changes(node):
        yield FaultPlace(node, field, value, what, line, statement)
    yield from _left_out(node)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list") or isinstance(value, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield from _in_statements(child, statement)


def _changes(node: ast.AST) -> Iterator[tuple[str, object, str]]:
    match node:
        case ast.Compare():
            for position, operator in enumerate(node.ops):
                other = _WEAKER[type(operator)]
                changed = [*node.ops[:position], other(), *node.ops[position + 1 :]]
                yield "ops", changed, f"{type(operator).__name__} -> {other.__name__}"
        case ast.BoolOp():
            exchanged = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "op", exchanged, f"{type(node.op).__name__} -> {type(exchanged).__name__}"
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
            sign = _OPPOSITE_SIGN[type(node.op)]
            yield "op", sign(), f"{type(node.op).__name__} -> {sign.__name__}"
        case ast.UnaryOp(op=ast.Not()):
            yield "operand", _at(ast.UnaryOp(ast.Not(), node.operand), node), "not dropped"
        case ast.UnaryOp(op=ast.USub()):
            yield "op", ast.UAdd(), "minus dropped"
        case ast.If() | ast.IfExp():
            yield "test", _at(ast.Constant(False), node.test), "if -> never"
        case ast.comprehension() if node.ifs:
            yield "ifs", [], "condition dropped"
        case ast.Call(func=ast.Name(id=name)) if name in _OTHER_FUNCTION:
            other_name = _OTHER_FUNCTION[name]
            yield "func", _at(ast.Name(other_name, ast.Load()), node.func), f"{name} -> {other_name}"
        case ast.Constant(value=bool(truth)):
            yield "value", not truth, f"{truth} -> {not truth}"
        case ast.Constant(value=int(number)) if -2 <= number <= 2:
            yield "value", number + 1, f"{number} -> {number + 1}"
        case _:
            pass


def _left_out(node: ast.AST) -> Iterator[FaultPlace]:
    """Statements within `node` without which Python still runs."""
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        if not isinstance(statements, list):
            continue
        for position, statement in enumerate(statements):
            is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if is_call or isinstance(statement, ast.Raise | ast.Continue | ast.Break):
                without = [*statements[:position], _at(ast.Pass(), statement), *statements[position + 1 :]]
                word = "call" if is_call else type(statement).__name__.lower()
                yield FaultPlace(node, field, without, f"{word} left out", statement.lineno, statement.lineno)


def _at(node: _Node, where: ast.AST) -> _Node:
    return ast.copy_location(node, where)


class _Marking(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.Module | ast.ClassDef):
            return node
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                marked = [part for statement in statements for part in (_mark(statement), statement)]
                setattr(node, field, marked)
        return node


#: The global function that a marked module calls with the line of every statement of a function.
MARK = "__reached__"


def _mark(statement: ast.stmt) -> ast.stmt:
    called = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(statement.lineno)], [])
    return ast.fix_missing_locations(_at(ast.Expr(called), statement))


def marked(tree: ast.Module) -> ast.Module:
    """The module, changed so that its functions say which statements they reach."""
    _Marking().visit(tree)
    return tree
