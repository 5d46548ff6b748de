"""Text that a kernel's author wrote, made harmless for the terminal or the CI system that shows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TextIO, TypeVar

RecordT = TypeVar("RecordT")

#: Characters that move the cursor, change colours or turn the direction of text; line ends and tabs are none.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]")
#: What GitHub and Azure take for a command where a line begins with it, however far it is indented.
_COMMANDS = re.compile(r"(?<!\S)(?=::|##\[|##vso\[)")


def harmless(text: str) -> str:
    """`text` with control characters as `\\x1b`, and a backslash before what could begin a command."""
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        return text
    text = _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
    return _COMMANDS.sub(r"\\", text)


def with_texts(record: RecordT, change: Callable[[str], str]) -> RecordT:
    """`record` with every text in it changed, at any depth of tuples, lists, dictionaries and dataclasses."""
    changed: RecordT = _with_texts(record, change)
    return changed


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value) if type(value) is str else value
    if isinstance(value, tuple | list):
        return type(value)(_with_texts(part, change) for part in value)
    if isinstance(value, dict):
        return {_with_texts(key, change): _with_texts(part, change) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {each.name: _with_texts(getattr(value, each.name), change) for each in fields(value)}
        return replace(value, **parts)
    return value


class HarmlessStream:
    """A text stream for what kernels print: `stream`, with what is written to it made harmless."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write `text`; its length."""
        self._stream.write(harmless(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write all of them."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
