"""Text that a kernel's author wrote, made harmless for the terminal or the CI system that shows it."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from operator import is_
from types import TracebackType
from typing import Any, TextIO, TypeVar

RecordT = TypeVar("RecordT")

#: Characters that move the cursor, change colours or turn the direction of text; line ends and tabs are none.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]")
#: What GitHub and Azure take for a command where a line begins with it, however far it is indented.
_COMMANDS = re.compile(r"(?<!\S)(?=::|##\[|##vso\[)")
#: The end of a text that the text after it may make such a command.
_BEGUN = re.compile(r"(?<!\S)(?::|##?|##v(?:so?)?)\Z")


def harmless(text: str) -> str:
    """`text` with control characters as `\\x1b`, and a backslash before what could begin a command."""
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        return text
    return _COMMANDS.sub(r"\\", printable(text))


def printable(text: str) -> str:
    """`text` with control characters as `\\x1b`, for a line of which the beginning is ours."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def quoted(text: str) -> str:
    """A string literal, in double quotes where that takes no more escapes."""
    literal = repr(text)
    return f'"{literal[1:-1]}"' if literal[0] == "'" and '"' not in literal else literal


def with_texts(record: RecordT, change: Callable[[str], str]) -> RecordT:
    """`record` with every text in it changed, at any depth of tuples, lists, sets, dictionaries and dataclasses; itself
    where none is."""
    changed: RecordT = _with_texts(record, change)
    return changed


#: Most of what records hold: there is no text in it.
_WITHOUT_TEXT = frozenset((int, float, bool, type(None)))


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    kind = type(value)
    if kind in _WITHOUT_TEXT:
        return value
    if kind is str:
        return change(value)
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list | set | frozenset):
        # A line for each operation of a kernel, say.
        if _WITHOUT_TEXT.issuperset(map(type, value)):
            return value
        parts = [_with_texts(part, change) for part in value]
        return value if all(map(is_, parts, value)) else type(value)(parts)
    if isinstance(value, dict):
        pairs = {_with_texts(key, change): _with_texts(part, change) for key, part in value.items()}
        same = all(map(is_, pairs, value)) and all(map(is_, pairs.values(), value.values()))
        return value if same else pairs
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value)]
        before = [getattr(value, name) for name in names]
        after = [_with_texts(part, change) for part in before]
        return value if all(map(is_, before, after)) else replace(value, **dict(zip(names, after, strict=True)))
    return value


def _decoded(text: str | bytes) -> str:
    return text if isinstance(text, str) else bytes(text).decode("utf-8", "replace")


class HarmlessStream:
    """A text stream for what kernels print: `stream`, with what is written to it made harmless. What may be the
    beginning of a command waits for the text after it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._held = ""

    @property
    def buffer(self) -> HarmlessStream:
        """Where bytes are written: here as well."""
        return self

    def write(self, text: str | bytes) -> int:
        """Write `text`; its length."""
        said = self._held + _decoded(text)
        begun = _BEGUN.search(said)
        self._held = begun[0] if begun is not None else ""
        self._stream.write(harmless(said.removesuffix(self._held)))
        return len(text)

    def flush(self) -> None:
        """Write what is held back, so that nothing can be made of it any more."""
        if self._held:
            self._stream.write(f"\\{self._held}")
        self._held = ""
        self._stream.flush()

    def close(self) -> None:
        """Nothing: the stream is ours."""

    def writelines(self, lines: list[str]) -> None:
        """Write all of them."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


#: Lines that are remembered, at most: a kernel that prints more is shown some of them again.
_MOST_LINES = 10_000
_NUMBER = re.compile(r"\d+")


class _Printed:
    """The lines that kernels have printed in this process, each without its numbers."""

    def __init__(self) -> None:
        self._before: set[str] = set()
        self._now: set[str] = set()

    def begin(self) -> None:
        """Another run begins: what was printed so far it need not print again."""
        if len(self._before) < _MOST_LINES:
            self._before |= self._now
        self._now = set()

    def is_new(self, line: str) -> bool:
        """True if no earlier run has printed `line`, with whatever numbers."""
        key = _NUMBER.sub("0", line)
        self._now.add(key)
        return key not in self._before


_printed = _Printed()


class _Said(HarmlessStream):
    """The lines that a kernel prints, but for those that it has printed in an earlier run: it is run for many
    shapes, and once more for what has its verdict."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._line = ""

    def write(self, text: str | bytes) -> int:
        *lines, self._line = (self._line + _decoded(text)).split("\n")
        for line in filter(_printed.is_new, lines):
            super().write(f"{line}\n")
        return len(text)

    def flush(self) -> None:
        """Write what has no end of its line yet."""
        if self._line and _printed.is_new(self._line):
            super().write(self._line)
        self._line = ""
        super().flush()


@contextmanager
def kernel_output() -> Iterator[None]:
    """Send what kernels print within the block to stderr, harmless, by whatever name Python has for where it goes."""
    _printed.begin()
    names = ("stdout", "stderr", "__stdout__", "__stderr__")
    before = {name: getattr(sys, name) for name in names}
    stderr = before["stderr"]
    said = stderr if isinstance(stderr, HarmlessStream) else _Said(stderr)
    for name in names:
        setattr(sys, name, said)
    try:
        yield
    finally:
        for name, stream in before.items():
            setattr(sys, name, stream)
        said.flush()


def tell_ignored_exceptions() -> None:
    """Have this process tell in a line of exceptions that nothing can handle: of `__del__`, and of threads."""
    sys.unraisablehook = lambda ignored: _tell_ignored(ignored.exc_type, ignored.exc_traceback)
    threading.excepthook = lambda ignored: _tell_ignored(ignored.exc_type, ignored.exc_traceback)


def _tell_ignored(kind: type[BaseException], entry: TracebackType | None) -> None:
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    place = f" at {entry.tb_frame.f_code.co_filename}:{entry.tb_lineno}" if entry is not None else ""
    reported = f"nkiverify: warning: Python ignores {kind.__name__}{place}: nobody can handle it"
    print(printable(reported), file=sys.stderr)
