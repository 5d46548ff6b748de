"""Making nodes of syntax trees: names, calls of hooks, and where in the source they count as being."""

from __future__ import annotations

import ast
from typing import TypeVar

from nkiverify.frontend.source_names import child_nodes

#: What rewritten kernel code knows the hooks by.
HOOKS = "__nki__"

_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")

_Node = TypeVar("_Node", bound=ast.AST)


def load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.expr:
    return ast.Name(name, ast.Store())


def hook(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(load(HOOKS), name, ast.Load()), list(arguments), [])


def placed(node: _Node, place: ast.AST, end: ast.AST | None = None) -> _Node:
    """Give `node`, and what in it has no position yet, the position of `place`."""
    ast.copy_location(node, place)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # A call of an attribute that spans lines counts as being where the attribute ends.
        ast.copy_location(node.func, place)
        node.func.end_lineno, node.func.end_col_offset = node.func.lineno, node.func.col_offset
    if end is not None:
        node.end_lineno, node.end_col_offset = end.end_lineno, end.end_col_offset  # type: ignore[attr-defined]
    _place_within(node)
    return node


def _place_within(node: ast.AST) -> None:
    """Give the new nodes within `node`, which has a position, that position. Where a part has one of its own, its
    parts have got theirs."""
    pending = [(node, child) for child in child_nodes(node)]
    while pending:
        parent, child = pending.pop()
        if "lineno" in child._attributes:
            if hasattr(child, "lineno"):
                continue
            ast.copy_location(child, parent)
            owner = child
        else:
            owner = parent
        pending.extend((owner, part) for part in child_nodes(child))


def complete(tree: ast.AST) -> None:
    """Give each node without a position that of the node around it, as `ast.fix_missing_locations`, which takes several
    times as long."""
    first = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    pending: list[tuple[ast.AST, ast.AST]] = [(first, tree)]
    while pending:
        around, node = pending.pop()
        if "lineno" in node._attributes:
            for name in _POSITION:
                if getattr(node, name, None) is None:
                    setattr(node, name, getattr(around, name))
            around = node
        pending.extend((around, part) for part in child_nodes(node))
