"""The distance of a kernel's statements from what is wrong: at the place itself, where it gets its names, elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from nkiverify.products.repair.kernel_source import KernelSource

#: What is at least so far from every place.
_FAR = 3


def functions_near(source: KernelSource, kernel: str, lines: Collection[int]) -> Iterator[ast.FunctionDef]:
    """The functions of a file that a kernel reaches by name, and those that have one of the lines."""
    known = {node.name: node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)}
    inner = {
        one for node in known.values() for one in ast.walk(node) if isinstance(one, ast.FunctionDef) and one is not node
    }
    left = [kernel, *(node.name for node in known.values() if any(_has(node, line) for line in lines))]
    seen: set[str] = set()
    while left:
        name = left.pop(0)
        if name in seen or name not in known:
            continue
        seen.add(name)
        if known[name] not in inner:
            yield known[name]
        left += [one.id for one in ast.walk(known[name]) if isinstance(one, ast.Name)]
        left += [one.attr for one in ast.walk(known[name]) if isinstance(one, ast.Attribute)]


def distances(statements: Collection[ast.stmt], lines: Collection[int]) -> dict[ast.stmt, int]:
    """The distance of each statement: 0 at a line, 1 for a loop around it and where a name it uses gets its value, 2
    where such a name is used, else 3."""
    near = {one for line in lines for one in _innermost(statements, line)}
    names = set().union(*(_names(one) for one in near)) if near else set()
    found = {}
    for one in statements:
        around = isinstance(one, ast.For | ast.If | ast.While | ast.With) and any(_has(one, line) for line in lines)
        if one in near:
            found[one] = 0
        elif around or _given(one) & names:
            found[one] = 1
        else:
            found[one] = 2 if _names(one) & names else _FAR
    return found


def _has(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _innermost(statements: Collection[ast.stmt], line: int) -> list[ast.stmt]:
    having = [one for one in statements if _has(one, line)]
    return sorted(having, key=lambda one: (one.end_lineno or one.lineno) - one.lineno)[:1]


def _names(statement: ast.stmt) -> set[str]:
    """The names in the text of a statement, without those of the statements in it and those that are called."""
    found: set[str] = set()
    left: list[ast.AST] = [
        part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt | ast.excepthandler)
    ]
    while left:
        node = left.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        left += [part for part in ast.iter_child_nodes(node) if not (isinstance(node, ast.Call) and part is node.func)]
    return found


def _given(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value, an operand that a call writes among them."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign | ast.For):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        targets = [one.value for one in call.keywords if one.arg in ("dst", "dst_tensor")] or call.args[:1]
    found = set()
    for target in targets:
        while isinstance(target, ast.Subscript | ast.Attribute):
            target = target.value
        found |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found
