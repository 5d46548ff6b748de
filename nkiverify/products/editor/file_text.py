"""The text of a file as an editor counts it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site, characters

#: A name, or the id of a rule: `tile`, `nc_matmul.k_le_128`.
_WORD = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a file, and how the editor counts characters."""

    lines: Sequence[str]
    codec: PositionCodec

    def range_of(self, site: Site) -> lsp.Range:
        """The range of a place: the text of its line where it has no columns."""
        first = self._line(site.line - 1)
        if site.column < 0:
            start, end = len(first) - len(first.lstrip()), len(first.rstrip())
            return self._range(site.line - 1, start, site.line - 1, end)
        start = characters(first, site.column)
        last = max(site.line, site.end_line) - 1
        end = characters(self._line(last), site.end_column) if site.end_column > 0 else len(self._line(last).rstrip())
        return self._range(site.line - 1, start, last, end)

    def word_at(self, position: lsp.Position) -> str:
        """The name or id at a position; empty where there is none."""
        line = self._line(position.line)
        column = self.codec.position_from_client_units(list(self.lines), position).character
        return next((one[0] for one in _WORD.finditer(line) if one.start() <= column <= one.end()), "")

    def functions_at(self, line: int) -> list[str]:
        """The names of the functions that a line, counted from 1, is in: the innermost first."""
        around = [node for node in self._functions() if node.lineno <= line <= (node.end_lineno or 0)]
        return [node.name for node in sorted(around, key=lambda node: node.lineno, reverse=True)]

    def last_line_of(self, line: int) -> int:
        """The last line of the function whose `def` is at a line, both counted from 1; `line` where there is none."""
        return next((node.end_lineno or line for node in self._functions() if node.lineno == line), line)

    def body_indent_of(self, line: int) -> str | None:
        """The white space before the statements of the function whose `def` is at a line; None where there is none."""
        body = next((node.body for node in self._functions() if node.lineno == line), None)
        return None if body is None else self._line(body[0].lineno - 1)[: body[0].col_offset]

    def parameters_of(self, line: int) -> dict[str, lsp.Position]:
        """Where the parameters of the function whose `def` is at a line end, by name."""
        found = next((node.args for node in self._functions() if node.lineno == line), None)
        every = [*found.posonlyargs, *found.args, *found.kwonlyargs] if found is not None else []
        places = (Site("", one.lineno, one.col_offset, one.end_lineno or 0, one.end_col_offset or 0) for one in every)
        return {one.arg: self.range_of(place).end for one, place in zip(every, places, strict=True)}

    def _functions(self) -> Iterator[ast.FunctionDef]:
        try:
            tree = ast.parse("".join(self.lines))
        except (SyntaxError, ValueError):
            return
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))

    def end_of(self, line: int) -> lsp.Position:
        """The end of a line, counted from 1."""
        return lsp.Position(line - 1, self.codec.client_num_units(self._line(line - 1).rstrip("\r\n")))

    def _line(self, number: int) -> str:
        return self.lines[number] if 0 <= number < len(self.lines) else ""

    def _range(self, first: int, start: int, last: int, end: int) -> lsp.Range:
        shown = max(end, start) if first == last else end
        begin, stop = lsp.Position(max(0, first), start), lsp.Position(max(0, last), shown)
        return self.codec.range_to_client_units(list(self.lines), lsp.Range(begin, stop))
