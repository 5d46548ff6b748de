"""Comments with which a kernel's author accepts a finding: `# nkiverify: ignore[isa.enum_members] the reason`.

A comment is about the statement that it stands next to, or about the first lines of a compound one.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from nkiverify.foundation.dataclass import dataclass

_MARK = re.compile(r"#\s*nkiverify:\s*ignore(?P<rest>.*)")
_FORM = re.compile(r"\[(?P<ids>[^\]]*)\]\s*(?P<reason>[^#]*)")

#: What a comment looks like.
FORM = "# nkiverify: ignore[ID] REASON"


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """One such comment: about the rules `ids`, at the `lines` of its statement. `problem` says what is wrong with it.

    `line` is where it stands.
    """

    file: str
    line: int
    lines: range
    ids: tuple[str, ...]
    reason: str
    problem: str = ""

    @property
    def place(self) -> str:
        """`kernel.py:12`."""
        return f"{self.file}:{self.line}"


def ignore_comments(file: str) -> tuple[IgnoreComment, ...]:
    """The comments in a Python file; none in one that cannot be read."""
    try:
        with tokenize.open(file) as opened:
            text = opened.read()
        if "nkiverify:" not in text:
            return ()
        found = list(_comments(text))
        spans = list(_statements(ast.parse(text))) if found else []
    except (OSError, SyntaxError, ValueError):
        return ()
    return tuple(_read(file, line, comment, spans) for line, comment in found)


def _comments(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        match = _MARK.search(token.string) if token.type == tokenize.COMMENT else None
        if match is not None:
            yield token.start[0], match


def _statements(module: ast.Module) -> Iterator[range]:
    """The lines of each statement; of a compound one those before its body."""
    for node in ast.walk(module):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno
            yield range(node.lineno, max(node.lineno, last or 0) + 1)


def _read(file: str, line: int, match: re.Match[str], spans: list[range]) -> IgnoreComment:
    around = [span for span in spans if line in span]
    lines = min(around, key=len) if around else range(line, line + 1)
    form = _FORM.match(match["rest"])
    ids = tuple(filter(None, (part.strip() for part in form["ids"].split(",")))) if form is not None else ()
    reason = form["reason"].strip() if form is not None else ""
    problem = ""
    if not ids:
        problem = f"{Path(file)}:{line}: a comment that accepts a finding names its rule: {FORM}"
    elif not reason:
        problem = f"{Path(file)}:{line}: ignore[{', '.join(ids)}] gives no reason: {FORM}"
    return IgnoreComment(file, line, lines, ids, reason, problem)
