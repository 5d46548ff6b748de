"""Mistakes in what the user typed, shown with a caret under the place."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

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


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where names like `name` are known, else nothing."""
    close = get_close_matches(name, sorted(set(known)), 3)
    return f"; did you mean {' or '.join(close)}?" if close else ""
