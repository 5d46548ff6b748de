"""The sources that the dashboard shows: each file is read and parsed once, and coloured line by line."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Sources:
    """The files of a repository. What lies outside `root` is not read: results may name any path."""

    root: Path
    _texts: dict[str, str] = field(default_factory=dict)
    _definitions: dict[str, Mapping[str, list[ast.FunctionDef]]] = field(default_factory=dict)

    def text(self, file: str) -> str:
        """The text of `file`, a path relative to the root; empty where there is none to show."""
        if file not in self._texts:
            self._texts[file] = self._read(file)
        return self._texts[file]

    def docstring(self, file: str) -> str:
        """The first paragraph of the module's docstring, in one line."""
        tree = _tree(self.text(file))
        first = (ast.get_docstring(tree) or "").split("\n\n")[0] if tree is not None else ""
        return first.replace("\n", " ")

    def function(self, file: str, name: str, line: int) -> tuple[str, int]:
        """The definition of `name` at or below `line` without its decorators, and its first line; empty if none."""
        for node in self._functions(file).get(name, ()):
            if node.end_lineno is not None and line <= node.lineno:
                return "\n".join(self.text(file).splitlines()[node.lineno - 1 : node.end_lineno]), node.lineno
        return "", 0

    def _functions(self, file: str) -> Mapping[str, list[ast.FunctionDef]]:
        if file not in self._definitions:
            found: dict[str, list[ast.FunctionDef]] = {}
            tree = _tree(self.text(file))
            for node in ast.walk(tree) if tree is not None else ():
                if isinstance(node, ast.FunctionDef):
                    found.setdefault(node.name, []).append(node)
            self._definitions[file] = found
        return self._definitions[file]

    def _read(self, file: str) -> str:
        try:
            path = (self.root / file).resolve()
            if not file or not path.is_relative_to(self.root.resolve()):
                return ""
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return ""


def coloured(text: str) -> list[str]:
    """The lines of Python text as HTML: escaped, in the spans that Pygments gives its tokens."""
    lexer, formatter, highlight = _pygments()
    # Every line closes the spans that it opens.
    return highlight(text, lexer, formatter).removesuffix("\n").split("\n") if text else []


@functools.cache
def _pygments() -> tuple[Any, Any, Callable[..., str]]:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True), highlight


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
