"""The abilities of the terminal: colour and characters beyond ASCII."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping
from typing import TextIO

from nkiverify.foundation.dataclass import dataclass


class Mark(enum.Enum):
    """The ways to mark a part of a report, with what a terminal is sent."""

    NONE = ""
    BAD = "1;31"
    GOOD = "32"
    WARN = "1;33"
    HEAD = "1"
    FAINT = "2"
    HINT = "36"


@dataclass(frozen=True, slots=True)
class Style:
    """How to mark parts of a report. Paint text after it has been wrapped: colours count as characters."""

    colour: bool = False
    unicode: bool = False

    @staticmethod
    def of(stream: TextIO, environment: Mapping[str, str] = os.environ) -> Style:
        """Colour and Unicode on a terminal, unless NO_COLOR is set, it is a dumb one, or its encoding has none.

        With FORCE_COLOR there is colour elsewhere as well.
        """
        if environment.get("FORCE_COLOR") and not environment.get("NO_COLOR"):
            return Style(True, (stream.encoding or "").lower().replace("-", "") == "utf8")
        if not stream.isatty():
            return PLAIN
        encoding = (stream.encoding or "").lower().replace("-", "")
        colour = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        return Style(colour, encoding == "utf8")

    @property
    def bar(self) -> str:
        """Between line numbers and source."""
        return "│" if self.unicode else "|"

    @property
    def arrow(self) -> str:
        """Before what is said about a line of source."""
        return "←" if self.unicode else "<-"

    def bad(self, text: str) -> str:
        """The failures."""
        return self.marked(text, Mark.BAD)

    def good(self, text: str) -> str:
        """The successes."""
        return self.marked(text, Mark.GOOD)

    def warn(self, text: str) -> str:
        """The unknown."""
        return self.marked(text, Mark.WARN)

    def head(self, text: str) -> str:
        """The part that a reader looks for first."""
        return self.marked(text, Mark.HEAD)

    def faint(self, text: str) -> str:
        """The frame that holds the rest together."""
        return self.marked(text, Mark.FAINT)

    def hint(self, text: str) -> str:
        """The explanation."""
        return self.marked(text, Mark.HINT)

    def marked(self, text: str, mark: Mark) -> str:
        """`text` as that mark has it."""
        return f"\x1b[{mark.value}m{text}\x1b[0m" if self.colour and text and mark is not Mark.NONE else text


PLAIN = Style()
