"""Kernels that watch their own integers: whether a concrete run computes one beyond 32 bits.

Independent of how the verifier's own concrete runs find that out: every arithmetic expression, call and literal of the
kernel is looked at. What a library computes on the way to a result only the verifier's runs see.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN

_UINT32_MAX = 2**32 - 1


class Watch:
    """True if an integer beyond 32 bits has been computed since this was last set to False."""

    exceeded = False


def look(value: Any) -> Any:
    """`value`, looked at."""
    if (type(value) is int or isinstance(value, np.signedinteger)) and not INT32_MIN <= value <= INT32_MAX:
        Watch.exceeded = True
    return value


def watch_integers(source: str) -> str:
    """`source` with every arithmetic expression watched."""
    tree = _Watching().visit(ast.parse(source))
    tree.body.insert(0, ast.parse("from lab.integers import look as look_at_integer").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


class _Watching(ast.NodeTransformer):
    def _watched(self, node: ast.expr) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("look_at_integer", ast.Load()), [node], [])

    visit_BinOp = _watched
    visit_UnaryOp = _watched
    visit_Call = _watched

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        # A pattern of 32 bits looks like a number from here: numbers of 33 are none.
        large = type(node.value) is int and node.value > _UINT32_MAX
        return self._watched(node) if large else node

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        target = ast.parse(ast.unparse(node.target), mode="eval").body
        return [node, ast.Expr(ast.Call(ast.Name("look_at_integer", ast.Load()), [target], []))]
