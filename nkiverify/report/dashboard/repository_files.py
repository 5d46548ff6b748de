"""The sources that the dashboard shows: each file is read and parsed once, and coloured line by line."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.metadata
import io
import json
import tokenize
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.results.cache import store


@dataclass(slots=True)
class RepositoryFiles:
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
        first = (_docstring(self.text(file)) or "").split("\n\n")[0]
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


@dataclass(frozen=True, slots=True)
class Colours:
    """The sources in colour. What Pygments finds in a text takes time: in the `database` of remembered verdicts, if
    there is one, it is kept as kinds and lengths of the parts, of which nothing can come into a page but colours."""

    database: Path | None = None

    def of(self, texts: Mapping[str, str]) -> dict[str, list[str]]:
        """The lines of Python texts as HTML, by the names that they are remembered under: escaped, in spans."""
        digests = {f"colours of {name}": _digest(text) for name, text in texts.items()}
        known = self._remembered(digests)
        found, new = {}, []
        for (name, text), (slot, digest) in zip(texts.items(), digests.items(), strict=True):
            parts = _parts(known.get(slot, ""), text)
            if parts is None:
                parts = _parts_of(text)
                new.append((slot, digest, json.dumps(parts)))
            found[name] = _lines(parts, text)
        if new and self.database is not None:
            with contextlib.suppress(store.CacheError):  # they only save time
                store.save_texts(self.database, new)
        return found

    def _remembered(self, digests: Mapping[str, str]) -> dict[str, str]:
        if self.database is not None:
            with contextlib.suppress(store.CacheError):
                return store.load_texts(self.database, digests)
        return {}


def _digest(text: str) -> str:
    version = importlib.metadata.version("pygments")
    return hashlib.sha256(f"{version} {text}".encode("utf-8", "surrogatepass")).hexdigest()


#: The kind of each part of a text, as Pygments abbreviates it, and how long the part is.
_Parts = list[tuple[str, int]]


def _parts_of(text: str) -> _Parts:
    from pygments.lexers import PythonLexer
    from pygments.token import STANDARD_TYPES

    lexer = PythonLexer(stripnl=False, ensurenl=False)
    return [(STANDARD_TYPES.get(kind, ""), len(part)) for kind, part in lexer.get_tokens(text)]


def _parts(content: str, text: str) -> _Parts | None:
    """The parts that are remembered of a text; None where that is not what they are."""
    with contextlib.suppress(ValueError, TypeError):
        parts = [(str(kind), int(length)) for kind, length in json.loads(content or "null")]
        if sum(length for _, length in parts) == len(text) and all(length > 0 for _, length in parts):
            return parts
    return None


def _lines(parts: _Parts, text: str) -> list[str]:
    formatter, kinds = _formatter()
    tokens, at = [], 0
    for kind, length in parts:
        tokens.append((kinds.get(kind, kinds[""]), text[at : at + length]))
        at += length
    written = io.StringIO()
    formatter.format(tokens, written)
    # Every line closes the spans that it opens.
    return written.getvalue().removesuffix("\n").split("\n") if text else []


@functools.cache
def _formatter() -> tuple[Any, Mapping[str, Any]]:
    from pygments.formatters.html import HtmlFormatter
    from pygments.token import STANDARD_TYPES

    return HtmlFormatter(nowrap=True), {name: kind for kind, name in STANDARD_TYPES.items()}


def _docstring(text: str) -> str:
    """The docstring at the head of a module, of which no more is examined."""
    passed_over = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
    with contextlib.suppress(tokenize.TokenError, SyntaxError, ValueError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                tree = _tree(token.string)
                return (tree and ast.get_docstring(tree)) or ""
            if token.type not in passed_over:
                break
    return ""


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
