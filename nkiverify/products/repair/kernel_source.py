"""The text of a kernel's file, and replacements in it that leave all else as it is written."""

from __future__ import annotations

import ast
from functools import cached_property

from nkiverify.products.repair.patches import Replacement

#: Expressions that need no brackets wherever they stand.
_ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.Tuple, ast.List)


class KernelSource:
    """The text of a file with its syntax tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)

    @cached_property
    def _lines(self) -> list[tuple[int, bytes]]:
        """Each line's first character, and its bytes: the tree counts columns in them."""
        found, start = [], 0
        for line in self.text.splitlines(keepends=True):
            found.append((start, line.encode()))
            start += len(line)
        return found

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node that each node is a part of."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def _at(self, line: int, column: int) -> int:
        start, text = self._lines[line - 1]
        return start + len(text[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        """The first character of a node, and the one after its last."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def replaced(self, node: ast.expr, text: str) -> Replacement:
        """An expression with `text` in its place, in brackets where it needs some there and without those that it
        needs no more."""
        start, end = self.span(node)
        atom = is_atom(text)
        if self._in_brackets(start, end):
            return Replacement(start - 1, end + 1, text) if atom else Replacement(start, end, text)
        needs = isinstance(self.parents.get(node), ast.BinOp | ast.UnaryOp | ast.Attribute)
        parent = self.parents.get(node)
        needs = needs or (isinstance(parent, ast.Subscript) and parent.value is node)
        needs = needs or (isinstance(parent, ast.Compare) and not _is_arithmetic(text))
        return Replacement(start, end, f"({text})" if needs and not atom else text)

    def _in_brackets(self, start: int, end: int) -> bool:
        """True if the characters stand in brackets of their own, not in those of a call or a tuple."""
        before = self.text[:start]
        if not before.endswith("(") or self.text[end : end + 1] != ")":
            return False
        outer = before[:-1].rstrip()
        return not outer or not (outer[-1].isalnum() or outer[-1] in "_)]")

    def line_after(self, statement: ast.stmt, text: str) -> Replacement:
        """A line after a statement, as far from the margin as that."""
        _, end = self.span(statement)
        return Replacement(end, end, f"\n{' ' * statement.col_offset}{text}")


def is_atom(text: str) -> bool:
    """True if an expression needs no brackets wherever it stands."""
    node = ast.parse(text, mode="eval").body
    return isinstance(node, _ATOMS) and not (isinstance(node, ast.Tuple) and not text.startswith("("))


def _is_arithmetic(text: str) -> bool:
    return not isinstance(ast.parse(text, mode="eval").body, ast.Compare | ast.BoolOp | ast.IfExp)
