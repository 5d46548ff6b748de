"""Loops of a kernel that count their iterations: whether a concrete run stays within an unwinding bound."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any


class BoundExceeded(BaseException):
    """A loop of the kernel ran more often than the bound says."""


class Watch:
    """The bound of the run in progress, and whether a loop passed it (a kernel may swallow the exception)."""

    bound = 8
    exceeded = False


def bounded(iterable: Iterable[Any]) -> Iterator[Any]:
    """The elements of `iterable`, at most as many as the bound."""
    for position, element in enumerate(iterable):
        if position >= Watch.bound:
            _exceed()
        yield element


def counted() -> Callable[[], None]:
    """A function to be called once in each iteration of one loop."""
    iterations = 0

    def tick() -> None:
        nonlocal iterations
        iterations += 1
        if iterations > Watch.bound:
            _exceed()

    return tick


def _exceed() -> None:
    Watch.exceeded = True
    raise BoundExceeded


def count_iterations(source: str) -> str:
    """`source` with every loop watched."""
    tree = _Counting().visit(ast.parse(source))
    tree.body.insert(_after_docstring(tree), ast.parse("from lab.unwinding import bounded, counted").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


def _after_docstring(tree: ast.Module) -> int:
    return 1 if ast.get_docstring(tree) is not None else 0


class _Counting(ast.NodeTransformer):
    def __init__(self) -> None:
        self._loops = 0

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("bounded", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call("bounded", node.iter)
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self._loops += 1
        name = f"tick_{self._loops}"
        start = ast.Assign([ast.Name(name, ast.Store())], _call("counted"))
        node.body.insert(0, ast.Expr(_call(name)))
        return [start, node]


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
