"""Parsing what the user types after `--arg`, `--where` and `--grid` to Python's syntax trees.

The syntax is Python's, with ranges `128..4096` and `128..` added: they become shifts, which dimensions have no other
use for, and an open end becomes `None`. A named range `K:1..64` is a slice, which Python has in square brackets only:
one elsewhere, as in `shape=(H:1..64, 3)`, is put into some. Every character keeps its place in the text for messages.
"""

from __future__ import annotations

import ast
import re
from dataclasses import field

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError


class TextError(UsageError):
    """A mistake in `text`, between the characters `start` and `end`; `option` says where the text was given."""

    def __init__(self, message: str, option: str, text: str, start: int, end: int | None = None) -> None:
        super().__init__(f"{option}: {message}")
        self.text = text
        self.start = max(0, min(start, len(text)))
        self.end = max(self.start + 1, min(end if end is not None else start + 1, len(text)))

    def excerpt(self) -> str:
        """The text, with carets under the mistake. Control characters are shown as spaces, one column each."""
        line = "".join(character if character.isprintable() else " " for character in self.text)
        return f"  {line}\n  {' ' * self.start}{'^' * (self.end - self.start)}"


#: A file of contents, behind a description of the tensor or by itself.
_FROM_FILE = re.compile(r"(?:\s*(?P<described>\S.*?)\s+in)?\s*@\s*(?P<file>\S.*\.npy)\s*", re.DOTALL)
_STRING_OR_DOTS = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\.\.+""")
_ASSIGNED = re.compile(r"[^=!<>](=)[^=]")
_NAMED_RANGE = re.compile(r"[A-Za-z_]\w*\s*:\s*[\w*+-]*\s*\.\.\s*[\w*+-]*(?:\s*:\s*[\w*+-]+)?")
#: What the brackets around a named range that is no extent belong to.
_RANGE = "__range__"
_DIGITS_BEFORE_RANGE = re.compile(r"\s*(?=$|[],:)])")


@dataclass(frozen=True, slots=True)
class OptionText:
    """The text that the user typed for `option`. `positions` maps columns of the parsed text to columns of this one."""

    option: str
    content: str
    positions: list[int] = field(default_factory=list, compare=False)

    def error(self, message: str, node: ast.AST | None = None) -> TextError:
        """The error to raise about `node`, about all of the text for None."""
        if not isinstance(node, ast.expr):
            return TextError(message, self.option, self.content, 0, len(self.content))
        start, end = self._place(node.col_offset), self._place((node.end_col_offset or node.col_offset + 1) - 1) + 1
        return TextError(message, self.option, self.content, start, end)

    def _place(self, column: int) -> int:
        if not self.positions:
            return column
        return self.positions[min(max(column, 0), len(self.positions) - 1)]


def parse(option: str, content: str, subscript: bool = False) -> tuple[OptionText, ast.expr]:
    """The expression that `content` is; with `subscript`, what may stand in square brackets: `K:128..4096, 3`.

    Raises `TextError` where it is none.
    """
    if not content.strip():
        raise TextError("there is nothing here", option, content or " ", 0)
    if not content.isascii():
        wrong = next(place for place, character in enumerate(content) if not character.isascii())
        raise TextError("only ASCII characters are understood", option, content, wrong)
    translated, positions = _translated(content)
    if subscript:
        translated, positions = f"_[{translated}]", [0, 0, *positions, len(content)]
    text = OptionText(option, content, positions)
    leading = len(translated) - len(translated.lstrip())
    positions[:] = positions[leading:] or [0]
    try:
        tree = ast.parse(translated.strip(), mode="eval").body
    except SyntaxError as error:
        column = (error.offset or 1) - 1
        place = positions[min(max(column, 0), len(positions) - 1)]
        assigned = _ASSIGNED.search(content)
        if assigned is not None and option == "--where":
            raise TextError("equality is written ==", option, content, assigned.start(1), assigned.end(1)) from None
        raise TextError("this is not understood", option, content, place) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise TextError(f"this is not understood: {error}", option, content, 0) from None
    tree = _Unwrapping().visit(tree)
    if subscript:
        if not isinstance(tree, ast.Subscript):
            raise TextError("this is not understood", option, content, 0)
        return text, tree.slice
    return text, tree


def file_named(content: str) -> tuple[str, str] | None:
    """The description, empty if there is none, and the file of contents that an argument is given by."""
    found = _FROM_FILE.fullmatch(content)
    return (found["described"] or "", found["file"]) if found is not None else None


def _translated(content: str) -> tuple[str, list[int]]:
    """`content` in Python's syntax, and where each of its characters comes from."""
    parts: list[str] = []
    positions: list[int] = []
    around = _ranges_without_brackets(content)

    def add_content(start: int, stop: int) -> None:
        for place in range(start, stop):
            add(around.get(place, ""), place, place)
            add(content[place], place, place + 1)

    def add(piece: str, start: int, stop: int) -> None:
        parts.append(piece)
        positions.extend(min(start + step, max(stop - 1, start)) for step in range(len(piece)))

    last = 0
    for found in _STRING_OR_DOTS.finditer(content):
        add_content(last, found.start())
        last = found.end()
        if not set(found.group()) <= {"."}:
            add(found.group(), found.start(), found.end())
        elif len(found.group()) > 2:
            add(" . . ", found.start(), found.end())
        else:
            lead = re.search(r"[:,(\[]\s*$|^\s*$|\bin\s*$", content[: found.start()])
            tail = _DIGITS_BEFORE_RANGE.match(content, found.end())
            before = " None" if lead else ""
            after = "None " if tail else ""
            add(before, found.start(), found.start())
            add(f"<<{after}", found.start(), found.end())
    add_content(last, len(content))
    add(around.get(len(content), ""), len(content), len(content))
    return "".join(parts), positions


def _ranges_without_brackets(content: str) -> dict[int, str]:
    """The text to put in where named ranges begin and end that are in parentheses, or in the brackets of a list."""
    found: dict[int, str] = {}
    open_brackets: list[bool] = []
    end = 0
    for place, character in enumerate(content):
        if place < end:
            continue
        if character in "'\"":
            quoted = _STRING_OR_DOTS.match(content, place)
            end = quoted.end() if quoted is not None else end
        elif character in "([":
            indexed = re.search(r"[\w)\]]\s*$", content[:place]) is not None
            open_brackets.append(character == "[" and indexed)
        elif character in ")]":
            del open_brackets[-1:]
        elif character.isalpha() or character == "_":
            named = _NAMED_RANGE.match(content, place)
            word = re.compile(r"\w+").match(content, place)
            end = named.end() if named is not None else word.end() if word is not None else end
            if named is not None and open_brackets and not open_brackets[-1]:
                found[place] = f"{_RANGE}["
                found[len(content[: named.end()].rstrip())] = "]"
    return found


class _Unwrapping(ast.NodeTransformer):
    """Takes named ranges out of the brackets that they were put into."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        wrapped = isinstance(node.value, ast.Name) and node.value.id == _RANGE
        return node.slice if wrapped and isinstance(node.slice, ast.Slice) else node
