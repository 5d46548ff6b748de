"""Making nodes of syntax trees: names, calls of hooks, and where in the source they count as being."""

from __future__ import annotations

import ast
from typing import Any, TypeVar

from nkiverify.frontend.source_names import child_nodes

#: What rewritten kernel code knows the hooks by.
HOOKS = "__nki__"

_Node = TypeVar("_Node", bound=ast.AST)


_LOAD = ast.Load()


def load(name: str) -> ast.expr:
    return ast.Name(name, _LOAD)


def store(name: str) -> ast.expr:
    return ast.Name(name, ast.Store())


def hook(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(load(HOOKS), name, _LOAD), list(arguments), [])


def placed(node: _Node, place: ast.AST, end: ast.AST | None = None) -> _Node:
    """Give `node`, and what in it has no position yet, the position of `place`."""
    _put(node, place)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # A call of an attribute that spans lines counts as being where the attribute ends.
        function = node.func
        _put(function, place)
        function.end_lineno, function.end_col_offset = function.lineno, function.col_offset
        _place_within(function)
    if end is not None:
        node.end_lineno, node.end_col_offset = end.end_lineno, end.end_col_offset  # type: ignore[attr-defined]
    _place_within(node)
    return node


def _put(node: Any, place: Any) -> None:
    """Give `node` the position of `place`; `ast.copy_location` asks for each of its numbers whether there is one."""
    node.lineno, node.col_offset = place.lineno, place.col_offset
    node.end_lineno, node.end_col_offset = place.end_lineno, place.end_col_offset


def _place_within(node: ast.AST) -> None:
    """Give the new nodes within `node`, which has a position, that position. Where a part has one of its own, its
    parts have got theirs."""
    pending = [(node, child) for child in child_nodes(node) if not hasattr(child, "lineno")]
    while pending:
        around, child = pending.pop()
        if "lineno" in child._attributes:
            _put(child, around)
            around = child
        pending += [(around, part) for part in child_nodes(child) if not hasattr(part, "lineno")]
